package server_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/nodtest"
)

var load = flag.Int("load", 12, "how many calls wait, and how many sessions and streams are idle, in the tests of load")

// crowd is many agents of one gateway, of other people than the honest agent:
// they have phones of their own to fill. Its clients are bare connections, so that
// what is measured is the gateway, and not a client in the same program.
type crowd struct {
	*nodtest.Nod
	t      *testing.T
	agents []nod.Agent
	tokens []string
	conns  []net.Conn
	before footprint
}

// footprint is what a program needs: bytes of heap and stacks, and goroutines.
type footprint struct{ bytes, goroutines int }

func measure() footprint {
	runtime.GC()
	runtime.GC() // what a finalizer held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{int(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()}
}

// newCrowd makes agents, and measures.
func newCrowd(t *testing.T, agents int) *crowd {
	t.Helper()
	c := &crowd{Nod: nodtest.New(t, nodtest.Options{}), t: t}
	var person nod.Person
	for i := range agents {
		if i%(policy.MaxPersonCards/policy.MaxOpenCards) == 0 {
			var err error
			person, err = c.Gateway.AddPerson(t.Context(), fmt.Sprint("Somebody else ", i))
			c.check(err)
			c.phone(person)
		}
		agent, token, err := c.Gateway.AddAgent(t.Context(), gateway.AgentSpec{Person: person.ID, Name: fmt.Sprint("Agent ", i)})
		c.check(err)
		c.agents, c.tokens = append(c.agents, agent), append(c.tokens, token)
	}
	t.Cleanup(c.hangUp)
	c.before = measure()
	return c
}

// phone pairs the phone of one of the crowd's people, who looks at no card.
func (c *crowd) phone(person nod.Person) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	link, err := c.Console.Pair(ctx, person.Name, false)
	c.check(err)
	identity, err := host.Pair(ctx, link.Link, "Another phone", nod.HostSim, filepath.Join(c.Dir, person.Name))
	c.check(err)
	steps, err := sim.ParseScript("ignore")
	c.check(err)
	over, up := make(chan struct{}), make(chan struct{})
	connected := sync.OnceFunc(func() { close(up) })
	go func() {
		defer close(over)
		_ = host.Run(ctx, host.Config{
			Identity: identity, Driver: sim.New(sim.Config{}), UI: sim.NewPerson(steps), Journal: &host.Memory{}, Version: "test",
			Dial: host.DialWebSocket(nil), OnLink: func(bool) { connected() },
		})
	}()
	c.t.Cleanup(func() {
		cancel()
		<-over
	})
	<-up
}

func (c *crowd) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// send sends one request of an agent's on a connection of its own.
func (c *crowd) send(agent int, method, path, header, body string) *bufio.Reader {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.URL, "http://"))
	c.check(err)
	c.conns = append(c.conns, conn)
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nNod-Wait: 1200\r\n%sContent-Length: %d\r\n\r\n%s", method, path, c.tokens[agent], header, len(body), body)
	c.check(err)
	return bufio.NewReaderSize(conn, 16) // as good as nothing until it is read
}

