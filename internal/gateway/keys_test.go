package gateway

import (
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// A key names its call for a day, whatever became of the process meanwhile, and
// takes no other call.
func TestKeyNamesItsCallForADay(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		key := func(k string) func(*Ask) { return func(a *Ask) { a.Key = k } }
		first := h.ask(alarm, key("k1"))
		o := p.offer()
		p.decide(o, nod.ChoiceDecline, "")
		h.want(first.ID, nod.Declined, "")
		again := func(when string) {
			t.Helper()
			if c := h.ask(alarm, key("k1")); c.ID != first.ID || c.Outcome != nod.Declined || !strings.Contains(c.Text, "ago") {
				t.Errorf("%s: %s %s, %q", when, c.ID, c.Outcome, c.Text)
			}
			_, err := h.Open(t.Context(), Ask{Agent: h.agent, Tool: spec.ToolPhoneAction, Arguments: []byte(timer), Key: "k1"})
			if nod.CodeOf(err) != nod.CodeConflict {
				t.Errorf("%s: another act under the key: %v, want conflict", when, err)
			}
			_, err = h.Open(t.Context(), Ask{Agent: h.agent, Tool: spec.ToolPhoneAction, Arguments: []byte(`{"action":"alarm"}`), Key: "k1"})
			if nod.CodeOf(err) != nod.CodeConflict {
				t.Errorf("%s: a wrong call under the key: %v, want conflict", when, err)
			}
		}
		again("at once")
		pass(2 * time.Hour)
		again("out of memory")
		h.restart()
		again("after a restart")
		p.connect()
		pass(22*time.Hour + time.Minute)
		if c := h.ask(alarm, key("k1")); c.ID == first.ID {
			t.Error("the key names its call after more than a day")
		}
	})
}

// What was refused does not take its key, and another agent's key is another key.
func TestKeyIsNotTaken(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		key := func(a *Ask) { a.Key = "k1" }
		if c := h.ask(`{"action":"alarm"}`, key); c.Outcome != nod.Refused {
			t.Fatalf("ended %s", c.Outcome)
		}
		mine := h.ask(alarm, key)
		if mine.Outcome != nod.Unavailable {
			t.Errorf("put right, it ended %s", mine.Outcome)
		}
		other := h.addAgent("Other")
		theirs := h.ask(timer, key, func(a *Ask) { a.Agent = other.ID })
		if theirs.ID == mine.ID || theirs.Outcome != nod.Unavailable {
			t.Errorf("another agent's: %s %s", theirs.ID, theirs.Outcome)
		}
	})
}

// The call that a key names comes before an equal one that is newer.
func TestKeyBeforeAnEqualCall(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		key := func(a *Ask) { a.Key = "k1" }
		first := h.ask(alarm, key)
		p.decide(p.offer(), nod.ChoiceDecline, "")
		h.want(first.ID, nod.Declined, "")
		if err := h.HandedOver(t.Context(), h.agent, first.ID); err != nil {
			t.Fatal(err)
		}
		second := h.ask(alarm)
		if second.ID == first.ID {
			t.Fatal("a new call is answered by the old one")
		}
		if c := h.ask(alarm, key); c.ID != first.ID {
			t.Errorf("the key's call is %s, want %s", c.ID, first.ID)
		}
	})
}
