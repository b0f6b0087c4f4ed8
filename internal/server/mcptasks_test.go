package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/nodtest"
)

const draft = `{"action":"sms_draft","to":["+351 912 345 678"],"text":"On my way"}`

// TestTaskEndings compares the task of a call with the plain call, in two houses
// that differ in nothing else: byte for byte the same result, whatever the end.
func TestTaskEndings(t *testing.T) {
	for _, tt := range []struct {
		name, script, arguments string
		outcome                 nod.Outcome
	}{
		{"done", "slow:30s", alarm, nod.Done},
		{"opened", "slow:30s", draft, nod.Opened},
		{"declined in words", "decline:too early", alarm, nod.Declined},
		{"expired", "ignore", alarm, nod.Expired},
		{"failed", "slow:5s", `{"action":"calendar_event","title":"Lunch","start":"2027-02-30T12:00"}`, nod.Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var plain, result json.RawMessage
			inBubble(t, tt.script, func(t *testing.T, p *presence) {
				m := p.taskClient(withoutTasks)
				r := m.act(tt.arguments)
				if r.Result.Meta["dev.nod/call"]["outcome"] != string(tt.outcome) {
					t.Errorf("the plain call ended otherwise than %s: %s", tt.outcome, r.raw)
				}
				plain = resultOf(t, r.raw, r.call())
				m.web.CloseIdleConnections()
			})
			tasksInBubble(t, tt.script, func(t *testing.T, p *presence, m *taskClient) {
				id := m.make(tt.arguments)
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				r := m.get(id)
				if r.Result.Status != "completed" {
					t.Fatalf("the task is %s", r.raw)
				}
				result = without(t, r.Result.Result, id)
			})
			if d := cmp.Diff(string(plain), string(result)); d != "" {
				t.Errorf("the plain call's result and the task's (-plain +task):\n%s", d)
			}
		})
	}
}

// resultOf is the result in an answer, without what differs between two calls:
// the id, and the server's own word that the library adds to every answer.
func resultOf(t *testing.T, raw, id string) json.RawMessage {
	t.Helper()
	var m struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		t.Fatal(err)
	}
	return without(t, m.Result, id)
}

func without(t *testing.T, result json.RawMessage, id string) json.RawMessage {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(bytes.ReplaceAll(result, []byte(id), []byte("ID")), &m); err != nil {
		t.Fatalf("%v in %s", err, result)
	}
	if meta, ok := m["_meta"].(map[string]any); ok {
		delete(meta, "io.modelcontextprotocol/serverInfo")
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTaskReaders is one call with four readers at once: the waiting call, the
// task, call_status and HTTP. All are told the same.
func TestTaskReaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		end     string
		do      func(n *nodtest.Nod, m *taskClient, id nod.CallID)
		outcome nod.Outcome
		status  string
	}{
		{"confirm", func(n *nodtest.Nod, _ *taskClient, id nod.CallID) { n.Person.Confirm(id) }, nod.Done, "completed"},
		{"decline", func(n *nodtest.Nod, _ *taskClient, id nod.CallID) { n.Person.Decline(id, "not now") }, nod.Declined, "completed"},
		{"tasks/cancel", func(_ *nodtest.Nod, m *taskClient, id nod.CallID) { m.cancel(string(id)) }, nod.Withdrawn, "cancelled"},
		{"call_cancel", func(n *nodtest.Nod, m *taskClient, id nod.CallID) {
			m.ask("tools/call", `{"name":"call_cancel","arguments":{"call_id":"`+string(id)+`"}}`)
		}, nod.Withdrawn, "cancelled"},
		{"HTTP cancel", func(n *nodtest.Nod, _ *taskClient, id nod.CallID) {
			if _, err := n.Client.Cancel(context.Background(), id); err != nil {
				t.Error(err)
			}
		}, nod.Withdrawn, "cancelled"},
		{"pause", func(n *nodtest.Nod, _ *taskClient, _ nod.CallID) {
			if _, _, err := n.Gateway.PauseAgent(context.Background(), n.Agent.Person, "Test agent"); err != nil {
				t.Error(err)
			}
		}, nod.Denied, "completed"},
	} {
		t.Run(tt.end, func(t *testing.T) {
			t.Parallel()
			n := nodtest.New(t, nodtest.Options{Person: "ignore"})
			waiting := make(chan reply, 1)
			plain := taskClientOf(t, n, withoutTasks)
			go func() { waiting <- plain.act(alarm) }()
			card := n.Person.Card()
			m := taskClientOf(t, n, withTasks)
			id := m.make(alarm)
			if id != string(card.Call) {
				t.Fatalf("the task is %s, and not the open call %s of the same act", id, card.Call)
			}
			tt.do(n, m, card.Call)
			told := <-waiting
			if o := told.Result.Meta["dev.nod/call"]["outcome"]; o != string(tt.outcome) {
				t.Errorf("ended %v, want %s", o, tt.outcome)
			}
			task, status := m.get(id), m.ask("tools/call", `{"name":"call_status","arguments":{"call_id":"`+id+`"}}`)
			http, err := n.Client.Call(t.Context(), card.Call)
			if err != nil {
				t.Fatal(err)
			}
			if task.Result.Status != tt.status {
				t.Errorf("the task is %s, want %s", task.raw, tt.status)
			}
			texts := map[string]string{"the waiting call": told.text(), "call_status": status.text(), "HTTP": http.Text, "the task": task.Result.StatusMessage}
			if tt.status == "completed" {
				texts["the task"] = ""
				var result struct{ Content []struct{ Text string } }
				if err := json.Unmarshal(task.Result.Result, &result); err == nil && len(result.Content) == 1 {
					texts["the task"] = result.Content[0].Text
				}
				if d := cmp.Diff(string(resultOf(t, told.raw, id)), string(without(t, task.Result.Result, id))); d != "" {
					t.Errorf("the waiting call's result and the task's (-call +task):\n%s", d)
				}
			}
			for reader, text := range texts {
				if text != http.Text || text == "" {
					t.Errorf("%s is told %q, HTTP %q", reader, text, http.Text)
				}
			}
		})
	}
}

