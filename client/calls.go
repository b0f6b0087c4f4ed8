package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nod.dev/nod"
)

// Request is a call to be sent.
type Request struct {
	// Tool is what the agent names: "phone_action".
	Tool string `json:"tool"`
	// Arguments is the tool's JSON object, sent as it is: the gateway refuses
	// duplicate keys and broken text instead of repairing them.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Phone asks for one phone, by id or name; empty for the gateway's choice.
	Phone string `json:"phone,omitempty"`
	// Mode narrows what the agent may do unasked; empty for the agent's own.
	Mode nod.Mode `json:"mode,omitempty"`
	// WaitSeconds asks for a card that waits less than the person's setting; 0 for that.
	WaitSeconds int `json:"wait_seconds,omitempty"`
	// Detached says who ends the call. True, and the default of the HTTP API:
	// the card waits for its time, whoever still listens. False: the call is
	// withdrawn when nobody has asked for it for 10 seconds.
	Detached bool `json:"detached"`
	// Key makes sending safe to repeat: a call with the same key is the same
	// call. It travels as the header Idempotency-Key.
	Key string `json:"-"`
}

// Call is a call and what became of it.
type Call struct {
	ID      nod.CallID  `json:"id"`
	Tool    string      `json:"tool"`
	Action  string      `json:"action,omitempty"`
	State   nod.State   `json:"state"`
	Outcome nod.Outcome `json:"outcome,omitempty"`
	Why     nod.Why     `json:"why,omitempty"`
	// Text is what an agent is told, complete: how it ended, or that it waits.
	Text string `json:"text"`
	// Message is the phone's own sentence; part of Text.
	Message string `json:"message,omitempty"`
	// Push is how far a wake-up for the call came: failed, accepted by the push
	// service, received by the phone's browser, shown as a notification. None of it
	// is the card; empty when none was needed.
	Push  nod.Push    `json:"push,omitempty"`
	Phone nod.PhoneID `json:"phone,omitempty"`
	// Started says, of a failed call, that the phone had begun.
	Started bool    `json:"started,omitempty"`
	Verdict Verdict `json:"verdict,omitzero"`

	ReceivedAt time.Time `json:"received_at"`
	DeadlineAt time.Time `json:"deadline_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
}

// Verdict is the policy's answer and the rule that gave it.
type Verdict struct {
	Answer nod.Answer `json:"answer,omitempty"`
	Rule   nod.Rule   `json:"rule,omitempty"`
}

// Ended reports whether the call has its outcome.
func (c *Call) Ended() bool { return c.State == nod.Closed }

// Calls is a list of calls, newest first.
type Calls struct {
	Calls []Call `json:"calls"`
}

// pollSeconds is how long one question may wait. Proxies and clients cut an
// idle connection after 60 seconds.
const pollSeconds = 45

// Open sends a call and returns as soon as the gateway has it in its ledger.
// The call may have ended already.
func (c *Client) Open(ctx context.Context, q Request) (Call, error) {
	var header http.Header
	if q.Key != "" {
		header = http.Header{"Idempotency-Key": {q.Key}}
	}
	var call Call
	err := c.send(ctx, http.MethodPost, "/v1/calls", header, q, &call)
	return call, err
}

// Call returns a call of this agent as it is now.
func (c *Client) Call(ctx context.Context, id nod.CallID) (Call, error) {
	var call Call
	err := c.send(ctx, http.MethodGet, callPath(id), nil, nil, &call)
	return call, err
}

// Wait returns the call when it has ended or when wait has passed, whichever is
// first. The gateway rounds wait up to whole seconds and cuts it at 50.
func (c *Client) Wait(ctx context.Context, id nod.CallID, wait time.Duration) (Call, error) {
	seconds := int((wait + time.Second - 1) / time.Second)
	var call Call
	err := c.send(ctx, http.MethodGet, callPath(id)+"?wait="+strconv.Itoa(seconds), nil, nil, &call)
	return call, err
}

// Cancel takes a call back. The answer says what became of it: a call that the
// person already confirmed goes on, and its text says so.
func (c *Client) Cancel(ctx context.Context, id nod.CallID) (Call, error) {
	var call Call
	err := c.send(ctx, http.MethodPost, callPath(id)+"/cancel", nil, struct{}{}, &call)
	return call, err
}

// OpenCalls lists the calls of this agent that have not ended, oldest first.
func (c *Client) OpenCalls(ctx context.Context) ([]Call, error) {
	var list Calls
	err := c.send(ctx, http.MethodGet, "/v1/calls", nil, nil, &list)
	return list.Calls, err
}

// Do sends a call, waits until it has ended and returns it. When ctx ends first
// it takes the call back, waits a moment for the answer to that, and returns the
// call as it then is with ctx's error.
//
// A gateway that is away for a while is asked again: what it says of a call is
// the truth, and a lost connection is not.
func (c *Client) Do(ctx context.Context, q Request) (Call, error) {
	if q.Key == "" {
		q.Key = rand.Text()
	}
	call, err := c.openSurely(ctx, q)
	if err != nil {
		return call, err
	}
	return c.Follow(ctx, call)
}

// openTime is how long a gateway may take to put a call into its ledger.
const openTime = 15 * time.Second

// openSurely opens a call even when ctx ends meanwhile: a call whose id nobody
// was told could not be taken back. With its key it is safe to repeat.
func (c *Client) openSurely(ctx context.Context, q Request) (Call, error) {
	if err := ctx.Err(); err != nil {
		return Call{}, err
	}
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTime)
	defer cancel()
	for failures := 1; ; failures++ {
		call, err := c.Open(lasting, q)
		if err == nil || !passing(err) || failures > maxRefusals || !pause(ctx, time.Duration(failures)*pauseStep) {
			return call, err
		}
	}
}

const (
	// maxRefusals bounds how often a call is sent to a gateway that does not
	// take it, and maxFailures how often one that took it is asked again.
	maxRefusals = 3
	maxFailures = 6
	// pauseStep is the first pause between two tries; each is longer by it.
	pauseStep = 500 * time.Millisecond
)

// Follow waits until an opened call has ended, as [Client.Do] does: when ctx ends
// first, the call is taken back.
func (c *Client) Follow(ctx context.Context, call Call) (Call, error) {
	call, err := c.Await(ctx, call)
	if ctx.Err() != nil && !call.Ended() {
		return c.takeBack(call, ctx.Err())
	}
	return call, err
}

// Await waits until an opened call has ended, or until ctx ends: then it returns
// the call as it last was, with ctx's error, and the call goes on.
func (c *Client) Await(ctx context.Context, call Call) (Call, error) {
	var failures int
	for !call.Ended() {
		next, err := c.Wait(ctx, call.ID, pollSeconds*time.Second)
		switch {
		case err == nil:
			call, failures = next, 0
		case ctx.Err() == nil && (!passing(err) || failures >= maxFailures):
			return call, err
		default:
			failures++
			pause(ctx, time.Duration(failures)*pauseStep)
		}
		if !call.Ended() && ctx.Err() != nil {
			return call, ctx.Err()
		}
	}
	return call, nil
}

// takeBackTime is how long a call that is taken back may take to say so.
const takeBackTime = 5 * time.Second

// takeBack cancels a call after the caller's own context has ended.
func (c *Client) takeBack(call Call, cause error) (Call, error) {
	ctx, cancel := context.WithTimeout(context.Background(), takeBackTime)
	defer cancel()
	if ended, err := c.Cancel(ctx, call.ID); err == nil {
		call = ended
	}
	return call, cause
}

// passing reports whether asking again can help.
func passing(err error) bool {
	e, ok := err.(*Error)
	return ok && (e.Code == Unreachable || e.Status == http.StatusTooManyRequests || e.Status >= 502)
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func callPath(id nod.CallID) string { return "/v1/calls/" + url.PathEscape(string(id)) }
