package mcphttp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test in which time is fake.
func bubble(t *testing.T, f func(t *testing.T, h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(2 * lastWord) }) // sessions that were ended with calls under way
		f(t, newHouse(t))
	})
}

const listen = `"notifications":{"toolsListChanged":true}`

// The stream of a session and that of a subscription are kept alive, and end
// with the handler.
func TestHeldIsKept(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session := h.initialize("A")
		get, _, getOver := h.begin(ask{verb: http.MethodGet, user: "A", session: session})
		sub, _, subOver := h.begin(modern("A", "subscriptions/listen", "", listen))
		time.Sleep(2*time.Minute + time.Second)
		synctest.Wait()
		for what, w := range map[string]*httptest.ResponseRecorder{"the session's": get, "the subscription's": sub} {
			if got := strings.Count(w.Body.String(), ": waiting\n\n"); got != 15 {
				t.Errorf("%s stream was kept alive %d times in 2 minutes, want 15:\n%s", what, got, w.Body)
			}
			if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("X-Accel-Buffering") != "no" {
				t.Errorf("%s stream is %d %v", what, w.Code, w.Header())
			}
		}
		h.Close()
		<-getOver
		<-subOver
		if !strings.HasSuffix(sub.Body.String(), ": waiting\n\n") {
			t.Errorf("the subscription ended with a word: %s", sub.Body)
		}
	})
}

// A list that changed is told to its user's clients, each in its form, and to
// nobody who did not ask or is somebody else.
func TestChanged(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		streams := map[string]*httptest.ResponseRecorder{}
		open := func(what string, a ask) {
			w, _, _ := h.begin(a)
			streams[what] = w
		}
		open("session", ask{verb: http.MethodGet, user: "A", session: h.initialize("A")})
		open("another's session", ask{verb: http.MethodGet, user: "B", session: h.initialize("B")})
		open("subscription", modern("A", "subscriptions/listen", "", listen))
		named := modern("A", "subscriptions/listen", "", listen)
		named.body = strings.Replace(named.body, `"id":7`, `"id":"a\"b"`, 1)
		open("subscription with a name", named)
		open("another's subscription", modern("B", "subscriptions/listen", "", listen))
		synctest.Wait()
		h.Changed("A")
		h.Changed("nobody")
		synctest.Wait()
		h.Changed("A")
		synctest.Wait()
		about := func(id string) string {
			return `event: message` + "\n" + `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}` + "\n\n"
		}
		for what, want := range map[string]string{
			"session":                  "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n",
			"another's session":        "",
			"subscription":             about("7"),
			"subscription with a name": about(`"a\"b"`),
			"another's subscription":   "",
		} {
			got := streams[what].Body.String()
			first, rest, _ := strings.Cut(got, "\n\n")
			if strings.Contains(what, "subscription") != strings.Contains(first, "notifications/subscriptions/acknowledged") {
				t.Errorf("%s begins with %s", what, first)
			}
			if rest != want+want {
				t.Errorf("%s was told %q, want %q twice", what, rest, want)
			}
		}
	})
}

