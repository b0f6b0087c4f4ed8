package host

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

var update = flag.Bool("update", false, "write testdata/rows.txt anew; read the difference before you keep it")

// rowEvents are what can happen to a call, in every variant that matters. Each
// is given the machine with the call in some state, the offer, and the decision
// that was made on this phone, if one was.
var rowEvents = []struct {
	name string
	kind EventKind
	do   func(b *bench, o wire.OfferBody, mine wire.Signed) []Effect
}{
	{"connected, open", Connected, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect { return b.connect(2, o.Call) }},
	{"connected, not open", Connected, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect { return b.connect(2) }},
	{"disconnected", Disconnected, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect { return b.step(Event{Kind: Disconnected}) }},
	{"offer", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect { return b.frame(b.offerFrame(o)) }},
	{"offer, other bytes", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		o.Nonce = "another"
		return b.frame(b.offerFrame(o))
	}},
	{"offer, old epoch", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		f := b.offerFrame(o)
		f.Epoch--
		return b.frame(f)
	}},
	{"offer, forged", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		f := b.offerFrame(o)
		f.Sig = sign(keys.stranger, wire.KindOffer, o).Sig
		return b.frame(f)
	}},
	{"go, my decision", FrameIn, func(b *bench, o wire.OfferBody, mine wire.Signed) []Effect { return b.frame(goFrame(o, mine)) }},
	{"go, the other's decision", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(goFrame(o, otherDecision(o, nod.ChoiceConfirm)))
	}},
	{"go, the other's decline", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(goFrame(o, otherDecision(o, nod.ChoiceDecline)))
	}},
	{"go, forged", FrameIn, func(b *bench, o wire.OfferBody, mine wire.Signed) []Effect {
		f := goFrame(o, mine)
		f.Sig = sign(keys.stranger, wire.KindGo, o).Sig
		return b.frame(f)
	}},
	{"disarm", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(callFrame(wire.KindDisarm, wire.CallBody{Call: o.Call, Reason: "paused"}))
	}},
	{"withdraw", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(callFrame(wire.KindWithdraw, wire.CallBody{Call: o.Call, Reason: "cancelled"}))
	}},
	{"withdraw, keep", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(callFrame(wire.KindWithdraw, wire.CallBody{Call: o.Call, Reason: "gone", KeepMS: 10_000}))
	}},
	{"withdraw, answered", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(callFrame(wire.KindWithdraw, wire.CallBody{Call: o.Call, Reason: ReasonAnswered, By: "Tablet"}))
	}},
	{"withdraw, forged", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(wire.FrameOf(sign(keys.stranger, wire.KindWithdraw, wire.CallBody{Call: o.Call, Reason: "cancelled"})))
	}},
	{"ack of decision", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(wire.Frame{Kind: wire.KindAck, Call: o.Call, Of: wire.KindDecision})
	}},
	{"ack of result", FrameIn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(wire.Frame{Kind: wire.KindAck, Call: o.Call, Of: wire.KindResult})
	}},
	{"revoked", FrameIn, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(wire.FrameOf(sign(keys.gateway, wire.KindRevoked, wire.RevokedBody{Phone: me})))
	}},
	{"revoked, another phone", FrameIn, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(wire.FrameOf(sign(keys.gateway, wire.KindRevoked, wire.RevokedBody{Phone: other})))
	}},
	{"looked up", LookedUp, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: LookedUp, Call: o.Call, Rows: []Row{{Field: "to", Given: "Ana", Value: "+351 910 000 001"}}})
	}},
	{"drawn", Drawn, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Drawn, Call: o.Call})
	}},
	{"confirm", Chosen, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceConfirm})
	}},
	{"decline", Chosen, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceDecline, Reason: "not now"})
	}},
	{"ended, done", Ended, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultDone}})
	}},
	{"ended, failed", Ended, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultFailed, Started: true}})
	}},
	{"ended, not started", Ended, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultFailed}})
	}},
	{"ended, no such status", Ended, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Ended, Call: o.Call, Result: Result{Status: "splendid"}})
	}},
	{"set back", SetBackSeen, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: SetBackSeen, Head: wire.Head{Size: 1}})
	}},
	{"accepted", Accepted, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect { return b.step(Event{Kind: Accepted}) }},
	{"head", HeadSeen, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: HeadSeen, Head: wire.Head{Size: 9}})
	}},
	{"access", Switch, func(b *bench, o wire.OfferBody, _ wire.Signed) []Effect {
		return b.step(Event{Kind: Switch, Agent: o.Agent, Switches: map[string]nod.AccessState{"calendar:read": nod.AccessAsk}})
	}},
	{"pause", Pause, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect { return b.step(Event{Kind: Pause}) }},
	{"resume", Resume, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect { return b.step(Event{Kind: Resume}) }},
	{"asked to resume", FrameIn, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect {
		return b.frame(wire.Frame{Kind: wire.KindRecords, Reason: wire.RecordResume})
	}},
	{"a new phone", FrameIn, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect {
		record := phoneRecord("phone_new", keys.stranger, me, keys.me)
		return b.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
	}},
	{"1 s later", Tick, later(time.Second)},
	{"4 s later", Tick, later(4 * time.Second)},
	{"10 s later", Tick, later(10 * time.Second)},
	{"120 s later", Tick, later(120 * time.Second)},
	{"130 s later", Tick, later(130 * time.Second)},
	{"restart", Tick, func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect { return b.restart() }},
}

