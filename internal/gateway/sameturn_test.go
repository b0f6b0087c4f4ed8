package gateway

import (
	"slices"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// together applies what happened in one turn, as the loop does with what waits.
func (h *house) together(happenings ...func(*Turn) error) {
	h.t.Helper()
	err := h.turn(h.t.Context(), func(t *Turn) error {
		for _, happening := range happenings {
			if err := happening(t); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) gone(id nod.CallID) func(*Turn) error {
	return func(t *Turn) error { return t.Gone(h.agent, id) }
}

func (h *house) opens(arguments string, into *nod.Call) func(*Turn) error {
	return func(t *Turn) (err error) {
		*into, err = t.Open(Ask{Agent: h.agent, Tool: spec.ToolPhoneAction, Arguments: []byte(arguments)})
		return err
	}
}

// TestRetryAndGoneInOneTurn: the retry's connection keeps the card, although
// the first one's end comes in the same turn.
func TestRetryAndGoneInOneTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		p.offer()
		var again nod.Call
		h.together(h.opens(alarm, &again), h.gone(first.ID))
		if again.ID != first.ID {
			t.Fatal("the same act while the first is open made a second call")
		}
		h.want(first.ID, "", "")
		h.together(h.gone(first.ID))
		h.want(first.ID, nod.Withdrawn, nod.WhyGone)
	})
}

// TestBothGoneInOneTurn: the card goes with the last connection.
func TestBothGoneInOneTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		p.offer()
		h.ask(alarm)
		h.together(h.gone(first.ID), h.gone(first.ID))
		h.want(first.ID, nod.Withdrawn, nod.WhyGone)
	})
}

// TestPlaceIsTakenInOneTurn: a retry that comes with the end of its first
// connection takes the place all the same.
func TestPlaceIsTakenInOneTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		p.offer()
		var again nod.Call
		h.together(h.gone(first.ID), h.opens(alarm, &again))
		if f := p.take(wire.KindOffer); f.Takes != first.ID {
			t.Errorf("the new card takes the place of %q, want %q", f.Takes, first.ID)
		}
	})
}

// TestPlaceIsTakenOnce: one dropped card frees one retry of its budget.
func TestPlaceIsTakenOnce(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		p.offer()
		h.together(h.gone(first.ID))
		second := h.ask(alarm)
		if f := p.take(wire.KindOffer); f.Takes != first.ID {
			t.Fatalf("takes %q", f.Takes)
		}
		// The phone comes back: the card it is offered again is still the one that took the place.
		p.connect()
		if f := p.take(wire.KindOffer); f.Takes != first.ID {
			t.Errorf("offered again, it takes %q, want %q", f.Takes, first.ID)
		}
		if _, err := h.Cancel(t.Context(), h.agent, second.ID); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{timer, torch, dial} {
			if c := h.ask(args); c.Final() {
				t.Fatalf("%s ended: %s", args, c.Text)
			}
			p.offer()
		}
		if c := h.ask(alarm); c.Verdict.Rule != nod.RuleOpenCards {
			t.Errorf("a place that was taken frees another card of its budget: %s by %s", c.State, c.Verdict.Rule)
		}
	})
}

// TestDetachedAskDetaches: who was told that a call lives on without a
// connection keeps it, although another one made it.
func TestDetachedAskDetaches(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		p.offer()
		again := h.ask(alarm, func(a *Ask) { a.Detached = true })
		if again.ID != first.ID {
			t.Fatal("the same act while the first is open made a second call")
		}
		h.together(h.gone(first.ID))
		h.want(first.ID, "", "")
		h.restart()
		h.want(first.ID, "", "")
	})
}

// second pairs another phone and has the first approve it.
func (h *house) second(first *pixel, name string) *pixel {
	h.t.Helper()
	p, _, q := h.present(name, false)
	h.approve(first, p, q, nil)
	return p
}

