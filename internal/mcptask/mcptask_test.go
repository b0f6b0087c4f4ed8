package mcptask_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod/internal/mcptask"
)

// noon is when the tasks of these tests were made.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 5_000_000, time.UTC)

// owned is a ledger of fixed tasks by "user/id", which notes what it is asked.
type owned struct {
	tasks map[string]mcptask.Task
	asked []string
}

func (o *owned) find(user, id string) (mcptask.Task, error) {
	switch id {
	case "broken":
		return mcptask.Task{}, errors.New("the disk is on fire")
	case "busy":
		return mcptask.Task{}, fmt.Errorf("asked: %w", &jsonrpc.Error{Code: -32603, Message: "ask again in a second"})
	}
	t, ok := o.tasks[user+"/"+id]
	if !ok {
		return t, fmt.Errorf("asked: %w", mcptask.ErrUnknown)
	}
	return t, nil
}

func (o *owned) Get(_ context.Context, user, id string) (mcptask.Task, error) {
	return o.find(user, id)
}

func (o *owned) Update(_ context.Context, user, id string, responses map[string]any) error {
	if _, err := o.find(user, id); err != nil {
		return err
	}
	o.asked = append(o.asked, fmt.Sprintf("update %s/%s %v", user, id, responses))
	return nil
}

func (o *owned) Cancel(_ context.Context, user, id string) error {
	if _, err := o.find(user, id); err != nil {
		return err
	}
	o.asked = append(o.asked, "cancel "+user+"/"+id)
	return nil
}

func ledger() *owned {
	task := func(id string, status mcptask.Status) mcptask.Task {
		return mcptask.Task{ID: id, Status: status, Created: noon, Updated: noon.Add(time.Second)}
	}
	working := task("working", mcptask.Working)
	working.Message, working.TTL, working.Poll = "Waiting for the person.", time.Hour, 3*time.Second
	asks := task("asks", mcptask.InputRequired)
	asks.Inputs = mcp.InputRequestMap{"name": &mcp.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object"}`)}}
	done := task("done", mcptask.Completed)
	done.Result = &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "It happened."}}, IsError: true}
	failed := task("failed", mcptask.Failed)
	failed.Fault = &jsonrpc.Error{Code: -32603, Message: "no disk", Data: json.RawMessage(`{"left":0}`)}
	all := map[string]mcptask.Task{"/mine": task("mine", mcptask.Working)}
	for _, t := range []mcptask.Task{
		working, asks, done, failed, task("cancelled", mcptask.Cancelled),
		task("hollow", mcptask.Completed), task("mute", mcptask.InputRequired), task("odd", "resting"), task("faultless", mcptask.Failed),
	} {
		all["ann/"+t.ID] = t
	}
	return &owned{tasks: all}
}

// house is a server of the stateless revision with the extension.
func house(l mcptask.Ledger, logged *strings.Builder) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}})
	tool := func(name string, h mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, h)
	}
	tool("quick", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "at once"}}}, nil
	})
	tool("slow", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if !mcptask.Declared(req) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "waited for"}}}, nil
		}
		t, err := l.Get(ctx, "ann", "working")
		if err != nil {
			return nil, err
		}
		return mcptask.Answer(ctx, t)
	})
	tool("tasks_only", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcptask.Answer(ctx, mcptask.Task{ID: "t", Status: mcptask.Working, Created: noon, Updated: noon})
	})
	mcptask.Install(server, l, slog.New(slog.NewTextHandler(logged, nil)))
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true})
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token}, nil
	}
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(h)
}

// The clients of the tests, by what they declare in a request.
const (
	declares = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	silent   = `{}`
)

