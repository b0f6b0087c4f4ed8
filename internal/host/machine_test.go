package host

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
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

// TestOfferRefused holds what is wrong with offers, and what the agent may hear of it.
func TestOfferRefused(t *testing.T) {
	extra := func(f wire.Frame) wire.Frame {
		body := strings.Replace(f.Body, `"nonce":"n"`, `"nonce":"n","ontop":1`, 1)
		tree, err := wire.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return wire.FrameOf(sign(keys.gateway, wire.KindOffer, tree))
	}
	for _, c := range []struct {
		name   string
		offer  wire.OfferBody
		change func(wire.Frame) wire.Frame
		want   string
	}{
		{"for two other phones", offer("c", otherActs, otherDecides), nil, "note"},
		{"with a key that this phone does not know", offer("c"), extra, "note"},
		{"with a time that never ends", offer("c", func(o *wire.OfferBody) { o.TTLSeconds = 0 }), nil, "note"},
		{"without a call", offer(""), nil, "note"},
		{"of another kind", offer("c"), func(f wire.Frame) wire.Frame {
			f.Sig = sign(keys.gateway, wire.KindGo, offer("c")).Sig
			return f
		}, "note"},
		{"with an action that does not exist", offer("c", func(o *wire.OfferBody) { o.Action = "buy" }), nil,
			"write received, send delivered, write ended(failed false), send result, outcome"},
		{"that acts without asking what is always asked", offer("c", func(o *wire.OfferBody) { o.Verdict = nod.Allow }), nil,
			"write received, send delivered, write ended(failed false), send result, outcome"},
		{"that cannot be done here", offer("c", func(o *wire.OfferBody) { o.Action, o.Fields = "torch", nod.Fields{"on": true} }), nil,
			"write received, send delivered, write ended(failed false), send result, outcome"},
		{"that another phone would do wrong", offer("c", otherActs, func(o *wire.OfferBody) { o.Action = "buy" }), nil,
			"write received, send delivered, write over(This phone does not accept the action"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, true)
			b.self.Cannot = func(a nod.Action) string {
				if a.Name == "torch" {
					return "This phone has no torch."
				}
				return ""
			}
			b.m = NewMachine(b.self)
			b.connect(1)
			f := b.offerFrame(c.offer)
			if c.change != nil {
				f = c.change(f)
				f.Epoch = 1
			}
			if got := say(b.frame(f)); !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestOffersAreBounded(t *testing.T) {
	b := newBench(t, true)
	b.connect(1)
	for i := range maxOpen {
		b.take(offer(nod.CallID(fmt.Sprint("call_", i))))
	}
	if got := say(b.frame(b.offerFrame(offer("one_more")))); got != "note" {
		t.Errorf("one more: %s", got)
	}
}

// TestDeadline holds that the envelope can shorten a card's time and never lengthen it.
func TestDeadline(t *testing.T) {
	o := offer("call_1")
	for _, c := range []struct {
		name string
		left []int64 // of each offer, the later ones on a new connection 10 s apart
		dies time.Duration
	}{
		{"as offered", []int64{120_000}, 120 * time.Second},
		{"shorter", []int64{30_000}, 30 * time.Second},
		{"longer", []int64{600_000}, 120 * time.Second},
		{"none", []int64{0}, 120 * time.Second},
		{"again, longer", []int64{30_000, 120_000}, 30 * time.Second},
		{"again, shorter", []int64{120_000, 30_000}, 40 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, true)
			start := b.now.Boot
			for i, left := range c.left {
				if i > 0 {
					b.pass(10 * time.Second)
				}
				b.connect(int64(i+1), o.Call)
				f := b.offerFrame(o)
				f.LeftMS = left
				b.frame(f)
			}
			b.step(Event{Kind: Drawn, Call: o.Call})
			b.pass(c.dies - (b.now.Boot - start) - time.Millisecond)
			b.step(Event{Kind: Tick})
			if got := b.m.State(o.Call); got != Received {
				t.Fatalf("a moment before its end the call is %q", got)
			}
			if at, ok := b.m.Next(); !ok || at != b.now.Boot+time.Millisecond {
				t.Errorf("the next tick is wanted at %v, %v", at, ok)
			}
			b.pass(time.Millisecond)
			if got := say(b.step(Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceConfirm})); got != "remove expired, write over(expired)" {
				t.Errorf("a tap at its end: %s", got)
			}
		})
	}
}

