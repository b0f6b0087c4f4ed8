package link

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

func TestHello(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		p := w.pair(t)
		w.dial(p)
		nonce, err := wire.Decode64(p.challenge.Nonce)
		if err != nil || len(nonce) != 32 {
			t.Errorf("nonce %q", p.challenge.Nonce)
		}
		if p.challenge.Key != wire.Encode64(w.key.Public()) || *p.challenge.Range != wire.OwnRange() {
			t.Errorf("challenge %+v", p.challenge)
		}
		p.send(p.hello(nil))
		f := p.want(wire.KindWelcome)
		pub, err := wire.ParsePublic(w.key.Public())
		if err != nil {
			t.Fatal(err)
		}
		var welcome wire.WelcomeBody
		if err := f.Signed().OpenAs(wire.KindWelcome, pub, &welcome); err != nil || welcome.Phone != p.id {
			t.Errorf("welcome %+v, %v", welcome, err)
		}
		p.send(wire.Frame{Kind: wire.KindDelivered, Call: "call_0", Epoch: welcome.Epoch})
		p.send(wire.Frame{Kind: wire.KindBye, Reason: "closing"})
		if reason := p.wantClosed(CodeBye); reason != "bye" {
			t.Errorf("reason %q", reason)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"hello", "delivered call_0", "lost"}, w.told()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHelloRefused(t *testing.T) {
	text := func(s string) func(*world, *phone) {
		return func(_ *world, p *phone) { p.write(websocket.MessageText, []byte(s)) }
	}
	signed := func(change func(*wire.HelloBody)) func(*world, *phone) {
		return func(_ *world, p *phone) { p.send(p.hello(change)) }
	}
	rows := []struct {
		name   string
		say    func(*world, *phone)
		code   websocket.StatusCode
		reason string
	}{
		{"nothing", func(*world, *phone) {}, CodeHelloLate, "no hello came within 10s"},
		{"a result before the hello", text(`{"kind":"result"}`), CodeMalformed, `the first frame must be hello, not "result"`},
		{"a beat before the hello", text(`{"kind":"beat","n":1}`), CodeMalformed, `the first frame must be hello, not "beat"`},
		{"no JSON", text("hello"), CodeMalformed, ""},
		{"half a frame", text(`{"kind":"hello"`), CodeMalformed, ""},
		{"a key twice", text(`{"kind":"hello","kind":"hello"}`), CodeMalformed, "kind"},
		{"a key in another case", text(`{"KIND":"hello"}`), CodeMalformed, "kind"},
		{"bad UTF-8", text("{\"kind\":\"hello\",\"x\":\"\xff\"}"), CodeMalformed, ""},
		{"no body", text(`{"kind":"hello"}`), CodeMalformed, "the hello's body cannot be read"},
		{"an empty body", text(`{"kind":"hello","body":"{}"}`), CodeVersion, `the phone speaks "" 0 to 0, the gateway nod-runtime-protocol 1 to 1`},
		{"binary", func(_ *world, p *phone) { p.write(websocket.MessageBinary, []byte(`{"kind":"hello"}`)) }, CodeMalformed, "text messages"},
		{"too large", text(`{"kind":"hello","x":"` + strings.Repeat("x", wire.MaxFrame) + `"}`), CodeMalformed, "65536"},
		{"a newer phone", signed(func(h *wire.HelloBody) { h.Range.MinVersion, h.Range.MaxVersion = 2, 3 }), CodeVersion, "the phone speaks \"nod-runtime-protocol\" 2 to 3, the gateway nod-runtime-protocol 1 to 1"},
		{"another protocol", signed(func(h *wire.HelloBody) { h.Range.Name = "openphone" }), CodeVersion, `"openphone"`},
		{"a range turned round", signed(func(h *wire.HelloBody) { h.Range.MinVersion, h.Range.MaxVersion = 3, 0 }), CodeVersion, "3 to 0"},
		{"an unknown phone", signed(func(h *wire.HelloBody) { h.Phone = nod.NewPhoneID() }), CodeUnauthorized, "not paired"},
		{"no phone", signed(func(h *wire.HelloBody) { h.Phone = "" }), CodeUnauthorized, "not paired"},
		{"an endless id", signed(func(h *wire.HelloBody) { h.Phone = nod.PhoneID(strings.Repeat("x", 65)) }), CodeMalformed, "id"},
		{"another phone's name", func(w *world, p *phone) {
			other := w.pair(p.t)
			p.send(p.hello(func(h *wire.HelloBody) { h.Phone = other.id }))
		}, CodeUnauthorized, "not paired"},
		{"another connection's challenge", func(w *world, p *phone) {
			first := &phone{t: p.t, id: p.id, key: p.key}
			w.dial(first)
			p.send(first.hello(nil))
			first.ws.CloseNow()
		}, CodeUnauthorized, "not paired"},
		{"signed as another kind", func(_ *world, p *phone) {
			f := p.hello(nil)
			s, err := wire.Sign(p.key, wire.KindDecision, map[string]any{})
			if err != nil {
				p.t.Fatal(err)
			}
			f.Sig = s.Sig
			p.send(f)
		}, CodeUnauthorized, "not paired"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, w *world) {
				p := w.pair(t)
				w.dial(p)
				takes := time.Duration(0)
				if row.code == CodeHelloLate {
					takes = HelloWithin
				}
				within(t, takes, func() {
					row.say(w, p)
					if reason := p.wantClosed(row.code); !strings.Contains(reason, row.reason) {
						t.Errorf("reason %q, want one with %q", reason, row.reason)
					}
				})
				if told := w.told(); len(told) > 0 {
					t.Errorf("the gateway was told %v", told)
				}
			})
		})
	}
}

