package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/pipe"
	"nod.dev/nod/nodtest"
)

// The events of a call are its way to the outcome, in order.
func TestEvents(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{})
	way := []nod.State{nod.Received, nod.Offered, nod.Delivered, nod.Shown, nod.Decided, nod.Working, nod.Closed}
	var heard []nod.State
	for e, err := range n.Client.Events(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == client.EventSnapshot {
			if _, err := n.Client.Open(t.Context(), nodtest.Ask(`{"action": "torch", "on": true}`)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		heard = append(heard, e.Call.State)
		if e.Call.Ended() {
			break
		}
	}
	inOrder := slices.IsSortedFunc(heard, func(a, b nod.State) int { return slices.Index(way, a) - slices.Index(way, b) })
	if !inOrder {
		t.Errorf("heard %v", heard)
	}
}

// A stream that breaks off goes on where it was; what a newer gateway sends
// besides is passed over; the end is an error.
func TestEventsGoOn(t *testing.T) {
	var asked []string
	var served atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		if served.Add(1) == 2 {
			http.Error(w, "try later", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if served.Load() == 1 {
			fmt.Fprint(w, "retry: 5\nid: 7\nevent: snapshot\ndata: {\"calls\":[],\"missed\":true}\n\n: beat\n\nevent: weather\ndata: {\"sun\":\ndata: true}\n\n")
			return
		}
		fmt.Fprint(w, "id: 9\nevent: call\ndata: {\"id\":\"call_A\",\"state\":\"closed\"}\n\nevent: end\ndata: {\"error\":{\"code\":\"unauthorized\",\"message\":\"the person removed this agent\"}}\n\n")
	}))
	defer s.Close()
	c, err := client.New(client.Config{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	for e, err := range c.Events(t.Context(), "3") {
		if err != nil {
			heard = append(heard, string(client.CodeOf(err)))
			continue
		}
		heard = append(heard, fmt.Sprint(e.Kind, " ", e.ID, " ", e.Snapshot.Missed, " ", e.Call.ID))
	}
	if want := []string{"snapshot 7 true ", "weather  false ", "call 9 false call_A", "unauthorized"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	if want := []string{"3", "7", "7"}; !slices.Equal(asked, want) {
		t.Errorf("asked to go on from %q, want %q", asked, want)
	}
}

// A stream that says nothing is one that is dead, and is opened again; a gateway
// that stays away is told.
func TestEventsOverDeadAir(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := pipe.Listen()
		var opened atomic.Int64
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			opened.Add(1)
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: 1\nevent: snapshot\ndata: {\"calls\":[],\"missed\":false}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})}
		go s.Serve(listener) //nolint:errcheck // it ends by Close
		web := listener.Client()
		c, err := client.New(client.Config{URL: "http://localhost", HTTP: web})
		if err != nil {
			t.Fatal(err)
		}
		began, shots := time.Now(), 0
		for _, err = range c.Events(t.Context(), "") {
			if err != nil {
				break
			}
			if shots++; shots == 3 {
				_ = s.Close()
				_ = listener.Close()
			}
		}
		if took := time.Since(began); opened.Load() != 3 || took < 90*time.Second || took > 3*time.Minute {
			t.Errorf("opened %d times in %v", opened.Load(), took)
		}
		if client.CodeOf(err) != client.Unreachable || errors.Is(err, context.Canceled) {
			t.Errorf("the end is %v, want unreachable", err)
		}
		web.CloseIdleConnections()
	})
}

// The loop ends with its context, and says so.
func TestEventsEndWithTheirContext(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range n.Client.Events(ctx, "") {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("it ends with %v", last)
	}
}

// What a gateway asks to be waited for is waited for, and a call is sent again
// only under a key.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := pipe.Listen()
		var keys []string
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			keys = append(keys, r.Header.Get("Idempotency-Key"))
			w.Header().Set("Retry-After", "4")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error": {"code": "too_many", "message": "too many requests from this agent", "docs": "/errors#too_many"}}`)
		})}
		go s.Serve(listener) //nolint:errcheck // it ends by Close
		web := listener.Client()
		c, err := client.New(client.Config{URL: "http://localhost", HTTP: web})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Open(t.Context(), nodtest.Ask(`{}`)); client.CodeOf(err) != nod.CodeTooMany || len(keys) != 1 || keys[0] != "" {
			t.Errorf("Open sent %q: %v", keys, err)
		}
		keys = nil
		began := time.Now()
		_, err = c.Do(t.Context(), nodtest.Ask(`{}`))
		e, ok := errors.AsType[*client.Error](err)
		if !ok || e.Code != nod.CodeTooMany || e.Status != 429 || e.RetryAfter != 4*time.Second || time.Since(began) != 12*time.Second {
			t.Errorf("Do: %+v after %v", err, time.Since(began))
		}
		if len(keys) != 4 || keys[0] == "" || strings.Join(keys, "") != strings.Repeat(keys[0], 4) {
			t.Errorf("Do sent the keys %q", keys)
		}
		_ = s.Close()
		_ = listener.Close()
		web.CloseIdleConnections()
	})
}