// TestTakes holds that a repeated act takes the place of the card it repeats.
func TestTakes(t *testing.T) {
	b := newBench(t, true)
	b.connect(1)
	b.take(offer("call_1"))
	b.frame(callFrame(wire.KindWithdraw, wire.CallBody{Call: "call_1", Reason: "gone", KeepMS: 10_000}))
	f := b.offerFrame(offer("call_2"))
	f.Takes = "call_1"
	effects := b.frame(f)
	if got, want := say(effects), "write received, send delivered, write over(taken), draw"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if card := effects[len(effects)-1].Card; card.Call != "call_2" || card.Takes != "call_1" {
		t.Errorf("the card is %+v", card)
	}
	f = b.offerFrame(offer("call_3"))
	f.Takes = "call_2" // is not held: it keeps its place
	effects = b.frame(f)
	if card := effects[len(effects)-1].Card; card.Takes != "" || b.m.State("call_2") != Received {
		t.Errorf("the card is %+v, the other call %q", card, b.m.State("call_2"))
	}
}

// TestCardComesBack holds that a phone that restarts asks again only what is
// offered again.
func TestCardComesBack(t *testing.T) {
	b := newBench(t, true)
	b.connect(1)
	o, gone := offer("call_1"), offer("call_2")
	b.take(o)
	b.take(gone)
	b.pass(5 * time.Second)
	if got := say(b.restart()); got != "-" {
		t.Fatalf("restart: %s", got)
	}
	if got := say(b.step(Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceConfirm})); got != "-" {
		t.Errorf("a tap on a card that is not there: %s", got)
	}
	if got := say(b.connect(2, o.Call)); got != "write over(over)" {
		t.Errorf("connect: %s", got)
	}
	if got := say(b.frame(b.offerFrame(o))); got != "send delivered, draw" {
		t.Errorf("offered again: %s", got)
	}
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

// TestStanding holds when this phone signs without a card: only under its own spec.
func TestStanding(t *testing.T) {
	tools, err := os.ReadFile("../../spec/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		confirm  nod.Confirm
		kind     nod.Kind
		private  bool
		standing *wire.Signed
		want     State
	}{
		{nod.ConfirmNever, nod.Act, false, nil, Decided},
		{nod.ConfirmPolicy, nod.Read, false, nil, Decided},
		{nod.ConfirmPolicy, nod.Read, true, nil, Finished},
		{nod.ConfirmPolicy, nod.Act, false, nil, Finished},
		{nod.ConfirmAlways, nod.Act, false, nil, Finished},
		{nod.ConfirmAlways, nod.Read, false, nil, Finished},
		{nod.ConfirmNever, nod.Act, false, &wire.Signed{Kind: "grant"}, Finished},
	} {
		t.Run(fmt.Sprint(c.confirm, c.kind, c.private, c.standing != nil), func(t *testing.T) {
			b := newBench(t, true)
			b.self.Spec = specWith(t, tools, c.confirm, c.kind, c.private)
			b.self.Recheck = func(wire.OfferBody) error { return nil }
			b.m = NewMachine(b.self)
			b.connect(1)
			o := offer("call_1", func(o *wire.OfferBody) { o.Verdict, o.Rule = nod.Allow, nod.RuleNever })
			f := b.offerFrame(o)
			f.Standing = c.standing
			effects := b.frame(f)
			if got := b.m.State(o.Call); got != c.want {
				t.Fatalf("the call is %q, want %q: %s", got, c.want, say(effects))
			}
			if c.want != Decided {
				return
			}
			mine := *b.m.calls[o.Call].decision
			var body wire.DecisionBody
			if err := mine.OpenAs(wire.KindDecision, public(keys.me), &body); err != nil {
				t.Fatal(err)
			}
			if body.Choice != nod.ChoiceStanding || body.Basis != BasisSpec || body.Digest != digest(o) {
				t.Errorf("the decision is %+v", body)
			}
			if got := say(b.frame(goFrame(o, mine))); !strings.HasSuffix(got, "write armed, carry_out") {
				t.Errorf("the go: %s", got)
			}
		})
	}
}

