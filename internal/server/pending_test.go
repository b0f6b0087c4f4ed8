package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"nod.dev/nod"
)

// pending is a call that the agent waits for.
type pending struct {
	a       *asker
	id      string
	began   time.Time
	session string
	status  int
	abort   context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	beats  []beat
	answer *answered
	failed string // a JSON-RPC error, or an error of HTTP
}

// beat is what a client hears while it waits.
type beat struct {
	at      time.Duration
	comment bool
	number  float64
	text    string
}

// answered is what an agent gets.
type answered struct {
	at      time.Duration
	text    string
	isError bool
	call    nod.CallID
	state   nod.State
	outcome nod.Outcome
}

// take reads one message and reports whether it was the last.
func (c *pending) take(line []byte) bool {
	var m struct {
		Method string
		Params struct {
			Progress float64
			Message  string
		}
		Error  json.RawMessage
		Result struct {
			Content []struct{ Type, Text string }
			IsError bool
			Meta    map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		c.fail("no JSON: " + string(line))
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Since(c.began)
	if m.Method == "notifications/progress" {
		c.beats = append(c.beats, beat{at: at, number: m.Params.Progress, text: m.Params.Message})
		return false
	}
	if m.Method != "" {
		return false
	}
	if m.Error != nil {
		c.failed = string(m.Error)
		return true
	}
	c.answer = &answered{at: at, isError: m.Result.IsError}
	if len(m.Result.Content) == 1 {
		c.answer.text = m.Result.Content[0].Text
	}
	var about struct {
		ID      nod.CallID
		State   nod.State
		Outcome nod.Outcome
	}
	_ = json.Unmarshal(m.Result.Meta["dev.nod/call"], &about)
	c.answer.call, c.answer.state, c.answer.outcome = about.ID, about.State, about.Outcome
	return true
}

func (c *pending) fail(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = why
}

// read reads an answer, be it a stream or not.
func (c *pending) read(body io.Reader) {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		line := lines.Text()
		data, isData := strings.CutPrefix(line, "data: ")
		switch {
		case strings.HasPrefix(line, ":"):
			c.mu.Lock()
			c.beats = append(c.beats, beat{at: time.Since(c.began), comment: true, text: strings.TrimSpace(line[1:])})
			c.mu.Unlock()
		case isData:
			c.take([]byte(data))
		case strings.HasPrefix(line, "{"):
			c.take([]byte(line))
		}
	}
	if err := lines.Err(); err != nil {
		c.fail(err.Error())
	}
}

// once makes one request of the HTTP API and reports whether the call goes on.
func (c *pending) once(r *http.Request) bool {
	resp, err := c.a.web.Do(r)
	if err != nil {
		c.fail(err.Error())
		return false
	}
	defer resp.Body.Close()
	var call struct {
		ID      nod.CallID
		State   nod.State
		Outcome nod.Outcome
		Text    string
		Error   struct{ Code string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&call); err != nil || call.Error.Code != "" {
		c.fail(fmt.Sprint(resp.Status, " ", call.Error.Code, err))
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = string(call.ID)
	c.answer = &answered{at: time.Since(c.began), text: call.Text, call: call.ID, state: call.State, outcome: call.Outcome}
	return call.State != nod.Closed
}

// cancel takes the call back as this way of asking does.
func (c *pending) cancel() {
	switch c.a.way {
	case byHTTP:
		id := c.a.p.open().ID
		c.a.do(http.MethodPost, "/v1/calls/"+string(id)+"/cancel", "", nil)
	case byStateless:
		c.abort()
	default:
		c.a.notify(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + quote(c.id) + `}}`)
	}
	synctest.Wait()
}

// drop loses the connection without a word.
func (c *pending) drop() {
	if c.a.way.pipe() {
		c.a.stop()
		<-c.a.done
	} else {
		c.abort()
	}
	synctest.Wait()
}

// got is what the agent has been told so far, nil for nothing.
func (c *pending) got() *answered {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answer
}

// wait returns what the agent is told in the end.
func (c *pending) wait() answered {
	c.a.p.t.Helper()
	<-c.done
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer == nil {
		c.a.p.t.Fatalf("%s: the call was not answered: %s", c.a.way, c.failed)
	}
	return *c.answer
}