// ask sends a request whose answer comes at once.
func (c *crowd) ask(agent int, method, path, header, body string) *http.Response {
	c.t.Helper()
	resp, err := http.ReadResponse(c.send(agent, method, path, header, body), nil)
	c.check(err)
	_, err = io.Copy(io.Discard, resp.Body)
	c.check(err)
	last := len(c.conns) - 1
	_ = c.conns[last].Close()
	c.conns = c.conns[:last]
	if resp.StatusCode >= 300 {
		c.t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
	return resp
}

// hear sends a request whose answer does not end, and waits until it has begun.
func (c *crowd) hear(agent int, method, path, header, body string) {
	c.t.Helper()
	line, err := c.send(agent, method, path, header, body).ReadString('\n')
	c.check(err)
	if !strings.HasPrefix(line, "HTTP/1.1 200") {
		c.t.Fatalf("%s %s: %s", method, path, line)
	}
}

// session begins a session and returns the headers that belong to it.
func (c *crowd) session(agent int) string {
	c.t.Helper()
	resp := c.ask(agent, "POST", "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	header := "Mcp-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + resp.Header.Get("Mcp-Session-Id") + "\r\n"
	c.ask(agent, "POST", "/mcp", header, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return header
}

const statelessCall = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: phone_action\r\n"

// toolCall is a tool call with a card of its own.
func toolCall(card int, capabilities string) string {
	meta := ""
	if capabilities != "" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","arguments":` + timer(card) + meta + `}}`
}

func timer(card int) string { return fmt.Sprintf(`{"action":"timer","seconds":%d}`, 60+card) }

// until waits for what comes, and says what if it does not.
func (c *crowd) until(what string, is func() bool) {
	c.t.Helper()
	over := time.After(time.Minute)
	for !is() {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-over:
			c.t.Fatalf("after a minute it is not so that %s", what)
		}
	}
}

// hangUp closes every connection.
func (c *crowd) hangUp() {
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// report says what n of something cost.
func (c *crowd) report(what string, n int) {
	now := measure()
	c.t.Logf("%d %s: %.1f KiB and %.1f goroutines each", n, what,
		float64(now.bytes-c.before.bytes)/float64(n)/1024, float64(now.goroutines-c.before.goroutines)/float64(n))
}

// freed waits until nothing runs that did not before.
func (c *crowd) freed() {
	c.t.Helper()
	const spare = 8 // of the runtime, and of connections that are kept for the next request
	c.until("its goroutines have ended", func() bool { return runtime.NumGoroutine() <= c.before.goroutines+spare })
}

// served has the honest agent's call carried out, whoever else waits.
func (c *crowd) served() {
	c.t.Helper()
	call, err := c.Client.Do(c.t.Context(), nodtest.Ask(alarm))
	if err != nil || call.Outcome != nod.Done {
		c.t.Fatalf("the honest agent is told %s %q, %v", call.Outcome, call.Text, err)
	}
}

// TestWaitingCalls has many calls wait at once, by every way of waiting: the
// honest agent is served, and all is freed afterwards. What one costs is logged;
// -load 1000 is what docs/speed.md tells.
func TestWaitingCalls(t *testing.T) {
	const each = policy.MaxOpenCards
	for _, tt := range []struct {
		way  string
		wait func(c *crowd, agent, card int)
	}{
		{"calls that nobody waits for", func(c *crowd, agent, card int) {
			c.ask(agent, "POST", "/v1/calls", "", `{"tool":"phone_action","arguments":`+timer(card)+`,"detached":true}`)
		}},
		{"tasks", func(c *crowd, agent, card int) {
			c.ask(agent, "POST", "/mcp", statelessCall, toolCall(card, withTasks))
		}},
		{"calls that wait by HTTP", func(c *crowd, agent, card int) {
			c.send(agent, "POST", "/v1/calls?wait=50", "", `{"tool":"phone_action","arguments":`+timer(card)+`,"detached":true}`)
		}},
		{"calls that wait without sessions", func(c *crowd, agent, card int) {
			c.hear(agent, "POST", "/mcp", statelessCall, toolCall(card, withoutTasks))
		}},
		{"calls that wait in sessions", func(c *crowd, agent, card int) {
			c.hear(agent, "POST", "/mcp", c.session(agent), toolCall(card, ""))
		}},
	} {
		t.Run(tt.way, func(t *testing.T) {
			c := newCrowd(t, (*load+each-1)/each)
			for i := range *load {
				tt.wait(c, i/each, i)
			}
			c.until("every call waits", func() bool { return c.waiting() == *load })
			c.report(tt.way, *load)
			c.served()
			if n := c.waiting(); n != *load {
				t.Errorf("%d calls wait, want %d", n, *load)
			}
			for _, a := range c.agents {
				for _, call := range c.Gateway.OpenCalls(a.ID) {
					_, err := c.Gateway.Cancel(t.Context(), a.ID, call.ID)
					c.check(err)
				}
			}
			c.endAgents()
			c.report("ended "+tt.way, *load)
		})
	}
}

// waiting counts the calls that are open.
func (c *crowd) waiting() (n int) {
	for _, a := range c.agents {
		n += len(c.Gateway.OpenCalls(a.ID))
	}
	return n
}

// endAgents removes every agent and waits until nothing is left of them.
func (c *crowd) endAgents() {
	c.t.Helper()
	for _, a := range c.agents {
		_, err := c.Gateway.RevokeAgent(c.t.Context(), a.Person, a.Name, false)
		c.check(err)
	}
	c.hangUp()
	c.freed()
}

// TestIdle has many sessions and streams on which nothing happens.
func TestIdle(t *testing.T) {
	const listen = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n"
	for _, tt := range []struct {
		what string
		each int // of one agent
		open func(c *crowd, agent int)
	}{
		{"sessions", 25, func(c *crowd, agent int) { c.session(agent) }},
		{"sessions that listen", 25, func(c *crowd, agent int) { c.hear(agent, "GET", "/mcp", c.session(agent), "") }},
		{"subscriptions", 25, func(c *crowd, agent int) {
			c.hear(agent, "POST", "/mcp", listen, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		}},
		{"event streams", 4, func(c *crowd, agent int) { c.hear(agent, "GET", "/v1/events", "", "") }},
	} {
		t.Run(tt.what, func(t *testing.T) {
			c := newCrowd(t, (*load+tt.each-1)/tt.each)
			for i := range *load {
				tt.open(c, i/tt.each)
			}
			c.report(tt.what, *load)
			c.served()
			c.endAgents()
			c.report("ended "+tt.what, *load)
		})
	}
}
