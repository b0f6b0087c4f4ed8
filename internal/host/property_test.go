package host

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// world is a phone among everything that can go wrong around it, and an oracle
// that watches what it does.
type world struct {
	*bench
	rt     *rapid.T
	offers []wire.OfferBody
	// frames are all that a gateway sent and decisions all that screens signed;
	// any of them may come again at any time.
	frames    []wire.Frame
	decisions map[nod.CallID][]wire.Signed

	lives int

	// What the oracle knows.
	offered  map[nod.CallID]time.Duration // when last
	chose    map[nod.CallID]Now           // confirmed here, and when
	declined map[nod.CallID]bool
	launches map[nod.CallID]int
	notDone  map[nod.CallID]bool // said: failed, not started
	goes     map[nod.CallID]bool // a go with a valid decision was sent for its bytes
}

// do performs effects one by one, and dies at the one that crash says.
func (w *world) do(effects []Effect, crash int) {
	for i, e := range effects {
		if i == crash {
			w.die()
			return
		}
		switch e.Do {
		case WriteRecord:
			w.journal = append(w.journal, e.Record)
		case SendFrame:
			w.sent(e.Frame)
		case CarryOut:
			w.launched(e.Card)
		}
	}
}

// die loses everything but the journal, which the machine may have shortened.
func (w *world) die() {
	m, effects, err := Restore(w.self, w.journal, w.now)
	if err != nil {
		w.rt.Fatalf("restore: %v", err)
	}
	w.m = m
	w.lives++
	w.chose = map[nod.CallID]Now{}
	w.do(effects, len(effects))
	if rapid.Bool().Draw(w.rt, "compact") {
		before := w.m.Snapshot()
		w.journal = before
		again, _, err := Restore(w.self, before, w.now)
		if err != nil {
			w.rt.Fatalf("restore of a snapshot: %v", err)
		}
		if diff := cmp.Diff(kinds(before), kinds(again.Snapshot())); diff != "" {
			w.rt.Fatalf("a snapshot restores to something else (-want +got):\n%s", diff)
		}
	}
}

func kinds(records []Record) []string {
	var out []string
	for _, r := range records {
		out = append(out, fmt.Sprint(r.Kind, r.Call, r.Never))
	}
	return out
}

func (w *world) sent(f wire.Frame) {
	switch f.Kind {
	case wire.KindDecision:
		w.decisions[f.Call] = append(w.decisions[f.Call], f.Signed())
	case wire.KindResult:
		var body wire.ResultBody
		if err := f.Signed().OpenAs(wire.KindResult, public(keys.me), &body); err != nil {
			w.rt.Fatal(err)
		}
		if body.Started {
			return
		}
		if w.launches[body.Call] > 0 {
			w.rt.Fatalf("%s was launched, and the phone says that nothing was started", body.Call)
		}
		w.notDone[body.Call] = true
	}
}

// launched is the oracle's judgement of a launch.
func (w *world) launched(card Card) {
	call := card.Call
	w.launches[call]++
	o := w.offers[slices.IndexFunc(w.offers, func(o wire.OfferBody) bool { return o.Call == call })]
	switch {
	case w.launches[call] > 1:
		w.rt.Fatalf("%s was launched twice", call)
	case w.notDone[call]:
		w.rt.Fatalf("%s was launched after the phone said that nothing was started", call)
	case w.declined[call]:
		w.rt.Fatalf("%s was launched after a no on this phone", call)
	case !w.goes[call]:
		w.rt.Fatalf("%s was launched without a go", call)
	case card.Digest != digest(o):
		w.rt.Fatalf("%s was launched with other bytes", call)
	}
	at, here := w.chose[call]
	byOther := slices.Contains(o.Screens, other)
	if !byOther && (!here || w.now.Boot-at.Boot >= GoWindow || w.now.Wall.Sub(at.Wall) >= GoWindow || w.now.sleptSince(at)) {
		w.rt.Fatalf("%s was launched for a decision that is too old, or was not made here in this life", call)
	}
	if !here && w.now.Boot >= w.offered[call]+120*time.Second+GoGrace {
		w.rt.Fatalf("%s was launched for another screen, later than its end allows", call)
	}
}