func TestHelloFlippedBit(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		p := w.pair(t)
		for i := range 300 {
			w.dial(p)
			f := p.hello(nil)
			field := &f.Body
			if i%3 == 0 {
				field = &f.Sig
			}
			b := []byte(*field)
			bit := rand.IntN(7 * len(b)) // the eighth would make bad UTF-8, which cannot be sent
			b[bit/7] ^= 1 << (bit % 7)
			*field = string(b)
			p.send(f)
			_, err := p.next()
			if code := closeOf(err).Code; code != CodeUnauthorized && code != CodeMalformed && code != CodeVersion {
				t.Fatalf("bit %d of %s: ended with %v", bit, *field, err)
			}
			synctest.Wait()
			if told := w.told(); len(told) > 0 {
				t.Fatalf("bit %d of %s: the gateway was told %v", bit, *field, told)
			}
		}
	})
}

func TestHelloNotAccepted(t *testing.T) {
	rows := []struct {
		err    error
		code   websocket.StatusCode
		reason string
	}{
		{nod.Errorf(nod.CodeForbidden, "this phone waits for another phone's yes", ""), CodeUnauthorized, "this phone waits for another phone's yes"},
		{nod.Errorf(nod.CodeInvalid, "the log head is of another person", ""), CodeMalformed, "the log head is of another person"},
		{&nod.Error{Code: nod.CodeStorage, Message: "the data folder cannot be written", Err: errors.New("secret path")}, CodeInternal, "the data folder cannot be written"},
		{errors.New("a bug with details"), CodeInternal, "nod could not open the link; connect again later"},
	}
	for _, row := range rows {
		t.Run(row.reason, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, w *world) {
				w.refuse = row.err
				p := w.pair(t)
				w.dial(p)
				p.send(p.hello(nil))
				if reason := p.wantClosed(row.code); reason != row.reason {
					t.Errorf("reason %q, want %q", reason, row.reason)
				}
				if told := w.told(); len(told) > 0 {
					t.Errorf("the gateway was told %v", told)
				}
			})
		})
	}
}

// TestLateHello sends a hello in the moment after its time is over.
func TestLateHello(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		p := w.pair(t)
		w.dial(p)
		time.Sleep(HelloWithin + time.Millisecond)
		b, err := wire.EncodeFrame(p.hello(nil))
		if err != nil {
			t.Fatal(err)
		}
		_ = p.ws.Write(t.Context(), websocket.MessageText, b)
		p.wantClosed(CodeHelloLate)
		if told := w.told(); len(told) > 0 {
			t.Errorf("the gateway was told %v", told)
		}
	})
}

