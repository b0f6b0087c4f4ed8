package server_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
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
