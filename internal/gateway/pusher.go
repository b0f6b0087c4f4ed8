package gateway

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"nod.dev/nod/internal/push"
	"nod.dev/nod/internal/wire"
)

// PushConfig says how phones are woken when they are not connected.
type PushConfig struct {
	// Key signs wake-ups; see store.LoadPushKey.
	Key *wire.Key
	// Subject is where push services can reach who runs this gateway, mailto: or
	// https:. Empty for Base, where that is an address that they take.
	Subject string
	// Base is the address that phones know the gateway by.
	Base string
	// Hosts are push services besides those that are known.
	Hosts []string
	// Transport replaces the way to them in tests; nil for the real one.
	Transport http.RoundTripper
}

// Why no phone can be woken, as the contract spells it.
const (
	pushOffNone    = "push.off.none"
	pushOffAddress = "push.off.address"
	pushOffSubject = "push.off.subject"
)

// pusher hands wake-ups to push services. How many are on their way is bounded
// by the core, which hands out no more than [maxSending].
type pusher struct {
	off    string // why there is no sender
	sender *push.Sender
	ctx    context.Context
	stop   context.CancelFunc
	all    sync.WaitGroup
}

// newPusher makes the pusher. A subject that push services would not take is an
// error where it was given, and turns waking off where it was not.
func newPusher(c *PushConfig) (*pusher, error) {
	p := &pusher{off: pushOffNone}
	p.ctx, p.stop = context.WithCancel(context.Background())
	if c == nil {
		return p, nil
	}
	subject := c.Subject
	if subject == "" {
		subject = c.Base
		switch {
		case !strings.HasPrefix(c.Base, "https://"):
			p.off = pushOffAddress
			return p, nil
		case push.CheckSubject(subject) != nil:
			p.off = pushOffSubject
			return p, nil
		}
	}
	var err error
	p.sender, err = push.New(push.Config{Key: c.Key, Subject: subject, Hosts: c.Hosts, Transport: c.Transport})
	if err == nil {
		p.off = ""
	}
	return p, err
}

// wake lets the messages of an adopted turn leave. What becomes of them comes
// back as happenings.
func (g *Gateway) wake(list []Wake) {
	for _, m := range list {
		g.pusher.all.Go(func() {
			r := g.pusher.sender.Send(g.pusher.ctx, m.To, m.Message)
			if g.cfg.Observer != nil {
				g.cfg.Observer.Pushed(string(r.Status), r.Took)
			}
			if r.Status != push.Accepted {
				g.log.Warn("a phone could not be woken", "phone", m.Phone, "kind", m.Kind, "status", r.Status, "host", m.To.Host(), "detail", r.Detail)
			}
			g.landed(m, r)
		})
	}
}

// landed hands in what became of a message, until that is in the ledger: as
// long as it is not, the message counts as on its way.
func (g *Gateway) landed(m Wake, r PushReceipt) {
	for {
		err := g.turn(g.pusher.ctx, func(t *Turn) error { t.Pushed(m, r); return nil })
		if err == nil {
			return
		}
		select {
		case <-time.After(retryWrite):
		case <-g.pusher.ctx.Done():
			return
		}
	}
}

// close gives up what is on its way. It is called when the loop is over.
func (p *pusher) close() {
	p.stop()
	p.all.Wait()
}
