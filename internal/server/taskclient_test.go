package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nod.dev/nod/nodtest"
)

// What the clients of these tests declare in each request.
const (
	withTasks    = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	withoutTasks = `{}`
)

// taskClient is a client of revision 2026-07-28 that speaks in whole messages.
type taskClient struct {
	t            *testing.T
	web          *http.Client
	url, token   string
	capabilities string
	tape         *strings.Builder // what was said and answered; nil for not
	id           int
}

// reply is an answer: how it looked, and what these tests read of it.
type reply struct {
	status int
	raw    string
	Error  *struct {
		Code    int
		Message string
	}
	Result struct {
		ResultType, TaskID, Status, StatusMessage string
		CreatedAt, LastUpdatedAt                  time.Time
		TTLMs, PollIntervalMs                     int64
		Result                                    json.RawMessage // of a task
		Content                                   []struct{ Text string }
		Meta                                      map[string]map[string]any `json:"_meta"`
		IsError                                   bool
	}
}

// text is what the model reads of a plain call's answer.
func (r reply) text() string {
	if len(r.Result.Content) != 1 {
		return "no single text: " + r.raw
	}
	return r.Result.Content[0].Text
}

// call is the id of the call that a plain answer is about.
func (r reply) call() string { id, _ := r.Result.Meta["dev.nod/call"]["id"].(string); return id }

func (m *taskClient) request(ctx context.Context, method, params string) *http.Request {
	m.t.Helper()
	m.id++
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + m.capabilities + `}`
	if params = strings.TrimSuffix(params, "}"); params != "{" {
		params += ","
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s%s}}`, m.id, method, params, meta)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url+"/mcp", strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	for k, v := range map[string]string{
		"Authorization": "Bearer " + m.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Nod-Wait": "1320",
	} {
		r.Header.Set(k, v)
	}
	var named struct{ Params struct{ Name, TaskID string } }
	if err := json.Unmarshal([]byte(body), &named); err != nil {
		m.t.Fatal(err)
	}
	if name := named.Params.Name + named.Params.TaskID; name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	if m.tape != nil {
		fmt.Fprintf(m.tape, "> Mcp-Method: %s\n", method)
		if name := r.Header.Get("Mcp-Name"); name != "" {
			fmt.Fprintf(m.tape, "> Mcp-Name: %s\n", name)
		}
		fmt.Fprintf(m.tape, "> %s\n", body)
	}
	return r
}

// ask sends a request and reads its whole answer.
func (m *taskClient) ask(method, params string) (got reply) {
	m.t.Helper()
	resp, err := m.web.Do(m.request(m.t.Context(), method, params))
	if err != nil {
		m.t.Fatal(err)
	}
	defer resp.Body.Close()
	got.status = resp.StatusCode
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		line := strings.TrimPrefix(s.Text(), "data: ")
		if strings.HasPrefix(line, "{") && strings.Contains(line, `"id"`) {
			got.raw = line
		}
	}
	if err := json.Unmarshal([]byte(got.raw), &got); err != nil {
		m.t.Fatalf("%s: answered %q: %v", method, got.raw, err)
	}
	if m.tape != nil {
		fmt.Fprintf(m.tape, "< %d %s\n\n", got.status, got.raw)
	}
	return got
}

// act asks the phone for something.
func (m *taskClient) act(arguments string) reply {
	m.t.Helper()
	return m.ask("tools/call", `{"name":"phone_action","arguments":`+arguments+`}`)
}

// make asks for something that becomes a task, and returns the task's id.
func (m *taskClient) make(arguments string) string {
	m.t.Helper()
	r := m.act(arguments)
	if r.Result.ResultType != "task" || r.Result.TaskID == "" {
		m.t.Fatalf("the call did not become a task: %s", r.raw)
	}
	return r.Result.TaskID
}

func (m *taskClient) get(task string) reply {
	m.t.Helper()
	return m.ask("tasks/get", `{"taskId":"`+task+`"}`)
}

func (m *taskClient) cancel(task string) reply {
	m.t.Helper()
	return m.ask("tasks/cancel", `{"taskId":"`+task+`"}`)
}

// taskClient is a client of the bubble's gateway.
func (p *presence) taskClient(capabilities string) *taskClient {
	web := p.public.Client()
	p.t.Cleanup(web.CloseIdleConnections)
	return &taskClient{t: p.t, web: web, url: "http://localhost", token: p.token, capabilities: capabilities}
}

func taskClientOf(t *testing.T, n *nodtest.Nod, capabilities string) *taskClient {
	return &taskClient{t: t, web: http.DefaultClient, url: n.URL, token: n.Token, capabilities: capabilities}
}

// tasksInBubble runs f with a client that declares the extension.
func tasksInBubble(t *testing.T, script string, f func(t *testing.T, p *presence, m *taskClient)) {
	t.Helper()
	inBubble(t, script, func(t *testing.T, p *presence) {
		m := p.taskClient(withTasks)
		f(t, p, m)
		m.web.CloseIdleConnections()
	})
}
