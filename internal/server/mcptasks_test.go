package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/nodtest"
)

var updateTask = flag.Bool("update-task", false, "write testdata/task.txt anew")

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

// TestTaskDetached has a task that outlives every connection, its client's
// silence and the gateway.
func TestTaskDetached(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	m := taskClientOf(t, n, withTasks)
	m.web = &http.Client{Transport: &http.Transport{}}
	id := m.make(alarm)
	m.web.CloseIdleConnections()
	n.Person.Card()
	n.Crash()
	n.Restart()
	if r := m.get(id); r.Result.Status != "working" {
		t.Fatalf("after a restart the task is %s, want working", r.raw)
	}
	n.Person.Confirm(nod.CallID(id))
	ended(t, n, 1)
	if r := m.get(id); r.Result.Status != "completed" {
		t.Errorf("the task is %s, want completed", r.raw)
	}
}

// TestTaskNotTold is a client that closes the stream before it has the task: that
// is how it takes the call back, and it knows no id to do it by.
func TestTaskNotTold(t *testing.T) {
	tasksInBubble(t, "ignore", func(t *testing.T, p *presence, m *taskClient) {
		conn, err := p.public.Dial(t.Context())
		p.check(err)
		r := m.request(t.Context(), "tools/call", `{"name":"phone_action","arguments":`+alarm+`}`)
		p.check(r.Write(conn))
		synctest.Wait() // the gateway has the call, and its answer waits to be read
		open := p.gateway.OpenCalls(p.agent)
		if len(open) != 1 || !open[0].Attached {
			t.Fatalf("open are %+v, want one call that its connection decides over", open)
		}
		p.check(conn.Close())
		synctest.Wait()
		c, err := p.gateway.Call(t.Context(), p.agent, open[0].ID)
		p.check(err)
		if c.Outcome != nod.Withdrawn || c.Why != nod.WhyGone {
			t.Errorf("the call ended %q, %q, want withdrawn, gone", c.Outcome, c.Why)
		}
		id := m.make(alarm) // the client again: its card takes the place
		if id == string(c.ID) {
			t.Errorf("the new task is the call that was taken back")
		}
		now, err := p.gateway.Call(t.Context(), p.agent, nod.CallID(id))
		p.check(err)
		if now.Attached {
			t.Errorf("a task that was told belongs to its connection")
		}
	})
}

// TestTaskHandedOver has who was told in full: a repeat of the act is a new call
// only then.
func TestTaskHandedOver(t *testing.T) {
	tasksInBubble(t, "slow:10s", func(t *testing.T, p *presence, m *taskClient) {
		id := m.make(alarm)
		if again := m.make(alarm); again != id {
			t.Errorf("the same act while it is open is task %s, want %s", again, id)
		}
		time.Sleep(time.Minute)
		handed := func() bool {
			synctest.Wait()
			c, err := p.gateway.Call(t.Context(), p.agent, nod.CallID(id))
			p.check(err)
			return c.HandedOver
		}
		if handed() {
			t.Error("handed over before anybody asked")
		}
		if r := m.act(alarm); r.Result.ResultType != "complete" || r.call() != id {
			t.Errorf("the same act, never told of, is answered %s, want the result of %s", r.raw, id)
		}
		// That told it in full. Another act is told by tasks/get alone.
		id = m.make(draft)
		time.Sleep(time.Minute)
		conn, err := p.public.Dial(t.Context())
		p.check(err)
		p.check(m.request(t.Context(), "tasks/get", `{"taskId":"`+id+`"}`).Write(conn))
		synctest.Wait()
		p.check(conn.Close())
		if handed() {
			t.Error("handed over to a client that read nothing")
		}
		if r := m.get(id); r.Result.Status != "completed" {
			t.Errorf("the task is %s, want completed", r.raw)
		}
		if !handed() {
			t.Error("not handed over by tasks/get, which was read in full")
		}
		if next := m.make(draft); next == id {
			t.Error("the same act, told of, is the old task again")
		}
	})
}