// gateway sends a frame: it arrives, and may come again later.
func (w *world) gateway(f wire.Frame) []Effect {
	w.frames = append(w.frames, f)
	return w.arrives(f)
}

func (w *world) arrives(f wire.Frame) []Effect {
	if f.Kind == wire.KindOffer {
		var o wire.OfferBody
		if err := open(f.Signed(), &o); err != nil {
			w.rt.Fatal(err)
		}
		w.offered[o.Call] = w.now.Boot
	}
	return w.m.Step(w.now, Event{Kind: FrameIn, Frame: f})
}

// TestAtMostOnce holds the promise of a phone: in any order of frames, with
// duplicates, forgeries, restarts at any point and clocks that jump, a call is
// launched at most once, and never without a valid go for a matching decision.
func TestAtMostOnce(t *testing.T) {
	launches, lives := 0, 0
	defer func() {
		t.Logf("%d launches, %d restarts", launches, lives)
		if launches == 0 || lives == 0 {
			t.Errorf("%d launches and %d restarts: the worlds are too quiet to prove anything", launches, lives)
		}
	}()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, rt)
		defer func() {
			for _, n := range w.launches {
				launches += n
			}
			lives += w.lives
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"happens": func(rt *rapid.T) {
				w.rt = rt
				effects := w.happen()
				w.do(effects, rapid.SampledFrom(crashes).Draw(rt, "crash"))
			},
			"time": func(rt *rapid.T) {
				w.rt = rt
				w.time()
			},
		})
	})
}

// crashes are the effects at which the program may die; mostly it does not.
var crashes = []int{-1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4}

func newWorld(t *testing.T, rt *rapid.T) *world {
	w := &world{
		bench: newBench(t, true), rt: rt,
		decisions: map[nod.CallID][]wire.Signed{}, chose: map[nod.CallID]Now{}, declined: map[nod.CallID]bool{},
		offered: map[nod.CallID]time.Duration{}, launches: map[nod.CallID]int{}, notDone: map[nod.CallID]bool{}, goes: map[nod.CallID]bool{},
	}
	w.offers = []wire.OfferBody{offer("call_1"), offer("call_2", bothDecide), offer("call_3", otherDecides)}
	for _, o := range w.offers[1:] {
		w.decisions[o.Call] = []wire.Signed{otherDecision(o, nod.ChoiceConfirm), otherDecision(o, nod.ChoiceDecline)}
	}
	w.do(w.m.Step(w.now, Event{Kind: Connected, Welcome: wire.WelcomeBody{Epoch: 1, Phones: records()}}), -1)
	return w
}

