package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/nodtest"
)

// bearer adds an agent's token, and what else a client's set-up would send.
type bearer struct {
	token string
	more  map[string]string
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	for k, v := range b.more {
		r.Header.Set(k, v)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// progress gathers the progress sentences that a client is told.
type progress struct {
	mu    sync.Mutex
	lines []string
}

func (p *progress) add(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, r.Params.Message)
}

func (p *progress) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.lines...)
}

// connect is an MCP client of the session-based revisions.
func connect(t *testing.T, n *nodtest.Nod, headers map[string]string) (*mcp.ClientSession, *progress) {
	t.Helper()
	p := &progress{}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{ProgressNotificationHandler: p.add})
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: n.URL + "/mcp", HTTPClient: &http.Client{Transport: &bearer{n.Token, headers}}, DisableStandaloneSSE: true, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, p
}

func callTool(t *testing.T, s *mcp.ClientSession, name string, arguments string) *mcp.CallToolResult {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// text is what the model reads: the only content there is.
func text(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 || r.StructuredContent != nil {
		t.Fatalf("a result with %d contents and structured content %v, want one text", len(r.Content), r.StructuredContent)
	}
	c, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("a result of %T, want text", r.Content[0])
	}
	return c.Text
}

// about is what a program reads: the call's id, state and outcome.
func about(r *mcp.CallToolResult) (id nod.CallID, state nod.State, outcome nod.Outcome) {
	m, _ := r.Meta["dev.nod/call"].(map[string]any)
	s := func(k string) string { v, _ := m[k].(string); return v }
	return nod.CallID(s("id")), nod.State(s("state")), nod.Outcome(s("outcome"))
}

const alarm = `{"action": "alarm", "time": "07:30"}`

func TestMCPOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		person, tool, arguments string
		outcome                 nod.Outcome
		text                    string // how it begins
		isError                 bool
	}{
		{"confirm", "phone_action", alarm, nod.Done, "The phone did it.", false},
		{"confirm", "phone_action", `{"action": "sms_draft", "to": ["+351 912 345 678"], "text": "On my way"}`, nod.Opened, "The phone opened the messaging app with it.", false},
		{"decline", "phone_action", alarm, nod.Declined, "The person said no.", false},
		{"decline:too early", "phone_action", alarm, nod.Declined, "The person said no. Nothing was done; do not try it again unless they ask. In their own words: too early", false},
		{"confirm", "phone_action", `{"action": "add_stop"}`, nod.Refused, "add_stop needs stop and destination.", true},
		{"confirm", "phone_action", `{"action": "fly"}`, nod.Refused, "There is no such phone action.", true},
		{"confirm", "phone_acton", alarm, nod.Refused, `There is no tool "phone_acton".`, true},
		{"confirm", "phone_action", `{"action": "calendar_event", "title": "Lunch", "start": "2027-02-30T12:00"}`, nod.Failed, "The phone could not do it. Nothing was done.", true},
	} {
		t.Run(string(tt.outcome)+" "+tt.text[:12], func(t *testing.T) {
			n := nodtest.New(t, nodtest.Options{Person: tt.person})
			s, _ := connect(t, n, nil)
			r := callTool(t, s, tt.tool, tt.arguments)
			_, state, outcome := about(r)
			if outcome != tt.outcome || state != nod.Closed {
				t.Errorf("ended %s, %s, want %s", state, outcome, tt.outcome)
			}
			if got := text(t, r); !strings.HasPrefix(got, tt.text) {
				t.Errorf("told %q\nwant it to begin %q", got, tt.text)
			}
			if r.IsError != tt.isError {
				t.Errorf("isError = %v, want %v", r.IsError, tt.isError)
			}
		})
	}
}

func TestMCPUnavailable(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	s, _ := connect(t, n, nil)
	r := callTool(t, s, "phone_action", alarm)
	if _, _, outcome := about(r); outcome != nod.Unavailable || !r.IsError {
		t.Errorf("outcome %s, isError %v, want unavailable, true", outcome, r.IsError)
	}
}

func TestMCPDenied(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Apps: []string{"maps:act"}})
	s, _ := connect(t, n, nil)
	r := callTool(t, s, "phone_action", alarm)
	if _, _, outcome := about(r); outcome != nod.Denied || r.IsError {
		t.Errorf("outcome %s, isError %v, want denied, false", outcome, r.IsError)
	}
	if got := text(t, r); !strings.Contains(got, "the clock app") {
		t.Errorf("told %q, want it to name the clock app", got)
	}
}

