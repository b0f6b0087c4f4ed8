package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
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
	// hears is closed once the proxy listens to what the gateway says unasked.
	hears chan struct{}
}

// listening is a transport that says when the first GET is answered.
type listening struct {
	http.RoundTripper
	answered func()
}

// RoundTrip implements [http.RoundTripper].
func (l listening) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if r.Method == http.MethodGet && err == nil && resp.StatusCode == http.StatusOK {
		l.answered()
	}
	return resp, err
}

func start(t *testing.T, n *nodtest.Nod) *pipes {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &pipes{in: inW, out: outR, stop: cancel, done: make(chan error, 1), hears: make(chan struct{})}
	// A connection of its own for each request: one that a gateway closed while it
	// ended is not used again by the test's next step.
	web := &http.Client{Transport: listening{&http.Transport{DisableKeepAlives: true}, sync.OnceFunc(func() { close(p.hears) })}}
	go func() {
		err := stdio.Run(ctx, stdio.Config{URL: n.URL, Token: n.Token, In: inR, Out: outW, HTTP: web})
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

// Both eras of the protocol, each by the newest revision of it.
const (
	sessions  = "2025-11-25"
	stateless = "2026-07-28"
)

// eachEra runs a test in both eras. They differ in how a call is taken back: with
// sessions the client says so, without them its stream ends.
func eachEra(t *testing.T, f func(t *testing.T, era string, takenBack nod.Why)) {
	t.Run("sessions", func(t *testing.T) { t.Parallel(); f(t, sessions, nod.WhyCancelled) })
	t.Run("stateless", func(t *testing.T) { t.Parallel(); f(t, stateless, nod.WhyGone) })
}

func connect(t *testing.T, p *pipes, era string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: p.out, Writer: p.in}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.InitializeResult().ProtocolVersion; got != era {
		t.Fatalf("%s was agreed on, want %s", got, era)
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
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		n := nodtest.New(t, nodtest.Options{})
		s := connect(t, start(t, n), era, nil)
		if got, r := call(t, s, "phone_action", alarm); !strings.HasPrefix(got, "The phone did it.") || r.IsError {
			t.Errorf("told %q, isError %v", got, r.IsError)
		}
		list, err := s.ListTools(t.Context(), nil)
		if want := n.Gateway.Tools(n.Agent); err != nil || len(want) < 3 || len(list.Tools) != len(want) {
			t.Errorf("%d tools, want %d: %v, %v", len(list.Tools), len(want), list, err)
		}
		// A name that no header can hold as it is.
		if got, _ := call(t, s, "téléphone", `{}`); !strings.HasPrefix(got, `There is no tool "t?l?phone".`) {
			t.Errorf("told %q", got)
		}
	})
}

// waits starts a call and returns once its card is up, with what ends the call.
func waits(t *testing.T, n *nodtest.Nod, s *mcp.ClientSession) (cancel func(), ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)})
		over <- err
	}()
	n.Person.Card()
	return cancel, over
}

func TestCancel(t *testing.T) {
	eachEra(t, func(t *testing.T, era string, takenBack nod.Why) {
		n := nodtest.New(t, nodtest.Options{Person: "ignore"})
		s := connect(t, start(t, n), era, nil)
		cancel, ended := waits(t, n, s)
		cancel()
		if err := <-ended; err == nil {
			t.Fatal("a cancelled call returned no error")
		}
		wantEnd(t, n, nod.Withdrawn, takenBack, 3*time.Second)
		if got, _ := call(t, s, "call_status", `{}`); !strings.HasPrefix(got, "You have no open calls") {
			t.Errorf("the pipe goes on: told %q", got)
		}
	})
}

// The end of the pipe takes back what waits, at once and not after a grace.
func TestEOF(t *testing.T) {
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		n := nodtest.New(t, nodtest.Options{Person: "ignore"})
		p := start(t, n)
		cancel, _ := waits(t, n, connect(t, p, era, nil))
		defer cancel()
		_ = p.in.Close()
		wantEnd(t, n, nod.Withdrawn, nod.WhyGone, 3*time.Second)
		if err := <-p.done; err != nil {
			t.Errorf("the proxy ended with %v", err)
		}
	})
}