// ask sends one request of revision 2026-07-28 as a user, and returns the answer.
func ask(t *testing.T, h http.Handler, user, capabilities, method, params string) (status int, answer string) {
	t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
	if params = strings.TrimSuffix(params, "}"); params != "{" {
		params += ","
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + meta + `}}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+user)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	var named struct{ Params struct{ Name string } }
	if json.Unmarshal([]byte(body), &named) == nil && named.Params.Name != "" {
		r.Header.Set("Mcp-Name", named.Params.Name)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer = w.Body.String()
	for s := bufio.NewScanner(strings.NewReader(answer)); s.Scan(); {
		if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
			answer = data
		}
	}
	return w.Code, answer
}

// told is the result, or the error, of an answer, without what the library adds.
func told(t *testing.T, answer string) string {
	t.Helper()
	var m struct {
		Result map[string]any
		Error  any
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		t.Fatalf("the answer is no message: %v: %s", err, answer)
	}
	delete(m.Result, "_meta")
	v := m.Error
	if m.Result != nil {
		v = m.Result
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const (
	times   = `"createdAt":"2026-11-30T12:00:00.005Z","lastUpdatedAt":"2026-11-30T12:00:01.005Z"`
	missing = `{"code":-32021,"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}},"message":"this needs the client to declare the extension io.modelcontextprotocol/tasks in the request"}`
	unknown = `{"code":-32602,"message":"there is no such task, or not any more"}`
	noID    = `{"code":-32602,"message":"taskId must be the id of a task"}`
	noReply = `{"code":-32602,"message":"inputResponses must be an object"}`
	again   = `{"code":-32603,"message":"the task could not be served; ask again"}`
	ack     = `{"resultType":"complete"}`
)

func TestMethods(t *testing.T) {
	working := `"pollIntervalMs":3000,"resultType":"%s","status":"working","statusMessage":"Waiting for the person.","taskId":"working","ttlMs":3600000}`
	for _, tt := range []struct {
		user, capabilities, method, params string
		status                             int
		want                               string
	}{
		{"ann", declares, "tasks/get", `{"taskId":"working"}`, 200, "{" + times + "," + fmt.Sprintf(working, "complete")},
		{"ann", declares, "tasks/get", `{"taskId":"done"}`, 200, "{" + times + `,"result":{"content":[{"text":"It happened.","type":"text"}],"isError":true,"resultType":"complete"},"resultType":"complete","status":"completed","taskId":"done","ttlMs":null}`},
		{"ann", declares, "tasks/get", `{"taskId":"failed"}`, 200, "{" + `"createdAt":"2026-11-30T12:00:00.005Z","error":{"code":-32603,"data":{"left":0},"message":"no disk"},"lastUpdatedAt":"2026-11-30T12:00:01.005Z","resultType":"complete","status":"failed","taskId":"failed","ttlMs":null}`},
		{"ann", declares, "tasks/get", `{"taskId":"cancelled"}`, 200, "{" + times + `,"resultType":"complete","status":"cancelled","taskId":"cancelled","ttlMs":null}`},
		{"ann", declares, "tasks/get", `{"taskId":"asks"}`, 200, `{"createdAt":"2026-11-30T12:00:00.005Z","inputRequests":{"name":{"method":"elicitation/create","params":{"message":"Who?","mode":"form","requestedSchema":{"type":"object"}}}},"lastUpdatedAt":"2026-11-30T12:00:01.005Z","resultType":"complete","status":"input_required","taskId":"asks","ttlMs":null}`},

		// Another user's task does not exist, whatever is done with it.
		{"ben", declares, "tasks/get", `{"taskId":"working"}`, 400, unknown},
		{"ben", declares, "tasks/update", `{"taskId":"working","inputResponses":{}}`, 400, unknown},
		{"ben", declares, "tasks/cancel", `{"taskId":"working"}`, 400, unknown},
		{"ann", declares, "tasks/get", `{"taskId":"mine"}`, 400, unknown},

		{"ann", declares, "tasks/update", `{"taskId":"asks","inputResponses":{"name":{"action":"accept"}}}`, 200, ack},
		{"ann", declares, "tasks/update", `{"taskId":"working","inputResponses":{"never":{}}}`, 200, ack},
		{"ann", declares, "tasks/update", `{"taskId":"working"}`, 400, noReply},
		{"ann", declares, "tasks/update", `{"taskId":"working","inputResponses":null}`, 400, noReply},
		{"ann", declares, "tasks/update", `{"taskId":"working","inputResponses":[1]}`, 400, noReply},
		{"ann", declares, "tasks/cancel", `{"taskId":"working"}`, 200, ack},
		{"ann", declares, "tasks/cancel", `{"taskId":"done"}`, 200, ack},

		{"ann", declares, "tasks/get", `{}`, 400, noID},
		{"ann", declares, "tasks/get", `{"taskId":""}`, 400, noID},
		{"ann", declares, "tasks/get", `{"taskId":null}`, 400, noID},
		{"ann", declares, "tasks/get", `{"taskId":7}`, 400, noID},
		{"ann", declares, "tasks/get", `{"taskId":{"a":[]}}`, 400, noID},
		{"ann", declares, "tasks/get", `{"TaskID":"working"}`, 400, noID},
		{"ann", declares, "tasks/update", `{"inputResponses":{}}`, 400, noID},
		{"ann", declares, "tasks/cancel", `{"taskId":["working"]}`, 400, noID},

		{"ann", silent, "tasks/get", `{"taskId":"working"}`, 400, missing},
		{"ann", silent, "tasks/update", `{"taskId":"working","inputResponses":{}}`, 400, missing},
		{"ann", silent, "tasks/cancel", `{"taskId":"working"}`, 400, missing},
		{"ann", silent, "tasks/get", `{}`, 400, missing},
		{"ann", `{"extensions":{"io.modelcontextprotocol/tasks":null}}`, "tasks/get", `{"taskId":"working"}`, 400, missing},
		{"ann", `{"extensions":{"io.modelcontextprotocol/Tasks":{}}}`, "tasks/get", `{"taskId":"working"}`, 400, missing},
		{"ann", `{"tasks":{}}`, "tasks/get", `{"taskId":"working"}`, 400, missing},

		// What the ledger cannot serve is never told as a task that is over.
		{"ann", declares, "tasks/get", `{"taskId":"broken"}`, 200, again},
		{"ann", declares, "tasks/update", `{"taskId":"broken","inputResponses":{}}`, 200, again},
		{"ann", declares, "tasks/cancel", `{"taskId":"broken"}`, 200, again},
		{"ann", declares, "tasks/get", `{"taskId":"busy"}`, 200, `{"code":-32603,"message":"ask again in a second"}`},
		{"ann", declares, "tasks/get", `{"taskId":"hollow"}`, 200, again},
		{"ann", declares, "tasks/get", `{"taskId":"mute"}`, 200, again},
		{"ann", declares, "tasks/get", `{"taskId":"faultless"}`, 200, again},
		{"ann", declares, "tasks/get", `{"taskId":"odd"}`, 200, again},

		// The methods of the experimental tasks are gone.
		{"ann", declares, "tasks/list", `{}`, 404, `{"code":-32601,"message":"JSON RPC not handled: \"tasks/list\" unsupported"}`},
		{"ann", declares, "tasks/result", `{"taskId":"done"}`, 404, `{"code":-32601,"message":"JSON RPC not handled: \"tasks/result\" unsupported"}`},

		{"ann", declares, "tools/call", `{"name":"slow"}`, 200, "{" + times + "," + fmt.Sprintf(working, "task")},
		{"ann", declares, "tools/call", `{"name":"quick"}`, 200, `{"content":[{"text":"at once","type":"text"}],"resultType":"complete"}`},
		{"ann", declares, "tools/call", `{"name":"quick","task":{"ttl":60000}}`, 200, `{"content":[{"text":"at once","type":"text"}],"resultType":"complete"}`},
		{"ann", silent, "tools/call", `{"name":"slow"}`, 200, `{"content":[{"text":"waited for","type":"text"}],"resultType":"complete"}`},
		{"ann", silent, "tools/call", `{"name":"slow","task":{"ttl":60000}}`, 200, `{"content":[{"text":"waited for","type":"text"}],"resultType":"complete"}`},
		{"ann", silent, "tools/call", `{"name":"tasks_only"}`, 400, missing},
		{"ann", declares, "tools/call", `{"name":"tasks_only"}`, 200, `{"createdAt":"2026-11-30T12:00:00.005Z","lastUpdatedAt":"2026-11-30T12:00:00.005Z","resultType":"task","status":"working","taskId":"t","ttlMs":null}`},
	} {
		t.Run(tt.method+" "+tt.params+" of "+tt.user+" with "+tt.capabilities, func(t *testing.T) {
			var logged strings.Builder
			status, answer := ask(t, house(ledger(), &logged), tt.user, tt.capabilities, tt.method, tt.params)
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			if d := cmp.Diff(tt.want, told(t, answer)); d != "" {
				t.Errorf("answer (-want +got):\n%s", d)
			}
			if strings.Contains(answer, "fire") {
				t.Errorf("the client is told of nod's inside: %s", answer)
			}
			if internal := tt.want == again; internal != (logged.Len() > 0) {
				t.Errorf("logged %q, want something: %v", logged.String(), internal)
			}
		})
	}
}

func TestLedgerIsAsked(t *testing.T) {
	l, logged := ledger(), &strings.Builder{}
	h := house(l, logged)
	ask(t, h, "ann", declares, "tasks/update", `{"taskId":"asks","inputResponses":{"name":{"action":"accept"},"more":7}}`)
	ask(t, h, "ann", declares, "tasks/cancel", `{"taskId":"working"}`)
	ask(t, h, "ann", silent, "tasks/cancel", `{"taskId":"done"}`)
	want := []string{"update ann/asks map[more:7 name:map[action:accept]]", "cancel ann/working"}
	if d := cmp.Diff(want, l.asked); d != "" {
		t.Errorf("the ledger was asked (-want +got):\n%s", d)
	}
}

func TestDiscover(t *testing.T) {
	_, answer := ask(t, house(ledger(), &strings.Builder{}), "ann", silent, "server/discover", `{}`)
	var m struct {
		Result struct{ Capabilities map[string]any }
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}
	if d := cmp.Diff(want, m.Result.Capabilities["extensions"]); d != "" {
		t.Errorf("extensions (-want +got):\n%s", d)
	}
	if _, old := m.Result.Capabilities["tasks"]; old {
		t.Errorf("the capability of the experimental tasks is advertised: %s", answer)
	}
}

// TestSessions is a client of a revision with sessions: for it there are no tasks.
func TestSessions(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "slow", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(mcptask.Declared(req))}}}, nil
	})
	mcptask.Install(server, ledger(), slog.New(slog.DiscardHandler))
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	conn, err := here.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	send := func(text string) string {
		t.Helper()
		m, err := jsonrpc.DecodeMessage([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Write(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if r, ok := m.(*jsonrpc.Request); ok && !r.IsCall() {
			return ""
		}
		answer, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := jsonrpc.EncodeMessage(answer)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	hello := send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + declares + `,"clientInfo":{"name":"old","version":"1"}}}`)
	if strings.Contains(hello, mcptask.Extension) {
		t.Errorf("a session is offered the extension: %s", hello)
	}
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, tt := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"slow","arguments":{}}`, `"text":"false"`},
		{"tools/call", `{"name":"slow","arguments":{},"_meta":{"io.modelcontextprotocol/clientCapabilities":` + declares + `}}`, `"text":"false"`},
		{"tasks/get", `{"taskId":"mine"}`, `"code":-32601`},
		{"tasks/update", `{"taskId":"mine","inputResponses":{}}`, `"code":-32601`},
		{"tasks/cancel", `{"taskId":"mine"}`, `"code":-32601`},
		{"tasks/list", `{}`, `"code":-32601`},
	} {
		if got := send(`{"jsonrpc":"2.0","id":2,"method":"` + tt.method + `","params":` + tt.params + `}`); !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: answered %s, want %s in it", tt.method, tt.params, got, tt.want)
		}
	}
}

func TestListen(t *testing.T) {
	meta := func(c string) string { return `"_meta":{"io.modelcontextprotocol/clientCapabilities":` + c + `}` }
	for _, tt := range []struct {
		params  string
		refused bool
	}{
		{`{"notifications":{"taskIds":["a"]},` + meta(declares) + `}`, false},
		{`{"notifications":{"taskIds":["a"]},` + meta(silent) + `}`, true},
		{`{"notifications":{"taskIds":[]},` + meta(silent) + `}`, true},
		{`{"notifications":{"taskIds":["a"]}}`, true},
		{`{"notifications":{"toolsListChanged":true},` + meta(silent) + `}`, false},
		{`{"notifications":{}}`, false},
		{`{}`, false},
		{`{"notifications":7}`, false},
		{`null`, false},
	} {
		var params map[string]any
		if err := json.Unmarshal([]byte(tt.params), &params); err != nil {
			t.Fatal(err)
		}
		got := mcptask.Listen(params)
		if (got != nil) != tt.refused {
			t.Errorf("Listen(%s) = %v, want refused: %v", tt.params, got, tt.refused)
		}
		if got != nil && got.Code != -32021 {
			t.Errorf("Listen(%s): code %d, want -32021", tt.params, got.Code)
		}
	}
}

func TestNamed(t *testing.T) {
	for method, want := range map[string]bool{
		"tasks/get": true, "tasks/update": true, "tasks/cancel": true,
		"tasks/list": false, "tasks/result": false, "tools/call": false, "": false,
	} {
		if got := mcptask.Named(method); got != want {
			t.Errorf("Named(%q) = %v, want %v", method, got, want)
		}
	}
}
