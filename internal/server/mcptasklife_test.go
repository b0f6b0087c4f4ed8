package server_test

import (
	"context"
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
	"nod.dev/nod/nodtest"
)

var updateTask = flag.Bool("update-task", false, "write testdata/task.txt anew")

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

// TestTaskCancelTooLate has a cancel of what the phone is doing already: it is
// acknowledged, and the task ends as the act does.
func TestTaskCancelTooLate(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "confirm", Faults: "drop:result"})
	m := taskClientOf(t, n, withTasks)
	id := m.make(alarm)
	call := func() nod.Call {
		c, err := n.Gateway.Call(t.Context(), n.Agent.ID, nod.CallID(id))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	changes, stop, err := n.Gateway.Watch(t.Context(), n.Agent.ID, nod.CallID(id))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for len(n.Phone.State().Alarms) == 0 {
		select {
		case <-changes:
		case <-time.After(20 * time.Millisecond): // the phone acts, and its word is lost
		}
	}
	if r := m.cancel(id); r.status != http.StatusOK || r.Result.ResultType != "complete" {
		t.Errorf("the cancel is answered %d %s, want an acknowledgement", r.status, r.raw)
	}
	if r := m.get(id); r.Result.Status == "cancelled" { // the phone says it again when it is told to stop
		t.Errorf("right after a cancel that came too late the task is %s", r.raw)
	}
	ended(t, n, 1)
	if r := m.get(id); r.Result.Status != "completed" || call().Outcome != nod.Done {
		t.Errorf("the task is %s, the call %s, want completed and done", r.raw, call().Outcome)
	}
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
