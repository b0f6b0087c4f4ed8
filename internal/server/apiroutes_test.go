package server_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/nodtest"
)

// What goes wrong at every route alike, at every route.
func TestEveryRoute(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Rates: server.Rates{Failure: server.Rate{PerSecond: 1e6, Burst: 1e6}}})
	other := otherAgent(t, n)
	theirs, err := other.Do(t.Context(), nodtest.Ask(alarm))
	if err != nil {
		t.Fatal(err)
	}
	type header = map[string]string
	want := func(op *operation, method, path string, h header, status int) http.Header {
		t.Helper()
		got, answer, body := do(t, n, method, path, "", h)
		if got != status || (got >= 400 && method != http.MethodHead) != strings.Contains(body, `"docs":"/errors#`) {
			t.Errorf("%s %s (%s) with %v was answered %d %s, want %d", method, path, op.ID, h, got, body, status)
		}
		return answer
	}
	for _, op := range openContract(t).operations {
		path := filled(op.path, "call_NONE")
		want(op, op.method, path, header{"Origin": "https://evil.example"}, 403)
		want(op, op.method, path+"?wiat=5", nil, 400)
		want(op, op.method, path+"?wait=5;wait=6", nil, 400)
		want(op, op.method, path+"?wait=%zz", nil, 400)
		if op.Security == nil {
			want(op, op.method, path, header{"Authorization": ""}, 401)
			want(op, op.method, path, header{"Authorization": "Bearer nod_a_WRONG"}, 401)
			want(op, op.method, path, header{"Authorization": "Basic bm9k"}, 401)
			want(op, op.method, path+"?token="+n.Token, header{"Authorization": ""}, 401)
		}
		for _, method := range []string{"PUT", "PATCH", "DELETE", "PROPFIND"} {
			if allow := want(op, method, path, nil, 405).Get("Allow"); !strings.Contains(allow, op.method) || !strings.Contains(allow, "OPTIONS") {
				t.Errorf("%s %s: Allow is %q", method, path, allow)
			}
		}
		if allow := want(op, "OPTIONS", path, header{"Authorization": ""}, 204).Get("Allow"); !strings.Contains(allow, op.method) {
			t.Errorf("OPTIONS %s: Allow is %q", path, allow)
		}
		for _, p := range op.Parameters {
			if p.In == "query" {
				want(op, op.method, path+"?"+p.Name+"=1&"+p.Name+"=2", nil, 400)
			}
			if p.Name == "wait" {
				want(op, op.method, path+"?wait=-1", nil, 400)
				want(op, op.method, path+"?wait=1.5", nil, 400)
			}
		}
		if strings.Contains(op.path, "{id}") {
			want(op, op.method, path, nil, 404)
			want(op, op.method, filled(op.path, string(theirs.ID)), nil, 404)
			want(op, op.method, filled(op.path, "%00%ff"), nil, 404)
		}
	}
}

// Each link to the page of errors leads to its code.
func TestErrorLinks(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	status, header, page := do(t, n, "GET", "/errors", "", map[string]string{"Authorization": ""})
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", status, header)
	}
	for code := range server.Codes() {
		if !strings.Contains(page, `<h2 id="`+code+`">`) {
			t.Errorf("/errors#%s leads nowhere", code)
		}
	}
}

