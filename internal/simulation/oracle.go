package simulation

import (
	"fmt"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// Oracle knows what really happened and holds it against the promises.
type Oracle struct {
	// Violation is the first promise that was broken; empty while none is.
	Violation string

	taps    map[nod.CallID]tap
	done    map[nod.CallID]int // how often an action was really begun
	ended   map[nod.CallID]nod.Call
	said    map[nod.CallID]string // what the driver said of its end
	had     map[nod.CallID]bool   // a phone said that it has the offer
	seen    map[nod.CallID]bool   // a phone said that the card is on its screen
	woken   map[wakeup]bool       // a push service took a wake-up for the card
	stopped map[nod.AgentID]bool
	out     map[nod.CallID]bool     // what was read for it was handed to its agent
	ends    map[nod.CallID]nod.Time // when an offer really ends, by the simulation's own clock
}

// tap is a person's answer on a screen, over the bytes that were drawn.
type tap struct {
	choice nod.Choice
	digest string
}

// cardWaits is how long every card of the simulation waits.
const cardWaits = 120 * time.Second

func newOracle() *Oracle {
	return &Oracle{taps: map[nod.CallID]tap{}, done: map[nod.CallID]int{}, ended: map[nod.CallID]nod.Call{},
		said: map[nod.CallID]string{}, had: map[nod.CallID]bool{}, seen: map[nod.CallID]bool{}, woken: map[wakeup]bool{}, stopped: map[nod.AgentID]bool{}, out: map[nod.CallID]bool{}, ends: map[nod.CallID]nod.Time{}}
}

func (o *Oracle) broken(promise, format string, args ...any) {
	if o.Violation == "" {
		o.Violation = promise + ": " + fmt.Sprintf(format, args...)
	}
}

// tapped is the person answering.
func (o *Oracle) tapped(id nod.CallID, choice nod.Choice, digest string) {
	if before, ok := o.taps[id]; !ok || before.choice == nod.ChoiceDecline && choice == nod.ChoiceConfirm {
		o.taps[id] = tap{choice, digest}
	}
}

// began is the phone really doing it, with the bytes it does it by.
func (o *Oracle) began(id nod.CallID, digest string) {
	o.done[id]++
	if t, ok := o.taps[id]; !ok || t.choice != nod.ChoiceConfirm || t.digest != digest {
		o.broken("I1", "%s was carried out and the person tapped %+v", id, o.taps[id])
	}
	if o.done[id] > 1 {
		o.broken("I2", "%s was carried out %d times", id, o.done[id])
	}
	if c, ok := o.ended[id]; ok && saysNothingHappened(c) {
		o.broken("I3", "%s was carried out after its agent was told %s", id, c.Outcome)
	}
}

// reads is the phone really looking, with the bytes it does it by. That has no
// effect yet: it is handed out later, or never.
func (o *Oracle) reads(offer wire.OfferBody, digest string) {
	if t, ok := o.taps[offer.Call]; offer.Verdict == nod.Ask && (!ok || t.choice != nod.ChoiceConfirm || t.digest != digest) {
		o.broken("I1", "%s was read and the person tapped %+v", offer.Call, t)
	}
}

// canary is what a phone reads for a call, and nothing else holds.
func canary(id nod.CallID) string { return "canary of " + string(id) }

// handed is an agent being given what was read.
func (o *Oracle) handed(c nod.Call, text string, logged bool) {
	switch {
	case c.Released == 0 || !logged:
		o.broken("I6", "what was read for %s was handed out, and the log does not say so", c.ID)
	case o.stopped[c.Agent]:
		o.broken("I5", "what was read for %s was handed out after its agent was stopped", c.ID)
	case c.Outcome != nod.Done || !strings.Contains(text, canary(c.ID)):
		o.broken("I9", "%s, which ended %s, was given %q", c.ID, c.Outcome, text)
	}
	o.out[c.ID] = true
}

// written is a batch on its way to the disk: nothing that was read is in it.
func (o *Oracle) written(b *store.Batch) {
	holds := func(id nod.CallID, parts ...string) {
		for _, part := range parts {
			if strings.Contains(part, "canary of ") {
				o.broken("I14", "the ledger holds what was read for %s", id)
			}
		}
	}
	for _, c := range b.Calls {
		holds(c.ID, c.Text, c.Message, c.Supplement, string(c.Why), string(c.Result), string(c.Decision))
	}
	for _, e := range b.Entries {
		holds(e.Call, string(e.Payload))
	}
}

// stated is the driver saying how it ended.
func (o *Oracle) stated(id nod.CallID, status wire.ResultStatus) {
	o.said[id] = string(status)
}

// told is a row that is in the ledger, and so may be told to its agent.
func (o *Oracle) told(c nod.Call) {
	before, ended := o.ended[c.ID]
	switch {
	case c.State == nod.Delivered && !o.had[c.ID] || c.State == nod.Shown && !o.seen[c.ID]:
		o.broken("I3", "%s is told %s, and no phone said so", c.ID, c.State)
	case ended && (before.Outcome != c.Outcome || before.State != c.State):
		o.broken("I3", "%s was told %s and then %s", c.ID, before.Outcome, c.Outcome)
	case !c.Final():
		return
	case c.Kind == nod.Read && c.Outcome == nod.Unknown:
		o.broken("I3", "%s reads, and ended unknown", c.ID)
	case c.Outcome != nod.Done && o.out[c.ID]:
		o.broken("I3", "%s was handed out and its agent is told %s", c.ID, c.Outcome)
	case saysNothingHappened(c) && o.done[c.ID] > 0:
		o.broken("I3", "%s was carried out and its agent is told %s", c.ID, c.Outcome)
	case c.Outcome == nod.Expired && !o.seen[c.ID]:
		o.broken("I3", "%s is told expired, and no phone said that its card was on a screen", c.ID)
	case c.Outcome == nod.Done && o.said[c.ID] != string(wire.ResultDone):
		o.broken("I3", "%s is told done and the phone said %q", c.ID, o.said[c.ID])
	}
	o.ended[c.ID] = c
}

// saysNothingHappened is the last column of the design's table of outcomes.
func saysNothingHappened(c nod.Call) bool {
	switch c.Outcome {
	case nod.Declined, nod.Expired, nod.Unseen, nod.Withdrawn, nod.Denied, nod.Refused, nod.Unavailable:
		return true
	case nod.Failed:
		return !c.Started
	}
	return false
}

// heard is a frame of a phone's, whether or not it arrives.
func (o *Oracle) heard(f wire.Frame) {
	switch f.Kind {
	case wire.KindShown:
		o.seen[f.Call] = true
		o.had[f.Call] = true
	case wire.KindDelivered:
		o.had[f.Call] = true
	}
}

// wakeup is a call's card on a phone, in one life of the gateway.
type wakeup struct {
	call  nod.CallID
	phone nod.PhoneID
	life  int
}

// wakes is a wake-up leaving the gateway for a card.
func (o *Oracle) wakes(c nod.Call, w wakeup) {
	switch {
	case c.ID == "":
		o.broken("I6", "a phone was woken for %s, which is not in the ledger", w.call)
	case o.stopped[c.Agent]:
		o.broken("I5", "a phone was woken for %s after its agent was stopped", c.ID)
	case c.Verdict.Answer != nod.Ask:
		o.broken("I12", "a phone was woken for %s, which asks nothing", c.ID)
	case o.woken[w]:
		o.broken("wake", "%s rang twice on %s", c.ID, w.phone)
	}
	if _, ended := o.ended[c.ID]; ended {
		o.broken("wake", "a phone was woken for %s, which is over", c.ID)
	}
}

// sent is a frame leaving the gateway.
func (o *Oracle) sent(kind string, c nod.Call, now nod.Time) {
	if kind != wire.KindGo && kind != wire.KindOffer {
		return
	}
	if o.stopped[c.Agent] {
		o.broken("I5", "a %s for %s was sent after its agent was stopped", kind, c.ID)
	}
	end, known := o.ends[c.ID]
	switch {
	case kind == wire.KindOffer && !known:
		o.ends[c.ID] = now.Add(cardWaits)
	case kind == wire.KindGo && (c.Decided == 0 || c.Decided >= c.Deadline):
		o.broken("I4", "a go for %s was sent, decided at %d with the deadline %d", c.ID, c.Decided, c.Deadline)
	case kind == wire.KindGo && now >= end.Add(call.GoWindow):
		o.broken("I4", "a go for %s was sent %s after its card had ended", c.ID, now.Sub(end))
	}
	if _, ok := o.ended[c.ID]; ok && kind == wire.KindGo {
		o.broken("I4", "a go for %s was sent after its end", c.ID)
	}
}

// healed is the end of a life in which all trouble stopped a while ago.
func (o *Oracle) healed(calls map[nod.CallID]nod.Call) {
	for id, c := range calls {
		if !c.Final() {
			o.broken("I11", "%s is still %s", id, c.State)
		}
	}
}
