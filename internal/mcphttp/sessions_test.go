package mcphttp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

func (h *house) ping(user, session string) int {
	return h.do(ask{user: user, session: session, body: `{"jsonrpc":"2.0","id":2,"method":"ping"}`}).Code
}

// A user's sessions are bounded: the least used goes for a new one, one that
// listens after one that does not, and none that has a call under way.
func TestSessionsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		others := h.initialize("B")
		var ids []string
		for range maxSessions {
			ids = append(ids, h.initialize("A"))
			time.Sleep(time.Second)
		}
		_, stop, _ := h.begin(ask{user: "A", session: ids[0], body: message("tools/call", "", `"name":"wait","arguments":{}`)})
		<-h.waiting
		_, _, _ = h.begin(ask{verb: http.MethodGet, user: "A", session: ids[1]})
		synctest.Wait()
		h.ping("A", ids[2])
		ids = append(ids, h.initialize("A"), h.initialize("A"))
		synctest.Wait()
		for i, want := range map[int]int{0: 200, 1: 200, 2: 200, 3: 404, 4: 404, 5: 200, maxSessions + 1: 200} {
			if got := h.ping("A", ids[i]); got != want {
				t.Errorf("session %d answers %d, want %d", i, got, want)
			}
		}
		if got := h.ping("B", others); got != 200 {
			t.Errorf("the session of another answers %d", got)
		}
		h.End("A")
		stop()
	})
}

// When every session is busy, a new one is refused, with words.
func TestSessionsBusy(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		for range maxSessions {
			h.begin(ask{user: "A", session: h.initialize("A"), body: message("tools/call", "", `"name":"wait","arguments":{}`)})
			<-h.waiting
		}
		w := h.do(ask{user: "A", body: initialize})
		if !strings.Contains(w.Body.String(), errSessions.Error()) {
			t.Errorf("one more is answered %s", w.Body)
		}
		if got := h.ping("A", w.Header().Get(sessionHeader)); got == http.StatusOK {
			t.Errorf("it answers %d all the same", got)
		}
		h.End("A")
	})
}

// A session that nobody used for a day is over, unless somebody listens.
func TestSessionsIdle(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		silent, listening, used := h.initialize("A"), h.initialize("A"), h.initialize("A")
		_, _, _ = h.begin(ask{verb: http.MethodGet, user: "A", session: listening})
		time.Sleep(idle - time.Hour)
		h.ping("A", used)
		time.Sleep(2 * time.Hour)
		h.initialize("B")
		synctest.Wait()
		for id, want := range map[string]int{silent: 404, listening: 200, used: 200} {
			if got := h.ping("A", id); got != want {
				t.Errorf("a session answers %d, want %d", got, want)
			}
		}
	})
}

// DELETE takes no time, whatever the session's tools do, and cancels them.
func TestDeleteIsFast(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session := h.initialize("A")
		var over []<-chan struct{}
		for i, tool := range []string{"wait", "stone"} {
			_, _, o := h.begin(ask{user: "A", session: session, body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, i, tool)})
			<-h.waiting
			over = append(over, o)
		}
		_, _, get := h.begin(ask{verb: http.MethodGet, user: "A", session: session})
		synctest.Wait()
		began := time.Now()
		w := h.do(ask{verb: http.MethodDelete, user: "A", session: session})
		if took := time.Since(began); w.Code != http.StatusNoContent || took != 0 {
			t.Errorf("DELETE answered %d after %v", w.Code, took)
		}
		<-over[0] // it was cancelled
		<-get
		if took := time.Since(began); took != 0 {
			t.Errorf("the call was cancelled after %v", took)
		}
		if got := h.ping("A", session); got != http.StatusNotFound {
			t.Errorf("the session answers %d", got)
		}
		<-over[1] // it was cut
		if took := time.Since(began); took != lastWord {
			t.Errorf("the call that does not listen was cut after %v", took)
		}
		close(h.free)
	})
}

// A call that the end of its session overtakes on its way to the tool is
// cancelled like those that were there.
func TestCallAfterDelete(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session := h.initialize("A")
		call := func(id int) ask {
			return ask{user: "A", session: session, body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait","arguments":{}}}`, id)}
		}
		_, stop, first := h.begin(call(1))
		<-h.waiting // so that the session has a moment for last words
		if !h.sessions.end("A", session) {
			t.Fatal("there is no session")
		}
		began := time.Now()
		w := httptest.NewRecorder()
		over := make(chan struct{})
		go func() { // as if it was found to be there just before
			defer close(over)
			identified(&auth.TokenInfo{UserID: "A"}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.serve(w, r, h.sessioned, nil)
			})).ServeHTTP(w, call(2).request(context.WithValue(t.Context(), tokenKey{}, []string{"Bearer A"})))
		}()
		synctest.Wait()
		select {
		case <-over:
		default:
			t.Error("it waits for somebody")
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it ended after %v", took)
		}
		h.End("A") // the first
		stop()
		<-first
		<-over
	})
}

// What a dead token opened ends: what listens at once, what answers when it had
// its last word. Others go on.
func TestEnd(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session, others := h.initialize("A"), h.initialize("B")
		_, _, get := h.begin(ask{verb: http.MethodGet, user: "A", session: session})
		_, _, sub := h.begin(modern("A", "subscriptions/listen", "", listen))
		_, _, call := h.begin(modern("A", "tools/call", "wait", `"name":"wait"`))
		<-h.waiting
		_, _, othersSub := h.begin(modern("B", "subscriptions/listen", "", listen))
		synctest.Wait()
		began := time.Now()
		h.End("A")
		<-get
		<-sub
		if took := time.Since(began); took != 0 {
			t.Errorf("what listens ended after %v", took)
		}
		<-call
		if took := time.Since(began); took > lastWord {
			t.Errorf("the call ended after %v", took)
		}
		if got := h.ping("A", session); got != http.StatusNotFound {
			t.Errorf("the session answers %d", got)
		}
		if got := h.ping("B", others); got != http.StatusOK {
			t.Errorf("the session of another answers %d", got)
		}
		select {
		case <-othersSub:
			t.Error("the subscription of another ended")
		default:
		}
	})
}

// The end of a stream without a session is the end of its call, at once. In a
// session it is not: the client may still be there.
func TestGone(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		_, stop, _ := h.begin(modern("A", "tools/call", "wait", `"name":"wait"`))
		<-h.waiting
		stop()
		synctest.Wait()
		if n := len(h.streams.open); n != 0 {
			t.Errorf("%d calls go on for nobody", n)
		}
		session := h.initialize("A")
		_, stop, _ = h.begin(ask{user: "A", session: session, body: message("tools/call", "", `"name":"wait","arguments":{}`)})
		<-h.waiting
		stop()
		synctest.Wait()
		if n := len(h.streams.open); n != 1 {
			t.Errorf("%d calls go on, want the session's", n)
		}
		h.do(ask{user: "A", session: session, body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`})
		synctest.Wait()
		if n := len(h.streams.open); n != 0 {
			t.Errorf("%d calls go on though they were cancelled", n)
		}
	})
}