// otherAgent adds a second agent, whose client is held to the document, too.
func otherAgent(t *testing.T, n *nodtest.Nod) *client.Client {
	t.Helper()
	a, err := n.Console.AddAgent(t.Context(), client.AgentRequest{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	return clientOf(t, n, a.Token)
}

func clientOf(t *testing.T, n *nodtest.Nod, token string) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{URL: n.URL, Token: token, HTTP: &http.Client{Transport: checked{t: t}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// HEAD says what GET would, and hands nothing over.
func TestHead(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	c, err := n.Client.Open(t.Context(), nodtest.Ask(alarm))
	if err != nil {
		t.Fatal(err)
	}
	ended(t, n, 1)
	for path, status := range map[string]int{
		"/v1/calls": 200, "/v1/calls/" + string(c.ID): 200, "/v1/calls/" + string(c.ID) + "/receipt": 200, "/v1/calls/call_NONE": 404,
		"/v1/events": 200, "/v1/log": 200, "/v1/tools": 200, "/v1/phones": 200, "/v1/me": 200, "/v1/openapi.json": 200,
	} {
		if got, _, body := do(t, n, "HEAD", path, "", nil); got != status || body != "" {
			t.Errorf("HEAD %s was answered %d %q, want %d", path, got, body, status)
		}
	}
	if c, err := n.Gateway.Call(t.Context(), n.Agent.ID, c.ID); err != nil || c.HandedOver {
		t.Errorf("after HEAD the result was handed over: %t, %v", c.HandedOver, err)
	}
}

// The document is sent again only when it is another one.
func TestDocumentIsCached(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	_, header, _ := do(t, n, "GET", "/v1/openapi.json", "", map[string]string{"Authorization": ""})
	status, _, body := do(t, n, "GET", "/v1/openapi.json", "", map[string]string{"If-None-Match": header.Get("ETag")})
	if status != 304 || body != "" {
		t.Errorf("asked again: %d %s", status, body)
	}
}

// An agent that asks too often is told so at every door, and how long to wait,
// in whole seconds, rounded up.
func TestTooManyEverywhere(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Rates: server.Rates{Agent: server.Rate{PerSecond: 0.4, Burst: 1}}})
	if status, _, body := do(t, n, "GET", "/v1/me", "", nil); status != 200 {
		t.Fatalf("the first: %d %s", status, body)
	}
	doors := [][2]string{{"POST", "/mcp"}}
	for _, op := range openContract(t).operations {
		if op.Security == nil {
			doors = append(doors, [2]string{op.method, filled(op.path, "call_NONE")})
		}
	}
	for _, door := range doors {
		method, path := door[0], door[1]
		status, header, body := do(t, n, method, path, "{}", nil)
		wait, err := strconv.Atoi(header.Get("Retry-After"))
		if status != 429 || err != nil || wait < 1 || wait > 3 || !strings.Contains(body, `"code":"too_many"`) {
			t.Errorf("%s %s: %d, Retry-After %q, %s", method, path, status, header.Get("Retry-After"), body)
		}
	}
}

// A gateway that stops cannot do its part, and says so; what it knows it says
// still.
func TestStoppedGateway(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	if err := n.Gateway.Close(); err != nil {
		t.Fatal(err)
	}
	for path, sent := range map[string]string{"/v1/calls": alarmCall, "/v1/me/pause": "", "/v1/me/revoke": "", "/v1/calls/call_NONE/cancel": "", "/v1/me/off": `{"apps": ["maps:act"]}`} {
		if status, _, body := do(t, n, "POST", path, sent, nil); status != 500 || !strings.Contains(body, "nod is stopping") {
			t.Errorf("POST %s: %d %s", path, status, body)
		}
	}
	if status, _, body := do(t, n, "GET", "/v1/me", "", nil); status != 200 {
		t.Errorf("GET /v1/me: %d %s", status, body)
	}
}

// An agent lists its own calls in pages, reads its log, and can prove a call
// without the gateway.
func TestAgentsPast(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "decline:no,confirm"})
	agent := clientOf(t, n, n.Token)
	var want []nod.CallID
	for _, arguments := range []string{alarm, `{"action": "timer", "seconds": 60}`, `{"action": "torch", "on": true}`, `{"action": "alarm"}`} {
		c, err := agent.Do(t.Context(), nodtest.Ask(arguments))
		if err != nil {
			t.Fatal(err)
		}
		want = append([]nod.CallID{c.ID}, want...)
	}
	var got []nod.CallID
	for c, err := range agent.Calls(t.Context(), client.CallQuery{State: "ended", Limit: 3}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.ID)
	}
	if len(got) != 4 || got[0] != want[0] || got[3] != want[3] {
		t.Errorf("it lists %v, want %v", got, want)
	}
	var entries []client.Entry
	for q := (client.LogQuery{From: 1, Limit: 5}); ; {
		page, err := agent.Log(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if entries = append(entries, page.Entries...); len(page.Entries) == 0 {
			break
		}
		q.From = page.Next
	}
	newest, err := agent.Log(t.Context(), client.LogQuery{Limit: 2})
	if err != nil || len(newest.Entries) != 2 || newest.Entries[1].Seq != entries[len(entries)-1].Seq || newest.Next != newest.Entries[1].Seq+1 {
		t.Errorf("the newest part is %+v, %v", newest, err)
	}
	if first := entries[0]; first.Kind != "agent.added" || first.Payload != nil {
		t.Errorf("the log begins with %+v", first)
	}
	status, err := n.Console.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := agent.Receipt(t.Context(), want[1])
	if err != nil || r.Check(status.Key) != nil || r.Decision == nil || r.Result == nil {
		t.Errorf("the receipt: %v, %v, %+v", err, r.Check(status.Key), r)
	}
	r.Entries[0].Leaf = strings.Replace(r.Entries[0].Leaf, "offered", "refused", 1)
	if r.Check(status.Key) == nil {
		t.Error("a changed receipt holds")
	}
	if r, err = agent.Receipt(t.Context(), want[0]); err != nil || r.Check("") != nil || r.Offer != "" {
		t.Errorf("the receipt of a refused call: %v, %v, %+v", err, r.Check(""), r)
	}
}

