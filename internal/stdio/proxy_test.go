package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/internal/stdio"
	"nod.dev/nod/nodtest"
)

// pipes is a proxy with a client's ends of its pipes.
type pipes struct {
	in   *io.PipeWriter
	out  *io.PipeReader
	stop context.CancelFunc
	done chan error
}

func start(t *testing.T, n *nodtest.Nod) *pipes {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &pipes{in: inW, out: outR, stop: cancel, done: make(chan error, 1)}
	go func() {
		err := stdio.Run(ctx, stdio.Config{URL: n.URL, Token: n.Token, In: inR, Out: outW})
		_ = outW.Close()
		p.done <- err
	}()
	t.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
	})
	return p
}

func connect(t *testing.T, p *pipes) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: p.out, Writer: p.in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const alarm = `{"action": "alarm", "time": "07:30"}`

func call(t *testing.T, s *mcp.ClientSession, name, arguments string) (string, *mcp.CallToolResult) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r
}

func TestCall(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{})
	s := connect(t, start(t, n))
	if got, r := call(t, s, "phone_action", alarm); !strings.HasPrefix(got, "The phone did it.") || r.IsError {
		t.Errorf("told %q, isError %v", got, r.IsError)
	}
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 3 {
		t.Errorf("tools: %v, %v", list, err)
	}
}

func TestCancel(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s := connect(t, start(t, n))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		n.Person.Card()
		cancel()
	}()
	if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)}); err == nil {
		t.Fatal("a cancelled call returned no error")
	}
	wantEnd(t, n, nod.Withdrawn, nod.WhyCancelled, 3*time.Second)
}

// The end of the pipe takes back what waits, at once and not after a grace.
func TestEOF(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	p := start(t, n)
	s := connect(t, p)
	go s.CallTool(context.Background(), &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)}) //nolint:errcheck // it is cut off
	n.Person.Card()
	_ = p.in.Close()
	wantEnd(t, n, nod.Withdrawn, nod.WhyCancelled, 3*time.Second)
	if err := <-p.done; err != nil {
		t.Errorf("the proxy ended with %v", err)
	}
}

// So does being told to stop.
func TestStop(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	p := start(t, n)
	s := connect(t, p)
	go s.CallTool(context.Background(), &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)}) //nolint:errcheck // it is cut off
	n.Person.Card()
	p.stop()
	wantEnd(t, n, nod.Withdrawn, nod.WhyCancelled, 3*time.Second)
}

// A gateway that was restarted knows no session. The client notices nothing.
func TestRestart(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	s := connect(t, start(t, n))
	if got, _ := call(t, s, "phone_action", alarm); !strings.HasPrefix(got, "No phone is paired") {
		t.Fatalf("told %q", got)
	}
	n.Restart()
	if got, _ := call(t, s, "phone_action", alarm); !strings.HasPrefix(got, "No phone is paired") {
		t.Errorf("after the restart: told %q", got)
	}
}

// A gateway that is away, or goes away while it is asked, is said to be so in
// words, and never that nothing happened when something can have.
func TestAway(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s := connect(t, start(t, n))
	stopped := make(chan struct{})
	go func() {
		n.Person.Card()
		n.Stop()
		close(stopped)
	}()
	got, r := call(t, s, "phone_action", alarm)
	if !r.IsError || !strings.HasPrefix(got, "The connection to nod was lost before it said how this ended. It may have happened.") {
		t.Errorf("told %q, isError %v", got, r.IsError)
	}
	<-stopped
	if got, r = call(t, s, "phone_action", alarm); !r.IsError || !strings.HasPrefix(got, "nod is not running") {
		t.Errorf("told %q, isError %v", got, r.IsError)
	}
}

// Nothing that is not strict JSON is passed on, and only messages are written.
func TestStrict(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	p := start(t, n)
	out := bufio.NewScanner(p.out)
	for _, tt := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "-32700"},
		{`not json`, "-32700"},
		{`[1]`, "-32600"},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", stdio.MaxMessage) + `"}`, "-32600"},
	} {
		go io.WriteString(p.in, tt.line+"\n") //nolint:errcheck // the pipe is ours
		if !out.Scan() {
			t.Fatalf("no answer to %.60s", tt.line)
		}
		if !json.Valid(out.Bytes()) || !strings.Contains(out.Text(), tt.want) {
			t.Errorf("%.60s\nanswered %s, want %s", tt.line, out.Text(), tt.want)
		}
	}
}

func TestWrongToken(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	n.Token = "nod_a_WRONG"
	p := start(t, n)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	_, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: p.out, Writer: p.in}, nil)
	if err == nil || !strings.Contains(err.Error(), "this token is not known") {
		t.Errorf("connected with %v", err)
	}
}

// wantEnd waits until the agent's one call has ended, and checks how.
func wantEnd(t *testing.T, n *nodtest.Nod, outcome nod.Outcome, why nod.Why, within time.Duration) {
	t.Helper()
	deadline := time.After(within)
	for len(n.Gateway.OpenCalls(n.Agent.ID)) > 0 {
		select {
		case <-deadline:
			t.Fatal("the call did not end in time")
		case <-time.After(10 * time.Millisecond):
		}
	}
	calls, err := n.Gateway.Calls(t.Context(), n.Agent.Person, n.Agent.ID, 10)
	if err != nil || len(calls) != 1 {
		t.Fatalf("calls %v, %v", calls, err)
	}
	if calls[0].Outcome != outcome || calls[0].Why != why {
		t.Errorf("ended %s, %s, want %s, %s", calls[0].Outcome, calls[0].Why, outcome, why)
	}
}