// A subscription that asks for nothing that there is ends at once, and is told
// of nothing.
func TestListenForNothing(t *testing.T) {
	h := newHouse(t)
	for _, params := range []string{`"notifications":{}`, `"notifications":{"toolsListChanged":false}`, `"notifications":{"promptsListChanged":true}`} {
		w := h.do(modern("A", "subscriptions/listen", "", params))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"resultType"`) {
			t.Errorf("%s: answered %d %s", params, w.Code, w.Body)
		}
	}
	if w := h.do(modern("A", "subscriptions/listen", "", "")); code(t, w) != -32602 {
		t.Errorf("no filter: answered %d %s", w.Code, w.Body)
	}
}

// What changes before the library has begun the stream is said right after its
// first event, and not into an answer that is none.
func TestPending(t *testing.T) {
	for media, want := range map[string]string{"text/event-stream": "first\n\nlate", "application/json": "first\n\n"} {
		w := httptest.NewRecorder()
		l := newLockedWriter(w, t.Context())
		for _, due := range []bool{true, false} {
			if err := l.add([]byte("late"), due); err != nil {
				t.Error(err)
			}
		}
		l.Header().Set("Content-Type", media)
		_, _ = l.Write([]byte("first\n\n"))
		if got := w.Body.String(); got != want {
			t.Errorf("%s: %q, want %q", media, got, want)
		}
	}
}

// A client that opens the stream of its session again has lost the first one.
func TestReplaced(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session := h.initialize("A")
		a := ask{verb: http.MethodGet, user: "A", session: session}
		_, _, first := h.begin(a)
		synctest.Wait()
		second, _, secondOver := h.begin(a)
		<-first
		time.Sleep(beatEvery + time.Second)
		synctest.Wait()
		if second.Code != http.StatusOK || second.Body.String() != ": ok\n\n: waiting\n\n" {
			t.Errorf("the second stream is %d %q", second.Code, second.Body)
		}
		h.Changed("A")
		synctest.Wait()
		if !strings.Contains(second.Body.String(), "list_changed") {
			t.Error("the second stream is not told")
		}
		if w := h.do(ask{verb: http.MethodDelete, user: "A", session: session}); w.Code != http.StatusNoContent {
			t.Errorf("DELETE answered %d", w.Code)
		}
		<-secondOver
	})
}

// A user's subscriptions are bounded: the oldest ends. Another user has room of
// its own.
func TestListensBounded(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		_, _, others := h.begin(modern("B", "subscriptions/listen", "", listen))
		var over []<-chan struct{}
		for range maxListens + 2 {
			_, _, o := h.begin(modern("A", "subscriptions/listen", "", listen))
			synctest.Wait()
			over = append(over, o)
		}
		synctest.Wait()
		for i, o := range append(over, others) {
			ended := false
			select {
			case <-o:
				ended = true
			default:
			}
			if want := i < 2; ended != want {
				t.Errorf("subscription %d: ended %v, want %v", i, ended, want)
			}
		}
	})
}

// A user's requests under way are bounded, and come again when one has ended.
func TestStreamsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		var stop func()
		for range maxStreams {
			_, stop, _ = h.begin(modern("A", "tools/call", "wait", `"name":"wait"`))
		}
		synctest.Wait()
		echo := modern("A", "tools/call", "echo", `"name":"echo"`)
		if w := h.do(echo); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
			t.Errorf("one too many is answered %d %v", w.Code, w.Header())
		}
		echo.user = "B"
		if w := h.do(echo); w.Code != http.StatusOK {
			t.Errorf("somebody else is answered %d", w.Code)
		}
		stop()
		echo.user = "A"
		if w := h.do(echo); w.Code != http.StatusOK {
			t.Errorf("one in the room of another is answered %d", w.Code)
		}
	})
}

// stuck is a client that stopped reading: a write to it ends by its deadline.
type stuck struct {
	*httptest.ResponseRecorder
	mu       sync.Mutex
	deadline time.Time
	full     int // bytes that still fit
}

func (s *stuck) SetWriteDeadline(d time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = d
	return nil
}

func (s *stuck) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.full -= len(p)
	full, wait := s.full < 0, time.Until(s.deadline)
	none := s.deadline.IsZero()
	s.mu.Unlock()
	if !full {
		return s.ResponseRecorder.Write(p)
	}
	if none {
		return 0, io.ErrNoProgress // it would hang for ever
	}
	time.Sleep(wait)
	return 0, os.ErrDeadlineExceeded
}

// A client that does not read is given up: nobody waits for it, and what it held
// is let go.
func TestStuck(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		w := &stuck{ResponseRecorder: httptest.NewRecorder(), full: 20}
		began := time.Now()
		over := make(chan struct{})
		go func() {
			defer close(over)
			h.ServeHTTP(w, ask{verb: http.MethodGet, user: "A", session: h.initialize("A")}.request(t.Context()))
		}()
		synctest.Wait()
		h.Changed("A") // does not fit
		<-over
		if took := time.Since(began); took != stalled {
			t.Errorf("given up after %v, want %v", took, stalled)
		}
		if !w.deadline.IsZero() {
			t.Errorf("the connection keeps the deadline %v", w.deadline)
		}
	})
}

// Nothing that a stream held is left of it, however it ended.
func TestNothingIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session := h.initialize("A")
		for i := range 6 {
			a := modern("A", "tools/call", "wait", `"name":"wait"`)
			if i%2 == 1 {
				a = ask{user: "A", session: session, body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait","arguments":{}}}`, i)}
			}
			_, stop, _ := h.begin(a)
			<-h.waiting
			if i < 4 {
				stop()
			}
		}
		_, _, _ = h.begin(modern("A", "subscriptions/listen", "", listen))
		synctest.Wait()
		h.End("A")
		time.Sleep(2 * lastWord)
		synctest.Wait()
		if n, m := len(h.streams.open), len(h.streams.of); n+m != 0 {
			t.Errorf("%d streams of %d users are kept", n, m)
		}
		if n := len(h.sessions.all); n != 0 {
			t.Errorf("%d users with sessions are kept", n)
		}
	})
}
