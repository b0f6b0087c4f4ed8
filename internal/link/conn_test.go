package link

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

func TestBeat(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		p := w.connect(t)
		over := p.live()
		w.told()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if got := w.told(); len(got) != 50 || slices.ContainsFunc(got, func(e string) bool { return e != "seen" }) {
			t.Errorf("in ten minutes the gateway was told %v", got)
		}
		select {
		case end := <-over:
			t.Errorf("a phone that answers was closed: %v", end)
		default:
		}
	})
}

func TestSilent(t *testing.T) {
	rows := []struct {
		name   string
		answer func(n int64) int64 // what it answers to beat n; 0 for nothing
		after  time.Duration
	}{
		{"never answers", func(int64) int64 { return 0 }, 25 * time.Second},
		{"answers the first beat", func(n int64) int64 { return int64(map[bool]int{true: 1}[n == 1]) }, 37 * time.Second},
		{"answers ahead", func(n int64) int64 { return n + 1 }, 25 * time.Second},
		{"repeats an old answer", func(int64) int64 { return 1 }, 37 * time.Second},
		{"answers with a negative number", func(int64) int64 { return -1 }, 25 * time.Second},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, w *world) {
				p := w.connect(t)
				within(t, row.after, func() {
					for {
						f, err := p.next()
						if err != nil {
							if code := closeOf(err).Code; code != CodeSilent {
								t.Errorf("ended with %v", err)
							}
							break
						}
						if n := row.answer(f.N); n != 0 {
							p.send(wire.Frame{Kind: wire.KindBeat, N: n})
						}
					}
				})
				synctest.Wait()
				if told := w.told(); told[len(told)-1] != "lost" {
					t.Errorf("the gateway was told %v", told)
				}
			})
		})
	}
}

// TestHalfOpen is a phone whose network is gone: nothing arrives, nothing errors.
func TestHalfOpen(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		w.connect(t)
		time.Sleep(Silent - time.Millisecond)
		synctest.Wait()
		if diff := cmp.Diff([]string{"hello"}, w.told()); diff != "" {
			t.Errorf("before its time: %s", diff)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if diff := cmp.Diff([]string{"lost"}, w.told()); diff != "" {
			t.Errorf("lost is not told at once: %s", diff)
		}
		within(t, closeWithin, func() {
			w.link.wg.Wait() // the socket itself may take its closing time, and no more
		})
	})
}

// TestSlow is a phone that answers nothing and reads nothing: the gateway's frames
// fill the queue, and from then on it is gone. Not a moment passes.
func TestSlow(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		p := w.connect(t)
		c := w.conn(p.id)
		within(t, 0, func() {
			sent := 0
			for c.Send(wire.Frame{Kind: wire.KindAck, Call: "call_0", Of: wire.KindResult}) {
				sent++
				if sent > 2*Queue {
					t.Fatal("the queue has no end")
				}
			}
			if sent < Queue {
				t.Errorf("only %d frames were queued", sent)
			}
			synctest.Wait()
			if c.Send(wire.Frame{Kind: wire.KindReload}) {
				t.Error("a closed connection takes frames")
			}
			w.link.wg.Wait()
		})
		if diff := cmp.Diff([]string{"hello", "lost"}, w.told()); diff != "" {
			t.Error(diff)
		}
		c.Close(Replaced) // once more does no harm
	})
}

// TestFlood sends as fast as it can: a burst passes, then the phone is closed, and
// another phone never notices.
func TestFlood(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		other := w.connect(t)
		over := other.live()
		p := w.connect(t)
		w.told()
		b, err := wire.EncodeFrame(wire.Frame{Kind: wire.KindPresence})
		if err != nil {
			t.Fatal(err)
		}
		for range 10_000 {
			if p.ws.Write(t.Context(), websocket.MessageText, b) != nil {
				break
			}
		}
		p.wantClosed(CodeFlood)
		synctest.Wait()
		if got := len(w.told()); got > frameBurst+1 {
			t.Errorf("the gateway had to handle %d frames, more than a burst of %d", got, frameBurst)
		}
		time.Sleep(time.Minute)
		select {
		case end := <-over:
			t.Errorf("the other phone was closed: %v", end)
		default:
		}
	})
}

// TestSteady is as busy as a phone may be, for long.
func TestSteady(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		p := w.connect(t)
		w.told()
		over := p.live()
		for range 20 * 60 {
			p.send(wire.Frame{Kind: wire.KindPresence})
			time.Sleep(50 * time.Millisecond)
		}
		select {
		case end := <-over:
			t.Errorf("closed: %v", end)
		default:
		}
	})
}

