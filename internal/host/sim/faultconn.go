package sim

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// Dial returns dial with the faults of the link in it.
func (f *Faults) Dial(dial host.Dialer) host.Dialer {
	return func(ctx context.Context, url string) (host.Conn, error) {
		inner, err := dial(ctx, url)
		if err != nil {
			return nil, err
		}
		c := &faultConn{inner: inner, faults: f, in: make(chan arrival)}
		c.alive, c.end = context.WithCancelCause(context.Background())
		go c.pump()
		return c, nil
	}
}

// faultConn is a link that loses, doubles and holds back frames.
type faultConn struct {
	inner  host.Conn
	faults *Faults
	in     chan arrival
	alive  context.Context
	end    context.CancelCauseFunc
	// out keeps frames that come late from interleaving with others.
	out sync.Mutex
}

type arrival struct {
	frame wire.Frame
	err   error
}

// pump reads ahead, so that a frame that is held back holds back no other.
func (c *faultConn) pump() {
	for {
		f, err := c.inner.Read(c.alive)
		if err != nil {
			c.arrive(arrival{err: err})
			return
		}
		c.pass(f, func() { c.arrive(arrival{frame: f}) })
	}
}

func (c *faultConn) arrive(a arrival) {
	select {
	case c.in <- a:
	case <-c.alive.Done():
	}
}

// pass lets a frame through as the faults say.
func (c *faultConn) pass(f wire.Frame, send func()) {
	struck := c.faults.strike(f.Kind, Drop, Duplicate, Delay, Close, Clock, Sleep)
	has := func(k FaultKind) int {
		return slices.IndexFunc(struck, func(f Fault) bool { return f.Kind == k })
	}
	if has(Drop) < 0 {
		if i := has(Delay); i >= 0 {
			time.AfterFunc(struck[i].For, send)
		} else {
			send()
		}
		if has(Duplicate) >= 0 {
			send()
		}
	}
	if has(Close) >= 0 {
		c.Close("a fault closed the link")
	}
}

// Read returns the next frame that came through.
func (c *faultConn) Read(ctx context.Context) (wire.Frame, error) {
	select {
	case a := <-c.in:
		return a.frame, a.err
	case <-c.alive.Done():
		return wire.Frame{}, context.Cause(c.alive)
	case <-ctx.Done():
		return wire.Frame{}, context.Cause(ctx)
	}
}

// Write sends a frame, or what the faults make of that. Its error is the one of
// a frame that goes at once: of a late one nobody hears.
func (c *faultConn) Write(ctx context.Context, f wire.Frame) error {
	var err error
	inTime := true
	c.pass(f, func() {
		c.out.Lock()
		defer c.out.Unlock()
		e := c.inner.Write(c.alive, f)
		if inTime {
			err = e
		}
	})
	c.out.Lock()
	defer c.out.Unlock()
	inTime = false
	return err
}

// Close ends the link.
func (c *faultConn) Close(reason string) error {
	c.end(errors.New(reason))
	return c.inner.Close(reason)
}
