package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"nod.dev/nod"
)

// EventKind says what an [Event] tells of.
type EventKind string

// The kinds of events.
const (
	EventSnapshot EventKind = "snapshot" // what is open now; the first one of each connection
	EventCall     EventKind = "call"     // a call changed
	EventAgent    EventKind = "agent"    // the agent changed: what it may do, or its name
	EventEnd      EventKind = "end"      // nothing more comes, and why
)

// Event is something that happened to this agent or one of its calls.
type Event struct {
	// ID is where to go on from after this event; empty where nothing new begins.
	ID   string
	Kind EventKind
	// Call is the call as it is now, of an [EventCall].
	Call Call
	// Snapshot is of an [EventSnapshot].
	Snapshot Snapshot
	// Agent is of an [EventAgent].
	Agent Agent
}

// Snapshot is what a stream of events begins with.
type Snapshot struct {
	// Calls are those that have not ended, oldest first.
	Calls []Call `json:"calls"`
	Agent Agent  `json:"agent"`
	// Missed is true when calls may have ended since the event that the reader
	// had last and are not told any more: [Client.Calls] lists them.
	Missed bool `json:"missed"`
}

// silence is how long a stream may say nothing. The gateway says something every
// 15 seconds.
const silence = 45 * time.Second

// Events yields what happens to this agent's calls as it happens, until ctx
// ends, the loop is left, or an error is yielded, which is the last thing: the
// agent was removed ([nod.CodeUnauthorized]), or the gateway stays away.
//
// It begins with a snapshot. Where the connection breaks it connects again and
// goes on from the last event: first come the calls that ended meanwhile, then a
// snapshot. So each call's end is told at least once, and steps on the way there
// may be left out. With after, the ID of an event that was kept, it begins so too.
func (c *Client) Events(ctx context.Context, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		failures := 0
		for {
			last, began, err := c.stream(ctx, after, func(e Event) bool { return yield(e, nil) })
			if last != "" {
				after = last
			}
			if began {
				failures = 0
			}
			switch failures++; {
			case err == errLeft:
				return
			case ctx.Err() != nil:
				yield(Event{}, ctx.Err())
				return
			case !passing(err) || failures > maxFailures:
				yield(Event{}, err)
				return
			}
			pause(ctx, backOff(failures, err))
		}
	}
}

// errLeft says that the loop over the events was left.
var errLeft = errors.New("the reader left")

// stream reads one connection's events. It returns the id of the last one, and
// whether any came; the error is never nil.
func (c *Client) stream(ctx context.Context, after string, tell func(Event) bool) (last string, began bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	header := http.Header{"Accept": {"text/event-stream"}}
	if after != "" {
		header.Set("Last-Event-ID", after)
	}
	resp, err := c.request(ctx, http.MethodGet, "/v1/events", header, nil)
	if err != nil {
		return "", false, c.brokeOff(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return "", false, refused(resp)
	}
	for block, err := range blocks(resp.Body, func() { quiet.Reset(silence) }) {
		if err != nil {
			return last, began, c.brokeOff(err)
		}
		e, err := block.event()
		if err != nil {
			return last, began, err
		}
		if began = true; e.ID != "" {
			last = e.ID
		}
		if !tell(e) {
			return last, began, errLeft
		}
	}
	return last, began, c.brokeOff(nil)
}

// brokeOff says that a stream ended without a word of why: a gateway that is
// away for a while.
func (c *Client) brokeOff(err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) { // by the silence
		err = nil
	}
	return &Error{Code: Unreachable, Message: "the events of " + c.base + " broke off", Hint: "does the gateway run?", Err: err}
}

// event reads what a block says. The end of the stream is an error.
func (b block) event() (Event, error) {
	e := Event{ID: b.id, Kind: EventKind(b.kind)}
	var into any
	var problem Problem
	switch e.Kind {
	case EventSnapshot:
		into = &e.Snapshot
	case EventCall:
		into = &e.Call
	case EventAgent:
		into = &e.Agent
	case EventEnd:
		into = &problem
	default:
		return e, nil // of a newer gateway
	}
	if err := json.Unmarshal([]byte(b.data), into); err != nil {
		return e, fmt.Errorf("reading an event of the kind %s: %w", e.Kind, err)
	}
	if e.Kind == EventEnd {
		if problem.Error.Code == nod.CodeTooMany {
			problem.Error.Status = http.StatusTooManyRequests
		}
		return e, &problem.Error
	}
	return e, nil
}
