// Package link is the gateway's end of the socket that every phone keeps open.
//
// A phone proves who it is with its first frame, by signing a nonce that only
// this connection has; until then nothing it sends reaches the gateway. From then
// on the link carries frames both ways and knows nothing of what they mean: it
// bounds them, orders them, and says when the phone is gone.
//
// Presence is what the phone last proved by answering a beat, never what a socket
// object thinks: a sleeping phone's socket looks healthy for many minutes. So the
// link sends a number every 12 s, and a phone that has not repeated one for 25 s
// is not connected any more.
//
// One goroutine owns each socket's writes and takes them from a queue of 64. When
// the queue is full the phone is too slow, and it is closed: nobody in nod ever
// waits for a phone. Another goroutine hands what was received to the [Handler],
// one frame at a time and in order, and after a close it finishes what had come
// in before it says [Handler.Lost]: a decision that reached us counts, even when
// the socket died right behind it.
//
// The protocol is spec/protocol.md. Signatures of later frames, epochs and all
// consequences are the handler's.
package link

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Subprotocol is what a phone must ask for when it opens the WebSocket.
const Subprotocol = "nod.1"

// The link's clocks and bounds, as spec/protocol.md states them.
const (
	HelloWithin = 10 * time.Second // from the challenge to the hello
	BeatEvery   = 12 * time.Second
	Silent      = 25 * time.Second // without an answered beat the phone is gone
	Queue       = 64               // frames that wait to be written, or to be handled

	closeWithin  = 5 * time.Second // for the last frames and the closing handshake
	frameRate    = 50              // frames a second that one phone may send
	frameBurst   = 200             // and how many at once
	maxGreetings = 1024            // connections that have not said hello
)

// Conn is one connection of a phone. Its methods never block and may be called
// from any goroutine.
type Conn interface {
	// Send queues a frame. It returns false when the frame will not be sent: the
	// connection has ended, or its queue was full, which ends it.
	Send(f wire.Frame) bool
	// Close ends the connection after the frames already queued. The reason is
	// [Replaced], [Revoked], [Stopping], or a sentence for the phone's log.
	Close(reason string)
	// Remote is the address of the other end, for logs.
	Remote() string
}

// Handler is the gateway, as the link needs it. For one connection its methods
// are called one at a time, in the order Key, Hello, then Frame and Seen, then
// Lost; connections are independent of each other.
type Handler interface {
	// Key returns the key of a paired phone that is not revoked. The text of an
	// error goes to the log, and the phone hears that it is not known.
	Key(p nod.PhoneID) (wire.PublicKey, error)
	// Hello takes a verified hello. On success the welcome was sent through c, and
	// a connection that the phone had before was closed with [Replaced].
	Hello(ctx context.Context, c Conn, h wire.HelloBody) error
	// Frame takes every later frame but beat and bye. Signatures in it are not verified.
	Frame(ctx context.Context, c Conn, p nod.PhoneID, f wire.Frame)
	// Seen says that the phone answered a beat.
	Seen(c Conn, p nod.PhoneID)
	// Lost says that a connection whose Hello succeeded is over, and that every
	// frame received on it was handled.
	Lost(c Conn, p nod.PhoneID)
}

// Config says what a link is made of.
type Config struct {
	Handler Handler
	// Gateway is the gateway's public key, 65 bytes: the challenge shows it.
	Gateway []byte
	// Origins are the web origins ("https://nod.example.org") whose pages may
	// connect. A phone that is no browser sends none and is always let in, since
	// its signature is what counts.
	Origins []string
	// Logger gets one line a connection; nil for none.
	Logger *slog.Logger
	// BeatEvery and Silent are the clocks of presence; 0 for the protocol's own.
	BeatEvery time.Duration
	Silent    time.Duration
}

// Link accepts the connections of phones. It is the [http.Handler] of /link.
type Link struct {
	cfg    Config
	log    *slog.Logger
	ctx    context.Context // of handlers; it outlives connections
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu        sync.Mutex // guards what follows
	conns     map[*conn]bool
	greetings int
	stopping  bool
}

// New makes a link.
func New(cfg Config) *Link {
	if cfg.BeatEvery == 0 {
		cfg.BeatEvery = BeatEvery
	}
	if cfg.Silent == 0 {
		cfg.Silent = Silent
	}
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Link{cfg: cfg, log: log, conns: map[*conn]bool{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// ServeHTTP serves one connection from its first byte to its last.
func (l *Link) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !l.allowed(r.Header.Get("Origin")) {
		http.Error(w, "pages of this origin may not connect to nod; open nod at its own address", http.StatusForbidden)
		return
	}
	if !offers(r, Subprotocol) {
		http.Error(w, "this is nod's link for phones; it speaks the WebSocket subprotocol "+Subprotocol, http.StatusBadRequest)
		return
	}
	if !l.enter() {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "nod is stopping, or too many phones connect at this moment; try again", http.StatusServiceUnavailable)
		return
	}
	defer l.wg.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{Subprotocol},
		InsecureSkipVerify: true, // the origin was judged above, by an exact list
	})
	if err != nil { // Accept has answered
		l.greeted()
		return
	}
	newConn(l, ws, r.RemoteAddr).run()
}

// Shutdown ends every connection and returns when all frames received on them
// were handled. When ctx is done first, it cuts the handlers' context and returns
// ctx's error.
func (l *Link) Shutdown(ctx context.Context) error {
	l.mu.Lock()
	l.stopping = true
	conns := make([]*conn, 0, len(l.conns))
	for c := range l.conns {
		conns = append(conns, c)
	}
	l.mu.Unlock()
	for _, c := range conns {
		c.Close(Stopping)
	}
	over := make(chan struct{})
	go func() {
		l.wg.Wait()
		close(over)
	}()
	select {
	case <-over:
		l.cancel()
		return nil
	case <-ctx.Done():
		l.cancel()
		return ctx.Err()
	}
}

// enter counts a connection in that has yet to say hello.
func (l *Link) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping || l.greetings >= maxGreetings {
		return false
	}
	l.greetings++
	l.wg.Add(1)
	return true
}

// greeted counts it out: it said hello, or never will.
func (l *Link) greeted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.greetings--
}

// add makes c known to Shutdown. It returns false when Shutdown has begun.
func (l *Link) add(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = true
	return !l.stopping
}

func (l *Link) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// allowed judges the Origin header. The request's own host is not trusted: a page
// that rebinds its name to this machine would send that name as Host too.
func (l *Link) allowed(origin string) bool {
	if origin == "" {
		return true
	}
	for _, o := range l.cfg.Origins {
		if strings.EqualFold(o, origin) {
			return true
		}
	}
	return false
}

// offers reports whether the request asks for the subprotocol.
func offers(r *http.Request, protocol string) bool {
	for _, header := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(header, ",") {
			if strings.TrimSpace(p) == protocol {
				return true
			}
		}
	}
	return false
}
