package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
)

// hasty is a client that goes away as soon as it was sent what it waits for.
type hasty struct {
	*httptest.ResponseRecorder
	until string
	stop  func()
}

func (h *hasty) Flush() {
	h.ResponseRecorder.Flush()
	if strings.Contains(h.Body.String(), h.until) {
		h.stop()
	}
}

// A client that closes its connection as soon as it has the answer, as some do
// after each, has it: the next call with the same words is a new one, and a task
// goes on.
func TestAnswerOfAHastyClient(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	serve := func(p *presence, method, path, body, until string, header map[string]string) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
		header["Authorization"], header["Content-Type"], header["Accept"] = "Bearer "+p.token, "application/json", "application/json, text/event-stream"
		for name, value := range header {
			r.Header.Set(name, value)
		}
		p.server.Public().ServeHTTP(&hasty{httptest.NewRecorder(), until, stop}, r)
		synctest.Wait()
	}
	inBubble(t, "confirm,ignore", func(t *testing.T, p *presence) {
		first, err := p.gateway.Open(t.Context(), gateway.Ask{Agent: p.agent, Tool: "phone_action", Arguments: []byte(alarm), Detached: true})
		p.check(err)
		if now := p.call(first.ID); now.Outcome != nod.Done {
			t.Fatalf("it is %s %s", now.State, now.Outcome)
		}
		serve(p, http.MethodGet, "/v1/calls/"+string(first.ID), "", `"done"`, map[string]string{})
		if !p.call(first.ID).HandedOver {
			t.Error("over HTTP it has no answer")
		}
		serve(p, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+`,`+meta+`}}`,
			`"taskId"`, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "phone_action"})
		if c := p.open(); c.Attached || c.ID == first.ID {
			t.Errorf("the task is %s, attached %v", c.State, c.Attached)
		}
	})
}

// Who takes a call back too late is told how it ended, and so has its answer.
func TestTooLateIsHandedOver(t *testing.T) {
	for _, w := range []way{bySessions, byStateless, byHTTP} {
		t.Run(string(w), func(t *testing.T) {
			inBubble(t, "confirm,ignore", func(t *testing.T, p *presence) {
				c, err := p.gateway.Open(t.Context(), gateway.Ask{Agent: p.agent, Tool: "phone_action", Arguments: []byte(alarm), Detached: true})
				p.check(err)
				if c = p.call(c.ID); c.Outcome != nod.Done || c.HandedOver {
					t.Fatalf("it is %s %s, handed over %v", c.State, c.Outcome, c.HandedOver)
				}
				a := p.asker(w, "test", nil)
				if w == byHTTP {
					a.do(http.MethodPost, "/v1/calls/"+string(c.ID)+"/cancel", "", nil)
				} else if got := a.tool("call_cancel", `{"call_id":`+quote(string(c.ID))+`}`, false).wait(); !strings.Contains(got.text, "The phone did it.") {
					t.Errorf("told %q", got.text)
				}
				if !p.call(c.ID).HandedOver {
					t.Error("it counts as never told")
				}
			})
		})
	}
}

// A client that drops its connection and comes back again and again leaves nobody
// behind that waits for it: each would count as a request under way.
func TestDroppedLeaveNobody(t *testing.T) {
	waiting := func() int {
		synctest.Wait()
		stacks := make([]byte, 4<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "server.(*exchange).wait(")
	}
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		before := waiting()
		a := p.asker(bySessions, "claude-code", nil)
		c := a.call(alarm)
		id := p.open().ID
		for range 5 {
			c.drop()
			later(time.Second)
			c = a.call(alarm)
		}
		later(10 * time.Second)
		if n := waiting() - before; n != 1 {
			t.Errorf("%d wait, want the last one", n)
		}
		if now := p.open(); now.ID != id || !now.Attached {
			t.Errorf("it waits for %s, attached %v, want %s", now.ID, now.Attached, id)
		}
		c.drop()
		later(10 * time.Second)
		if now := p.call(id); now.Why != nod.WhyGone {
			t.Errorf("it is %s %s %s", now.State, now.Outcome, now.Why)
		}
	})
}

// A client that was gone before its call was looked at leaves no card: nobody would
// notice any more that it is gone.
func TestGoneBeforeItsCall(t *testing.T) {
	const modern = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`
	for name, tt := range map[string]struct {
		way  way
		meta string
	}{
		"in a session":      {bySessions, ""},
		"without a session": {byStateless, modern + `{}}`},
		"as a task":         {byStateless, modern + `{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, "ignore", func(t *testing.T, p *presence) {
				a := p.asker(tt.way, "test", map[string]string{"Accept": "application/json, text/event-stream"})
				ctx, stop := context.WithCancel(context.Background())
				stop()
				for range 8 { // what is chosen by chance is chosen either way
					r := a.request(ctx, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+tt.meta+`}}`)
					r.Header.Set("Mcp-Method", "tools/call")
					r.Header.Set("Mcp-Name", "phone_action")
					p.server.Public().ServeHTTP(httptest.NewRecorder(), r)
				}
				later(graceOver)
				for _, c := range p.gateway.OpenCalls(p.agent) {
					t.Errorf("%s is %s, attached %v", c.ID, c.State, c.Attached)
				}
			})
		})
	}
}

// A client that gives up at the very moment at which it would be told STILL WAITING
// was not told: its card goes like that of any other that went away.
func TestGoneAtItsBudget(t *testing.T) {
	for _, w := range []way{bySessions, byStateless} {
		t.Run(string(w), func(t *testing.T) {
			inBubble(t, "ignore", func(t *testing.T, p *presence) {
				a := p.asker(w, "test", map[string]string{"Accept": "application/json, text/event-stream"})
				meta := ""
				if w.stateless() {
					meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
				}
				for range 8 { // what is chosen by chance is chosen either way
					ctx, stop := context.WithTimeout(context.Background(), 45*time.Second)
					r := a.request(ctx, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+meta+`}}`)
					r.Header.Set("Mcp-Method", "tools/call")
					r.Header.Set("Mcp-Name", "phone_action")
					answer := httptest.NewRecorder()
					p.server.Public().ServeHTTP(answer, r)
					later(graceOver)
					stop()
					told := strings.Contains(answer.Body.String(), "STILL WAITING")
					for _, c := range p.gateway.OpenCalls(p.agent) {
						if !told {
							t.Errorf("nobody was told of it, and %s is %s, attached %v", c.ID, c.State, c.Attached)
						}
						_, err := p.gateway.Cancel(t.Context(), p.agent, c.ID)
						p.check(err)
					}
				}
			})
		})
	}
}

// graceOver is longer than any call outlives its connection.
const graceOver = 20 * time.Second
