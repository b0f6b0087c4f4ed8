package gateway

import (
	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/store"
)

// Pairing is an invitation for one phone, as [Gateway.StartPairing] makes it.
type Pairing = store.Pairing

// PairOpen is the state of an invitation that no phone has used yet. Only the
// console sees it: a phone that waits has used one.
const PairOpen auth.PairState = "open"

// Invitation says where a pairing stands, for the console that made it, and
// which phone used it.
func (g *Gateway) Invitation(id string) (auth.PairState, nod.Phone) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	now := g.clock.now()
	p, ok := g.core.pairings[id]
	if !ok {
		return auth.PairExpired, nod.Phone{}
	}
	if p.Used == 0 {
		if now >= p.Expires {
			return auth.PairExpired, nod.Phone{}
		}
		return PairOpen, nod.Phone{}
	}
	return g.core.PairState(id, now), g.core.phones[p.Phone]
}
