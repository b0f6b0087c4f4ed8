package gateway

import (
	"context"
	"errors"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
)

// How long what a phone read is kept.
const (
	KeepReleased   = 10 * time.Minute // from when it was first handed out: as long as a call is answered again
	KeepUnreleased = 24 * time.Hour
	sweepEvery     = time.Minute
	filesEvery     = 60 // sweeps
)

// spent reports whether what was kept for a call is not needed any more. private
// says that its tool reads what is private.
func spent(c nod.Call, agent nod.Agent, private bool, now nod.Time) bool {
	switch {
	case !c.Final():
		return false
	case !c.Data || agent.Revoked != 0 || agent.Access.State(c.App, c.Kind, private) == nod.AccessOff:
		return true
	}
	return late(c, now)
}

// late reports whether what was kept for a call that has ended is not handed out
// any more.
func late(c nod.Call, now nod.Time) bool {
	if c.Released != 0 {
		return now.Sub(c.Released) >= KeepReleased
	}
	return now.Sub(c.Ended) >= KeepUnreleased
}

// sweeper erases what is spent, at the start and every minute, and each hour files
// that are too old or too many, until the gateway stops.
func (g *Gateway) sweeper() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	timer := time.NewTicker(sweepEvery)
	defer timer.Stop()
	for n := 0; ; n++ {
		err := g.sweep(ctx)
		if n%filesEvery == 0 {
			err = errors.Join(err, g.cfg.Ledger.SweepAttachments(ctx, g.clock.now()))
		}
		if err != nil && !errors.Is(err, store.ErrClosed) {
			g.log.Error("what phones read could not be erased in time; it is tried again", "err", err)
		}
		select {
		case <-g.stop:
			return
		case <-timer.C:
		}
	}
}

// sweep erases what is spent now.
func (g *Gateway) sweep(ctx context.Context) error {
	ids, err := g.cfg.Ledger.Privates(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		c, err := g.known(ctx, id)
		if err != nil && nod.CodeOf(err) != nod.CodeNotFound {
			failed = errors.Join(failed, err)
			continue
		}
		if err != nil || g.isSpent(c) {
			failed = errors.Join(failed, g.cfg.Ledger.DropPrivate(ctx, id))
		}
	}
	return failed
}

func (g *Gateway) isSpent(c nod.Call) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if now, ok := g.core.calls[c.ID]; ok {
		c = now
	}
	tool, _ := g.cfg.Spec.Tool(c.Tool)
	return spent(c, g.core.agents[c.Agent], tool.Private, g.clock.now())
}

// dropEnded erases at once what came for calls that ended without it.
func (g *Gateway) dropEnded(endings []nod.Call) {
	for _, c := range endings {
		if c.Decided != 0 && !c.Data {
			g.letGo(context.Background(), c.ID)
		}
	}
}
