package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/nodtest"
)

// What TestEndings shows in fake time, over a real socket: the client dies without
// a word, and the card goes after the grace.
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

// DELETE takes back what the session asked for, and does not wait for a person.
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

// The first byte comes at once.
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
