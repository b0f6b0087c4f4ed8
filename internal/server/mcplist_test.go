package server

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/spec"
)

// switchboard is a gateway that lets a test switch an agent's list. A phone
// cannot yet, and the rest of a gateway is not asked.
type switchboard struct {
	Gateway
	mu    sync.Mutex
	news  func(gateway.AgentNews)
	tools int // how many are in the list
}

func (b *switchboard) AgentByToken(token string) (nod.Agent, error) {
	return nod.Agent{ID: nod.AgentID(token)}, nil
}

func (b *switchboard) Tools(nod.Agent) []spec.Tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return spec.Get().Tools[:b.tools]
}

func (b *switchboard) OnAgents(f func(gateway.AgentNews)) { b.news = f }

func (b *switchboard) LinkHandler() http.Handler { return http.NotFoundHandler() }

// set changes the list, and tells so.
func (b *switchboard) set(agent nod.AgentID, tools int) {
	b.mu.Lock()
	b.tools = tools
	b.mu.Unlock()
	b.news(gateway.AgentNews{Agent: agent, List: true})
}

// An agent whose list changed hears so on its stream, asks again, and sees it.
func TestMCPListChanged(t *testing.T) {
	t.Parallel()
	b := &switchboard{tools: 3}
	s := New(Config{Gateway: b, Version: "test"})
	front := httptest.NewServer(s.Public())
	t.Cleanup(func() {
		s.Close()
		front.CloseClientConnections()
		front.Close()
	})
	ask := func(agent, method, params string) *bufio.Scanner {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL+"/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":5,"method":"`+method+`","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`+params+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + agent, "Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method} {
			r.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return bufio.NewScanner(resp.Body)
	}
	next := func(in *bufio.Scanner) string {
		for in.Scan() {
			if data, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				return data
			}
		}
		return "over"
	}
	count := func() int { return strings.Count(next(ask("agent_A", "tools/list", "")), `"inputSchema"`) }

	stream := ask("agent_A", "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`)
	if got := next(stream); !strings.Contains(got, "acknowledged") {
		t.Fatalf("the stream begins with %s", got)
	}
	if got := count(); got != 3 {
		t.Errorf("%d tools are listed, want 3", got)
	}
	b.set("agent_B", 2)
	b.set("agent_A", 1)
	want := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`
	if got := next(stream); got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if got := count(); got != 1 {
		t.Errorf("%d tools are listed, want 1", got)
	}
	b.news(gateway.AgentNews{Agent: "agent_A", Over: true})
	if got := next(stream); got != "over" {
		t.Errorf("after the token died the stream said %s", got)
	}
}
