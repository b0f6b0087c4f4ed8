package host

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Times of the link (design section 6).
const (
	handshakeTime = 10 * time.Second
	// silent is how long the gateway may say nothing before the link is given up.
	silent = 25 * time.Second
	// queueSize bounds what waits to be sent; a gateway that does not read is left.
	queueSize = 64
)

// link is one connection for one epoch. One goroutine reads, one writes.
type link struct {
	conn  Conn
	queue chan wire.Frame
	// cancel ends both goroutines; done is closed once nothing more is sent.
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// push queues a frame, or gives the link up where the queue is full.
func (l *link) push(f wire.Frame) {
	select {
	case l.queue <- f:
	default:
		l.cancel(errors.New("the gateway does not read what this phone sends"))
	}
}

// write sends what is queued until ctx is over or it has said bye.
func (l *link) write(ctx context.Context) error {
	defer close(l.done)
	for {
		select {
		case <-ctx.Done():
			return nil
		case f := <-l.queue:
			if err := l.conn.Write(ctx, f); err != nil {
				return err
			}
			if f.Kind == wire.KindBye {
				return context.Canceled
			}
		}
	}
}

// greet opens the link: challenge, hello, welcome. It returns the welcome,
// verified to be this gateway's answer to this very hello.
func (h *host) greet(ctx context.Context, conn Conn) (wire.WelcomeBody, error) {
	var w wire.WelcomeBody
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	challenge, err := conn.Read(ctx)
	if err != nil {
		return w, err
	}
	if err := h.checkChallenge(challenge); err != nil {
		return w, err
	}
	hello := h.hello(challenge.Nonce)
	signed, err := wire.Sign(h.self.Signer, wire.KindHello, hello)
	if err != nil {
		return w, err
	}
	if err := conn.Write(ctx, wire.FrameOf(signed)); err != nil {
		return w, err
	}
	f, err := conn.Read(ctx)
	if err != nil {
		return w, err
	}
	if f.Kind == wire.KindRevoked {
		h.call(func() { h.step(Event{Kind: FrameIn, Frame: f}) })
		return w, nod.Errorf(nod.CodeForbidden, "the gateway says that this phone was removed", "")
	}
	if err := f.Signed().OpenAs(wire.KindWelcome, h.self.Gateway, &w); err != nil {
		return w, err
	}
	if w.Phone != h.self.Phone || w.Nonce != hello.Nonce {
		return w, nod.Errorf(nod.CodeForbidden, "the gateway's welcome answers another hello", "")
	}
	if w.Version < wire.MinVersion || w.Version > wire.MaxVersion {
		return w, versionError(w.Version, w.Version)
	}
	return w, nil
}

// checkChallenge sees that the gateway is the pinned one, as far as an unsigned
// frame can tell, and speaks a version that this phone does.
func (h *host) checkChallenge(f wire.Frame) error {
	if f.Kind != wire.KindChallenge || f.Nonce == "" {
		return nod.Errorf(nod.CodeInvalid, "the gateway did not begin with a challenge", "")
	}
	if f.Key != "" && f.Key != wire.Encode64(h.self.Gateway.Bytes()) {
		return nod.Errorf(nod.CodeForbidden, "this is not the gateway that the phone was paired with: its key is another one",
			"if the gateway was set up anew, pair the phone again")
	}
	if r := f.Range; r != nil && (r.MaxVersion < wire.MinVersion || r.MinVersion > wire.MaxVersion) {
		return versionError(r.MinVersion, r.MaxVersion)
	}
	return nil
}

func versionError(from, to int64) error {
	return nod.Errorf(nod.CodeInvalid,
		fmt.Sprintf("the gateway speaks %s %d to %d and this phone %d to %d", wire.Protocol, from, to, wire.MinVersion, wire.MaxVersion),
		"update the older of the two")
}

// hello says who the phone is and what it can do now.
func (h *host) hello(challenge string) wire.HelloBody {
	nonce := make([]byte, 32)
	rand.Read(nonce) // never fails (crypto/rand)
	body := wire.HelloBody{
		Phone:      h.self.Phone,
		Challenge:  challenge,
		Nonce:      wire.Encode64(nonce),
		Range:      wire.OwnRange(),
		Host:       h.cfg.Identity.Host,
		AppVersion: h.cfg.Version,
		Zone:       h.cfg.Zone,
		Locale:     h.cfg.Locale,
		Screen:     h.self.Screen,
		Visible:    h.self.Screen,
	}
	h.call(func() {
		h.declared = h.cfg.Driver.Capabilities()
		body.Capabilities = h.declared
		body.Head = h.machine.Head()
	})
	return body
}

// serve keeps one connection until it ends, and says why it did.
func (h *host) serve(ctx context.Context, conn Conn) (welcomed bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w, err := h.greet(ctx, conn)
	if err != nil {
		return false, err
	}
	l := &link{conn: conn, queue: make(chan wire.Frame, queueSize), cancel: cancel, done: make(chan struct{})}
	if !h.call(func() { h.linkUp(l, w) }) {
		return true, ctx.Err()
	}
	defer h.call(func() { h.linkDown(l) })
	go func() {
		if err := l.write(ctx); err != nil {
			cancel(err)
		}
	}()
	err = h.read(ctx, l)
	cancel(err)
	<-l.done
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return true, err
}

// read hands on what comes, one frame at a time: the next is read when the last
// was dealt with, so that nothing piles up here.
func (h *host) read(ctx context.Context, l *link) error {
	for {
		wait, cancel := context.WithTimeoutCause(ctx, silent, fmt.Errorf("the gateway said nothing for %v", silent))
		f, err := l.conn.Read(wait)
		if cause := context.Cause(wait); err != nil && cause != nil {
			err = cause
		}
		cancel()
		if err != nil {
			return err
		}
		switch f.Kind {
		case wire.KindBeat:
			l.push(wire.Frame{Kind: wire.KindBeat, N: f.N})
			h.call(h.refresh)
		case wire.KindBye:
			return errors.New("the gateway said bye: " + f.Reason)
		default:
			h.call(func() {
				if h.link == l {
					h.step(Event{Kind: FrameIn, Frame: f})
				}
			})
		}
	}
}