func TestDoor(t *testing.T) {
	const here = "https://nod.example.org"
	rows := []struct {
		name     string
		origin   string
		protocol string
		status   int
	}{
		{"a phone that is no browser", "", "nod.1", http.StatusSwitchingProtocols},
		{"our own page", here, "nod.1", http.StatusSwitchingProtocols},
		{"our own page, among other protocols", here, "chat, nod.1", http.StatusSwitchingProtocols},
		{"another site", "https://evil.example", "nod.1", http.StatusForbidden},
		{"our host by another scheme", "http://nod.example.org", "nod.1", http.StatusForbidden},
		{"our host with another port", here + ":8443", "nod.1", http.StatusForbidden},
		{"a host that begins like ours", here + ".evil.example", "nod.1", http.StatusForbidden},
		{"the request's own host, not listed", "https://rebound.example", "nod.1", http.StatusForbidden},
		{"a page of a sandbox or a file", "null", "nod.1", http.StatusForbidden},
		{"no subprotocol", here, "", http.StatusBadRequest},
		{"another subprotocol", here, "nod.2", http.StatusBadRequest},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, Config{Origins: []string{here, "http://localhost:7333"}}, func(t *testing.T, w *world) {
				opt := &websocket.DialOptions{HTTPClient: w.web, Host: "rebound.example", HTTPHeader: http.Header{}}
				if row.origin != "" {
					opt.HTTPHeader.Set("Origin", row.origin)
				}
				if row.protocol != "" {
					opt.Subprotocols = strings.Split(row.protocol, ", ")
				}
				ws, res, err := websocket.Dial(t.Context(), "ws://rebound.example/link", opt)
				if res == nil || res.StatusCode != row.status {
					t.Fatalf("%+v, %v; want %d", res, err, row.status)
				}
				if ws != nil {
					ws.CloseNow()
				}
			})
		})
	}
}

func TestNoWebSocket(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://nod.test/link", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sec-WebSocket-Protocol", Subprotocol)
		res, err := w.web.Do(r)
		if err != nil || res.StatusCode != http.StatusUpgradeRequired {
			t.Fatalf("%+v, %v", res, err)
		}
		res.Body.Close()
		if w.link.greetings != 0 {
			t.Errorf("%d greetings are still counted", w.link.greetings)
		}
	})
}

func TestTooManyGreetings(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, w *world) {
		w.link.mu.Lock()
		w.link.greetings = maxGreetings - 1
		w.link.mu.Unlock()
		last := w.pair(t)
		w.dial(last)
		_, res, err := websocket.Dial(t.Context(), "ws://nod.test/link", &websocket.DialOptions{HTTPClient: w.web, Subprotocols: []string{Subprotocol}})
		if res == nil || res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
			t.Fatalf("%+v, %v; want 503", res, err)
		}
		last.send(last.hello(nil))
		last.want(wire.KindWelcome)
		synctest.Wait()
		w.connect(t) // the place is free again
	})
}

func TestCommon(t *testing.T) {
	own := wire.OwnRange()
	rows := []struct {
		r    wire.Range
		want int64
		ok   bool
	}{
		{own, own.MaxVersion, true},
		{wire.Range{Name: own.Name, MinVersion: 0, MaxVersion: 9}, own.MaxVersion, true},
		{wire.Range{Name: own.Name, MinVersion: own.MaxVersion + 1, MaxVersion: 9}, 0, false},
		{wire.Range{Name: own.Name, MinVersion: 0, MaxVersion: own.MinVersion - 1}, 0, false},
		{wire.Range{Name: "other", MinVersion: 0, MaxVersion: 9}, 0, false},
	}
	for _, row := range rows {
		got, ok := Common(row.r)
		if ok != row.ok || ok && got != row.want {
			t.Errorf("%+v: %d, %v; want %d, %v", row.r, got, ok, row.want, row.ok)
		}
	}
}