// TestTaskLate has what comes after the end: nothing moves any more, and the
// result can be asked for long after the gateway has dropped it from memory.
func TestTaskLate(t *testing.T) {
	tasksInBubble(t, "confirm", func(t *testing.T, _ *presence, m *taskClient) {
		id := m.make(alarm)
		time.Sleep(2 * time.Hour) // the gateway's memory is an hour's
		first := m.get(id)
		for range 2 {
			if r := m.cancel(id); r.status != http.StatusOK || r.Result.ResultType != "complete" || r.Result.Status != "" {
				t.Errorf("a late cancel is answered %d %s, want an empty acknowledgement", r.status, r.raw)
			}
		}
		r := m.get(id)
		if d := cmp.Diff(first.Result, r.Result); d != "" || r.Result.Status != "completed" {
			t.Errorf("after a late cancel (-before +after):\n%s", d)
		}
		if r.Result.TTLMs != (24 * time.Hour).Milliseconds() {
			t.Errorf("ttlMs %d, want a day", r.Result.TTLMs)
		}
	})
}

// TestTaskOvertaken has a connection that waits for a call which has become a
// task meanwhile: its end is not the task's.
func TestTaskOvertaken(t *testing.T) {
	tasksInBubble(t, "ignore", func(t *testing.T, p *presence, m *taskClient) {
		ctx, drop := context.WithCancel(t.Context())
		plain := p.taskClient(withoutTasks)
		var over sync.WaitGroup
		over.Go(func() {
			if resp, err := plain.web.Do(plain.request(ctx, "tools/call", `{"name":"phone_action","arguments":`+alarm+`}`)); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
		synctest.Wait()
		id := m.make(alarm)
		drop()
		over.Wait()
		time.Sleep(time.Minute)
		if r := m.get(id); r.Result.Status != "working" {
			t.Errorf("the task is %s, want working", r.raw)
		}
		plain.web.CloseIdleConnections()
	})
}

// TestTaskEndsOtherwise has what ends a task that its client does not.
func TestTaskEndsOtherwise(t *testing.T) {
	for _, tt := range []struct {
		name   string
		do     func(p *presence) error
		status string
		text   string
	}{
		{"phone removed", func(p *presence) error {
			_, _, err := p.gateway.RevokePhone(context.Background(), p.owner, "Pixel")
			return err
		}, "cancelled", "phone was removed"},
		{"all paused", func(p *presence) error {
			_, err := p.gateway.PauseAll(context.Background(), p.owner, "console")
			return err
		}, "completed", "paused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasksInBubble(t, "ignore", func(t *testing.T, p *presence, m *taskClient) {
				id := m.make(alarm)
				p.check(tt.do(p))
				synctest.Wait()
				r := m.get(id)
				if r.Result.Status != tt.status || !strings.Contains(r.raw, tt.text) {
					t.Errorf("the task is %s, want %s and %q", r.raw, tt.status, tt.text)
				}
			})
		})
	}
}

// TestTaskLife is the life of one task, every byte of it, in testdata/task.txt.
func TestTaskLife(t *testing.T) {
	var tape strings.Builder
	tasksInBubble(t, "slow:40s", func(t *testing.T, p *presence, m *taskClient) {
		m.tape = &tape
		note := func(text string) { fmt.Fprintf(&tape, "# %s\n", text) }
		note("The call needs a person, so it becomes a task at once.")
		id := m.make(alarm)
		synctest.Wait()
		note("The card is on the screen.")
		m.get(id)
		time.Sleep(20 * time.Second)
		note("20 seconds later the client asks for the same again: it is the same task.")
		m.make(alarm)
		note("A task asks its client for nothing, so an answer is noted and changes nothing.")
		m.ask("tasks/update", `{"taskId":"`+id+`","inputResponses":{"anything":{}}}`)
		time.Sleep(time.Minute)
		note("The person has said yes. The result is that of a plain call.")
		m.get(id)
		note("It is too late for a cancel, and the acknowledgement says nothing else.")
		m.cancel(id)
		note("Another call is taken back while its card is up.")
		id = m.make(draft)
		m.cancel(id)
		m.get(id)
		note("A call that ends at once is answered plainly.")
		m.act(`{"action":"add_stop"}`)
		note("Nobody has this task.")
		m.get("call_NOBODY")
		note("The methods of the older, experimental tasks are not there.")
		m.ask("tasks/list", `{}`)
		note("And without the extension in the request there are no tasks at all.")
		m.capabilities = withoutTasks
		m.get(id)
	})
	ids := map[string]string{}
	got := regexp.MustCompile(`call_[A-Z2-7]{26}`).ReplaceAllStringFunc(tape.String(), func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("call_%d", len(ids)+1)
		}
		return ids[id]
	})
	const path = "testdata/task.txt"
	if *updateTask {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("the life of a task is not as %s has it; -update-task writes it (-want +got):\n%s", path, d)
	}
}
