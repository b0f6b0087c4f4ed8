package gateway

import (
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// TestOnePersonIsNothingToAnother is I9 between people: another person's phone,
// agent or console cannot name, decide, stop, allow or read anything.
func TestOnePersonIsNothingToAnother(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		mine := h.pair("Pixel", false)
		mine.connect()
		waits, _, q := h.present("Tablet", false)
		c := h.ask(alarm)
		o := mine.offer()
		me := h.person

		other, err := h.AddPerson(t.Context(), "Other")
		if err != nil {
			t.Fatal(err)
		}
		h.person = other.ID
		theirs := h.pair("Pixel", false)
		h.person = me
		theirs.connect()
		agent, _, err := h.AddAgent(t.Context(), AgentSpec{Person: other.ID, Name: "Laptop"})
		if err != nil {
			t.Fatal(err)
		}

		named, err := h.Open(t.Context(), Ask{Agent: agent.ID, Tool: spec.ToolPhoneAction, Arguments: []byte(alarm), Phone: string(mine.id)})
		if err != nil || named.Outcome != nod.Refused {
			t.Errorf("an agent that names another person's phone: %s %v", named.Outcome, err)
		}
		if _, _, err := h.AddAgent(t.Context(), AgentSpec{Person: other.ID, Name: "Bound", Phone: string(mine.id)}); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("an agent bound to another person's phone: %v", err)
		}
		theirs.confirm(o)
		theirs.decide(o, nod.ChoiceDecline, "")
		theirs.shown(o)
		theirs.result(o, wire.ResultFailed, false, "")
		h.want(c.ID, "", "")
		if state := h.now(c.ID).State; state != nod.Offered {
			t.Errorf("another person's phone moved the call to %s", state)
		}

		h.approve(theirs, waits, q, nil)
		if err := h.Reject(t.Context(), other.ID, q.ID); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("a rejection by another person = %v", err)
		}
		if state := h.PairState(q.ID); state != auth.PairWaiting {
			t.Errorf("another person's yes or no made it %s", state)
		}
		for id, body := range map[nod.RecordID]wire.RecordBody{
			"r1": {Target: mine.id}, "r2": {Agent: h.agent}, "r3": {Target: mine.id, Agent: agent.ID},
		} {
			body.ID, body.Phone = id, theirs.id
			for _, kind := range []string{wire.RecordRevoke, wire.RecordPause} {
				if kind == wire.RecordPause && body.Agent == "" {
					continue
				}
				record, err := wire.Sign(theirs.key, kind, body)
				if err != nil {
					t.Fatal(err)
				}
				theirs.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
			}
		}
		if a := h.Agents(me)[0]; a.Paused || a.Revoked != 0 || len(h.Phones(me)) != 1 {
			t.Error("another person's record stopped an agent or removed a phone")
		}
		if _, err := h.PauseAll(t.Context(), other.ID, "console"); err != nil {
			t.Fatal(err)
		}
		h.want(c.ID, "", "")
		entries, err := h.Log(t.Context(), other.ID, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Person != other.ID || e.Call == c.ID || e.Agent == h.agent {
				t.Errorf("another person's log holds %s", e.Kind)
			}
		}
	})
}
