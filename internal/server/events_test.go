package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// watching is one open answer of GET /v1/events, as it came so far.
type watching struct {
	t      *testing.T
	status int
	header http.Header
	cancel func()

	mu    sync.Mutex
	text  bytes.Buffer
	ended bool
}

// watch opens the stream of events in a bubble, after an event or from now on.
func (p *presence) watch(after string) *watching {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "GET", "http://localhost/v1/events", nil)
	p.check(err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	web := p.public.Client()
	resp, err := web.Do(r)
	p.check(err)
	w := &watching{t: p.t, status: resp.StatusCode, header: resp.Header}
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer web.CloseIdleConnections()
		defer resp.Body.Close()
		for lines := bufio.NewReader(resp.Body); ; {
			line, err := lines.ReadString('\n')
			w.mu.Lock()
			w.text.WriteString(line)
			w.ended = err != nil
			w.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	w.cancel = func() { cancel(); <-over }
	synctest.Wait()
	return w
}

// came lists what came so far, a line each: the kind, and of a call the state or
// the outcome. Each event must be as the document says. States that the phone
// passes by itself are left out: a reader sees as many of them as it is fast.
func (w *watching) came() (events []string, last string) {
	w.t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	c := openContract(w.t)
	kinds := c.operation("GET", "/v1/events").Answers["200"].Events
	for block := range strings.SplitSeq(w.text.String(), "\n\n") {
		var kind, data string
		for line := range strings.SplitSeq(block, "\n") {
			field, value, _ := strings.Cut(line, ": ")
			switch field {
			case "id":
				last = value
			case "event":
				kind = value
			case "data":
				data = value
			}
		}
		if kind == "" {
			continue
		}
		if err := c.valid(kinds[kind], []byte(data)); err != nil {
			w.t.Errorf("an event of the kind %q: %v\n%s", kind, err, data)
		}
		if line := told(kind, data); line != string(nod.Offered) && line != string(nod.Delivered) {
			events = append(events, line)
		}
	}
	return events, last
}

func told(kind, data string) string {
	var call client.Call
	var shot client.Snapshot
	var agent client.Agent
	var problem client.Problem
	into := map[string]any{"call": &call, "snapshot": &shot, "agent": &agent, "end": &problem}[kind]
	if err := json.Unmarshal([]byte(data), into); err != nil {
		return err.Error()
	}
	switch {
	case kind == "call" && call.Ended():
		return string(call.Outcome)
	case kind == "call":
		return string(call.State)
	case kind == "snapshot":
		return fmt.Sprintf("snapshot of %d, missed %t", len(shot.Calls), shot.Missed)
	case kind == "agent" && !agent.Paused:
		return fmt.Sprintf("access %v", agent.Access)
	case kind == "agent":
		return fmt.Sprintf("paused %t, all %t", agent.Paused, agent.PausedAll)
	}
	return "end " + string(problem.Error.Code)
}

func (w *watching) want(when string, want ...string) (last string) {
	w.t.Helper()
	got, last := w.came()
	if !slices.Equal(got, want) {
		w.t.Errorf("%s: there came %q, want %q", when, got, want)
	}
	return last
}

func (w *watching) over() bool {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func open(t *testing.T, agent *client.Client, arguments string) client.Call {
	t.Helper()
	c, err := agent.Open(t.Context(), client.Request{Tool: "phone_action", Arguments: []byte(arguments), Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return c
}

const torchOn = `{"action": "torch", "on": true}`

// The stream begins with what is open, tells each change, goes on after a break
// without a gap, and beats while nothing happens.
func TestEvents(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		agent := p.client()
		open(t, agent, alarm)
		w := p.watch("")
		if w.status != 200 || w.header.Get("Content-Type") != "text/event-stream" || w.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("%d %v", w.status, w.header)
		}
		w.want("at first", "snapshot of 1, missed false")
		second := open(t, agent, torchOn)
		want := []string{"snapshot of 1, missed false", "shown"}
		last := w.want("after a second call", want...)
		w.cancel()

		_, err := agent.Cancel(t.Context(), second.ID)
		p.check(err)
		again := p.watch(last)
		again.want("connected again", "withdrawn", "snapshot of 1, missed false")
		time.Sleep(2 * time.Minute) // the first one's card expires
		last = again.want("later", "withdrawn", "snapshot of 1, missed false", "expired")
		again.mu.Lock()
		beats := strings.Count(again.text.String(), ": beat\n\n")
		again.mu.Unlock()
		if beats < 7 || beats > 8 {
			t.Errorf("%d beats in two minutes", beats)
		}
		again.cancel()
		third := p.watch(last)
		third.want("with nothing since", "snapshot of 0, missed false")
		third.cancel()
		beyond := p.watch("100000")
		beyond.want("after what was set back", "snapshot of 0, missed true")
		beyond.cancel()
	})
}

// A pause is told, and a removed agent hears why nothing more comes.
func TestEventsOfTheAgent(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		agent := p.client()
		w := p.watch("")
		defer w.cancel()
		_, err := agent.SwitchOff(t.Context(), "maps:act")
		p.check(err)
		_, err = agent.SwitchOff(t.Context(), "maps:act") // again is no news
		p.check(err)
		synctest.Wait()
		open(t, agent, alarm)
		_, err = agent.Pause(t.Context())
		p.check(err)
		_, err = p.gateway.PauseAll(t.Context(), p.owner, "test")
		p.check(err)
		want := []string{"snapshot of 0, missed false", "access map[maps:act:off]", "shown", "denied", "paused true, all false", "paused true, all true"}
		w.want("paused", want...)
		if w.over() {
			t.Error("a pause ends the stream")
		}
		_, err = agent.Revoke(t.Context())
		p.check(err)
		w.want("removed", append(want, "end unauthorized")...)
		if !w.over() {
			t.Error("a removed agent's stream goes on")
		}
	})
}

// A token that was replaced ends the streams that it opened.
func TestEventsOfAnOldToken(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		w := p.watch("")
		defer w.cancel()
		_, _, err := p.gateway.RotateAgent(t.Context(), p.owner, string(p.agent))
		p.check(err)
		w.want("replaced", "snapshot of 0, missed false", "end unauthorized")
		if !w.over() {
			t.Error("the stream goes on")
		}
	})
}

// An agent has so many streams and no more, and each that ends makes room.
func TestEventsAreBounded(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		var all []*watching
		for range 4 {
			all = append(all, p.watch(""))
		}
		if w := p.watch(""); w.status != 429 || w.header.Get("Retry-After") == "" {
			t.Errorf("the fifth was answered %d, Retry-After %q", w.status, w.header.Get("Retry-After"))
		} else {
			w.cancel()
		}
		all[0].cancel()
		synctest.Wait()
		all[0] = p.watch("")
		for _, w := range all {
			w.want("at first", "snapshot of 0, missed false")
			w.cancel()
		}
	})
}

// A reader that takes nothing is let go, and costs nothing after that.
func TestEventsToNobody(t *testing.T) {
	inBubble(t, "decline", func(t *testing.T, p *presence) {
		conn, err := p.public.Dial(t.Context())
		p.check(err)
		_, err = io.WriteString(conn, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+p.token+"\r\n\r\n")
		p.check(err)
		synctest.Wait()
		open(t, p.client(), alarm) // what tells of it is not taken
		time.Sleep(11 * time.Second)
		for range 4 {
			w := p.watch("")
			if w.status != 200 {
				t.Errorf("after one that was let go: %d", w.status)
			}
			defer w.cancel()
		}
		p.check(conn.Close())
	})
}
