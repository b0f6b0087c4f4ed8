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
	// taken is the call that came back for it: a place is taken once.
	taken nod.CallID
}

// logReplayed is the kind of the log entry about a call that was answered by an earlier one.
const logReplayed = "call.replayed"

// same finds the call that this one repeats without being a new one: the same
// idempotency key, an equal act that is still open, or one whose result was
// never fully handed over. The agent is given that call.
func (t *Turn) same(c nod.Call, agent nod.Agent, act nod.Action, ask Ask) (nod.Call, bool, error) {
	found := t.named(ask)
	if found != nil {
		digest := c.ActDigest
		if ask.Phone == "" { // which phone the call went to is not the agent's to know, unless it names one
			digest = actDigest(agent, found.Phone, act)
		}
		if !bytes.Equal(found.ActDigest, digest) {
			return nod.Call{}, false, errKeyTaken
		}
	} else {
		found = t.answering(c.Agent, func(digest []byte) bool { return bytes.Equal(digest, c.ActDigest) })
	}
	if found == nil {
		return nod.Call{}, false, nil
	}
	known := *found
	if !t.flooded(known) {
		t.log(logReplayed, known, map[string]string{"outcome": string(known.Outcome)}, nil)
	}
	switch {
	case known.Final():
		ago := t.now.Sub(known.Ended).Round(time.Second)
		known.Text += "\n\n" + t.core.spec.Text(spec.TextAnsweredBefore, map[string]string{"ago": ago.String()})
	case ask.Detached:
		known = t.step(known, call.Event{Kind: call.Detach})
	default:
		t.attached[known.ID] = t.others(known.ID) + 1
	}
	return known, true, nil
}

// answering finds the agent's call that a new one would only repeat, of those whose
// act digest matches; nil for none.
func (t *Turn) answering(agent nod.AgentID, match func(digest []byte) bool) (found *nod.Call) {
	t.eachCallOf(agent, func(c nod.Call) {
		if match(c.ActDigest) && t.answers(c) && (found == nil || newer(c, *found)) {
			found = &c
		}
	})
	return found
}

// answers reports whether an equal call is not a new one but this one.
func (t *Turn) answers(c nod.Call) bool {
	return !c.Final() && c.State != nod.Received || t.unheard(c)
}

// repeats returns the phone of the call, or of the kept place, that an act would
// repeat on one of the person's phones; empty when it is new. Without it a retry
// would go to whichever phone answered a beat last.
func (t *Turn) repeats(agent nod.Agent, act nod.Action) nod.PhoneID {
	phones := map[string]nod.PhoneID{}
	t.eachPhone(agent.Person, func(p nod.Phone) {
		if p.Approved && p.Revoked == 0 {
			phones[string(actDigest(agent, p.ID, act))] = p.ID
		}
	})
	if len(phones) < 2 {
		return ""
	}
	if found := t.answering(agent.ID, func(digest []byte) bool { return phones[string(digest)] != "" }); found != nil {
		return found.Phone
	}
	for digest, phone := range phones {
		if _, ok := t.placeFor([]byte(digest)); ok && t.isReachable(phone) {
			return phone
		}
	}
	return ""
}

// others counts the connections that wait for a call besides the one that made it.
func (t *Turn) others(id nod.CallID) int {
	n, _ := newest(t.attached, t.core.attached, id)
	return n
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
	p, ok := newest(t.held, t.core.held, string(actDigest))
	return p, ok && t.now < p.until
}

// takePlace gives a call the place that is kept for its act, once, and returns
// the call that had it.
func (t *Turn) takePlace(c nod.Call) nod.CallID {
	p, ok := t.placeFor(c.ActDigest)
	if !ok || p.taken != "" && p.taken != c.ID {
		return ""
	}
	p.taken = c.ID
	t.held[string(c.ActDigest)] = p
	return p.call
}

// keepPlace keeps the place of a call that its agent's connection took with it.
func (t *Turn) keepPlace(c nod.Call, keep time.Duration) {
	t.held[string(c.ActDigest)] = place{call: c.ID, until: t.now.Add(keep)}
}

// keepsPlaceOf reports whether the place of a call's card is kept now.
func (t *Turn) keepsPlaceOf(c nod.Call) bool {
	p, ok := t.placeFor(c.ActDigest)
	return ok && p.call == c.ID
}

// maxDrops is how often in a minute the place of an agent's card is kept: one
// that connects and drops in a loop is under its budget again.
const maxDrops = 20

// drops counts the cards that an agent's connections took with them in the last minute.
func (t *Turn) drops(agent nod.AgentID) int {
	n := 0
	t.eachCallOf(agent, func(c nod.Call) {
		if c.Why == nod.WhyGone && t.now.Sub(c.Ended) < time.Minute {
			n++
		}
	})
	return n
}

// Gone tells that one connection that waited for a call is over. The call is
// taken back when no other one waits, it is still attached and still open.
func (t *Turn) Gone(agent nod.AgentID, id nod.CallID) error {
	c, err := t.own(agent, id)
	if err != nil {
		return err
	}
	if n := t.others(id); n > 0 {
		t.attached[id] = n - 1
		return nil
	}
	if c.Attached && c.State.Open() {
		t.drop(c)
	} else if c.Attached && !c.Final() {
		t.step(c, call.Event{Kind: call.Detach})
	}
	return nil
}

// drop takes a call back that its agent's connection took with it, and keeps
// the place of its card for the agent to come back.
func (t *Turn) drop(c nod.Call) nod.Call {
	keep := call.KeepPlace
	if t.drops(c.Agent) >= maxDrops {
		keep = 0
	}
	c = t.step(c, call.Event{Kind: call.Withdraw, Why: nod.WhyGone, Keep: keep})
	t.keepPlace(c, keep)
	return c
}

// TakeBack takes a call back for the last of the connections that decided over it,
// which opened it so many times. One that opened it in the meantime keeps it, but
// where the gateway ends: no connection outlives that. A call that none decides
// over goes on: its agent follows it by its id.
func (t *Turn) TakeBack(agent nod.AgentID, id nod.CallID, why nod.Why, opened int) (nod.Call, error) {
	c, err := t.own(agent, id)
	switch {
	case err != nil || !c.Attached || c.Final():
		return c, err
	case why == nod.WhyRestart && !c.State.Open():
		return c, nil // what a person decided ends by its result, as after a start
	case why != nod.WhyRestart && t.others(id) >= opened:
		t.attached[id] = t.others(id) - opened
		return c, nil
	case why == nod.WhyGone && c.State.Open():
		return t.drop(c), nil
	}
	return t.step(c, call.Event{Kind: call.Withdraw, Why: why}), nil
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
