package link

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// conn is one connection. Three goroutines share it: run's own reads, write
// writes, handle calls the handler.
type conn struct {
	link   *Link
	ws     *websocket.Conn
	remote string
	log    *slog.Logger
	ctx    context.Context // of the socket: when it is done the socket is closed
	cancel context.CancelFunc

	phone   nod.PhoneID      // set by greet, before handle starts
	out     chan []byte      // to be written
	in      chan *wire.Frame // to be handled
	opened  chan struct{}    // closed after the welcome: beats begin
	done    chan struct{}    // closed when the connection begins to end
	written chan struct{}    // closed when the writer is through

	// The reader's own.
	limit    *rate.Limiter
	message  io.Reader // the one being read
	answered int64     // the beat last repeated

	beat    atomic.Int64 // the number last sent
	silence *time.Timer  // ends the connection

	mu       sync.Mutex // orders Send before Close, and guards what follows until done is closed
	end      *ending
	patience *time.Timer // cuts an end that takes too long
}

func newConn(l *Link, ws *websocket.Conn, remote string) *conn {
	ws.SetReadLimit(-1) // read does it, with the link's own close code
	c := &conn{
		link: l, ws: ws, remote: remote,
		log:     l.log.With("remote", remote),
		limit:   rate.NewLimiter(frameRate, frameBurst),
		message: strings.NewReader(""),
		out:     make(chan []byte, Queue),
		in:      make(chan *wire.Frame, Queue),
		opened:  make(chan struct{}),
		done:    make(chan struct{}),
		written: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// run is the whole life of the connection.
func (c *conn) run() {
	defer c.cancel()
	defer c.link.remove(c)
	if !c.link.add(c) {
		c.Close(Stopping)
	}
	go c.write()
	ok := c.greet()
	c.link.greeted()
	if !ok {
		c.discard()
		<-c.written
		c.log.Info("phone refused", "phone", c.phone, "code", int(c.end.code), "reason", c.end.reason)
		return
	}
	c.silence = time.AfterFunc(c.link.cfg.Silent, func() {
		c.stop(ending{code: CodeSilent, reason: "no beat was answered for " + c.link.cfg.Silent.String()})
	})
	defer c.silence.Stop()
	close(c.opened)
	handled := make(chan struct{})
	go func() {
		defer close(handled)
		c.handle()
	}()
	c.read()
	c.discard()
	<-handled
	<-c.written
}

// Send queues a frame; see [Conn].
func (c *conn) Send(f wire.Frame) bool {
	b, err := wire.EncodeFrame(f)
	if err != nil {
		// Whoever waits for this frame would wait for ever, so the link says it is broken.
		c.log.Error("frame not sent", "phone", c.phone, "kind", f.Kind, "err", err)
		c.stop(ending{code: CodeInternal, reason: "nod made a frame that cannot be sent"})
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		return false
	}
	select {
	case c.out <- b:
		return true
	default:
		c.stopLocked(ending{code: CodeSlow, reason: "the phone does not read what it is sent", now: true})
		return false
	}
}

// Close ends the connection after what was queued; see [Conn].
func (c *conn) Close(reason string) { c.stop(endingFor(reason)) }

// Remote is the address of the other end.
func (c *conn) Remote() string { return c.remote }

// stop begins the end. The first reason counts.
func (c *conn) stop(e ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopLocked(e)
}

func (c *conn) stopLocked(e ending) {
	if c.end != nil {
		return
	}
	e.reason = cut(e.reason)
	c.end = &e
	// The writer may hang in a write to a phone that does not read.
	if e.now {
		c.cancel()
	} else {
		c.patience = time.AfterFunc(closeWithin, c.cancel)
	}
	close(c.done)
}

// stopped reports whether the connection has begun to end.
func (c *conn) stopped() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// write owns the socket's writes: queued frames, beats, and the close at the end.
func (c *conn) write() {
	defer close(c.written)
	opened := c.opened
	var tick <-chan time.Time
	for {
		var b []byte
		select {
		case <-opened:
			opened = nil
			t := time.NewTicker(c.link.cfg.BeatEvery)
			defer t.Stop()
			tick = t.C
			continue
		case b = <-c.out:
		case <-tick:
			b = beatFrame(c.beat.Add(1))
		case <-c.done:
			c.finish()
			return
		}
		if err := c.put(b); err != nil {
			c.stop(ending{reason: "the socket broke: " + err.Error(), now: true})
		}
	}
}

func (c *conn) put(b []byte) error { return c.ws.Write(c.ctx, websocket.MessageText, b) }

// finish writes what is still queued, says why, and closes the socket, within
// the patience that began with stop.
func (c *conn) finish() {
	if c.patience != nil {
		defer c.patience.Stop()
	}
	if !c.end.now && c.drain() {
		_ = c.ws.Close(c.end.code, c.end.reason)
	}
	c.cancel()
	_ = c.ws.CloseNow()
}

func (c *conn) drain() bool {
	for {
		select {
		case b := <-c.out:
			if c.put(b) != nil {
				return false
			}
		default:
			return true
		}
	}
}

// beatFrame encodes a beat, the one frame the link sends of its own.
func beatFrame(n int64) []byte {
	b, err := wire.EncodeFrame(wire.Frame{Kind: wire.KindBeat, N: n})
	if err != nil {
		panic("link: a beat cannot be encoded: " + err.Error())
	}
	return b
}
