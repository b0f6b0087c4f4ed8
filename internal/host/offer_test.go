package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

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
			b.self.Cannot = func(a nod.Action) (nod.Why, string) {
				if a.Name == "torch" {
					return nod.WhyNone, "This phone has no torch."
				}
				return nod.WhyNone, ""
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
