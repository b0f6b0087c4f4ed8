package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/nodtest"
)

func TestMCPStillWaiting(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, map[string]string{"Nod-Wait": "1"})
	r := callTool(t, s, "phone_action", alarm)
	id, state, _ := about(r)
	if state != nod.Shown || r.IsError {
		t.Fatalf("state %s, isError %v, want shown, false: %s", state, r.IsError, text(t, r))
	}
	if got := text(t, r); !strings.HasPrefix(got, "STILL WAITING (call_id "+string(id)+").") {
		t.Errorf("told %q", got)
	}
	list := text(t, callTool(t, s, "call_status", `{}`))
	if !strings.Contains(list, string(id)) {
		t.Errorf("the list of open calls lacks %s: %q", id, list)
	}
	go func() {
		n.Person.Card()
		n.Person.Confirm(id)
	}()
	r = callTool(t, s, "call_status", `{"call_id": "`+string(id)+`", "wait_seconds": 20}`)
	if _, _, outcome := about(r); outcome != nod.Done {
		t.Errorf("outcome %s, want done: %s", outcome, text(t, r))
	}
	if got := text(t, callTool(t, s, "call_status", `{}`)); got != "You have no open calls: each that you made has ended." {
		t.Errorf("told %q", got)
	}
}

func TestMCPCallCancel(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, map[string]string{"Nod-Wait": "1"})
	id, _, _ := about(callTool(t, s, "phone_action", alarm))
	r := callTool(t, s, "call_cancel", `{"call_id": "`+string(id)+`"}`)
	if _, _, outcome := about(r); outcome != nod.Withdrawn {
		t.Errorf("outcome %s, want withdrawn: %s", outcome, text(t, r))
	}
	n.Person.Gone(id)
	r = callTool(t, s, "call_cancel", `{"call_id": "`+string(id)+`"}`)
	if got := text(t, r); !strings.HasPrefix(got, "It is too late to take this back.") {
		t.Errorf("told %q", got)
	}
	r = callTool(t, s, "call_status", `{"call_id": "call_OTHER"}`)
	if got := text(t, r); !strings.HasPrefix(got, "You have no call call_OTHER.") || !r.IsError {
		t.Errorf("told %q, isError %v", got, r.IsError)
	}
}

func TestMCPCancelled(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		n.Person.Card()
		cancel()
	}()
	if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)}); err == nil {
		t.Fatal("a cancelled call returned no error")
	}
	calls := ended(t, n, 1)
	if calls[0].Outcome != nod.Withdrawn || calls[0].Why != nod.WhyCancelled {
		t.Errorf("ended %s, %s, want withdrawn, cancelled", calls[0].Outcome, calls[0].Why)
	}
}

func TestMCPDisconnected(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := post(ctx, t, n, s.ID(), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+`}}`)
	n.Person.Card()
	began := time.Now()
	cancel()
	_ = resp.Body.Close()
	calls := ended(t, n, 1)
	if calls[0].Outcome != nod.Withdrawn || calls[0].Why != nod.WhyGone {
		t.Errorf("ended %s, %s, want withdrawn, gone", calls[0].Outcome, calls[0].Why)
	}
	if took := time.Since(began); took < 4*time.Second || took > 8*time.Second {
		t.Errorf("withdrawn after %v, want about 5 s of grace on loopback", took)
	}
}

func TestMCPCameBack(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := post(ctx, t, n, s.ID(), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+`}}`)
	card := n.Person.Card()
	cancel()
	_ = resp.Body.Close()
	r := callTool(t, s, "call_status", `{"call_id": "`+string(card.Call)+`", "wait_seconds": 6}`)
	if _, state, _ := about(r); state != nod.Shown {
		t.Errorf("state %s, want shown: %s", state, text(t, r))
	}
}

func TestMCPDelete(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, nil)
	resp := post(t.Context(), t, n, s.ID(), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+`}}`)
	defer resp.Body.Close()
	n.Person.Card()
	began := time.Now()
	r := request(t.Context(), t, n, http.MethodDelete, "/mcp", "")
	r.Header.Set("Mcp-Session-Id", s.ID())
	del, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	del.Body.Close()
	if took := time.Since(began); del.StatusCode != http.StatusNoContent || took > 2*time.Second {
		t.Errorf("DELETE answered %s after %v", del.Status, took)
	}
	calls := ended(t, n, 1)
	if calls[0].Outcome != nod.Withdrawn {
		t.Errorf("ended %s, want withdrawn", calls[0].Outcome)
	}
}

func TestMCPTwoHolders(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, nil)
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)})
		first <- err
	}()
	card := n.Person.Card()
	second := make(chan *mcp.CallToolResult, 1)
	go func() {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)})
		if err != nil {
			t.Error(err)
		}
		second <- r
	}()
	waitFor(t, "the second request to attach", func() bool { return entries(t, n, "call.replayed") == 1 })
	cancel()
	<-first
	n.Person.Confirm(card.Call)
	if _, _, outcome := about(<-second); outcome != nod.Done {
		t.Errorf("the second request ended %s, want done", outcome)
	}
}

func TestMCPProgress(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "slow:300ms"})
	s, told := connect(t, n, nil)
	p := &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)}
	p.SetProgressToken("t1")
	if _, err := s.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	lines := told.all()
	if len(lines) == 0 || !strings.Contains(strings.Join(lines, "\n"), "Shown on Test phone, waiting for an answer.") {
		t.Errorf("told %q", lines)
	}
	for _, l := range lines {
		if len(l) > 121 {
			t.Errorf("a progress sentence of %d bytes: %q", len(l), l)
		}
	}
}

func TestMCPFirstByte(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	s, _ := connect(t, n, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	resp := post(ctx, t, n, s.ID(), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"phone_action","arguments":`+alarm+`}}`)
	first := make([]byte, 64)
	got, err := resp.Body.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the first byte came after %v", took)
	}
	if want := ": ok\n\n"; string(first[:got]) != want {
		t.Errorf("the stream begins %q, want %q", first[:got], want)
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}
