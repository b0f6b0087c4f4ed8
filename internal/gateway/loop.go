package gateway

import (
	"context"
	"crypto/rand"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/wire"
)

// maxTurn bounds how much one transaction carries.
const maxTurn = 256

// retryWrite is how long the loop waits before it tries again to end what is
// due or was stopped, when the ledger could not be written.
const retryWrite = time.Second

// input is something that happened, on its way into a turn.
type input struct {
	apply func(*Turn) error
	err   error
	done  chan struct{}
}

func newInput(apply func(*Turn) error) *input {
	return &input{apply: apply, done: make(chan struct{})}
}

// turn hands something that happened to the loop and returns when it is in the
// ledger, or cannot be. Once handed over it is not taken back: ctx ends only
// the wait for a place in the queue.
func (g *Gateway) turn(ctx context.Context, apply func(*Turn) error) error {
	in := newInput(apply)
	select {
	case g.inputs <- in:
	case <-ctx.Done():
		return ctx.Err()
	case <-g.stop:
		return errStopped
	}
	select {
	case <-in.done:
		return in.err
	case <-g.done:
	}
	select {
	case <-in.done: // it was in the last turn
		return in.err
	default:
		return errStopped
	}
}

// loop is the one goroutine that changes the core.
func (g *Gateway) loop() {
	defer close(g.done)
	ctx := context.Background()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var batch []*input
		select {
		case <-g.stop:
			return
		case in := <-g.inputs:
			batch = g.gather(in)
		case <-timer.C:
		}
		err := g.apply(ctx, batch)
		g.arm(timer, err)
	}
}

// gather takes what else is waiting into the same turn.
func (g *Gateway) gather(first *input) []*input {
	batch := []*input{first}
	for len(batch) < maxTurn {
		select {
		case in := <-g.inputs:
			batch = append(batch, in)
		default:
			return batch
		}
	}
	return batch
}

// arm sets the timer to the next deadline. A clock that was asleep fires it at
// once when it wakes: the deadline is then in the past, and judged so.
func (g *Gateway) arm(timer *time.Timer, err error) {
	wait := time.Minute // floods and forgetting
	if next := g.core.Next(); next != 0 {
		wait = min(wait, next.Sub(g.clock.now()))
	}
	if len(g.core.unwritten) > 0 {
		wait = min(wait, retryWrite) // what was stopped ends what waits of it
	}
	if err != nil {
		wait = max(wait, retryWrite)
	}
	timer.Reset(max(wait, 0))
}

// apply takes one turn from what happened to the frames that follow.
func (g *Gateway) apply(ctx context.Context, batch []*input) error {
	now := g.clock.now()
	t := g.core.Begin(now)
	t.Tick()
	for _, in := range batch {
		in.err = in.apply(t)
	}
	heads, err := g.commit(ctx, t, len(batch))
	var out []Out
	var news []AgentNews
	g.mu.Lock()
	g.trouble = err
	if err != nil {
		g.core.Drop(t)
	} else {
		out = g.core.Adopt(t, heads)
		g.core.Forget(now.Add(-policy.Memory))
		g.tell(t)
		news = g.agentNews(t)
	}
	onAgents := g.onAgents
	g.mu.Unlock()
	for _, n := range news {
		onAgents(n)
	}
	g.dispatch(out)
	if err == nil {
		g.wake(t.Wakes())
		g.dropEnded(t.endings)
	}
	for _, in := range batch {
		if in.err == nil {
			in.err = err
		}
		close(in.done)
	}
	return err
}

func (g *Gateway) commit(ctx context.Context, t *Turn, happenings int) (map[nod.PersonID]wire.Signed, error) {
	b := t.Batch()
	if b == nil {
		return nil, nil
	}
	start := g.clock.elapsed()
	heads, err := g.cfg.Ledger.Commit(ctx, b)
	if g.cfg.Observer != nil {
		g.cfg.Observer.Committed(g.clock.elapsed()-start, happenings, err)
	}
	if err != nil {
		g.log.Error("the ledger could not be written; nothing was sent", "err", err, "happenings", happenings)
	}
	return heads, err
}

// dispatch lets the frames of an adopted turn leave, in order. Sending puts a
// frame into the bounded queue of its link and never waits.
func (g *Gateway) dispatch(out []Out) {
	var sent []nod.CallID
	for _, o := range out {
		l := g.core.links[o.Phone]
		if l == nil || l.conn == nil {
			continue
		}
		if l.conn.Send(o.Frame) && o.GoFor != "" {
			sent = append(sent, o.GoFor)
		}
		if o.Close != "" {
			l.conn.Close(o.Close)
		}
	}
	if len(sent) > 0 {
		go g.goSent(sent)
	}
}

// goSent records which go frames left. It is a happening like any other; a
// gateway that stops before it is in the ledger only knows a little less.
func (g *Gateway) goSent(calls []nod.CallID) {
	_ = g.turn(context.Background(), func(t *Turn) error {
		for _, id := range calls {
			t.GoSent(id)
		}
		return nil
	})
}

// clock is ledger time: it starts at the later of the last that was written and
// the wall clock, and goes on by the time elapsed, so that it never goes back
// and no jump of the wall clock moves a deadline (design section 3, "Time").
type clock struct {
	base    nod.Time
	elapsed func() time.Duration
}

func newClock(base nod.Time, elapsed func() time.Duration) clock {
	if elapsed == nil {
		start := time.Now()
		elapsed = func() time.Duration { return time.Since(start) }
	}
	zero := elapsed()
	return clock{base: base, elapsed: func() time.Duration { return elapsed() - zero }}
}

func (c clock) now() nod.Time { return c.base.Add(c.elapsed()) }

// newNonce makes the nonce of an offer.
func newNonce() string { return randomText(16) }

// newBearer makes the bearer of the phone API for one epoch.
func newBearer() string { return randomText(32) }

func randomText(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return wire.Encode64(b)
}
