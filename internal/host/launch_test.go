package host

import (
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// TestGoInTime holds the ways in which a go for a decision made here is too late.
func TestGoInTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		pass  func(n *Now)
		armed bool
	}{
		{"at once", func(*Now) {}, true},
		{"9.9 s", func(n *Now) { add(n, 9900*time.Millisecond) }, true},
		{"10 s", func(n *Now) { add(n, 10*time.Second) }, false},
		{"the wall clock was set forward", func(n *Now) { n.Wall = n.Wall.Add(time.Hour) }, false},
		{"the wall clock was set back", func(n *Now) { n.Wall = n.Wall.Add(-time.Hour) }, true},
		{"the wall clock was set back to hide 10 s", func(n *Now) { add(n, 10*time.Second); n.Wall = n.Wall.Add(-time.Hour) }, false},
		{"it slept for 2 s", func(n *Now) { add(n, 2*time.Second); n.Awake -= 2 * time.Second }, false},
		{"the clocks were read 100 ms apart", func(n *Now) { n.Boot += 100 * time.Millisecond }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, true)
			b.connect(1)
			o := offer("call_1")
			b.take(o)
			mine := b.choose(o.Call, nod.ChoiceConfirm)
			c.pass(&b.now)
			effects := b.frame(goFrame(o, mine))
			if got := b.m.State(o.Call) == Armed; got != c.armed {
				t.Fatalf("armed is %v: %s", got, say(effects))
			}
			if !c.armed {
				if r := result(t, effects); r.Status != wire.ResultFailed || r.Started || r.Message != saysNoGo {
					t.Errorf("the result is %+v", r)
				}
			}
		})
	}
}

func add(n *Now, d time.Duration) {
	n.Boot += d
	n.Awake += d
	n.Wall = n.Wall.Add(d)
}

// TestGoForAnotherScreen holds what a phone without a screen demands of a go.
func TestGoForAnotherScreen(t *testing.T) {
	o := offer("call_1", otherDecides)
	body := wire.DecisionBody{Call: o.Call, Digest: digest(o), Phone: other, Choice: nod.ChoiceConfirm}
	with := func(change func(*wire.DecisionBody)) wire.DecisionBody {
		b := body
		change(&b)
		return b
	}
	for _, c := range []struct {
		name     string
		decision wire.Signed
		after    time.Duration
		want     State
	}{
		{"right", sign(keys.other, wire.KindDecision, body), 0, Armed},
		{"right, 9 s after the end", sign(keys.other, wire.KindDecision, body), 129 * time.Second, Armed},
		{"10 s after the end", sign(keys.other, wire.KindDecision, body), 130 * time.Second, Finished},
		{"signed by a stranger", sign(keys.stranger, wire.KindDecision, body), 0, Received},
		{"signed by this phone's key, said to be another's", sign(keys.me, wire.KindDecision, body), 0, Received},
		{"said to be this phone's", sign(keys.me, wire.KindDecision, with(func(b *wire.DecisionBody) { b.Phone = me })), 0, Received},
		{"by a phone that is not paired", sign(keys.stranger, wire.KindDecision, with(func(b *wire.DecisionBody) { b.Phone = "phone_x" })), 0, Received},
		{"over another offer", sign(keys.other, wire.KindDecision, with(func(b *wire.DecisionBody) { b.Digest = digest(offer("call_2")) })), 0, Received},
		{"for another call", sign(keys.other, wire.KindDecision, with(func(b *wire.DecisionBody) { b.Call = "call_2" })), 0, Received},
		{"a decline", sign(keys.other, wire.KindDecision, with(func(b *wire.DecisionBody) { b.Choice = nod.ChoiceDecline })), 0, Received},
		{"standing, by another phone", sign(keys.other, wire.KindDecision, with(func(b *wire.DecisionBody) { b.Choice = nod.ChoiceStanding })), 0, Received},
		{"of another kind", sign(keys.other, wire.KindResult, body), 0, Received},
		{"not canonical", wire.Signed{Kind: wire.KindDecision, Body: "{ }"}, 0, Received},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, false)
			b.connect(1)
			if got := say(b.frame(b.offerFrame(o))); got != "write received, send delivered" {
				t.Fatalf("the offer: %s", got)
			}
			b.pass(c.after)
			effects := b.frame(goFrame(o, c.decision))
			if got := b.m.State(o.Call); got != c.want {
				t.Fatalf("the call is %q, want %q: %s", got, c.want, say(effects))
			}
		})
	}
	t.Run("by a screen that the offer does not name", func(t *testing.T) {
		b := newBench(t, true)
		b.connect(1)
		alone := offer("call_1")
		b.take(alone)
		b.frame(goFrame(alone, otherDecision(alone, nod.ChoiceConfirm)))
		if got := b.m.State("call_1"); got != Received {
			t.Errorf("the call is %q", got)
		}
	})
	t.Run("for other bytes than were offered", func(t *testing.T) {
		b := newBench(t, false)
		b.connect(1)
		b.frame(b.offerFrame(o))
		claimed := wire.GoBody{Call: o.Call, Digest: digest(offer("call_2")), Decision: otherDecision(o, nod.ChoiceConfirm)}
		b.frame(wire.FrameOf(sign(keys.gateway, wire.KindGo, claimed)))
		changed := offer("call_1", otherDecides, func(o *wire.OfferBody) { o.Fields = nod.Fields{"time": "03:00"} })
		b.frame(goFrame(changed, otherDecision(changed, nod.ChoiceConfirm)))
		if got := b.m.State("call_1"); got != Received {
			t.Errorf("the call is %q", got)
		}
	})
}

// TestGoAfterRestart holds that a go counts only for what this life was offered.
func TestGoAfterRestart(t *testing.T) {
	b := newBench(t, false)
	b.connect(1)
	o := offer("call_1", otherDecides)
	b.frame(b.offerFrame(o))
	b.restart()
	b.connect(2, o.Call)
	if r := result(t, b.frame(goFrame(o, otherDecision(o, nod.ChoiceConfirm)))); r.Started || r.Status != wire.ResultFailed {
		t.Errorf("the result is %+v", r)
	}

	b = newBench(t, false)
	b.connect(1)
	b.frame(b.offerFrame(o))
	b.restart()
	b.connect(2, o.Call)
	b.frame(b.offerFrame(o))
	if got := say(b.frame(goFrame(o, otherDecision(o, nod.ChoiceConfirm)))); got != "write armed, carry_out" {
		t.Errorf("offered again: %s", got)
	}
}

// TestTombstones holds that a call that is over is never asked and never done
// again, and that a go for it is answered where the answer is certain.
func TestTombstones(t *testing.T) {
	b := newBench(t, true)
	b.connect(1)
	o := offer("call_1")
	b.take(o)
	mine := b.choose(o.Call, nod.ChoiceConfirm)
	b.frame(callFrame(wire.KindWithdraw, wire.CallBody{Call: o.Call, Reason: "cancelled"}))
	b.journal = b.m.Snapshot()
	b.restart()
	b.connect(2)
	if got := say(b.frame(b.offerFrame(o))); got != "-" {
		t.Errorf("offered again: %s", got)
	}
	if r := result(t, b.frame(goFrame(o, mine))); r.Started || r.Status != wire.ResultFailed {
		t.Errorf("the result is %+v", r)
	}
	b.restart()
	b.connect(3)
	b.frame(wire.Frame{Kind: wire.KindAck, Call: o.Call, Of: wire.KindResult})
	if got := say(b.frame(goFrame(o, mine))); got != "-" {
		t.Errorf("a go after the ack: %s", got)
	}
}
