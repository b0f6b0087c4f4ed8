package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
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

// hasty is a client that goes away as soon as it was sent what it waits for.
type hasty struct {
	*httptest.ResponseRecorder
	until string
	stop  func()
}

func (h *hasty) Flush() {
	h.ResponseRecorder.Flush()
	if strings.Contains(h.Body.String(), h.until) {
		h.stop()
	}
}

// A client that goes away once it has the answer has it; one that goes away before
// has none, whatever else was written; and who asks when all is over hears no.
func TestStreamServed(t *testing.T) {
	for _, tt := range []struct {
		name, until string
		want        []bool
	}{
		{"it stays", "nothing", []bool{true, true, false}},
		{"it goes with the answer", `"result"`, []bool{true, true, false}},
		{"it goes with the first beat", ": ok", []bool{false, false, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var mu sync.Mutex
			var told []bool
			tell := func(delivered bool) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, delivered)
			}
			late := make(chan struct{})
			h.config.Server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					st := h.Use(req.GetExtra().Header)
					_ = st.Beat("ok")
					st.OnServed(tell)
					st.OnServed(tell)
					go func() {
						defer close(late)
						defer st.Done()
						<-st.Gone()
						st.OnServed(tell)
					}()
					return next(ctx, method, req)
				}
			})
			h.ServeHTTP(&hasty{httptest.NewRecorder(), tt.until, stop}, modern("A", "tools/call", "echo", `"name":"echo","arguments":{}`).request(ctx))
			<-late
			mu.Lock()
			defer mu.Unlock()
			slices.SortFunc(told, func(a, b bool) int {
				if a == b {
					return 0
				}
				if a {
					return -1
				}
				return 1
			})
			if !slices.Equal(told, tt.want) {
				t.Errorf("told %v, want %v", told, tt.want)
			}
		})
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
