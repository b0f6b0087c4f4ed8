package nodtest

import (
	"context"
	"sync"

	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// bearers overhears the bearer of the phone API in each welcome.
type bearers struct {
	mu   sync.Mutex
	last string // guarded by mu
}

// dial is a dialer whose links are overheard.
func (b *bearers) dial(dial host.Dialer) host.Dialer {
	return func(ctx context.Context, url string) (host.Conn, error) {
		c, err := dial(ctx, url)
		if err != nil {
			return nil, err
		}
		return &overheard{c, b}, nil
	}
}

type overheard struct {
	host.Conn
	to *bearers
}

// Read passes a frame on and notes the bearer in it.
func (o *overheard) Read(ctx context.Context) (wire.Frame, error) {
	f, err := o.Conn.Read(ctx)
	if err == nil && f.Bearer != "" {
		o.to.mu.Lock()
		o.to.last = f.Bearer
		o.to.mu.Unlock()
	}
	return f, err
}

// Bearer returns the bearer that the phone was given for the phone API in its
// newest epoch, empty without a phone.
func (n *Nod) Bearer() string {
	n.bearers.mu.Lock()
	defer n.bearers.mu.Unlock()
	return n.bearers.last
}
