package server_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/nodtest"
)

// revisions are those that clients in use speak: Claude Code the newest, Codex
// and Gemini CLI that of June 2025, OpenCode that of November.
var revisions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}

// connectAs is an MCP client of a revision.
func connectAs(t *testing.T, n *nodtest.Nod, revision string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: n.URL + "/mcp", HTTPClient: &http.Client{Transport: &bearer{n.Token, nil}}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// The main job, and what an agent can get wrong, are the same in every revision:
// one result with one text, and a line in the log.
func TestMCPEras(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Apps: []string{"clock:act"}})
	calls := 0
	for _, revision := range revisions {
		s := connectAs(t, n, revision)
		if got := s.InitializeResult().ProtocolVersion; got != revision {
			t.Fatalf("asked for %s, and speaks %s", revision, got)
		}
		if got := s.InitializeResult().Instructions; !strings.HasPrefix(got, "This phone") {
			t.Errorf("%s: instructions %q", revision, got)
		}
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 5 {
			t.Errorf("%s: %v, %v", revision, list, err)
		}
		for _, tt := range []struct {
			tool, arguments string
			outcome         nod.Outcome
			text            string
			isError         bool
		}{
			{"phone_action", `{"action": "alarm", "time": "07:30", "label": "` + revision + `"}`, nod.Done, "The phone did it.", false},
			{"phone_action", `{"action": "navigate", "destination": {"query": "Lisbon"}}`, nod.Denied, "", false},
			{"calendar_list", `{}`, nod.Denied, `For this agent the calendar app is off`, false},
			{"calendar_lists", `{}`, nod.Refused, `There is no tool "calendar_lists".`, true},
			{"phone_action", `{}`, nod.Refused, "", true},
		} {
			calls++
			r := callTool(t, s, tt.tool, tt.arguments)
			if _, _, outcome := about(r); outcome != tt.outcome || r.IsError != tt.isError || !strings.HasPrefix(text(t, r), tt.text) {
				t.Errorf("%s: %s %s ended %s, isError %v: %s", revision, tt.tool, tt.arguments, outcome, r.IsError, text(t, r))
			}
		}
	}
	got, err := n.Gateway.Calls(t.Context(), n.Agent.Person, n.Agent.ID, 100)
	if err != nil || len(got) != calls {
		t.Errorf("%d calls are in the ledger, %v, want %d", len(got), err, calls)
	}
	page, err := n.Console.Log(t.Context(), client.LogQuery{From: 1, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, e := range page.Entries {
		kinds[e.Kind]++
	}
	for kind, want := range map[string]int{"call.ended": 1, "call.denied": 2, "call.refused": 2} {
		if kinds[kind] != want*len(revisions) {
			t.Errorf("%d entries %s are in the log, want %d", kinds[kind], kind, want*len(revisions))
		}
	}
	if got := n.Phone.Count(); got != len(revisions) {
		t.Errorf("the phone did %d things, want %d", got, len(revisions))
	}
}

// stream reads what comes on a stream, event by event.
type stream struct {
	*http.Response
	lines chan string // the data of events, and comments with their colon
}

func (s *stream) next(t *testing.T) string {
	t.Helper()
	select {
	case line, ok := <-s.lines:
		if !ok {
			return "over"
		}
		return line
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came on the stream")
		return ""
	}
}

// openStream asks, as the agent, with headers, and reads what comes.
func openStream(t *testing.T, n *nodtest.Nod, method, body string, header map[string]string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r := request(ctx, t, n, method, "/mcp", body)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{resp, make(chan string, 100)}
	go func() {
		defer close(s.lines)
		defer resp.Body.Close()
		for in := bufio.NewScanner(resp.Body); in.Scan(); {
			data, isData := strings.CutPrefix(in.Text(), "data: ")
			if isData || strings.HasPrefix(data, ":") {
				s.lines <- data
			}
		}
	}()
	return s
}

// newest is a message of the newest revision with its headers.
func newest(method, name, params string) (body string, header map[string]string) {
	if params != "" {
		params = "," + params
	}
	header = map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
	if name != "" {
		header["Mcp-Name"] = name
	}
	return `{"jsonrpc":"2.0","id":3,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.332"},"io.modelcontextprotocol/clientCapabilities":{"roots":{},"elicitation":{"form":{},"url":{}}}}` + params + `}}`, header
}

// Claude Code asks what is spoken here, listens, and calls (facts of 2.1.332).
func TestMCPLikeClaudeCode(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	body, header := newest("server/discover", "", "")
	if got := openStream(t, n, http.MethodPost, body, header).next(t); !strings.Contains(got, `"supportedVersions":["2026-07-28"`) {
		t.Errorf("server/discover answered %s", got)
	}
	body, header = newest("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	listening := openStream(t, n, http.MethodPost, body, header)
	if got := listening.next(t); !strings.Contains(got, "notifications/subscriptions/acknowledged") || !strings.Contains(got, `"toolsListChanged":true`) {
		t.Errorf("subscriptions/listen answered %s", got)
	}
	body, header = newest("tools/call", "phone_action", `"name":"phone_action","arguments":`+alarm)
	calling := openStream(t, n, http.MethodPost, body, header)
	if got := calling.next(t); got != ": ok" {
		t.Errorf("the stream begins %q", got)
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", "Mcp-Session-Id": ""} {
		if got := calling.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	n.Person.Confirm(n.Person.Card().Call)
	if got := calling.next(t); !strings.Contains(got, "The phone did it.") || !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("tools/call answered %s", got)
	}
	// A name that no header can hold travels as Base64, and is answered in words.
	body, header = newest("tools/call", "=?base64?bmHDr3Zl?=", `"name":"naïve","arguments":{}`)
	if got := openStream(t, n, http.MethodPost, body, header).next(t); !strings.Contains(got, "There is no tool") {
		t.Errorf("a name as Base64 is answered %s", got)
	}
	// It is killed while the next call waits: that takes it back at once.
	body, header = newest("tools/call", "phone_action", `"name":"phone_action","arguments":{"action":"alarm","time":"08:00"}`)
	calling = openStream(t, n, http.MethodPost, body, header)
	n.Person.Card()
	began := time.Now()
	_ = calling.Body.Close()
	if calls := ended(t, n, 3); calls[0].Outcome != nod.Withdrawn || time.Since(began) > 3*time.Second {
		t.Errorf("ended %s after %v, want withdrawn at once", calls[0].Outcome, time.Since(began))
	}
}

// Gemini CLI names no revision after initialize, Codex that of June 2025; both
// listen on a GET stream, and Codex ends its session.
func TestMCPLikeGeminiAndCodex(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]string{"gemini-cli-mcp-client": "", "codex-mcp-client": "2025-06-18"} {
		n := nodtest.New(t, nodtest.Options{})
		begun := openStream(t, n, http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"`+name+`","version":"1"}}}`, nil)
		if got := begun.next(t); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
			t.Errorf("%s: initialize answered %s", name, got)
		}
		header := map[string]string{"Mcp-Session-Id": begun.Header.Get("Mcp-Session-Id")}
		if version != "" {
			header["MCP-Protocol-Version"] = version
		}
		if got := openStream(t, n, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, header); got.StatusCode != http.StatusAccepted {
			t.Errorf("%s: notifications/initialized answered %s", name, got.Status)
		}
		listening := openStream(t, n, http.MethodGet, "", header)
		if got := listening.next(t); listening.StatusCode != http.StatusOK || got != ": ok" {
			t.Errorf("%s: GET answered %s, %q", name, listening.Status, got)
		}
		if got := openStream(t, n, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header).next(t); !strings.Contains(got, `"name":"phone_action"`) {
			t.Errorf("%s: tools/list answered %s", name, got)
		}
		calling := openStream(t, n, http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+`}}`, header)
		if first, second := calling.next(t), calling.next(t); first != ": ok" || !strings.Contains(second, "The phone did it.") {
			t.Errorf("%s: tools/call answered %s, %s", name, first, second)
		}
		if got := openStream(t, n, http.MethodDelete, "", header); got.StatusCode != http.StatusNoContent {
			t.Errorf("%s: DELETE answered %s", name, got.Status)
		}
		if got := listening.next(t); got != "over" {
			t.Errorf("%s: after DELETE the stream said %q", name, got)
		}
		if got := openStream(t, n, http.MethodPost, `{"jsonrpc":"2.0","id":3,"method":"ping"}`, header); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: the session that is over answered %s", name, got.Status)
		}
	}
}

// A dead token ends what it opened: the streams, the sessions, the calls.
func TestMCPDeadToken(t *testing.T) {
	t.Parallel()
	for what, kill := range map[string]func(n *nodtest.Nod, ctx context.Context) error{
		"removed": func(n *nodtest.Nod, ctx context.Context) error {
			_, err := n.Gateway.RevokeAgent(ctx, n.Agent.Person, string(n.Agent.ID), false)
			return err
		},
		"a new one": func(n *nodtest.Nod, ctx context.Context) error {
			_, token, err := n.Gateway.RotateAgent(ctx, n.Agent.Person, string(n.Agent.ID))
			n.Token = token
			return err
		},
	} {
		n := nodtest.New(t, nodtest.Options{Person: "ignore"})
		s := connectAs(t, n, "2025-11-25")
		body, header := newest("subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
		listening := openStream(t, n, http.MethodPost, body, header)
		listening.next(t)
		body, header = newest("tools/call", "phone_action", `"name":"phone_action","arguments":`+alarm)
		calling := openStream(t, n, http.MethodPost, body, header)
		calling.next(t)
		n.Person.Card()
		old := n.Token
		if err := kill(n, t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := listening.next(t); got != "over" {
			t.Errorf("%s: the subscription said %q", what, got)
		}
		if got := calling.next(t); !strings.Contains(got, "Nothing was done") {
			t.Errorf("%s: the call was answered %q", what, got)
		}
		if calls := ended(t, n, 1); calls[0].Outcome != nod.Withdrawn {
			t.Errorf("%s: ended %s, want withdrawn", what, calls[0].Outcome)
		}
		r := request(t.Context(), t, n, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		r.Header.Set("Mcp-Session-Id", s.ID())
		r.Header.Set("Authorization", "Bearer "+old)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: the dead token is answered %s", what, resp.Status)
		}
		if n.Token == old {
			continue
		}
		if status, _, body := do(t, n, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Mcp-Session-Id": s.ID()}); status != http.StatusNotFound {
			t.Errorf("%s: the session of the dead token is answered %d %s", what, status, body)
		}
	}
}
