package gateway

import (
	"bytes"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// place is a card's place on a screen, kept for the agent's connection to come
// back (design section 3, "Repeats").
type place struct {
	call  nod.CallID
	until nod.Time
}

// Kinds of log entries about repeats.
const (
	logReceived = "call.received"
	logReplayed = "call.replayed"
)

// same finds the call that this one repeats without being a new one: the same
// idempotency key, an equal act that is still open, or one whose result was
// never fully handed over. The agent is given that call.
func (t *Turn) same(c nod.Call, ask Ask) (nod.Call, bool, error) {
	var found *nod.Call
	var conflict bool
	t.eachCallOf(c.Agent, func(other nod.Call) {
		equal := bytes.Equal(other.ActDigest, c.ActDigest) && len(c.ActDigest) > 0
		switch {
		case ask.Key != "" && other.Key == ask.Key && !equal:
			conflict = true
		case ask.Key != "" && other.Key == ask.Key,
			equal && !other.Final() && other.State != nod.Received,
			equal && t.unheard(other):
			if found == nil || newer(other, *found) {
				found = &other
			}
		}
	})
	switch {
	case conflict:
		return nod.Call{}, false, nod.Errorf(nod.CodeConflict, "this idempotency key was used for another call", "use a new key for a new call")
	case found == nil:
		return nod.Call{}, false, nil
	}
	known := *found
	t.log(logReplayed, known, map[string]string{"outcome": string(known.Outcome)}, nil)
	if known.Final() {
		ago := t.now.Sub(known.Ended).Round(time.Second)
		known.Text += "\n\n" + t.core.spec.Text(spec.TextAnsweredBefore, map[string]string{"ago": ago.String()})
	}
	if !ask.Detached && !known.Final() {
		id := known.ID
		t.after = append(t.after, func() { t.core.attached[id]++ })
	}
	return known, true, nil
}

// newer prefers a call that is still open, then the later one.
func newer(a, b nod.Call) bool {
	if a.Final() != b.Final() {
		return !a.Final()
	}
	return a.Received > b.Received
}

// unheard reports whether a call ended lately with something that its agent was
// never fully told. What never reached a phone is judged afresh instead.
func (t *Turn) unheard(c nod.Call) bool {
	if !c.Final() || c.HandedOver || t.now.Sub(c.Ended) >= repeatWindow {
		return false
	}
	switch c.Outcome {
	case nod.Done, nod.Opened, nod.Answered, nod.Declined, nod.Expired, nod.Unseen, nod.Unknown:
		return true
	case nod.Failed:
		return c.Why != nod.WhyCannot
	}
	return false
}

// before finds the same act in the last minutes, where a person or a phone had
// a part in how it ended: the card says so.
func (t *Turn) before(c nod.Call) (wire.Repeat, bool) {
	var last *nod.Call
	t.eachCallOf(c.Agent, func(other nod.Call) {
		if !other.Final() || !bytes.Equal(other.ActDigest, c.ActDigest) || t.now.Sub(other.Ended) >= repeatWindow {
			return
		}
		switch other.Outcome {
		case nod.Done, nod.Opened, nod.Answered, nod.Unknown, nod.Declined:
			if last == nil || other.Ended > last.Ended {
				last = &other
			}
		}
	})
	if last == nil {
		return wire.Repeat{}, false
	}
	return wire.Repeat{SecondsAgo: int64(t.now.Sub(last.Ended).Seconds()), Outcome: last.Outcome}, true
}

// placeFor returns the place that is kept for an act.
func (t *Turn) placeFor(actDigest []byte) (place, bool) {
	p, ok := t.core.held[string(actDigest)]
	return p, ok && t.now < p.until
}

// keepPlace keeps the place of a call that its agent's connection took with it.
func (t *Turn) keepPlace(c nod.Call, keep time.Duration) {
	p := place{call: c.ID, until: t.now.Add(keep)}
	t.after = append(t.after, func() { t.core.held[string(c.ActDigest)] = p })
}

// Gone tells that one connection that waited for a call is over. The call is
// taken back when no other one waits, it is still attached and still open.
func (t *Turn) Gone(agent nod.AgentID, id nod.CallID) error {
	c, err := t.own(agent, id)
	if err != nil {
		return err
	}
	if t.core.attached[id] > 0 {
		t.after = append(t.after, func() { t.core.attached[id]-- })
		return nil
	}
	if c.Attached && c.State.Open() {
		t.step(c, call.Event{Kind: call.Withdraw, Why: nod.WhyGone, Keep: call.KeepPlace})
		t.keepPlace(c, call.KeepPlace)
	} else if c.Attached && !c.Final() {
		t.step(c, call.Event{Kind: call.Detach})
	}
	return nil
}

// Cancel takes a call back for its agent. A call that is decided already is
// disarmed if the phone has not begun; how it ends, its result says.
func (t *Turn) Cancel(agent nod.AgentID, id nod.CallID) (nod.Call, error) {
	c, err := t.own(agent, id)
	if err != nil {
		return nod.Call{}, err
	}
	return t.step(c, call.Event{Kind: call.Withdraw, Why: nod.WhyCancelled}), nil
}

// Detach lets a call live on without the connection that made it.
func (t *Turn) Detach(agent nod.AgentID, id nod.CallID) (nod.Call, error) {
	c, err := t.own(agent, id)
	if err != nil {
		return nod.Call{}, err
	}
	return t.step(c, call.Event{Kind: call.Detach}), nil
}

// HandedOver records that the agent was given the final result in full.
func (t *Turn) HandedOver(agent nod.AgentID, id nod.CallID) error {
	c, err := t.own(agent, id)
	if err != nil {
		return err
	}
	t.step(c, call.Event{Kind: call.HandedOver})
	return nil
}

// own returns a call of the agent's. Another agent's call does not exist for it.
func (t *Turn) own(agent nod.AgentID, id nod.CallID) (nod.Call, error) {
	c, ok := t.call(id)
	if !ok || c.Agent != agent {
		return nod.Call{}, noSuchCall(id)
	}
	return c, nil
}

func noSuchCall(id nod.CallID) error {
	return nod.Errorf(nod.CodeNotFound, "there is no call "+clip(string(id), 60), "list the open ones with call_status, or GET /v1/calls")
}
