package link

import (
	"errors"
	"io"

	"github.com/coder/websocket"

	"nod.dev/nod/internal/wire"
)

// read takes frames until the connection ends and queues them for the handler.
func (c *conn) read() {
	for !c.stopped() {
		f, end := c.next()
		if end == nil {
			end = c.take(f)
		}
		if end != nil {
			c.stop(*end)
		}
	}
}

// discard reads what still comes while the connection ends: a phone that is busy
// sending would not see why it was closed.
func (c *conn) discard() {
	for {
		if _, err := io.Copy(io.Discard, c.message); err != nil {
			return
		}
		var err error
		if _, c.message, err = c.ws.Reader(c.ctx); err != nil {
			return
		}
	}
}

// next reads one frame.
func (c *conn) next() (*wire.Frame, *ending) {
	kind, r, err := c.ws.Reader(c.ctx)
	if err != nil {
		return nil, gone(err)
	}
	c.message = r
	if kind != websocket.MessageText {
		return nil, &ending{code: CodeMalformed, reason: "frames are text messages, not binary ones"}
	}
	data, err := io.ReadAll(io.LimitReader(r, wire.MaxFrame+1))
	if err != nil {
		return nil, gone(err)
	}
	if !c.limit.Allow() {
		return nil, &ending{code: CodeFlood, reason: "too many frames; connect again later"}
	}
	f, err := wire.ParseFrame(data)
	if err != nil {
		return nil, &ending{code: CodeMalformed, reason: err.Error()}
	}
	return &f, nil
}

// gone is how the connection ends when its socket did.
func gone(err error) *ending {
	var told websocket.CloseError
	if errors.As(err, &told) {
		return &ending{code: told.Code, reason: "the phone closed: " + told.Reason, now: true}
	}
	return &ending{reason: "the socket broke: " + err.Error(), now: true}
}

// take judges where a frame goes. Kinds that nobody knows are for a newer side
// and are ignored; kinds that only a gateway sends are a mistake.
func (c *conn) take(f *wire.Frame) *ending {
	switch f.Kind {
	case wire.KindBeat:
		if f.N <= c.answered || f.N > c.beat.Load() {
			return nil // a number that was not asked for proves nothing
		}
		c.answered = f.N
		c.silence.Reset(c.link.cfg.Silent)
	case wire.KindBye:
		return &ending{code: CodeBye, reason: "bye"}
	case wire.KindDelivered, wire.KindShown, wire.KindDecision, wire.KindResult,
		wire.KindCapabilities, wire.KindRecords, wire.KindPresence:
	case wire.KindHello:
		return &ending{code: CodeMalformed, reason: "a connection has one hello"}
	case wire.KindChallenge, wire.KindWelcome, wire.KindOffer, wire.KindGo, wire.KindDisarm,
		wire.KindWithdraw, wire.KindAck, wire.KindRevoked, wire.KindReload:
		return &ending{code: CodeMalformed, reason: "only a gateway sends " + f.Kind}
	default:
		c.log.Debug("unknown frame ignored", "phone", c.phone, "kind", quote(f.Kind))
		return nil
	}
	select {
	case c.in <- f:
	case <-c.done:
	}
	return nil
}

// handle calls the handler for each frame in order, and for the end.
func (c *conn) handle() {
	for over := false; !over; {
		select {
		case f := <-c.in:
			c.hand(f)
		case <-c.done:
			over = true
		}
	}
	for len(c.in) > 0 {
		c.hand(<-c.in)
	}
	c.link.cfg.Handler.Lost(c, c.phone)
	c.log.Info("phone disconnected", "phone", c.phone, "code", int(c.end.code), "reason", c.end.reason)
}

func (c *conn) hand(f *wire.Frame) {
	if f.Kind == wire.KindBeat {
		c.link.cfg.Handler.Seen(c, c.phone)
		return
	}
	c.link.cfg.Handler.Frame(c.link.ctx, c, c.phone, *f)
}
