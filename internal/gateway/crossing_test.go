package gateway

import (
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// TestWordsCrossTheEnd: what a phone says of a card while its agent's connection
// goes away does not cost the card its place. A tap is answered, and so is
// everything once the place is over. Claude Code, interrupted just when the card
// was drawn, showed it.
func TestWordsCrossTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(alarm)
		o := p.offer()
		if err := h.Gone(t.Context(), h.agent, c.ID); err != nil {
			t.Fatal(err)
		}
		h.want(c.ID, nod.Withdrawn, nod.WhyGone)
		p.take(wire.KindWithdraw)
		p.delivered(o)
		p.shown(o)
		p.none(wire.KindWithdraw)
		p.confirm(o)
		p.take(wire.KindWithdraw)
		pass(10 * time.Second)
		p.shown(o)
		p.take(wire.KindWithdraw)
		p.none(wire.KindGo)
		h.want(c.ID, nod.Withdrawn, nod.WhyGone)
	})
}