// TestTaskPlainly has the calls that end at once: nobody asks for those again.
func TestTaskPlainly(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore", Apps: []string{"clock:act"}})
	bare := nodtest.New(t, nodtest.Options{NoPhone: true})
	for _, tt := range []struct {
		n         *nodtest.Nod
		tool      string
		arguments string
		outcome   any
	}{
		{n, "phone_action", `{"action":"alarm"}`, "refused"},
		{n, "phone_acton", alarm, "refused"},
		{n, "phone_action", draft, "denied"},
		{bare, "phone_action", alarm, "unavailable"},
		{n, "call_status", `{}`, nil},
		{n, "call_status", `{"call_id":"call_NONE"}`, nil},
		{n, "call_cancel", `{"call_id":"call_NONE"}`, nil},
	} {
		r := taskClientOf(t, tt.n, withTasks).ask("tools/call", `{"name":"`+tt.tool+`","arguments":`+tt.arguments+`}`)
		if r.Result.ResultType != "complete" || r.Result.TaskID != "" || r.text() == "" {
			t.Errorf("%s %s: answered %s, want a plain result", tt.tool, tt.arguments, r.raw)
		}
		if o := r.Result.Meta["dev.nod/call"]["outcome"]; o != tt.outcome {
			t.Errorf("%s %s: outcome %v, want %v", tt.tool, tt.arguments, o, tt.outcome)
		}
	}
}

// TestTaskOffered has who is told of the extension.
func TestTaskOffered(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	const extension = `"extensions":{"io.modelcontextprotocol/tasks":{}}`
	if r := taskClientOf(t, n, withoutTasks).ask("server/discover", `{}`); !strings.Contains(r.raw, extension) {
		t.Errorf("server/discover: %s, want %s in it", r.raw, extension)
	}
}

// TestTaskListen has a client that wants to be told of tasks instead of asking:
// it is told that it will not be, or that it may not even ask.
func TestTaskListen(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	const params = `{"notifications":{"taskIds":["call_A"]}}`
	r := taskClientOf(t, n, withoutTasks).ask("subscriptions/listen", params)
	if r.status != http.StatusBadRequest || r.Error == nil || r.Error.Code != -32021 || !strings.Contains(r.raw, `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`) {
		t.Errorf("without the extension: answered %d %s, want -32021 and what is missing", r.status, r.raw)
	}
	m := taskClientOf(t, n, withTasks)
	resp, err := m.web.Do(m.request(t.Context(), "subscriptions/listen", params))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(b), "notifications/subscriptions/acknowledged") || strings.Contains(string(b), "taskIds") {
		t.Errorf("with it: answered %s, %v, want an acknowledgement of no task", b, err)
	}
}

// TestTaskUnknown has what is no task of this agent's.
func TestTaskUnknown(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	m := taskClientOf(t, n, withTasks)
	id := m.make(alarm)
	added, err := n.Console.AddAgent(t.Context(), client.AgentRequest{Name: "Another"})
	if err != nil {
		t.Fatal(err)
	}
	other := taskClientOf(t, n, withTasks)
	other.token = added.Token
	for _, tt := range []struct {
		who *taskClient
		id  string
	}{
		{m, "call_AAAAAAAAAAAAAAAAAAAAAAAAAA"}, {m, strings.ToLower(id)}, {m, id[:len(id)-1]}, {other, id},
	} {
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			r := tt.who.ask(method, `{"taskId":"`+tt.id+`","inputResponses":{}}`)
			if r.status != http.StatusBadRequest || r.Error == nil || r.Error.Code != -32602 {
				t.Errorf("%s %q: answered %d %s, want -32602", method, tt.id, r.status, r.raw)
			}
		}
	}
	if r := m.get(id); r.Result.Status != "working" {
		t.Errorf("the task is %s, want working", r.raw)
	}
	if random := strings.TrimPrefix(id, "call_"); len(random) < 26 || !regexp.MustCompile(`^[A-Z2-7]+$`).MatchString(random) {
		t.Errorf("the id %s has not 26 letters of 5 bits, 130 bits in all", id)
	}
}