func TestMCPInitialize(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	resp := post(t.Context(), t, n, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var message struct {
		Result struct {
			Instructions string `json:"instructions"`
			Capabilities map[string]any
			ServerInfo   struct {
				Name            string         `json:"name"`
				RuntimeProtocol map[string]any `json:"runtimeProtocol"`
			} `json:"serverInfo"`
		} `json:"result"`
	}
	_, data, _ := bytes.Cut(b, []byte("data: "))
	if err := json.Unmarshal(bytes.TrimSpace(data), &message); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	info := message.Result.ServerInfo
	want := map[string]any{"name": "nod-runtime-protocol", "min_version": 1.0, "max_version": 1.0}
	if diff := cmp.Diff(want, info.RuntimeProtocol); diff != "" || info.Name != "nod" {
		t.Errorf("serverInfo %+v\n%s", info, diff)
	}
	if !strings.HasPrefix(message.Result.Instructions, "This phone") {
		t.Errorf("instructions %q", message.Result.Instructions)
	}
}

// A client of the stateless revision asks first what is spoken here, and hears
// of every revision, with the same range; and then needs no session.
func TestMCPDiscover(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for method, wants := range map[string][]string{
		"server/discover": {`"dev.nod/runtimeProtocol":{"name":"nod-runtime-protocol","min_version":1,"max_version":1}`, `"2026-07-28"`, `"2025-11-25"`, `"instructions":"This phone`, `"listChanged":true`, `"cacheScope":"private"`},
		"tools/list":      {`"name":"phone_action"`, `"resultType":"complete"`, `"ttlMs":60000`, `"cacheScope":"private"`},
	} {
		status, _, body := do(t, n, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+meta+`}}`,
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method})
		for _, want := range wants {
			if status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s answered %d %s, want it to have %s", method, status, body, want)
			}
		}
	}
}

func TestMCPTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		apps []string
		want []string
	}{
		{nil, []string{"phone_action", "call_status", "call_cancel", "clipboard_write", "notify", "calendar_create", "calendar_update", "calendar_delete", "alarm_set", "timer_set", "phone_now"}},
		{[]string{"maps:act"}, []string{"phone_action", "call_status", "call_cancel"}},
		{[]string{"calendar:read"}, []string{"call_status", "call_cancel", "calendars", "calendar_list"}},
	} {
		n := nodtest.New(t, nodtest.Options{NoPhone: true, Apps: tt.apps})
		s, _ := connect(t, n, nil)
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tool := range list.Tools {
			got = append(got, tool.Name)
			a := tool.Annotations
			if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || tool.OutputSchema != nil {
				t.Errorf("%s: annotations %+v, output schema %v", tool.Name, a, tool.OutputSchema)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("apps %v:\n%s", tt.apps, diff)
		}
	}
}

// What the strict parser refuses never reaches the library or the phone.
func TestMCPStrict(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "confirm"})
	s, _ := connect(t, n, nil)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","arguments":{"action":"dial","number":"112","number":"911"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","name":"call_status","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","arguments":{"action":"dial","number":"` + "\xff" + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","arguments":{"action":"\ud800"}}}`,
		`{"jsonrpc":"2.0","id":1`,
		strings.Repeat("[", 40) + strings.Repeat("]", 40),
	} {
		resp := post(t.Context(), t, n, s.ID(), body)
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || !bytes.Contains(b, []byte("-32700")) {
			t.Errorf("%s\nanswered %s %s", body, resp.Status, b)
		}
	}
	// A key in another case is an unknown key, all the way in.
	resp := post(t.Context(), t, n, s.ID(), `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"phone_action","arguments":{"ACTION":"dial","number":"112"}}}`)
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if !bytes.Contains(b, []byte("There is no such phone action.")) {
		t.Errorf("answered %s", b)
	}
	if n.Phone.Count() != 0 {
		t.Error("the phone did something")
	}
}

// A session belongs to the agent that began it.
func TestMCPSessionOfAnother(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	s, _ := connect(t, n, nil)
	other, err := n.Console.AddAgent(t.Context(), client.AgentRequest{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	r := request(t.Context(), t, n, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r.Header.Set("Mcp-Session-Id", s.ID())
	r.Header.Set("Authorization", "Bearer "+other.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("answered %s, want 404, as for one that is not there", resp.Status)
	}
}

// post sends one message of a session and returns the answer, unread.
func post(ctx context.Context, t *testing.T, n *nodtest.Nod, session, body string) *http.Response {
	t.Helper()
	r := request(ctx, t, n, http.MethodPost, "/mcp", body)
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// request is one as the agent would send it.
func request(ctx context.Context, t *testing.T, n *nodtest.Nod, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, n.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+n.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// ended waits until the agent has no open call, and returns its n calls.
func ended(t *testing.T, n *nodtest.Nod, count int) []nod.Call {
	t.Helper()
	waitFor(t, "the call to end", func() bool { return len(n.Gateway.OpenCalls(n.Agent.ID)) == 0 })
	calls, err := n.Gateway.Calls(t.Context(), n.Agent.Person, n.Agent.ID, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) != count {
		t.Fatalf("there are %d calls, want %d", len(calls), count)
	}
	return calls
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !is() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