// happen is one thing that happens to the phone.
func (w *world) happen() []Effect {
	o := rapid.SampledFrom(w.offers).Draw(w.rt, "call")
	switch rapid.SampledFrom([]string{
		"next", "next", "next", "next", "go", "again", "offer", "confirm", "drawn", "decline", "ended",
		"withdraw", "disarm", "ack", "connect", "disconnect", "forged",
	}).Draw(w.rt, "what") {
	case "next":
		return w.next(o)
	case "offer":
		return w.gateway(w.offerFrame(o))
	case "drawn":
		return w.m.Step(w.now, Event{Kind: Drawn, Call: o.Call})
	case "confirm":
		return w.confirm(o)
	case "decline":
		effects := w.m.Step(w.now, Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceDecline})
		w.declined[o.Call] = w.declined[o.Call] || w.m.State(o.Call) == Declined
		return effects
	case "go":
		return w.goAhead(o)
	case "ended":
		r := rapid.SampledFrom([]Result{
			{Status: wire.ResultDone}, {Status: wire.ResultOpened}, {Status: wire.ResultFailed, Started: true},
		}).Draw(w.rt, "end")
		return w.m.Step(w.now, Event{Kind: Ended, Call: o.Call, Result: r})
	case "withdraw":
		return w.gateway(callFrame(wire.KindWithdraw, wire.CallBody{
			Call: o.Call, Reason: rapid.SampledFrom([]string{"cancelled", ReasonAnswered}).Draw(w.rt, "why"),
			KeepMS: rapid.SampledFrom([]int64{0, 10_000}).Draw(w.rt, "keep"),
		}))
	case "disarm":
		return w.gateway(callFrame(wire.KindDisarm, wire.CallBody{Call: o.Call, Reason: "paused"}))
	case "ack":
		return w.gateway(wire.Frame{Kind: wire.KindAck, Call: o.Call,
			Of: rapid.SampledFrom([]string{wire.KindDecision, wire.KindResult}).Draw(w.rt, "of")})
	case "connect":
		open := []nod.CallID{o.Call}
		return w.m.Step(w.now, Event{Kind: Connected, Welcome: wire.WelcomeBody{Epoch: w.m.epoch + 1, Open: open, Phones: records()}})
	case "disconnect":
		return w.m.Step(w.now, Event{Kind: Disconnected})
	case "forged":
		decision := sign(keys.stranger, wire.KindDecision, wire.DecisionBody{
			Call: o.Call, Digest: digest(o), Choice: nod.ChoiceConfirm,
			Phone: rapid.SampledFrom([]nod.PhoneID{me, other}).Draw(w.rt, "as"),
		})
		return w.gateway(goFrame(o, decision))
	default: // again
		if len(w.frames) == 0 {
			return nil
		}
		return w.arrives(rapid.SampledFrom(w.frames).Draw(w.rt, "frame"))
	}
}

// next is what would happen to the call if nothing went wrong.
func (w *world) next(o wire.OfferBody) []Effect {
	switch e := w.m.calls[o.Call]; {
	case e == nil, !w.m.linked:
		if !w.m.linked {
			return w.m.Step(w.now, Event{Kind: Connected, Welcome: wire.WelcomeBody{Epoch: w.m.epoch + 1, Open: []nod.CallID{o.Call}, Phones: records()}})
		}
		return w.gateway(w.offerFrame(o))
	case e.state == Received && !e.live:
		return w.gateway(w.offerFrame(o))
	case e.state == Received && e.card && !e.drawn:
		return w.m.Step(w.now, Event{Kind: Drawn, Call: o.Call})
	case e.state == Received && e.card:
		return w.confirm(o)
	case e.state == Received:
		w.goes[o.Call] = true
		return w.gateway(goFrame(o, otherDecision(o, nod.ChoiceConfirm)))
	case e.state == Decided:
		w.goes[o.Call] = true
		return w.gateway(goFrame(o, *e.decision))
	case e.state == Declined && slices.Contains(o.Screens, other):
		w.goes[o.Call] = true
		return w.gateway(goFrame(o, otherDecision(o, nod.ChoiceConfirm)))
	case e.state == Armed:
		return w.m.Step(w.now, Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultDone}})
	default:
		return w.gateway(wire.Frame{Kind: wire.KindAck, Call: o.Call, Of: wire.KindResult})
	}
}

func (w *world) confirm(o wire.OfferBody) []Effect {
	before := w.m.State(o.Call)
	effects := w.m.Step(w.now, Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceConfirm})
	if before == Received && w.m.State(o.Call) == Decided {
		w.chose[o.Call] = w.now
	}
	return effects
}

