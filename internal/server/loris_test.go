package server_test

import (
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
)

// slow is a client that sends a beginning and then a byte a second.
type slow struct {
	began time.Time
	conn  net.Conn
	mu    sync.Mutex
	lived time.Duration // how long its connection did; guarded by mu
	heard string        // what it was answered; guarded by mu
	over  bool          // guarded by mu
}

// slow opens a connection. One that is deaf reads nothing, and one that is mute
// sends nothing more.
func (p *presence) slow(begin string, deaf, mute bool) *slow {
	p.t.Helper()
	conn, err := p.public.Dial(p.t.Context())
	p.check(err)
	s := &slow{began: time.Now(), conn: conn}
	end := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.over {
			s.over, s.lived = true, time.Since(s.began)
		}
	}
	go func() {
		if _, err := io.WriteString(conn, begin); err != nil {
			return
		}
		for !mute {
			time.Sleep(time.Second)
			if _, err := conn.Write([]byte("1")); err != nil {
				if deaf {
					end()
				}
				return
			}
		}
	}()
	if deaf {
		return s
	}
	go func() {
		b, _ := io.ReadAll(conn) // it ends when the connection does, however
		s.mu.Lock()
		s.heard = string(b)
		s.mu.Unlock()
		end()
		_ = conn.Close()
	}()
	return s
}

func (s *slow) is() (lived time.Duration, heard string, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lived, s.heard, s.over
}

// TestSlowLoris is one connection that takes its time, at every door and in every
// part of a request: each ends by itself, and soon.
func TestSlowLoris(t *testing.T) {
	const (
		host    = "Host: localhost\r\nContent-Type: application/json\r\n"
		sized   = host + "Content-Length: 1000\r\n\r\n"
		chunked = host + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n"
		token   = "Authorization: Bearer TOKEN\r\n"
		deaf    = true
		mute    = true
	)
	rows := []struct {
		name, begin string
		deaf, mute  bool
		within      time.Duration
		want        string
	}{
		{"it says nothing", "", false, mute, 10 * time.Second, ""},
		{"a header", "GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX: ", false, false, 10 * time.Second, ""},
		{"a header with a token", "GET /v1/me HTTP/1.1\r\n" + token + "X: ", false, false, 10 * time.Second, ""},
		{"the body of a tool call", "POST /mcp HTTP/1.1\r\n" + token + sized, false, false, 30 * time.Second, "HTTP/1.1 400 "},
		{"the same in chunks", "POST /mcp HTTP/1.1\r\n" + token + chunked, false, false, 30 * time.Second, "HTTP/1.1 400 "},
		{"the body of a call", "POST /v1/calls HTTP/1.1\r\n" + token + sized, false, false, 30 * time.Second, "HTTP/1.1 400 "},
		{"without a token", "POST /mcp HTTP/1.1\r\n" + sized, false, false, 30 * time.Second, "HTTP/1.1 401 "},
		{"a body that is not read", "GET /v1/me HTTP/1.1\r\n" + token + sized, false, false, 30 * time.Second, "HTTP/1.1 200 "},
		{"a body that never begins", "GET /v1/me HTTP/1.1\r\n" + token + sized, false, mute, 30 * time.Second, "HTTP/1.1 200 "},
		{"a pairing", "POST /pair HTTP/1.1\r\n" + sized, false, false, 30 * time.Second, "HTTP/1.1 400 "},
		{"a result", "POST /link/result HTTP/1.1\r\n" + sized, false, false, 30 * time.Second, "HTTP/1.1 400 "},
		{"a receipt", "POST /push/receipt HTTP/1.1\r\n" + sized, false, false, 30 * time.Second, "HTTP/1.1 400 "},
		{"a phone's request", "PUT /phone/settings HTTP/1.1\r\n" + sized, false, false, 30 * time.Second, "HTTP/1.1 401 "},
		{"nothing that is there", "POST /nothing HTTP/1.1\r\n" + sized, false, false, 30 * time.Second, "HTTP/1.1 404 "},
		{"a name that is not nod's", "POST /mcp HTTP/1.1\r\n" + strings.Replace(sized, "localhost", "evil.example", 1), false, false, 30 * time.Second, "HTTP/1.1 4"},
		{"it does not read a page", "GET /v1/openapi.json HTTP/1.1\r\n" + host + "\r\n", deaf, false, 3 * time.Minute, ""},
		{"it does not read its calls", "GET /v1/calls HTTP/1.1\r\n" + token + host + "\r\n", deaf, false, 3 * time.Minute, ""},
		{"it does not read its tools", "POST /mcp HTTP/1.1\r\n" + token + host + "Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: " +
			strconv.Itoa(len(listTools)) + "\r\n\r\n" + listTools, deaf, false, 3 * time.Minute, ""},
	}
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		clients := make([]*slow, len(rows))
		for i, tt := range rows {
			clients[i] = p.slow(strings.Replace(tt.begin, "TOKEN", p.token, 1), tt.deaf, tt.mute)
		}
		later(4 * time.Minute)
		for i, tt := range rows {
			lived, heard, over := clients[i].is()
			if !over || lived > tt.within+time.Second || !strings.HasPrefix(heard, tt.want) || tt.want == "" && strings.HasPrefix(heard, "HTTP/1.1 2") {
				t.Errorf("%s: over %t after %v, answered %.60q, want %q within %v", tt.name, over, lived, heard, tt.want, tt.within)
			}
			_ = clients[i].conn.Close()
		}
	})
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// TestCrowd is connections without end, from the honest agent's own address: what
// there is of them is bounded, those that are served stay, and agent and phone
// are served meanwhile.
func TestCrowd(t *testing.T) {
	const strangers, agents = 1024, 256
	for _, tt := range []struct {
		name, begin string
		most        int64
	}{
		{"they say nothing", "", strangers},
		{"they begin a body", "POST /link/result HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{", strangers},
		{"they begin a tool call", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 60000\r\n\r\n{", strangers + agents},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, "timer=ignore,alarm=confirm", func(t *testing.T, p *presence) {
				_, mallory, err := p.gateway.AddAgent(t.Context(), gateway.AgentSpec{Person: p.owner, Name: "Mallory"})
				p.check(err)
				early := p.asker(byStateless, "early", nil)
				waits := early.call(`{"action": "timer", "seconds": 60}`)
				var open atomic.Int64
				for range 1300 {
					conn, err := p.public.Dial(t.Context())
					p.check(err)
					open.Add(1)
					go func() {
						_, _ = io.WriteString(conn, strings.Replace(tt.begin, "TOKEN", mallory, 1))
						_, _ = io.Copy(io.Discard, conn)
						open.Add(-1)
						_ = conn.Close()
					}()
				}
				synctest.Wait()
				if n := open.Load(); n > tt.most {
					t.Errorf("%d connections are open, want %d at most", n, tt.most)
				}
				honest := p.asker(bySessions, "honest", nil)
				c := honest.call(alarm)
				if got := c.wait(); got.outcome != nod.Done {
					t.Errorf("the honest agent is told %q", got.text)
				}
				p.all("in the crowd", true)
				if waits.got() != nil {
					t.Errorf("who waited before is told %q", waits.answer.text)
				}
				later(31 * time.Second)
				if n := open.Load(); n != 0 {
					t.Errorf("%d connections are left after half a minute", n)
				}
			})
		})
	}
}