// An agent can stop itself and remove itself, and nothing of another's.
func TestAgentNarrowsItself(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	agent, other := clientOf(t, n, n.Token), otherAgent(t, n)
	c, err := agent.Open(t.Context(), client.Request{Tool: "phone_action", Arguments: []byte(alarm), Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	if open, err := agent.OpenCalls(t.Context()); err != nil || len(open) != 1 || open[0].ID != c.ID {
		t.Errorf("open calls: %+v, %v", open, err)
	}
	if _, err := agent.SwitchOff(t.Context(), "maps:act", "maps:act"); err != nil {
		t.Fatal(err)
	}
	if c, err := agent.Do(t.Context(), nodtest.Ask(`{"action": "stop_navigation"}`)); err != nil || c.Verdict.Rule != nod.RuleAccessOff {
		t.Errorf("what it gave up: %+v, %v", c, err)
	}
	if _, err := agent.SwitchOff(t.Context(), "everything"); client.CodeOf(err) != nod.CodeInvalid {
		t.Errorf("an app that is none: %v", err)
	}
	if _, err := agent.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, err = agent.Call(t.Context(), c.ID); err != nil || c.Outcome != nod.Denied || c.Why != nod.WhyPaused {
		t.Errorf("after the pause: %+v, %v", c, err)
	}
	if me, err := agent.Me(t.Context()); err != nil || !me.Paused || me.PausedAll || me.Access["maps:act"] != nod.AccessOff {
		t.Errorf("it is %+v, %v", me, err)
	}
	if me, err := other.Me(t.Context()); err != nil || me.Paused {
		t.Errorf("the other is %+v, %v", me, err)
	}
	if _, err := n.Console.PauseAll(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if me, err := other.Me(t.Context()); err != nil || !me.PausedAll {
		t.Errorf("after a pause of all, the other is %+v, %v", me, err)
	}
	if _, err := agent.Revoke(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Me(t.Context()); client.CodeOf(err) != nod.CodeUnauthorized {
		t.Errorf("its token: %v", err)
	}
	if _, err := other.Me(t.Context()); err != nil {
		t.Errorf("the other's token: %v", err)
	}
}
