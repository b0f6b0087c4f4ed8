package mcphttp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixture is a handler over a server without tools. The user of a request is
// what its header User says.
func fixture(t *testing.T) *Handler {
	t.Helper()
	return New(Config{
		Server: mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil),
		Authenticate: func(r *http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: r.Header.Get("User")}, nil
		},
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadRequest)
		},
	})
}

// exchange serves one POST and hands its stream to within.
func exchange(h *Handler, user, session string, within func(*Stream)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("User", user)
	r.Header.Set(sessionHeader, session)
	r.Header.Set(streamHeader, "chosen by the caller")
	w := httptest.NewRecorder()
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		st := h.Use(r.Header)
		defer st.Done()
		within(st)
		_, _ = w.Write([]byte("data: {}\n\n"))
	})
	info, _ := h.config.Authenticate(r)
	identified(info, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, next, nil) })).ServeHTTP(w, r)
	return w
}

// The tool is handed its own exchange, whatever the caller put in the header.
func TestStreamIsItsOwn(t *testing.T) {
	h := fixture(t)
	w := exchange(h, "A", "s1", func(st *Stream) {
		if st == nil || st.session != "s1" || st.user != "A" {
			t.Errorf("the exchange is %+v", st)
		}
		if err := st.Beat("ok"); err != nil {
			t.Error(err)
		}
	})
	if got, want := w.Body.String(), ": ok\n\ndata: {}\n\n"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
	if len(h.streams.open) != 0 {
		t.Errorf("%d exchanges are kept", len(h.streams.open))
	}
}

// What was written in full was delivered. A beat after the end writes nothing.
func TestStreamDelivered(t *testing.T) {
	h := fixture(t)
	var kept *Stream
	delivered := 0
	w := exchange(h, "A", "s1", func(st *Stream) {
		kept = st
		st.OnDelivered(func() { delivered++ })
		st.OnDelivered(func() { delivered++ })
	})
	if delivered != 2 {
		t.Errorf("%d of 2 were told", delivered)
	}
	before := w.Body.Len()
	if err := kept.Beat("late"); !errors.Is(err, errOver) || w.Body.Len() != before {
		t.Errorf("a beat after the end: %v, %d bytes", err, w.Body.Len()-before)
	}
}

// Only its own user ends a session's calls.
func TestStreamEndSession(t *testing.T) {
	for _, tt := range []struct {
		user, session string
		ended         bool
	}{
		{"A", "s1", true},
		{"B", "s1", false},
		{"A", "s2", false},
		{"A", "", false},
	} {
		h := fixture(t)
		exchange(h, "A", "s1", func(st *Stream) {
			h.streams.end(tt.user, func(other *Stream) bool { return other.session == tt.session })
			ended := false
			select {
			case <-st.Ended():
				ended = true
			default:
			}
			if ended != tt.ended {
				t.Errorf("the end of %s by %s: ended %v, want %v", tt.session, tt.user, ended, tt.ended)
			}
		})
	}
}
