package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"nod.dev/nod"
)

// asAgent names the agent of a request by a header, as the tests below need it.
func asAgent(r *http.Request) nod.AgentID { return nod.AgentID(r.Header.Get("Agent")) }

// exchangeOf serves one POST and hands its stream to within.
func exchangeOf(s *streams, agent, session string, within func(*stream)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("Agent", agent)
	r.Header.Set(sessionHeader, session)
	r.Header.Set(streamHeader, "chosen by the caller")
	w := httptest.NewRecorder()
	s.wrap(asAgent, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		st := s.use(r.Header)
		defer s.done(st)
		within(st)
		_, _ = w.Write([]byte("data: {}\n\n"))
	})).ServeHTTP(w, r)
	return w
}

// The handler is handed its own exchange, whatever the caller put in the header.
func TestStreamIsItsOwn(t *testing.T) {
	s := newStreams()
	w := exchangeOf(s, "agent_A", "s1", func(st *stream) {
		if st == nil || st.session != "s1" || st.agent != "agent_A" {
			t.Errorf("the exchange is %+v", st)
		}
		if err := st.beat("ok"); err != nil {
			t.Error(err)
		}
	})
	if got, want := w.Body.String(), ": ok\n\ndata: {}\n\n"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
	if len(s.open) != 0 {
		t.Errorf("%d exchanges are kept", len(s.open))
	}
}

// What was written in full was delivered. A beat after the end writes nothing.
func TestStreamDelivered(t *testing.T) {
	s := newStreams()
	var kept *stream
	delivered := 0
	w := exchangeOf(s, "agent_A", "s1", func(st *stream) {
		kept = st
		st.onDelivered(func() { delivered++ })
		st.onDelivered(func() { delivered++ })
	})
	if delivered != 2 {
		t.Errorf("%d of 2 were told", delivered)
	}
	before := w.Body.Len()
	if err := kept.beat("late"); !errors.Is(err, errOver) || w.Body.Len() != before {
		t.Errorf("a beat after the end: %v, %d bytes", err, w.Body.Len()-before)
	}
}

// Only its own agent ends a session.
func TestStreamEndSession(t *testing.T) {
	for _, tt := range []struct {
		agent, session string
		ended          bool
	}{
		{"agent_A", "s1", true},
		{"agent_B", "s1", false},
		{"agent_A", "s2", false},
		{"agent_A", "", false},
	} {
		s := newStreams()
		exchangeOf(s, "agent_A", "s1", func(st *stream) {
			r := httptest.NewRequest(http.MethodDelete, "/mcp", nil)
			r.Header.Set("Agent", tt.agent)
			r.Header.Set(sessionHeader, tt.session)
			passed := false
			s.wrap(asAgent, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true })).ServeHTTP(httptest.NewRecorder(), r)
			ended := false
			select {
			case <-st.ended:
				ended = true
			default:
			}
			if ended != tt.ended || !passed {
				t.Errorf("DELETE of %s by %s: ended %v, passed on %v, want %v, true", tt.session, tt.agent, ended, passed, tt.ended)
			}
		})
	}
}
