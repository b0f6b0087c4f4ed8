package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"nod.dev/nod"
	"nod.dev/nod/internal/pipe"
	"nod.dev/nod/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gateway is a Handler that keeps one connection a phone, as the real one does,
// and writes down what it is told.
type gateway struct {
	key *wire.Key

	mu      sync.Mutex
	keys    map[nod.PhoneID]wire.PublicKey
	conns   map[nod.PhoneID]Conn
	epoch   int64
	refuse  error            // what Hello answers instead of a welcome
	frame   func(wire.Frame) // called for each frame, when set
	events  []string
	strange []string // calls out of order
	open    map[Conn]bool
}

func (g *gateway) Key(p nod.PhoneID) (wire.PublicKey, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k, ok := g.keys[p]; ok {
		return k, nil
	}
	return nil, errors.New("no such phone")
}

func (g *gateway) Hello(_ context.Context, c Conn, h wire.HelloBody) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuse != nil {
		return g.refuse
	}
	if old := g.conns[h.Phone]; old != nil {
		old.Close(Replaced)
	}
	g.epoch++
	g.conns[h.Phone], g.open[c] = c, true
	g.events = append(g.events, "hello")
	welcome, err := wire.Sign(g.key, wire.KindWelcome, wire.WelcomeBody{
		Phone: h.Phone, Nonce: h.Nonce, Epoch: g.epoch, Version: wire.MaxVersion,
		Person: "Ana", Open: []nod.CallID{}, Phones: []wire.Signed{},
	})
	if err != nil {
		return err
	}
	if !c.Send(wire.FrameOf(welcome)) {
		return errors.New("the welcome was not sent")
	}
	return nil
}

func (g *gateway) Frame(_ context.Context, c Conn, _ nod.PhoneID, f wire.Frame) {
	g.mu.Lock()
	hook := g.frame
	g.mu.Unlock()
	if hook != nil {
		hook(f)
	}
	g.note(c, f.Kind+" "+string(f.Call))
}

func (g *gateway) Seen(c Conn, _ nod.PhoneID) { g.note(c, "seen") }

func (g *gateway) Lost(c Conn, _ nod.PhoneID) {
	g.note(c, "lost")
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

func (g *gateway) note(c Conn, event string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.events = append(g.events, event)
	if !g.open[c] {
		g.strange = append(g.strange, event)
	}
}

// told returns what the gateway was told since it was last asked.
func (g *gateway) told() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	events := g.events
	g.events = nil
	return events
}

func (g *gateway) conn(p nod.PhoneID) Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conns[p]
}

// world is a link with its gateway on a network in memory.
type world struct {
	*gateway
	link *Link
	net  *pipe.Listener
	web  *http.Client
}

// inBubble runs a test against a world under the fake clock, and checks at its end
// that everything was called in order and that nothing still runs.
func inBubble(t *testing.T, cfg Config, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, cfg)
		f(t, w)
		if err := w.link.Shutdown(t.Context()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.strange) > 0 {
			t.Errorf("called before hello or after lost: %v", w.strange)
		}
		if len(w.open) > 0 {
			t.Errorf("%d connections were never lost", len(w.open))
		}
	})
}

func newWorld(t *testing.T, cfg Config) *world {
	t.Helper()
	g := &gateway{key: newKey(t), keys: map[nod.PhoneID]wire.PublicKey{}, conns: map[nod.PhoneID]Conn{}, open: map[Conn]bool{}}
	cfg.Handler, cfg.Gateway = g, g.key.Public()
	w := &world{gateway: g, link: New(cfg), net: pipe.Listen()}
	w.web = w.net.Client()
	srv := &http.Server{Handler: w.link, ErrorLog: log.New(io.Discard, "", 0)}
	go srv.Serve(w.net)
	t.Cleanup(func() {
		w.web.CloseIdleConnections()
		srv.Close()
	})
	return w
}

// phone is a phone with a real key and whatever manners the test gives it.
type phone struct {
	t         *testing.T
	id        nod.PhoneID
	key       *wire.Key
	ws        *websocket.Conn
	challenge wire.Frame
}

