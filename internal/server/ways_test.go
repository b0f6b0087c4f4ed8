package server_test

import (
	"bufio"
	"bytes"
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
	"nod.dev/nod/internal/stdio"
)

// way is how an agent reaches nod.
type way string

const (
	bySessions      way = "sessions"
	byStateless     way = "stateless"
	byPipe          way = "pipe, sessions"
	byStatelessPipe way = "pipe, stateless"
	byHTTP          way = "HTTP"
)

var everyWay = []way{bySessions, byStateless, byPipe, byStatelessPipe, byHTTP}

func (w way) pipe() bool      { return w == byPipe || w == byStatelessPipe }
func (w way) stateless() bool { return w == byStateless || w == byStatelessPipe }

// asker is an agent's client, as plain as it can be: what it sends and what it
// sees, and when, is all there is to it.
type asker struct {
	p      *presence
	way    way
	name   string
	header map[string]string
	web    *http.Client

	session string
	ids     int
	calls   []*pending
	// of a pipe:
	in   *io.PipeWriter
	stop context.CancelFunc
	done chan struct{}

	mu   sync.Mutex
	over map[string]*pending // of a pipe, by id
}

// asker connects an agent. name is what its client calls itself.
func (p *presence) asker(w way, name string, header map[string]string) *asker {
	p.t.Helper()
	a := &asker{p: p, way: w, name: name, header: header, web: p.public.Client(), over: map[string]*pending{}}
	p.askers[a] = true
	if w.pipe() {
		a.startPipe()
	}
	if w == bySessions || w == byPipe {
		r := a.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":`+quote(name)+`,"version":"1"}}}`, "hello", "initialize")
		<-r.done
		a.session = r.session
		a.notify(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return a
}

// each calls f for every client that was not closed.
func (p *presence) each(f func(*asker)) {
	for a := range p.askers {
		f(a)
	}
}

// close ends the client without a word, and what it waits for.
func (a *asker) close() {
	delete(a.p.askers, a)
	for _, c := range a.calls {
		c.abort()
	}
	if a.way.pipe() {
		a.stop()
		_ = a.in.Close()
		<-a.done
	}
	a.web.CloseIdleConnections()
	synctest.Wait()
}

func (a *asker) startPipe() {
	in, w := io.Pipe()
	r, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	a.in, a.stop, a.done = w, stop, make(chan struct{})
	go func() {
		defer close(a.done)
		a.p.check(stdio.Run(ctx, stdio.Config{URL: "http://localhost", Token: a.p.token, In: in, Out: out, HTTP: a.web}))
		_ = out.Close()
		_ = in.Close()
	}()
	go func() {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			a.heard(bytes.Clone(lines.Bytes()))
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		for id, c := range a.over {
			delete(a.over, id)
			close(c.done)
		}
	}()
}

// heard gives a line of a pipe to the call that it is about.
func (a *asker) heard(line []byte) {
	var m struct {
		ID     any
		Params struct{ ProgressToken any }
	}
	_ = json.Unmarshal(line, &m)
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.ID == nil {
		m.ID = m.Params.ProgressToken
	}
	id := fmt.Sprint(m.ID)
	if c := a.over[id]; c != nil && c.take(line) {
		delete(a.over, id)
		close(c.done)
	}
}

// tool calls a tool over MCP, with a progress token or without.
func (a *asker) tool(name, arguments string, token bool) *pending {
	a.ids++
	id := fmt.Sprintf("r%d", a.ids)
	meta := map[string]any{}
	if a.way.stateless() {
		meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28"
		meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
		meta["io.modelcontextprotocol/clientInfo"] = map[string]string{"name": a.name, "version": "1"}
	}
	if token {
		meta["progressToken"] = id
	}
	m, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": json.RawMessage(arguments), "_meta": meta}})
	a.p.check(err)
	return a.send(string(m), id, "tools/call", name)
}

// call asks for something on the phone, whatever the way, and returns once the
// card is up or the call has ended.
func (a *asker) call(arguments string) *pending {
	var c *pending
	if a.way == byHTTP {
		c = a.post(arguments, false, "")
	} else {
		c = a.tool("phone_action", arguments, false)
	}
	synctest.Wait()
	return c
}

// send sends a request and gathers what comes back.
func (a *asker) send(message, id string, method ...string) *pending {
	ctx, abort := context.WithCancel(context.Background())
	c := &pending{a: a, id: id, began: time.Now(), abort: abort, done: make(chan struct{})}
	a.calls = append(a.calls, c)
	if a.way.pipe() {
		a.mu.Lock()
		a.over[id] = c
		a.mu.Unlock()
		_, err := io.WriteString(a.in, message+"\n")
		a.p.check(err)
		return c
	}
	r := a.request(ctx, http.MethodPost, "/mcp", message)
	r.Header.Set("Accept", "application/json, text/event-stream")
	if a.way == byStateless {
		r.Header.Set("Mcp-Method", method[0])
		if len(method) > 1 {
			r.Header.Set("Mcp-Name", method[1])
		}
	}
	go func() {
		defer close(c.done)
		defer abort()
		resp, err := a.web.Do(r)
		if err != nil {
			c.fail(err.Error())
			return
		}
		defer resp.Body.Close()
		c.status, c.session = resp.StatusCode, resp.Header.Get("Mcp-Session-Id")
		c.read(resp.Body)
	}()
	return c
}

func (a *asker) request(ctx context.Context, method, path, body string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	a.p.check(err)
	r.Header.Set("Authorization", "Bearer "+a.p.token)
	r.Header.Set("Content-Type", "application/json")
	switch {
	case path != "/mcp":
	case a.way == byStateless:
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	case a.session != "":
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		r.Header.Set("Mcp-Session-Id", a.session)
	}
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	return r
}

// do makes a request whose answer is small, and returns its status.
func (a *asker) do(method, path, body string, v any) int {
	r := a.request(context.Background(), method, path, body)
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := a.web.Do(r)
	a.p.check(err)
	defer resp.Body.Close()
	if v != nil {
		a.p.check(json.NewDecoder(resp.Body).Decode(v))
	}
	return resp.StatusCode
}

func (a *asker) notify(message string) {
	if a.way.pipe() {
		_, err := io.WriteString(a.in, message+"\n")
		a.p.check(err)
	} else if status := a.do(http.MethodPost, "/mcp", message, nil); status != http.StatusAccepted {
		a.p.t.Errorf("%s: answered %d", message, status)
	}
	synctest.Wait()
}

// post sends a call over the HTTP API and asks for its end until it is there.
func (a *asker) post(arguments string, detached bool, key string) *pending {
	ctx, abort := context.WithCancel(context.Background())
	c := &pending{a: a, began: time.Now(), abort: abort, done: make(chan struct{})}
	a.calls = append(a.calls, c)
	r := a.request(ctx, http.MethodPost, "/v1/calls?wait=50", fmt.Sprintf(`{"tool":"phone_action","arguments":%s,"detached":%v}`, arguments, detached))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	go func() {
		defer close(c.done)
		defer abort()
		for c.once(r) {
			r = a.request(ctx, http.MethodGet, "/v1/calls/"+c.id+"?wait=50", "")
		}
	}()
	return c
}

// end is the end of the client in good order.
func (a *asker) end() {
	switch {
	case a.way == bySessions:
		a.do(http.MethodDelete, "/mcp", "", nil)
	case a.way.pipe():
		_ = a.in.Close()
		<-a.done
	}
	synctest.Wait()
}

// open is the agent's one open call.
func (p *presence) open() nod.Call {
	p.t.Helper()
	synctest.Wait()
	calls := p.gateway.OpenCalls(p.agent)
	if len(calls) != 1 {
		p.t.Fatalf("there are %d open calls, want 1", len(calls))
	}
	return calls[0]
}

// call is a call as it is now.
func (p *presence) call(id nod.CallID) nod.Call {
	p.t.Helper()
	synctest.Wait()
	c, err := p.gateway.Call(context.Background(), p.agent, id)
	p.check(err)
	return c
}

// logged lists what the log has of a call: kinds, with why where one is given.
func (p *presence) logged(id nod.CallID) []string {
	p.t.Helper()
	synctest.Wait()
	entries, err := p.gateway.Log(context.Background(), p.owner, 1, 1000)
	p.check(err)
	var lines []string
	for _, e := range entries {
		if e.Call != id {
			continue
		}
		line := e.Kind
		if o := e.Facts["outcome"]; o != "" && e.Kind != "call.replayed" {
			line += " " + o
		}
		if why := e.Facts["why"]; why != "" {
			line += " " + why
		}
		lines = append(lines, line)
	}
	return lines
}

// later lets time pass.
func later(d time.Duration) {
	synctest.Wait()
	time.Sleep(d) // in a bubble: no time passes
	synctest.Wait()
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
