package gateway

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

const testPage = "https://nod.example.org/tested"

// A test card is a card: offered to the phone that asked for it alone, by an
// agent that is there to be seen, paused and removed, and has no token.
func TestTestCard(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		row := h.phoneOf(h.person, p.id)
		pass(time.Second) // the agents are listed by when they were added
		test := func() (nod.Call, wire.OfferBody) {
			t.Helper()
			c, err := h.TestCard(t.Context(), row, testPage)
			if err != nil {
				t.Fatal(err)
			}
			return c, p.offer()
		}
		c, o := test()
		if o.AgentName != "nod test" || o.Action != "open_url" || o.Fields["url"] != testPage || o.Phone != p.id {
			t.Errorf("the offer is %+v", o)
		}
		p.shown(o)
		p.confirm(o)
		p.take(wire.KindGo)
		p.result(o, wire.ResultOpened, true, "")
		if again, o := test(); again.ID == c.ID || o.Call == c.ID { // a new one, though nobody asked how the first ended
			t.Error("the second test is answered with the first")
		} else {
			p.decide(o, nod.ChoiceDecline, "")
		}
		agents := h.Agents(h.person)
		if len(agents) != 2 || agents[1].Name != "nod test" || len(h.core.tokens) != 1 {
			t.Fatalf("the agents are %+v, with %d tokens", agents, len(h.core.tokens))
		}
		if _, token, err := h.RotateAgent(t.Context(), h.person, "nod test"); nod.CodeOf(err) != nod.CodeConflict || token != "" {
			t.Errorf("somebody is given a token for what phones test themselves with: %v", err)
		}
		if kinds := h.entriesOfKind(logAgentAdded); kinds != 2 {
			t.Errorf("the log has %d agents added", kinds)
		}
		h.restart()
		p.connect()
		if _, o := test(); o.Agent != agents[1].ID {
			t.Error("after a restart another agent asks")
		}
		if _, err := h.RevokeAgent(t.Context(), h.person, string(agents[1].ID), false); err != nil {
			t.Fatal(err)
		}
		if _, _, err := h.AddAgent(t.Context(), AgentSpec{Person: h.person, Name: "Nod test"}); err != nil {
			t.Fatal(err)
		}
		if _, o := test(); o.AgentName != "nod test 2" { // never the agent that somebody else has the token of
			t.Errorf("after its removal %q asks", o.AgentName)
		}
		if _, err := h.PauseAll(t.Context(), h.person, "console"); err != nil {
			t.Fatal(err)
		}
		if c, err := h.TestCard(t.Context(), row, testPage); err != nil || c.Outcome != nod.Denied {
			t.Errorf("while paused: %s, %v", c.Outcome, err)
		}
	})
}

func (h *house) entriesOfKind(kind string) (n int) {
	h.t.Helper()
	entries, err := h.Log(h.t.Context(), h.person, 0, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// A phone that waits for a yes, and one that no longer does, is told to the
// phones that can say it, so that no page asks again and again.
func TestPhonesHearWhoWaits(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		blind := h.pair("Box", true)
		blind.noShow = true
		blind.connect()
		_, theirs := h.stranger()
		told := func() bool {
			t.Helper()
			blind.none(wire.KindRecords)
			theirs.none(wire.KindRecords)
			f, ok := p.find(wire.KindRecords)
			if ok && (f.Record != nil || f.Reason != "pairing") {
				t.Errorf("a records frame %+v", f)
			}
			return ok
		}
		p.find(wire.KindRecords) // of the second one
		_, _, q := h.present("Tablet", false)
		if !told() {
			t.Error("nobody is told that a phone waits")
		}
		waiting := h.Waiting(h.person)
		if len(waiting) != 1 || waiting[0].LeftMS != 15*60*1000 {
			t.Fatalf("waiting: %+v", waiting)
		}
		if err := h.Reject(t.Context(), h.person, q.ID); err != nil {
			t.Fatal(err)
		}
		if !told() {
			t.Error("nobody is told that it waits no longer")
		}
	})
}

// A phone can remove itself: it is answered, told so, and hung up on; what
// waited there is over, in words.
func TestAPhoneRemovesItself(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(alarm)
		o := p.offer()
		p.shown(o)
		record, err := wire.Sign(p.key, wire.RecordRevoke, wire.RecordBody{ID: "record_1", Phone: p.id, Target: p.id})
		if err != nil {
			t.Fatal(err)
		}
		p.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
		ended := h.want(c.ID, nod.Withdrawn, nod.WhyPhoneRemoved)
		if !strings.Contains(ended.Text, "removed") {
			t.Errorf("the agent is told %q", ended.Text)
		}
		p.mu.Lock()
		var got []string
		for _, f := range p.frames {
			got = append(got, f.Kind)
		}
		closed := p.closed
		p.mu.Unlock()
		if i, j := slices.Index(got, wire.KindAck), slices.Index(got, wire.KindRevoked); i < 0 || j < i || closed != "revoked" {
			t.Errorf("the phone got %v and was closed with %q", got, closed)
		}
		if len(h.Phones(h.person)) != 0 {
			t.Error("it is a phone still")
		}
		if h.entriesOfKind(logPhoneRevoked) != 1 || h.entriesOfKind(logRecord) != 1 {
			t.Error("the log does not have it")
		}
		if after := h.ask(timer); after.Outcome != nod.Unavailable {
			t.Errorf("the next call is %s", after.Outcome)
		}
	})
}