// TestReceivedBeforeClose holds the gateway up while a phone sends and goes: what
// was received is handled, in order, and only then is the phone lost.
func TestReceivedBeforeClose(t *testing.T) {
	for _, way := range []string{"a clean close", "a broken socket"} {
		t.Run(way, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, w *world) {
				hold := make(chan struct{})
				w.frame = func(wire.Frame) { <-hold }
				p := w.connect(t)
				const n = 20
				for i := range n {
					p.send(wire.Frame{Kind: wire.KindResult, Call: nod.CallID(fmt.Sprintf("call_%d", i))})
				}
				synctest.Wait()
				if way == "a clean close" {
					p.ws.Close(websocket.StatusGoingAway, "the page was closed")
				} else {
					p.ws.CloseNow()
				}
				synctest.Wait()
				if diff := cmp.Diff([]string{"hello"}, w.told()); diff != "" {
					t.Fatalf("too early: %s", diff)
				}
				close(hold)
				synctest.Wait()
				if diff := cmp.Diff(append(calls("result", n), "lost"), w.told()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestSlowHandler fills the queue of received frames: the phone has to wait, and
// nothing is lost.
func TestSlowHandler(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		w.frame = func(wire.Frame) { time.Sleep(50 * time.Millisecond) }
		p := w.connect(t)
		w.told()
		const n = 3 * Queue
		for i := range n {
			p.send(wire.Frame{Kind: wire.KindResult, Call: nod.CallID(fmt.Sprintf("call_%d", i))})
		}
		p.send(wire.Frame{Kind: wire.KindBye})
		p.wantClosed(CodeBye)
		w.link.wg.Wait()
		if diff := cmp.Diff(append(calls("result", n), "lost"), w.told()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestClose(t *testing.T) {
	rows := []struct {
		reason string
		code   websocket.StatusCode
		says   string
	}{
		{Replaced, CodeReplaced, "this phone has opened a newer connection"},
		{Revoked, CodeRevoked, "this phone was removed from nod"},
		{Stopping, CodeStopping, "the gateway is stopping; connect again"},
		{"the test is over", CodeBye, "the test is over"},
		{strings.Repeat("é", 100), CodeBye, strings.Repeat("é", 60) + "…"},
		{"half \xc3", CodeBye, "half \uFFFD"},
	}
	for _, row := range rows {
		t.Run(row.reason, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, w *world) {
				p := w.connect(t)
				c := w.conn(p.id)
				c.Send(wire.Frame{Kind: wire.KindReload, Reason: "queued before"})
				c.Close(row.reason)
				c.Close("too late to be the reason")
				if c.Send(wire.Frame{Kind: wire.KindReload}) {
					t.Error("a frame was taken after the close")
				}
				p.want(wire.KindReload)
				if reason := p.wantClosed(row.code); reason != row.says {
					t.Errorf("reason %q, want %q", reason, row.says)
				}
			})
		})
	}
}

// TestReplaced is a phone that comes back before its old socket is known dead.
func TestReplaced(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		old := w.connect(t)
		oldEnd := old.live()
		stale := w.conn(old.id)
		again := &phone{t: t, id: old.id, key: old.key}
		w.dial(again)
		again.send(again.hello(nil))
		again.want(wire.KindWelcome)
		newEnd := again.live()
		if end := <-oldEnd; end.Code != CodeReplaced {
			t.Errorf("the old socket ended with %v", end)
		}
		time.Sleep(time.Minute)
		select {
		case end := <-newEnd:
			t.Errorf("the new socket ended with %v", end)
		default:
		}
		if stale.Send(wire.Frame{Kind: wire.KindReload}) {
			t.Error("the stale connection takes frames")
		}
		if w.conn(old.id) == stale {
			t.Error("the gateway still has the stale connection")
		}
	})
}

func TestFrames(t *testing.T) {
	rows := []struct {
		name string
		text string
		told []string             // what the gateway is told
		code websocket.StatusCode // 0 when the connection goes on
		says string
	}{
		{"a known kind", `{"kind":"shown","call":"call_0","epoch":1}`, []string{"shown call_0"}, 0, ""},
		{"a key from a newer side", `{"kind":"shown","call":"call_0","colour":"red"}`, []string{"shown call_0"}, 0, ""},
		{"a kind from a newer side", `{"kind":"sparkle","call":"call_0"}`, nil, 0, ""},
		{"a beat nobody sent", `{"kind":"beat","n":7}`, nil, 0, ""},
		{"a second hello", `{"kind":"hello"}`, []string{"lost"}, CodeMalformed, "a connection has one hello"},
		{"what only a gateway sends", `{"kind":"go"}`, []string{"lost"}, CodeMalformed, "only a gateway sends go"},
		{"no kind", `{"call":"call_0"}`, []string{"lost"}, CodeMalformed, "kind"},
		{"a list", `["kind"]`, []string{"lost"}, CodeMalformed, ""},
		{"trailing data", `{"kind":"shown"}{}`, []string{"lost"}, CodeMalformed, ""},
		{"half a surrogate", `{"kind":"shown","reason":"\ud800"}`, []string{"lost"}, CodeMalformed, ""},
		{"a call that is a number", `{"kind":"shown","call":7}`, []string{"lost"}, CodeMalformed, "call"},
		{"too deep", `{"kind":"shown","x":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`, []string{"lost"}, CodeMalformed, ""},
		{"one byte too large", `{"kind":"shown"}` + strings.Repeat(" ", wire.MaxFrame-15), []string{"lost"}, CodeMalformed, "65537"},
		{"as large as may be", `{"kind":"shown"}` + strings.Repeat(" ", wire.MaxFrame-16), []string{"shown "}, 0, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, w *world) {
				p := w.connect(t)
				w.told()
				p.write(websocket.MessageText, []byte(row.text))
				if row.code != 0 {
					if reason := p.wantClosed(row.code); !strings.Contains(reason, row.says) || !utf8.ValidString(reason) {
						t.Errorf("reason %q, want one with %q", reason, row.says)
					}
				}
				synctest.Wait()
				if diff := cmp.Diff(row.told, w.told()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestUnsendable is our own mistake: the phone hears that nod is broken.
func TestUnsendable(t *testing.T) {
	for name, f := range map[string]wire.Frame{
		"without a kind": {},
		"too large":      {Kind: wire.KindReload, Reason: strings.Repeat("x", wire.MaxFrame)},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, w *world) {
				p := w.connect(t)
				if w.conn(p.id).Send(f) {
					t.Error("it was taken")
				}
				p.wantClosed(CodeInternal)
			})
		})
	}
}

func TestShutdown(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		var ends []<-chan websocket.CloseError
		for range 5 {
			ends = append(ends, w.connect(t).live())
		}
		stranger := w.pair(t)
		w.dial(stranger) // has not said hello
		ends = append(ends, stranger.live())
		within(t, 0, func() {
			if err := w.link.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
		for _, end := range ends {
			if got := <-end; got.Code != CodeStopping {
				t.Errorf("ended with %v", got)
			}
		}
		_, res, err := websocket.Dial(t.Context(), "ws://nod.test/link", &websocket.DialOptions{HTTPClient: w.web, Subprotocols: []string{Subprotocol}})
		if res == nil || res.StatusCode != 503 {
			t.Errorf("a stopping link answers %+v, %v", res, err)
		}
	})
}

// TestShutdownGivesUp cuts a handler that does not come back.
func TestShutdownGivesUp(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		cut := w.link.ctx
		w.frame = func(wire.Frame) { <-cut.Done() }
		p := w.connect(t)
		p.send(wire.Frame{Kind: wire.KindPresence})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		within(t, 3*time.Second, func() {
			if err := w.link.Shutdown(ctx); err != context.DeadlineExceeded {
				t.Errorf("error %v", err)
			}
		})
	})
}

// TestRealSocket runs the same over TCP, where a close races with unread bytes.
func TestRealSocket(t *testing.T) {
	w := newWorld(t, Config{})
	srv := httptest.NewServer(w.link)
	defer srv.Close()
	defer w.link.Shutdown(context.Background())
	p := w.pair(t)
	var err error
	p.ws, _, err = websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(srv.URL, "http")+"/link", &websocket.DialOptions{Subprotocols: []string{Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.ws.CloseNow()
	p.challenge = p.want(wire.KindChallenge)
	p.send(p.hello(nil))
	p.want(wire.KindWelcome)
	for range 50 {
		p.send(wire.Frame{Kind: wire.KindPresence})
	}
	p.write(websocket.MessageText, []byte("not a frame"))
	for range 50 {
		_ = p.ws.Write(t.Context(), websocket.MessageText, []byte(`{"kind":"presence"}`))
	}
	p.wantClosed(CodeMalformed)
}