func newKey(t *testing.T) *wire.Key {
	t.Helper()
	k, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// pair makes a phone that the gateway knows.
func (w *world) pair(t *testing.T) *phone {
	t.Helper()
	p := &phone{t: t, id: nod.NewPhoneID(), key: newKey(t)}
	pub, err := wire.ParsePublic(p.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys[p.id] = pub
	return p
}

// dial opens a socket and takes the challenge.
func (w *world) dial(p *phone) {
	p.t.Helper()
	var err error
	p.ws, _, err = websocket.Dial(p.t.Context(), "ws://nod.test/link", &websocket.DialOptions{
		HTTPClient: w.web, Subprotocols: []string{Subprotocol},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.ws.SetReadLimit(wire.MaxFrame)
	ws := p.ws
	p.t.Cleanup(func() { ws.CloseNow() })
	p.challenge = p.want(wire.KindChallenge)
}

// connect dials and says hello.
func (w *world) connect(t *testing.T) *phone {
	t.Helper()
	p := w.pair(t)
	w.dial(p)
	p.send(p.hello(nil))
	p.want(wire.KindWelcome)
	return p
}

// hello makes a signed hello, changed as the test likes before it is signed.
func (p *phone) hello(change func(*wire.HelloBody)) wire.Frame {
	p.t.Helper()
	body := wire.HelloBody{
		Phone: p.id, Challenge: p.challenge.Nonce, Nonce: wire.Encode64(make([]byte, 32)), Range: wire.OwnRange(),
		Host: nod.HostSim, AppVersion: "1", Zone: "Europe/Lisbon", Locale: "pt-PT", Capabilities: []nod.Capability{},
	}
	if change != nil {
		change(&body)
	}
	s, err := wire.Sign(p.key, wire.KindHello, body)
	if err != nil {
		p.t.Fatal(err)
	}
	return wire.FrameOf(s)
}

func (p *phone) send(f wire.Frame) {
	p.t.Helper()
	b, err := wire.EncodeFrame(f)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(websocket.MessageText, b)
}

func (p *phone) write(kind websocket.MessageType, b []byte) {
	p.t.Helper()
	if err := p.ws.Write(p.t.Context(), kind, b); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

// want reads the next frame and requires its kind.
func (p *phone) want(kind string) wire.Frame {
	p.t.Helper()
	f, err := p.next()
	if err != nil || f.Kind != kind {
		p.t.Fatalf("got %q, %v; want %s", f.Kind, err, kind)
	}
	return f
}

func (p *phone) next() (wire.Frame, error) {
	_, b, err := p.ws.Read(p.t.Context())
	if err != nil {
		return wire.Frame{}, err
	}
	return wire.ParseFrame(b)
}

// live answers beats until the connection ends, and returns how it ended.
func (p *phone) live() <-chan websocket.CloseError {
	over := make(chan websocket.CloseError, 1)
	go func() {
		for {
			f, err := p.next()
			if err != nil {
				over <- closeOf(err)
				return
			}
			if f.Kind == wire.KindBeat {
				b, _ := wire.EncodeFrame(f)
				_ = p.ws.Write(p.t.Context(), websocket.MessageText, b)
			}
		}
	}()
	return over
}

// wantClosed reads to the end and requires its code.
func (p *phone) wantClosed(code websocket.StatusCode) string {
	p.t.Helper()
	for {
		_, err := p.next()
		if err == nil {
			continue
		}
		got := closeOf(err)
		if got.Code != code {
			p.t.Fatalf("closed with %v, want %d", err, code)
		}
		return got.Reason
	}
}

// closeOf returns the close code inside err, 1006 when the socket just broke.
func closeOf(err error) websocket.CloseError {
	var ce websocket.CloseError
	if errors.As(err, &ce) {
		return ce
	}
	return websocket.CloseError{Code: websocket.StatusAbnormalClosure, Reason: err.Error()}
}

// within requires that f takes want of the fake clock.
func within(t *testing.T, want time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if got := time.Since(start); got != want {
		t.Errorf("it took %v, want %v", got, want)
	}
}

// calls makes the events of n numbered frames.
func calls(kind string, n int) []string {
	var events []string
	for i := range n {
		events = append(events, fmt.Sprintf("%s call_%d", kind, i))
	}
	return events
}
