package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
)

// A token that dies while a request with it is still being sent asks for nothing
// more: who has the old one cannot keep it alive by sending slowly.
func TestTokenDiesWhileItsRequestComes(t *testing.T) {
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, tt := range []struct {
		name, path, body string
		way              way
		header           map[string]string
	}{
		{"a call in a session", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"phone_action","arguments":` + alarm + `}}`, bySessions, nil},
		{"a call without a session", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"phone_action","arguments":` + alarm + `,` + modern + `}}`, byStateless,
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "phone_action"}},
		{"a subscription", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modern + `}}`, byStateless,
			map[string]string{"Mcp-Method": "subscriptions/listen"}},
		{"a call over HTTP", "/v1/calls", `{"tool":"phone_action","arguments":` + alarm + `}`, byHTTP, nil},
		{"what the agent gives up", "/v1/me/off", `{"apps":["clock:act"]}`, byHTTP, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, "confirm", func(t *testing.T, p *presence) {
				a := p.asker(tt.way, "test", tt.header)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				r := a.request(ctx, http.MethodPost, tt.path, "")
				r.Header.Set("Accept", "application/json, text/event-stream")
				body, rest := io.Pipe()
				r.Body, r.ContentLength = body, int64(len(tt.body))
				status := make(chan int, 1)
				go func() {
					defer close(status)
					resp, err := a.web.Do(r)
					if err != nil {
						return
					}
					status <- resp.StatusCode
					_ = resp.Body.Close()
				}()
				_, err := io.WriteString(rest, tt.body[:10])
				p.check(err)
				synctest.Wait()
				_, p.token, err = p.gateway.RotateAgent(t.Context(), p.owner, string(p.agent))
				p.check(err)
				_, err = io.WriteString(rest, tt.body[10:])
				p.check(err)
				p.check(rest.Close())
				synctest.Wait()
				select {
				case got := <-status:
					if got != http.StatusUnauthorized && !(tt.way == bySessions && got == http.StatusNotFound) { // its session ended with the token
						t.Errorf("answered %d, want 401", got)
					}
				default:
					t.Error("it goes on")
				}
				if cards := p.person.Cards(); len(cards) != 0 {
					t.Errorf("%d cards were drawn", len(cards))
				}
				if off := p.gateway.Agents(p.owner)[0].Access.Switches; len(off) != 0 {
					t.Errorf("it gave up %v", off)
				}
			})
		})
	}
}

// What a dead token waits for over HTTP is taken back at once, as over MCP, and
// not told any more. Without a connection that decides over it a call goes on; the
// new token hears how it ends.
func TestTokenDiesWhileItsCallWaits(t *testing.T) {
	for _, detached := range []bool{false, true} {
		t.Run(fmt.Sprint("detached ", detached), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "slow:30s", func(t *testing.T, p *presence) {
				a := p.asker(byHTTP, "test", nil)
				c := a.post(alarm, detached, "")
				id := p.open().ID
				later(5 * time.Second)
				var err error
				_, p.token, err = p.gateway.RotateAgent(t.Context(), p.owner, string(p.agent))
				p.check(err)
				synctest.Wait()
				select {
				case <-c.done:
					if !strings.HasPrefix(c.failed, "401 ") {
						t.Errorf("it ended with %q, want 401", c.failed)
					}
				default:
					t.Error("it waits on")
				}
				if now := p.call(id); detached == now.Final() || now.Final() && now.Why != nod.WhyGone {
					t.Errorf("the call is %s %s %s", now.State, now.Outcome, now.Why)
				}
				later(time.Minute)
				if done := p.call(id).Outcome == nod.Done; done != detached {
					t.Errorf("it was done: %v, want %v", done, detached)
				}
			})
		})
	}
}

// An agent that is removed is told so where it waits.
func TestRemovedWhileItsCallWaits(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		c := p.asker(byHTTP, "test", nil).post(alarm, false, "")
		p.open()
		_, err := p.gateway.RevokeAgent(t.Context(), p.owner, string(p.agent), false)
		p.check(err)
		if got := c.wait(); got.outcome != nod.Withdrawn || !strings.Contains(got.text, "removed") {
			t.Errorf("told %s %q", got.outcome, got.text)
		}
	})
}
