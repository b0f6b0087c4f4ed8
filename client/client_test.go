package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/nodtest"
)

// Who finds no gateway hears where it was looked for, and why, once.
func TestNoGateway(t *testing.T) {
	_, err := client.NewConsole("/nowhere/console.sock").People(t.Context())
	if want := "no gateway runs on /nowhere/console.sock: connect: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("the console says %v, want %s", err, want)
	}
	c, err := client.New(client.Config{URL: "http://127.0.0.1:1", Token: "x"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.OpenCalls(t.Context())
	if want := "no gateway answers at http://127.0.0.1:1: connect: connection refused"; err == nil || err.Error() != want {
		t.Errorf("the client says %v, want %s", err, want)
	}
}

// A caller that gives up takes its call back, and hears what became of it.
func TestDoTakesBack(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		n.Person.Card()
		cancel()
	}()
	call, err := n.Client.Do(ctx, nodtest.Ask(`{"action": "alarm", "time": "07:30"}`))
	if !errors.Is(err, context.Canceled) || call.Outcome != nod.Withdrawn {
		t.Errorf("ended %s, %v, want withdrawn, canceled", call.Outcome, err)
	}
}

// A gateway that was restarted is asked again, and what it says is the truth:
// the call was attached to a connection that is gone.
func TestDoAcrossRestart(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	go func() {
		n.Person.Card()
		n.Restart()
	}()
	call, err := n.Client.Do(t.Context(), nodtest.Ask(`{"action": "alarm", "time": "07:30"}`))
	if err != nil || call.Outcome != nod.Withdrawn || call.Why != nod.WhyRestart {
		t.Errorf("ended %s, %s, %v, want withdrawn, restart", call.Outcome, call.Why, err)
	}
}

// A detached call outlives the gateway's process.
func TestDetachedAcrossRestart(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	q := nodtest.Ask(`{"action": "alarm", "time": "07:30"}`)
	q.Detached = true
	call, err := n.Client.Open(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	n.Person.Card()
	n.Restart()
	n.Person.Will("confirm")
	for range 100 {
		if call, err = n.Client.Wait(t.Context(), call.ID, time.Second); err != nil {
			t.Fatal(err)
		}
		if phones, _ := n.Client.Phones(t.Context()); len(phones) == 1 && phones[0].Connected {
			break
		}
	}
	n.Person.Confirm(call.ID)
	if call, err = n.Client.Follow(t.Context(), call); err != nil || call.Outcome != nod.Done {
		t.Errorf("ended %s, %v, want done", call.Outcome, err)
	}
}

// What is not nod's answer is not taken for one.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		header map[string]string
		code   nod.Code
		retry  time.Duration
	}{
		{"a refusal", 403, `{"error":{"code":"forbidden","message":"no","hint":"ask"}}`, nil, nod.CodeForbidden, 0},
		{"too many", 429, `{"error":{"code":"too_many","message":"no"}}`, map[string]string{"Retry-After": "7"}, nod.CodeTooMany, 7 * time.Second},
		{"a proxy's page", 502, `<html>Bad Gateway</html>`, nil, nod.CodeInternal, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range tt.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			defer s.Close()
			c, err := client.New(client.Config{URL: s.URL})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Me(t.Context())
			e, ok := errors.AsType[*client.Error](err)
			if !ok || e.Code != tt.code || e.Status != tt.status || e.RetryAfter != tt.retry {
				t.Errorf("got %+v", err)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	c, err := client.New(client.Config{URL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Me(t.Context()); client.CodeOf(err) != client.Unreachable {
		t.Errorf("got %v, want unreachable", err)
	}
	k := client.NewConsole(t.TempDir() + "/none.sock")
	if _, err := k.Status(t.Context()); client.CodeOf(err) != client.Unreachable {
		t.Errorf("got %v, want unreachable", err)
	}
}

// A gateway that speaks http is not to be started when it is looked for by https.
func TestOtherScheme(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	c, err := client.New(client.Config{URL: "https" + strings.TrimPrefix(s.URL, "http")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Me(t.Context())
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Code != client.Unreachable || !strings.HasPrefix(e.Hint, "what is there speaks http and not https") || strings.Contains(err.Error(), "Post") || strings.Contains(err.Error(), "Get") {
		t.Errorf("got %v, %+v", err, e)
	}
}

// A gateway that is overloaded for a moment is asked again, with pauses.
func TestFollowRetries(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_ = json.NewEncoder(w).Encode(client.Call{ID: "call_A", State: nod.Shown})
			return
		}
		if asked.Add(1) < 3 {
			http.Error(w, "try later", http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(client.Call{ID: "call_A", State: nod.Closed, Outcome: nod.Done})
	}))
	defer s.Close()
	c, err := client.New(client.Config{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	call, err := c.Do(t.Context(), client.Request{Tool: "phone_action"})
	if err != nil || call.Outcome != nod.Done || asked.Load() != 3 {
		t.Errorf("ended %s after %d questions, %v", call.Outcome, asked.Load(), err)
	}
}

// An address is that of a gateway and of nothing below it, and holds no secret;
// what is refused of it is not dropped in silence.
func TestAddress(t *testing.T) {
	for _, row := range []struct{ url, want string }{
		{"http://127.0.0.1:7333", ""},
		{"https://nod.example.org/", ""},
		{"https://example.org/nod/", ""},
		{"http://[::1]:7333", ""},
		{"", `"" is not the address of a gateway`},
		{"nod.example.org", `"nod.example.org" is not the address of a gateway`},
		{"http://", `"http://" is not the address of a gateway`},
		{"unix:///run/nod.sock", `"unix:///run/nod.sock" is not the address of a gateway`},
		{"ftp://nod.example.org", `"ftp://nod.example.org" is not the address of a gateway`},
		{"https://me:PASSWORD@nod.example.org", "the address of a gateway has no name and no password in it"},
		{"https://nod.example.org?", "the address of a gateway ends before any ? or #"},
		{"https://nod.example.org/?token=SECRET", "the address of a gateway ends before any ? or #"},
		{"https://nod.example.org/#pair", "the address of a gateway ends before any ? or #"},
		{"https://nod.example.org/mcp/", `"https://nod.example.org/mcp/" is an address below a gateway's own`},
		{"https://nod.example.org/nod/v1", `"https://nod.example.org/nod/v1" is an address below a gateway's own`},
	} {
		_, err := client.New(client.Config{URL: row.url})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%q: got %q, want %q", row.url, got, row.want)
		}
	}
}

// What leads elsewhere is not followed: a call that is sent on as a question
// would come back as something else, and as if it had been taken.
func TestRedirect(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "https://nod.example.org"+r.URL.Path, http.StatusMovedPermanently)
	}))
	defer s.Close()
	for _, by := range []*http.Client{nil, {}} {
		c, err := client.New(client.Config{URL: s.URL, Token: "nod_a_SECRET", HTTP: by})
		if err != nil {
			t.Fatal(err)
		}
		asked.Store(0)
		_, opened := c.Open(t.Context(), client.Request{Tool: "phone_action"})
		_, listed := c.Page(t.Context(), client.CallQuery{})
		var heard error
		for _, err := range c.Events(t.Context(), "") {
			heard = err
		}
		for _, err := range []error{opened, listed, heard} {
			e, ok := errors.AsType[*client.Error](err)
			if !ok || e.Status != http.StatusMovedPermanently || e.Hint != "it leads to https://nod.example.org: name that address with --url or NOD_URL" {
				t.Errorf("got %v", err)
			}
		}
		if asked.Load() != 3 {
			t.Errorf("asked %d times", asked.Load())
		}
	}
}
