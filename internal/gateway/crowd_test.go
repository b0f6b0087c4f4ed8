package gateway

import (
	"fmt"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/link"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/wire"
)

// However many agents ask one person, the phone that connects is sent no more
// than its link can take: else it would be closed as too slow, each time anew
// (design section 4, I15).
func TestCrowd(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		var first nod.Call
		for i := range policy.MaxPersonCards {
			c := h.ask(alarm, h.another(fmt.Sprintf("agent %d", i)))
			if c.Final() {
				t.Fatalf("card %d ended: %s", i+1, c.Text)
			}
			if i == 0 {
				first = c
			}
		}
		next := h.another("one more")
		c := h.ask(alarm, next)
		if c.Outcome != nod.Denied || c.Verdict.Rule != nod.RulePersonCards || c.Verdict.Until != first.Deadline {
			t.Fatalf("a card too many: %s by %s until %v, want it denied until %v", c.Outcome, c.Verdict.Rule, c.Verdict.Until, first.Deadline)
		}

		p.disconnect()
		p.connect()
		offers := 0
		for _, kind := range p.kinds() {
			if kind == wire.KindOffer {
				offers++
			}
		}
		if frames := len(p.kinds()); offers != policy.MaxPersonCards || frames > link.Queue {
			t.Errorf("a phone that came back was sent %d offers in %d frames; its link takes %d", offers, frames, link.Queue)
		}

		p.decide(p.offer(), nod.ChoiceDecline, "")
		pass(time.Second)
		if c := h.ask(alarm, next); c.Final() {
			t.Errorf("with room again: %s by %s", c.Outcome, c.Verdict.Rule)
		}
	})
}

// another adds an agent, and has an ask be that agent's.
func (h *house) another(name string) func(*Ask) {
	h.t.Helper()
	a := h.addAgent(name)
	return func(ask *Ask) { ask.Agent = a.ID }
}