// So does being told to stop.
func TestStop(t *testing.T) {
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		n := nodtest.New(t, nodtest.Options{Person: "ignore"})
		p := start(t, n)
		cancel, _ := waits(t, n, connect(t, p, era, nil))
		defer cancel()
		p.stop()
		wantEnd(t, n, nod.Withdrawn, nod.WhyGone, 3*time.Second)
	})
}

// A call that was told STILL WAITING outlives its pipe.
func TestDetachedOutlivesThePipe(t *testing.T) {
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		n := nodtest.New(t, nodtest.Options{Person: "ignore"})
		if _, err := n.Console.SetAgentWait(t.Context(), "", n.Agent.Name, 1); err != nil {
			t.Fatal(err)
		}
		p := start(t, n)
		if got, _ := call(t, connect(t, p, era, nil), "phone_action", alarm); !strings.HasPrefix(got, "STILL WAITING") {
			t.Fatalf("told %q", got)
		}
		_ = p.in.Close()
		if err := <-p.done; err != nil {
			t.Fatal(err)
		}
		card := n.Person.Card()
		n.Person.Confirm(card.Call)
		wantEnd(t, n, nod.Done, nod.WhyNone, 3*time.Second)
	})
}

// A gateway that was restarted knows no session. The client notices nothing.
func TestRestart(t *testing.T) {
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		n := nodtest.New(t, nodtest.Options{NoPhone: true})
		s := connect(t, start(t, n), era, nil)
		if got, _ := call(t, s, "phone_action", alarm); !strings.HasPrefix(got, "No phone is paired") {
			t.Fatalf("told %q", got)
		}
		n.Restart()
		if got, _ := call(t, s, "phone_action", alarm); !strings.HasPrefix(got, "No phone is paired") {
			t.Errorf("after the restart: told %q", got)
		}
	})
}

// A gateway that is away, or goes away while it is asked, is said to be so in
// words, and never that nothing happened when something can have.
func TestAway(t *testing.T) {
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		n := nodtest.New(t, nodtest.Options{Person: "ignore"})
		s := connect(t, start(t, n), era, nil)
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
	})
}

// A restart takes back what waited. Who asks again over the same pipe hears so,
// and the card is not there any more.
func TestRestartWhileACardWaits(t *testing.T) {
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		n := nodtest.New(t, nodtest.Options{Person: "ignore"})
		s := connect(t, start(t, n), era, nil)
		ids := make(chan nod.CallID, 1)
		go func() {
			ids <- n.Person.Card().Call
			n.Restart()
		}()
		if got, _ := call(t, s, "phone_action", alarm); !strings.HasPrefix(got, "The connection to nod was lost") {
			t.Fatalf("told %q", got)
		}
		id := <-ids
		if why := n.Person.Gone(id); why != "over" { // it is not among those that the gateway still knows as open
			t.Errorf("the card went away for %q", why)
		}
		if got, _ := call(t, s, "call_status", `{"call_id": "`+string(id)+`"}`); !strings.HasPrefix(got, "nod restarted before the person answered") {
			t.Errorf("told %q", got)
		}
	})
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
		{strings.Repeat("[", 100_000), "-32700"},
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

// A line of 10 MB is refused without being kept, and what follows it is heard.
func TestHugeLine(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	p := start(t, n)
	out := bufio.NewScanner(p.out)
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	go func() {
		part := []byte(strings.Repeat("x", 1<<10))
		for range 10 << 10 {
			_, _ = p.in.Write(part)
		}
		_, _ = io.WriteString(p.in, "\n"+`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`+"\n")
	}()
	for _, want := range []string{"the message is longer than 256 KiB", `"id":7`} {
		if !out.Scan() || !strings.Contains(out.Text(), want) {
			t.Fatalf("answered %.200q, want %q", out.Text(), want)
		}
		if took := allocated() - before; took > 4<<20 {
			t.Errorf("allocated %d KiB, want 4 MiB at most", took>>10)
		}
	}
}

func TestWrongToken(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	n.Token = "nod_a_WRONG"
	eachEra(t, func(t *testing.T, era string, _ nod.Why) {
		p := start(t, n)
		c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		_, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: p.out, Writer: p.in}, &mcp.ClientSessionOptions{ProtocolVersion: era})
		if err == nil || !strings.Contains(err.Error(), "this token is not known") {
			t.Errorf("connected with %v", err)
		}
	})
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
