package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nod.dev/nod"
)

// pollSeconds is how long one question may wait. Proxies and clients cut an
// idle connection after 60 seconds.
const pollSeconds = 45

// Open sends a call and returns as soon as the gateway has it in its ledger.
// The call may have ended already.
//
// It sends once. Without [Request.Key] an error can leave open whether the call
// arrived; with one, sending the same request again is safe.
func (c *Client) Open(ctx context.Context, q Request) (Call, error) {
	var header http.Header
	if q.Key != "" {
		header = http.Header{"Idempotency-Key": {q.Key}}
	}
	var call Call
	err := c.send(ctx, http.MethodPost, "/v1/calls", header, q, &call)
	return call, err
}

// Call returns a call of this agent as it is now. Another agent's does not
// exist for it: [nod.CodeNotFound].
func (c *Client) Call(ctx context.Context, id nod.CallID) (Call, error) {
	var call Call
	err := c.send(ctx, http.MethodGet, callPath(id), nil, nil, &call)
	return call, err
}

// Wait returns the call when it has ended or when wait has passed, whichever is
// first. It asks in whole seconds, rounded up, and the gateway cuts them at 50.
func (c *Client) Wait(ctx context.Context, id nod.CallID, wait time.Duration) (Call, error) {
	seconds := int((max(wait, 0) + time.Second - 1) / time.Second)
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

// maxAttachment bounds what is read of an attachment: all that a phone may send.
const maxAttachment = 1 << 20

// Attachment returns the bytes of the nth of a call's [Call.Attachments], from 0,
// for as long as the call has them.
func (c *Client) Attachment(ctx context.Context, id nod.CallID, n int) ([]byte, error) {
	resp, err := c.request(ctx, http.MethodGet, callPath(id)+"/attachments/"+strconv.Itoa(n), nil, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return nil, refused(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAttachment+1))
	switch {
	case err != nil:
		return nil, c.unreachable(ctx, err)
	case len(data) > maxAttachment:
		return nil, fmt.Errorf("reading an attachment: it is larger than %d bytes, which none is", maxAttachment)
	}
	return data, nil
}

// OpenCalls lists the calls of this agent that have not ended, newest first.
func (c *Client) OpenCalls(ctx context.Context) ([]Call, error) {
	var open []Call
	for call, err := range c.Calls(ctx, CallQuery{State: "open"}) {
		if err != nil {
			return open, err
		}
		open = append(open, call)
	}
	return open, nil
}

// CallQuery selects from the calls of this agent. The zero value is all of them.
type CallQuery struct {
	// State is "open", "ended", or empty for both.
	State string
	// Before continues a list: only calls older than this one.
	Before nod.CallID
	// Limit is how many calls one page holds, 1 to 100; 0 for the gateway's choice.
	Limit int
}

// Page returns one page of this agent's calls, newest first.
func (c *Client) Page(ctx context.Context, q CallQuery) (Calls, error) {
	v := url.Values{}
	if q.State != "" {
		v.Set("state", q.State)
	}
	if q.Before != "" {
		v.Set("before", string(q.Before))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	var page Calls
	err := c.send(ctx, http.MethodGet, withQuery("/v1/calls", v), nil, nil, &page)
	return page, err
}

// Calls walks through this agent's calls, newest first, page by page. An error
// is the last thing it yields.
func (c *Client) Calls(ctx context.Context, q CallQuery) iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		for {
			page, err := c.Page(ctx, q)
			if err != nil {
				yield(Call{}, err)
				return
			}
			for _, call := range page.Calls {
				if !yield(call, nil) {
					return
				}
			}
			if q.Before = page.Next; q.Before == "" {
				return
			}
		}
	}
}

// Do sends a call, waits until it has ended and returns it. When ctx ends first
// it takes the call back, waits a moment for the answer to that, and returns the
// call as it then is with ctx's error. A call that is on its way just then is
// first waited for, at most 15 seconds: one whose id is not known yet cannot be
// taken back.
//
// A gateway that is away for a while is asked again: what it says of a call is
// the truth, and a lost connection is not. The call is sent under a key, the
// caller's or one of its own, so that sending it again makes no second one.
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
		if err == nil || !passing(err) || failures > maxRefusals || !pause(ctx, backOff(failures, err)) {
			return call, err
		}
	}
}

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
			pause(ctx, backOff(failures, err))
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

func callPath(id nod.CallID) string { return "/v1/calls/" + url.PathEscape(string(id)) }

func withQuery(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}