// TestRetryStaysWithItsPhone: which phone was proven last changes with every
// beat, and a retry is the same call all the same.
func TestRetryStaysWithItsPhone(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		pixel := h.pair("Pixel", false)
		pixel.connect()
		tablet := h.second(pixel, "Tablet")
		pass(time.Second)
		tablet.connect()
		key := func(a *Ask) { a.Key = "k1" }
		first, keyed := h.ask(alarm), h.ask(timer, key)
		if first.Phone != tablet.id || keyed.Phone != tablet.id {
			t.Fatal("the phone that was proven last is not asked")
		}
		pass(time.Second)
		phones{h.Gateway}.Seen(pixel, pixel.id)
		if again := h.ask(alarm); again.ID != first.ID {
			t.Error("the retry of an open call went to another phone")
		}
		if again := h.ask(timer, key); again.ID != keyed.ID {
			t.Error("the same key made another call on another phone")
		}
		h.together(h.gone(first.ID), h.gone(first.ID))
		if again := h.ask(alarm); again.Phone != tablet.id {
			t.Error("the retry does not come back to the place that is kept")
		}
		// What is new goes to the phone that was proven last.
		if c := h.ask(torch); c.Phone != pixel.id {
			t.Error("a new call went to the older phone")
		}
		// Its phone removed, the key still names the call that it was.
		if _, _, err := h.RevokePhone(t.Context(), h.person, "Tablet"); err != nil {
			t.Fatal(err)
		}
		if again := h.ask(timer, key); again.ID != keyed.ID || again.Why != nod.WhyPhoneRemoved {
			t.Errorf("the same key after its phone was removed: %+v", again)
		}
	})
}

// TestKeyedCallThatNamesAnotherPhone is another call.
func TestKeyedCallThatNamesAnotherPhone(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		pixel := h.pair("Pixel", false)
		pixel.connect()
		h.second(pixel, "Tablet").connect()
		h.ask(alarm, func(a *Ask) { a.Key, a.Phone = "k1", "Tablet" })
		_, err := h.Open(t.Context(), Ask{Agent: h.agent, Tool: spec.ToolPhoneAction, Arguments: []byte(alarm), Key: "k1", Phone: "Pixel"})
		if nod.CodeOf(err) != nod.CodeConflict {
			t.Errorf("the same key on another phone = %v, want a conflict", err)
		}
	})
}

// TestRepeatedRepeatsAreOneEntry: an agent that repeats itself in a loop does
// not fill the disk.
func TestRepeatedRepeatsAreOneEntry(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		for range 100 {
			if again := h.ask(alarm); again.ID != first.ID {
				t.Fatal("another call")
			}
		}
		kinds := h.entries(first.ID)
		replayed := len(slices.DeleteFunc(kinds, func(k string) bool { return k != logReplayed }))
		if replayed > floodAfter {
			t.Errorf("%d entries of repeats, want at most %d in a minute", replayed, floodAfter)
		}
		pass(2 * time.Minute)
		entries, err := h.Log(t.Context(), h.person, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var count string
		for _, e := range entries {
			if e.Kind == logFlood {
				count += e.Facts["count"]
			}
		}
		if count != "80" {
			t.Errorf("the flood counts %q, want 80", count)
		}
	})
}

// TestWelcomeIsFirst: what happened in the same turn as a hello does not
// overtake the welcome on the new link.
func TestWelcomeIsFirst(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		gone := h.ask(timer)
		again := &pixel{h: h, id: p.id, key: p.key, name: "Pixel again"}
		var c nod.Call
		h.together(
			h.opens(alarm, &c),
			func(t *Turn) error { _, err := t.Cancel(h.agent, gone.ID); return err },
			func(t *Turn) error {
				return t.Hello(again, wire.HelloBody{Phone: p.id, Nonce: "n", Range: wire.OwnRange(), Host: nod.HostSim, Screen: true}, nil)
			},
		)
		if kinds := again.kinds(); !slices.Equal(kinds, []string{wire.KindWelcome, wire.KindOffer}) {
			t.Errorf("the new link got %v, want the welcome and then the offer", kinds)
		}
	})
}

// TestOneNameInOneTurn: two agents added at the same moment cannot share a name.
func TestOneNameInOneTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		err := h.turn(t.Context(), func(t *Turn) error {
			if _, _, err := t.AddAgent(AgentSpec{Person: h.person, Name: "Desk"}); err != nil {
				return err
			}
			_, _, err := t.AddAgent(AgentSpec{Person: h.person, Name: "desk"})
			return err
		})
		if nod.CodeOf(err) != nod.CodeConflict {
			t.Errorf("the second of one name = %v, want a conflict", err)
		}
	})
}