// goAhead sends a go, as a gateway does once it committed a decision; or, as
// one that is broken would, for a decline or for another call's decision.
func (w *world) goAhead(o wire.OfferBody) []Effect {
	from := rapid.SampledFrom(w.offers).Draw(w.rt, "decision of")
	if len(w.decisions[from.Call]) == 0 {
		return nil
	}
	decision := rapid.SampledFrom(w.decisions[from.Call]).Draw(w.rt, "decision")
	var body wire.DecisionBody
	if err := open(decision, &body); err != nil {
		w.rt.Fatal(err)
	}
	if body.Call == o.Call && body.Choice == nod.ChoiceConfirm {
		w.goes[o.Call] = true
	}
	return w.gateway(goFrame(o, decision))
}

// time passes, jumps or is slept through.
func (w *world) time() {
	d := rapid.SampledFrom([]time.Duration{time.Second, 4 * time.Second, 9 * time.Second, time.Minute}).Draw(w.rt, "time")
	switch rapid.SampledFrom([]string{"pass", "pass", "sleep", "jump"}).Draw(w.rt, "how") {
	case "pass":
		w.pass(d)
	case "sleep":
		w.pass(d)
		w.now.Awake -= d
	case "jump":
		w.now.Wall = w.now.Wall.Add(rapid.SampledFrom([]time.Duration{-d, d}).Draw(w.rt, "jump"))
	}
	if rapid.Bool().Draw(w.rt, "the timer is late") {
		return
	}
	effects := w.m.Step(w.now, Event{Kind: Tick})
	w.do(effects, rapid.SampledFrom(crashes).Draw(w.rt, "crash"))
}

// TestCrashAnywhere takes one whole call and lets the program die at each of its
// effects: at most one launch, and an end that is true, whatever was cut off.
func TestCrashAnywhere(t *testing.T) {
	o := offer("call_1")
	script := []func(b *bench, mine wire.Signed) Event{
		func(b *bench, _ wire.Signed) Event { return Event{Kind: FrameIn, Frame: b.offerFrame(o)} },
		func(*bench, wire.Signed) Event { return Event{Kind: Drawn, Call: o.Call} },
		func(*bench, wire.Signed) Event { return Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceConfirm} },
		func(_ *bench, mine wire.Signed) Event { return Event{Kind: FrameIn, Frame: goFrame(o, mine)} },
		func(*bench, wire.Signed) Event {
			return Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultDone}}
		},
		func(*bench, wire.Signed) Event {
			return Event{Kind: FrameIn, Frame: wire.Frame{Kind: wire.KindAck, Call: o.Call, Of: wire.KindResult}}
		},
	}
	for crash := 0; ; crash++ {
		b := newBench(t, true)
		b.connect(1)
		at, launches, ended := 0, 0, ""
		var mine wire.Signed
		for _, next := range script {
			dead := false
			for _, e := range b.m.Step(b.now, next(b, mine)) {
				if at++; at-1 == crash {
					dead = true
					break
				}
				switch {
				case e.Do == CarryOut:
					launches++
				case e.Do == WriteRecord:
					b.journal = append(b.journal, e.Record)
					if e.Record.Kind == RecDecided {
						mine = *e.Record.Signed
					}
					if r, ok := resultIn(e.Record.Signed); ok {
						ended = fmt.Sprint(r.Status, r.Started)
					}
				}
			}
			if !dead {
				continue
			}
			for _, e := range b.restart() {
				if r, ok := resultIn(e.Record.Signed); ok {
					ended = fmt.Sprint(r.Status, r.Started)
				}
			}
			b.connect(2, o.Call)
			if mine.Body != "" {
				for _, e := range b.frame(goFrame(o, mine)) {
					if e.Do == CarryOut {
						launches++
					}
				}
			}
			break
		}
		switch {
		case launches > 1:
			t.Fatalf("crash at effect %d: %d launches", crash, launches)
		case launches == 1 && ended == "failed false":
			t.Fatalf("crash at effect %d: launched, and said not to be", crash)
		case launches == 0 && ended == "done true":
			t.Fatalf("crash at effect %d: said to be done without a launch", crash)
		}
		if crash > at {
			return
		}
	}
}