// specWith is the contract with phone_action changed.
func specWith(t *testing.T, tools []byte, confirm nod.Confirm, kind nod.Kind, private bool) *spec.Spec {
	t.Helper()
	changed := string(tools)
	for from, to := range map[string]string{
		`"confirm": "always"`: fmt.Sprintf(`"confirm": %q`, confirm),
		`"kind": "act"`:       fmt.Sprintf(`"kind": %q`, kind),
		`"private": false`:    fmt.Sprintf(`"private": %v`, private),
	} {
		changed = strings.Replace(changed, from, to, 1)
	}
	files := fstest.MapFS{"tools.json": {Data: []byte(changed)}}
	for _, name := range []string{"actions.json", "texts.json", "capabilities.json", "events.json"} {
		data, err := os.ReadFile("../../spec/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	s, err := spec.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	if tool, _ := s.Tool("phone_action"); tool.Confirm != confirm || tool.Kind != kind || tool.Private != private {
		t.Fatalf("the spec was not changed: %+v", tool)
	}
	return s
}

// TestTrust holds whose key counts.
func TestTrust(t *testing.T) {
	const third nod.PhoneID = "phone_third"
	mine := phoneRecord(me, keys.me, me, keys.me)
	for _, c := range []struct {
		name    string
		records []wire.Signed
		want    []nod.PhoneID
	}{
		{"approved by me", records(), []nod.PhoneID{me, other}},
		{"approved by one I approved", append(records(), phoneRecord(third, keys.stranger, other, keys.other)), []nod.PhoneID{me, other, third}},
		{"I was approved by the other", []wire.Signed{
			phoneRecord(other, keys.other, other, keys.other), phoneRecord(me, keys.me, other, keys.other),
		}, []nod.PhoneID{me, other}},
		{"another first phone", []wire.Signed{mine, phoneRecord(other, keys.other, other, keys.other)}, []nod.PhoneID{me}},
		{"signed by nobody that counts", []wire.Signed{mine, phoneRecord(other, keys.other, me, keys.stranger)}, []nod.PhoneID{me}},
		{"a circle", []wire.Signed{mine,
			phoneRecord(other, keys.other, third, keys.stranger), phoneRecord(third, keys.stranger, other, keys.other),
		}, []nod.PhoneID{me}},
		{"its signer is missing", []wire.Signed{mine, phoneRecord(other, keys.other, third, keys.stranger)}, []nod.PhoneID{me}},
		{"another kind", []wire.Signed{mine, sign(keys.me, wire.RecordRevoke, wire.PhoneBody{Phone: other, Signer: me})}, []nod.PhoneID{me}},
		{"my key is not mine", []wire.Signed{phoneRecord(me, keys.stranger, me, keys.stranger), phoneRecord(other, keys.other, me, keys.stranger)}, nil},
		{"I am missing", []wire.Signed{phoneRecord(other, keys.other, other, keys.other)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, false)
			b.step(Event{Kind: Connected, Welcome: wire.WelcomeBody{Epoch: 1, Phones: c.records}})
			var got []nod.PhoneID
			for _, id := range []nod.PhoneID{me, other, third} {
				if _, ok := b.m.phones[id]; ok {
					got = append(got, id)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a phone that is paired later", func(t *testing.T) {
		b := newBench(t, false)
		b.connect(1)
		record := phoneRecord(third, keys.stranger, other, keys.other)
		b.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
		if _, ok := b.m.phones[third]; !ok || len(b.m.phones) != 3 {
			t.Errorf("%d keys count", len(b.m.phones))
		}
	})
	t.Run("the first phone is pinned", func(t *testing.T) {
		b := newBench(t, false)
		b.connect(1)
		b.restart()
		b.step(Event{Kind: Connected, Welcome: wire.WelcomeBody{Epoch: 2, Phones: []wire.Signed{
			phoneRecord(other, keys.stranger, other, keys.stranger), phoneRecord(me, keys.me, other, keys.stranger),
		}}})
		if len(b.m.phones) != 0 {
			t.Errorf("a gateway brought another first phone, and %d keys count", len(b.m.phones))
		}
	})
}

// TestSetBack holds that nothing is taken until the person accepts, over a
// restart too, and that the acceptance is said until it is acked.
func TestSetBack(t *testing.T) {
	b := newBench(t, true)
	b.step(Event{Kind: HeadSeen, Head: wire.Head{Size: 9, Root: "r9"}})
	older := wire.Head{Size: 3, Root: "r3"}
	b.step(Event{Kind: SetBackSeen, Head: older})
	b.connect(1)
	o := offer("call_1")
	if got := say(b.frame(b.offerFrame(o))); got != "-" {
		t.Errorf("an offer: %s", got)
	}
	if got := say(b.restart()); got != "ask_set_back" {
		t.Errorf("restart: %s", got)
	}
	b.connect(2)
	effects := b.step(Event{Kind: Accepted})
	if got := say(effects); got != "write accept, send records" {
		t.Fatalf("accepted: %s", got)
	}
	var body wire.RecordBody
	if err := effects[1].Frame.Record.OpenAs(wire.RecordResume, public(keys.me), &body); err != nil {
		t.Fatal(err)
	}
	if body.SetBack == nil || *body.SetBack != older || body.Phone != me || body.ID == "" {
		t.Errorf("the record is %+v", body)
	}
	if got := *b.m.Head(); got != older {
		t.Errorf("the head is %+v", got)
	}
	b.journal = b.m.Snapshot()
	b.restart()
	if got := say(b.connect(3)); got != "send records" {
		t.Errorf("connect: %s", got)
	}
	b.frame(wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords, Call: "record_x"})
	if got := say(b.connect(4)); got != "send records" {
		t.Errorf("after the ack of another record: %s", got)
	}
	b.frame(wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords, Call: nod.CallID(body.ID)})
	b.restart()
	if got := say(b.connect(5)); got != "-" {
		t.Errorf("after its ack: %s", got)
	}
	if got := say(b.frame(b.offerFrame(o))); got != "write received, send delivered, draw" {
		t.Errorf("an offer: %s", got)
	}
}

// TestOutbox holds that records are said one after the other, each until acked.
func TestOutbox(t *testing.T) {
	b := newBench(t, true)
	b.step(Event{Kind: Pause})
	b.pass(time.Second)
	b.step(Event{Kind: Pause})
	b.connect(1)
	ack := wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords}
	if got := say(b.frame(ack)); got != "write sent, send records" {
		t.Errorf("the first ack: %s", got)
	}
	if got := say(b.frame(ack)); got != "write sent" {
		t.Errorf("the second ack: %s", got)
	}
	if got := say(b.frame(ack)); got != "-" {
		t.Errorf("the third ack: %s", got)
	}
}