func later(d time.Duration) func(*bench, wire.OfferBody, wire.Signed) []Effect {
	return func(b *bench, _ wire.OfferBody, _ wire.Signed) []Effect {
		b.pass(d)
		return b.step(Event{Kind: Tick})
	}
}

// rowStates bring a call that two screens may decide into each state.
var rowStates = []struct {
	state State
	to    func(b *bench, o wire.OfferBody) (mine wire.Signed)
}{
	{Absent, func(*bench, wire.OfferBody) (none wire.Signed) { return none }},
	{Received, func(b *bench, o wire.OfferBody) (none wire.Signed) { b.take(o); return none }},
	{Held, func(b *bench, o wire.OfferBody) (none wire.Signed) {
		b.take(o)
		b.frame(callFrame(wire.KindWithdraw, wire.CallBody{Call: o.Call, Reason: "gone", KeepMS: 10_000}))
		return none
	}},
	{Decided, func(b *bench, o wire.OfferBody) wire.Signed { b.take(o); return b.choose(o.Call, nod.ChoiceConfirm) }},
	{Declined, func(b *bench, o wire.OfferBody) wire.Signed { b.take(o); return b.choose(o.Call, nod.ChoiceDecline) }},
	{Armed, func(b *bench, o wire.OfferBody) wire.Signed { return b.arm(o) }},
	{Finished, func(b *bench, o wire.OfferBody) wire.Signed {
		mine := b.arm(o)
		b.step(Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultDone}})
		return mine
	}},
	{Over, func(b *bench, o wire.OfferBody) wire.Signed {
		mine := b.arm(o)
		b.step(Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultDone}})
		b.frame(wire.Frame{Kind: wire.KindAck, Call: o.Call, Of: wire.KindResult})
		return mine
	}},
}

func (b *bench) arm(o wire.OfferBody) wire.Signed {
	b.take(o)
	mine := b.choose(o.Call, nod.ChoiceConfirm)
	b.frame(goFrame(o, mine))
	return mine
}

// TestRows holds every pair of a state and an event against testdata/rows.txt.
func TestRows(t *testing.T) {
	var got strings.Builder
	events := map[EventKind]bool{}
	states := map[State]bool{}
	for _, s := range rowStates {
		states[s.state] = true
		got.WriteString("# " + string(s.state) + "\n")
		for _, ev := range rowEvents {
			events[ev.kind] = true
			b := newBench(t, true)
			b.connect(1)
			o := offer("call_1", bothDecide)
			mine := s.to(b, o)
			if b.m.State(o.Call) != s.state {
				t.Fatalf("the call is %q and should be %q", b.m.State(o.Call), s.state)
			}
			effects := ev.do(b, o, mine)
			got.WriteString(ev.name + " | " + string(b.m.State(o.Call)) + " | " + say(effects) + "\n")
		}
	}
	for _, k := range EventKinds {
		if !events[k] {
			t.Errorf("no row for the event %s", k)
		}
	}
	for _, s := range States {
		if !states[s] {
			t.Errorf("no row for the state %q", s)
		}
	}
	const path = "testdata/rows.txt"
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
