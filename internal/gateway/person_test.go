package gateway

import (
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// stranger is another person with a phone of the same name.
func (h *house) stranger() (nod.PersonID, *pixel) {
	h.t.Helper()
	other, err := h.AddPerson(h.t.Context(), "Other")
	if err != nil {
		h.t.Fatal(err)
	}
	me := h.person
	h.person = other.ID
	phone := h.pair("Pixel", false)
	h.person = me
	phone.connect()
	return other.ID, phone
}

// TestOnePersonsCallsAreNothingToAnother is I9 between people: another
// person's phone decides and says nothing, their agent names nothing, their log
// holds nothing.
func TestOnePersonsCallsAreNothingToAnother(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		mine := h.pair("Pixel", false)
		mine.connect()
		c := h.ask(alarm)
		o := mine.offer()
		other, theirs := h.stranger()
		agent, _, err := h.AddAgent(t.Context(), AgentSpec{Person: other, Name: "Laptop"})
		if err != nil {
			t.Fatal(err)
		}
		named, err := h.Open(t.Context(), Ask{Agent: agent.ID, Tool: spec.ToolPhoneAction, Arguments: []byte(alarm), Phone: string(mine.id)})
		if err != nil || named.Outcome != nod.Refused {
			t.Errorf("an agent that names another person's phone: %s %v", named.Outcome, err)
		}
		if _, _, err := h.AddAgent(t.Context(), AgentSpec{Person: other, Name: "Bound", Phone: string(mine.id)}); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("an agent bound to another person's phone: %v", err)
		}
		theirs.confirm(o)
		theirs.decide(o, nod.ChoiceDecline, "")
		theirs.shown(o)
		theirs.result(o, wire.ResultFailed, false, "")
		if _, err := h.PauseAll(t.Context(), other, "console"); err != nil {
			t.Fatal(err)
		}
		if now := h.want(c.ID, "", ""); now.State != nod.Offered {
			t.Errorf("another person's phone moved the call to %s", now.State)
		}
		entries, err := h.Log(t.Context(), other, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Person != other || e.Call == c.ID || e.Agent == h.agent {
				t.Errorf("another person's log holds %s", e.Kind)
			}
		}
	})
}

// TestOnePersonsRightsAreNothingToAnother is I9 for who may do what.
func TestOnePersonsRightsAreNothingToAnother(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		h.pair("Pixel", false).connect()
		waits, _, q := h.present("Tablet", false)
		mine := h.Phones(h.person)[0].ID
		other, theirs := h.stranger()
		h.approve(theirs, waits, q, nil)
		if err := h.Reject(t.Context(), other, q.ID); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("a rejection by another person = %v", err)
		}
		if state := h.PairState(q.ID); state != auth.PairWaiting {
			t.Errorf("another person's yes or no made it %s", state)
		}
		for kind, body := range map[string]wire.RecordBody{
			wire.RecordRevoke: {ID: "r1", Phone: theirs.id, Target: mine},
			wire.RecordPause:  {ID: "r2", Phone: theirs.id, Agent: h.agent},
			wire.RecordResume: {ID: "r3", Phone: theirs.id, Agent: h.agent},
		} {
			record, err := wire.Sign(theirs.key, kind, body)
			if err != nil {
				t.Fatal(err)
			}
			theirs.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
			if ack := theirs.take(wire.KindAck); ack.Reason != wire.ReasonRefused {
				t.Errorf("another person's %s is acked as if it were taken", kind)
			}
		}
		if a := h.Agents(h.person)[0]; a.Paused || a.Revoked != 0 || len(h.Phones(h.person)) != 1 {
			t.Error("another person's record stopped an agent or removed a phone")
		}
	})
}
