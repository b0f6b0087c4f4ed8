package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/nodtest"
)

// do sends a request as the agent and returns the status and the body. What it
// sends and what is answered must be as spec/openapi.json says.
func do(t *testing.T, n *nodtest.Nod, method, path, body string, header map[string]string) (int, http.Header, string) {
	t.Helper()
	r := request(t.Context(), t, n, method, path, body)
	for k, v := range header {
		if v == "" {
			r.Header.Del(k)
		} else {
			r.Header.Set(k, v)
		}
	}
	resp, err := (&http.Client{Transport: checked{t: t}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

const alarmCall = `{"tool": "phone_action", "arguments": {"action": "alarm", "time": "07:30"}}`

// Each row is one request and what it is answered: the status, and a part of
// the body.
func TestAPI(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	big := `{"tool": "phone_action", "arguments": {"text": "` + strings.Repeat("x", server.MaxBody) + `"}}`
	for _, tt := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		has                      string
	}{
		{"a call", "POST", "/v1/calls?wait=10", alarmCall, nil, 200, `"outcome":"done"`},
		{"refused", "POST", "/v1/calls", `{"tool": "phone_action", "arguments": {"action": "add_stop"}}`, nil, 200, `add_stop needs stop and destination.`},
		{"no arguments", "POST", "/v1/calls", `{"tool": "phone_action"}`, nil, 200, `There is no such phone action.`},
		{"an unknown tool", "POST", "/v1/calls", `{"tool": "fly"}`, nil, 200, `There is no tool \"fly\".`},
		{"an unknown mode", "POST", "/v1/calls", `{"tool": "phone_action", "mode": "yolo", "arguments": {"action": "stop_navigation"}}`, nil, 200, `trusted_actions`},
		{"an unknown mode in a header", "POST", "/v1/calls", alarmCall, map[string]string{"Nod-Mode": "yolo"}, 200, `trusted_actions`},
		{"an unknown phone", "POST", "/v1/calls", `{"tool": "phone_action", "phone": "Fridge", "arguments": {"action": "stop_navigation"}}`, nil, 200, `Fridge`},
		{"no tool", "POST", "/v1/calls", `{"arguments": {}}`, nil, 400, `"code":"invalid"`},
		{"a tool of MCP", "POST", "/v1/calls", `{"tool": "call_status"}`, nil, 400, `GET /v1/calls/{id}`},
		{"twice the same key", "POST", "/v1/calls", `{"tool": "phone_action", "tool": "x"}`, nil, 400, `"code":"invalid"`},
		{"twice the same key, deep", "POST", "/v1/calls", `{"tool": "phone_action", "arguments": {"number": "112", "number": "911"}}`, nil, 400, `"code":"invalid"`},
		{"a key in another case", "POST", "/v1/calls", `{"Tool": "phone_action"}`, nil, 400, `names no tool`},
		{"no JSON", "POST", "/v1/calls", `tool=phone_action`, nil, 400, `"code":"invalid"`},
		{"not declared as JSON", "POST", "/v1/calls", alarmCall, map[string]string{"Content-Type": "text/plain"}, 415, `application/json`},
		{"a number for a tool", "POST", "/v1/calls", `{"tool": 7}`, nil, 400, `"code":"invalid"`},
		{"a list", "POST", "/v1/calls", `[]`, nil, 400, `"code":"invalid"`},
		{"too deep", "POST", "/v1/calls", `{"tool": "phone_action", "arguments": {"x": ` + strings.Repeat("[", 16) + strings.Repeat("]", 16) + `}}`, nil, 400, `"code":"invalid"`},
		{"broken UTF-8", "POST", "/v1/calls", "{\"tool\": \"\xff\"}", nil, 400, `"code":"invalid"`},
		{"a wait below zero", "POST", "/v1/calls", `{"tool": "phone_action", "wait_seconds": -1}`, nil, 400, `wait_seconds`},
		{"a header that is no wait", "POST", "/v1/calls", alarmCall, map[string]string{"Nod-Wait": "2m"}, 400, `Nod-Wait`},
		{"an empty key", "POST", "/v1/calls", alarmCall, map[string]string{"Idempotency-Key": " "}, 400, `idempotency key`},
		{"a key with a space", "POST", "/v1/calls", alarmCall, map[string]string{"Idempotency-Key": "a b"}, 400, `idempotency key`},
		{"too large", "POST", "/v1/calls", big, nil, 413, `"code":"too_large"`},
		{"a wait that is none", "POST", "/v1/calls?wait=soon", alarmCall, nil, 400, `whole number of seconds`},
		{"a card that waits for ever", "POST", "/v1/calls", `{"tool": "phone_action", "wait_seconds": 99999}`, nil, 400, `wait_seconds`},
		{"too long a key", "POST", "/v1/calls", alarmCall, map[string]string{"Idempotency-Key": strings.Repeat("k", 256)}, 400, `idempotency key`},
		{"nothing given up", "POST", "/v1/me/off", `{"apps": []}`, nil, 400, `no app is named`},
		{"an app that is none", "POST", "/v1/me/off", `{"apps": ["moon:act"]}`, nil, 400, `moon:act`},
		{"apps that are no list", "POST", "/v1/me/off", `{"apps": "maps:act"}`, nil, 400, `"code":"invalid"`},
		{"apps not declared as JSON", "POST", "/v1/me/off", `{"apps": ["maps:act"]}`, map[string]string{"Content-Type": ""}, 415, `"code":"media_type"`},
		{"too many apps", "POST", "/v1/me/off", big, nil, 413, `"code":"too_large"`},
		{"a call that is not there", "GET", "/v1/calls/call_NONE", "", nil, 404, `"code":"not_found"`},
		{"cancel one that is not there", "POST", "/v1/calls/call_NONE/cancel", "{}", nil, 404, `"code":"not_found"`},
		{"open calls", "GET", "/v1/calls?state=open", "", nil, 200, `{"calls":[]}`},
		{"calls in no state", "GET", "/v1/calls?state=half", "", nil, 400, `neither open nor ended`},
		{"no calls a page", "GET", "/v1/calls?limit=0", "", nil, 400, `limit`},
		{"calls before none", "GET", "/v1/calls?before=call_NONE", "", nil, 404, `"code":"not_found"`},
		{"open calls before none", "GET", "/v1/calls?state=open&before=call_NONE", "", nil, 404, `"code":"not_found"`},
		{"a receipt of none", "GET", "/v1/calls/call_NONE/receipt", "", nil, 404, `"code":"not_found"`},
		{"the log", "GET", "/v1/log", "", nil, 200, `"kind":"agent.added"`},
		{"the log from none", "GET", "/v1/log?from=0", "", nil, 400, `from`},
		{"the log from a word", "GET", "/v1/log?from=here", "", nil, 400, `from`},
		{"too much of the log", "GET", "/v1/log?limit=1000", "", nil, 400, `limit`},
		{"events after no event", "GET", "/v1/events", "", map[string]string{"Last-Event-ID": "soon"}, 400, `Last-Event-ID`},
		{"the document", "GET", "/v1/openapi.json", "", map[string]string{"Authorization": ""}, 200, `"openapi": "3.1`},
		{"tools", "GET", "/v1/tools", "", nil, 200, `"name":"phone_action"`},
		{"phones", "GET", "/v1/phones", "", nil, 200, `"connected":true`},
		{"me", "GET", "/v1/me", "", nil, 200, `"name":"Test agent"`},
		{"nothing there", "GET", "/v1/nothing", "", nil, 404, `"code":"not_found"`},
		{"no token", "GET", "/v1/me", "", map[string]string{"Authorization": ""}, 401, `carries no token`},
		{"a wrong token", "GET", "/v1/me", "", map[string]string{"Authorization": "Bearer nod_a_WRONG"}, 401, `not known`},
		{"a token in the URL", "GET", "/v1/me?token=nod_a_WRONG", "", map[string]string{"Authorization": ""}, 401, `in the URL`},
		{"no token for MCP", "POST", "/mcp", "{}", map[string]string{"Authorization": ""}, 401, `carries no token`},
		{"a foreign page", "POST", "/v1/calls", alarmCall, map[string]string{"Origin": "https://evil.example"}, 403, `"code":"forbidden"`},
		{"another site", "POST", "/mcp", "{}", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, `"code":"forbidden"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, header, body := do(t, n, tt.method, tt.path, tt.body, tt.header)
			if status != tt.status || !strings.Contains(body, tt.has) {
				t.Errorf("answered %d %s\nwant %d with %q", status, body, tt.status, tt.has)
			}
			if got := header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type = %q", got)
			}
			if status == 401 && header.Get("WWW-Authenticate") == "" {
				t.Error("a 401 without WWW-Authenticate")
			}
			if strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata") {
				t.Error("a 401 that sends clients to OAuth, which is off")
			}
			if status >= 400 {
				var p client.Problem
				if err := json.Unmarshal([]byte(body), &p); err != nil || p.Error.Message == "" || p.Error.Docs == "" {
					t.Errorf("an error without a sentence or a link: %s", body)
				}
			}
		})
	}
}

func TestAPICancel(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	agent := clientOf(t, n, n.Token)
	c, err := agent.Open(t.Context(), client.Request{Tool: "phone_action", Arguments: json.RawMessage(alarm)})
	if err != nil {
		t.Fatal(err)
	}
	n.Person.Card()
	c, err = agent.Cancel(t.Context(), c.ID)
	if err != nil || c.Outcome != nod.Withdrawn {
		t.Errorf("ended %s, %v", c.Outcome, err)
	}
	n.Person.Gone(c.ID)
}

// The same key is the same call, and another act under it is a mistake.
func TestAPIIdempotency(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	agent := clientOf(t, n, n.Token)
	q := client.Request{Tool: "phone_action", Arguments: json.RawMessage(alarm), Key: "k1"}
	first, err := agent.Do(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	second, err := agent.Do(t.Context(), q)
	if err != nil || second.ID != first.ID || n.Phone.Count() != 1 {
		t.Errorf("the second is %s, not %s; the phone acted %d times; %v", second.ID, first.ID, n.Phone.Count(), err)
	}
	q.Arguments = json.RawMessage(`{"action": "alarm", "time": "08:00"}`)
	if _, err := agent.Do(t.Context(), q); client.CodeOf(err) != nod.CodeConflict {
		t.Errorf("another act under the key: %v, want conflict", err)
	}
}

// One agent's calls do not exist for another.
func TestAPIOtherAgent(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	c, err := n.Client.Do(t.Context(), nodtest.Ask(alarm))
	if err != nil {
		t.Fatal(err)
	}
	a, err := n.Console.AddAgent(t.Context(), client.AgentRequest{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := client.New(client.Config{URL: n.URL, Token: a.Token})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Call(t.Context(), c.ID); client.CodeOf(err) != nod.CodeNotFound {
		t.Errorf("another agent reads it: %v", err)
	}
	if _, err := other.Cancel(t.Context(), c.ID); client.CodeOf(err) != nod.CodeNotFound {
		t.Errorf("another agent cancels it: %v", err)
	}
}

// An address that guesses is not listened to for a while, and neither is an
// agent that asks too often. Both are told how long.
func TestAPIRates(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Rates: server.Rates{
		Agent: server.Rate{PerSecond: 0.5, Burst: 3}, Failure: server.Rate{PerSecond: 0.1, Burst: 2},
	}})
	for range 3 {
		if status, _, body := do(t, n, "GET", "/v1/me", "", nil); status != 200 {
			t.Fatalf("answered %d %s", status, body)
		}
	}
	status, header, _ := do(t, n, "GET", "/v1/me", "", nil)
	if status != 429 || header.Get("Retry-After") != "2" {
		t.Errorf("the fourth was answered %d, Retry-After %q", status, header.Get("Retry-After"))
	}
	wrong := map[string]string{"Authorization": "Bearer nod_a_WRONG"}
	for range 2 {
		if status, _, _ := do(t, n, "GET", "/v1/me", "", wrong); status != 401 {
			t.Errorf("a wrong token was answered %d", status)
		}
	}
	status, header, body := do(t, n, "GET", "/v1/me", "", wrong)
	if status != 429 || header.Get("Retry-After") != "10" || !strings.Contains(body, "this one is not known either") {
		t.Errorf("the third wrong token was answered %d, Retry-After %q, %s", status, header.Get("Retry-After"), body)
	}
}

// A flood at the agents' door, with a token or without, keeps neither another
// agent nor the person's phone out, even from the same address.
func TestFloodKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Rates: server.Rates{
		Address: server.Rate{PerSecond: 0.1, Burst: 8}, Failure: server.Rate{PerSecond: 0.1, Burst: 2}, Agent: server.Rate{PerSecond: 0.1, Burst: 4},
	}})
	added, err := n.Console.AddAgent(t.Context(), client.AgentRequest{Name: "Another"})
	if err != nil {
		t.Fatal(err)
	}
	wrong, other := map[string]string{"Authorization": "Bearer nod_a_WRONG"}, map[string]string{"Authorization": "Bearer " + added.Token}
	for range 20 {
		do(t, n, "GET", "/v1/me", "", wrong)
		do(t, n, "GET", "/v1/openapi.json", "", wrong)
	}
	if status, _, _ := do(t, n, "GET", "/v1/openapi.json", "", wrong); status != 429 {
		t.Errorf("a flood without a token was answered %d", status)
	}
	if status, _, body := do(t, n, "GET", "/v1/me", "", nil); status != 200 {
		t.Errorf("after another's wrong tokens: %d %s", status, body)
	}
	for range 20 {
		do(t, n, "GET", "/v1/me", "", nil)
	}
	if status, _, _ := do(t, n, "GET", "/v1/me", "", nil); status != 429 {
		t.Errorf("a flood was answered %d", status)
	}
	if status, _, body := do(t, n, "GET", "/v1/me", "", other); status != 200 {
		t.Errorf("another agent at the same address: %d %s", status, body)
	}
	if status, _, body := do(t, n, "GET", "/pair/wait?id=x", "", nil); status != 200 {
		t.Errorf("a phone at the same address: %d %s", status, body)
	}
}
