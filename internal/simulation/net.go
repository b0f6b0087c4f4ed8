package simulation

import (
	"time"

	"nod.dev/nod/internal/wire"
)

// conn is one connection between the gateway and a phone.
type conn struct {
	phone  *phone
	closed bool
}

// Send takes a frame to the phone, if nothing happens to it on the way.
func (c *conn) Send(f wire.Frame) bool {
	if c.closed {
		return false
	}
	w := c.phone.w
	w.carry(func() { c.phone.take(c, f) })
	if w.chance("link breaks", 0.005) {
		w.queue.after(0, func() {
			if c.phone.conn == c {
				c.phone.cut()
			}
		})
	}
	return true
}

// Close ends the connection from the gateway's side.
func (c *conn) Close(string) {
	if c.phone.conn == c {
		c.phone.w.queue.after(0, func() {
			if c.phone.conn == c {
				c.phone.cut()
			}
		})
	}
}

// up takes a frame of a phone's to the gateway. A result arrives on whatever
// connection, even one that is over by then.
func (w *World) up(p *phone, f wire.Frame) {
	c := p.conn
	if c == nil {
		return
	}
	w.oracle.heard(f)
	w.carry(func() { w.gate.take(c, f) })
}

// carry delivers after a delay, or twice, or never, or far too late.
func (w *World) carry(deliver func()) {
	delay := w.upTo(200 * time.Millisecond)
	switch {
	case w.chance("frame lost", 0.02):
		return
	case w.chance("frame doubled", 0.02):
		w.queue.after(delay+w.upTo(2*time.Second), deliver)
	case w.chance("frame late", 0.02):
		delay += w.upTo(3 * time.Minute)
	}
	w.queue.after(delay, deliver)
}
