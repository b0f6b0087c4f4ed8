package gateway

import (
	"context"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/store"
)

// KeyTime is how long an idempotency key names its call.
const KeyTime = 24 * time.Hour

// keyed is a turn that an agent's call with an idempotency key begins. The call
// that the key names already may have left memory long ago.
func (g *Gateway) keyed(ctx context.Context, ask *Ask, apply func(*Turn) error) error {
	if ask.Key != "" {
		named, err := g.cfg.Ledger.Calls(ctx, store.Query{
			Agent: ask.Agent, Key: ask.Key, Since: g.clock.now().Add(-KeyTime), Limit: 1,
		})
		if err != nil {
			return err
		}
		if len(named) == 1 {
			ask.earlier = &named[0]
		}
	}
	return g.turn(ctx, apply)
}

// named returns the call that an ask's key names, nil when it names none.
func (t *Turn) named(ask Ask) *nod.Call {
	if ask.Key == "" {
		return nil
	}
	found := ask.earlier
	if found != nil {
		if now, ok := t.call(found.ID); ok {
			found = &now
		}
	}
	t.eachCallOf(ask.Agent, func(c nod.Call) {
		if c.Key == ask.Key && (found == nil || c.Received > found.Received) {
			found = &c
		}
	})
	return found
}

// refuse ends a call that is wrong. It does not take its key: the same key may
// be sent again with the call put right.
func (t *Turn) refuse(c nod.Call, ask Ask, refusal string) (nod.Call, error) {
	if t.named(ask) != nil {
		return nod.Call{}, errKeyTaken
	}
	c.Key = ""
	return t.close(c, call.Event{Kind: call.Refuse, Text: refusal}, ask.Arguments), nil
}

// errKeyTaken is what a second call gets that is not the first one again.
var errKeyTaken = nod.Errorf(nod.CodeConflict, "this idempotency key was used for another call",
	"a new call needs a new key; the same key with the same call is answered by the first one for 24 hours")