// TestWords holds that what is typed or told is cut at 500 runes.
func TestWords(t *testing.T) {
	b := newBench(t, true)
	b.connect(1)
	o := offer("call_1")
	b.take(o)
	b.step(Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceDecline, Reason: strings.Repeat("é", 501)})
	var body wire.DecisionBody
	if err := open(*b.m.calls[o.Call].decision, &body); err != nil {
		t.Fatal(err)
	}
	if body.Reason != strings.Repeat("é", 500) {
		t.Errorf("the reason has %d bytes", len(body.Reason))
	}
}

// TestRestoreRefuses holds that a journal that does not hang together is not run.
func TestRestoreRefuses(t *testing.T) {
	for name, records := range map[string][]Record{
		"another phone's":       {{Kind: RecPhone, Phone: other}},
		"armed without offer":   {{Kind: RecArmed, Call: "c"}},
		"an offer of no sense":  {{Kind: RecReceived, Call: "c", Offer: "{"}},
		"a kind from tomorrow":  {{Kind: "sung", Call: "c"}},
		"ended without result":  {{Kind: RecEnded, Call: "c"}},
		"signed without record": {{Kind: RecSigned}},
	} {
		b := newBench(t, true)
		if _, _, err := Restore(b.self, records, b.now); nod.CodeOf(err) != nod.CodeStorage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
