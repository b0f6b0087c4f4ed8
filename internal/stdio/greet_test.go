package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"nod.dev/nod/internal/stdio"
)

// forgetful is a gateway that can be made to know no session any more, to have its
// requests wait for each other, and to refuse who begins.
type forgetful struct {
	mu      sync.Mutex
	begun   int            // sessions so far
	session string         // the one that is known
	refuse  int            // so many of who begin are refused
	meet    sync.WaitGroup // whoever is told that its session is not known
	by      []string       // the session that each call was answered in
}

func (g *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	g.mu.Lock()
	unlock := sync.OnceFunc(g.mu.Unlock)
	defer unlock()
	session := r.Header.Get("Mcp-Session-Id")
	switch {
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m.Method == "initialize" && g.refuse > 0:
		g.refuse--
		http.Error(w, "not now", http.StatusServiceUnavailable)
	case m.Method == "initialize":
		g.begun++
		g.session = fmt.Sprint("s", g.begun)
		w.Header().Set("Mcp-Session-Id", g.session)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25"}}`, m.ID)
	case session == "":
		http.Error(w, "begin with initialize", http.StatusBadRequest)
	case session != g.session:
		unlock()
		if m.ID != nil {
			g.meet.Done()
			g.meet.Wait()
		}
		http.Error(w, "not known", http.StatusNotFound)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		g.by = append(g.by, session)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
}

// restart forgets the session, and has so many requests hear of it together.
func (g *forgetful) restart(together int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.session = "none"
	g.meet.Add(together)
}

// However many requests find that their session is not known any more, one
// session is begun, and all that follows belongs to it: a cancel reaches the call
// that it is about. That it cannot be begun now is no end of it.
func TestBegunAnew(t *testing.T) {
	for _, tt := range []struct {
		name             string
		together, refuse int
		lost             int // how many are told that it did not go
	}{
		{"one", 1, 0, 0},
		{"three at once", 3, 0, 0},
		{"refused, and asked again", 1, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := &forgetful{}
			front := httptest.NewServer(g)
			defer front.Close()
			inR, in := io.Pipe()
			outR, outW := io.Pipe()
			done := make(chan error, 1)
			go func() {
				done <- stdio.Run(context.Background(), stdio.Config{URL: front.URL, Token: "t", In: inR, Out: outW})
				_ = outW.Close()
			}()
			out := bufio.NewScanner(outR)
			say := func(line string) {
				if _, err := io.WriteString(in, line+"\n"); err != nil {
					t.Error(err)
				}
			}
			hear := func() string {
				if !out.Scan() {
					t.Fatal("the pipe has ended")
				}
				return out.Text()
			}
			say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
			hear()
			say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			g.restart(tt.together)
			g.mu.Lock()
			g.refuse = tt.refuse
			g.mu.Unlock()
			lost := 0
			for i := range tt.together {
				say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+1))
			}
			for range tt.together {
				if strings.Contains(hear(), `"error"`) {
					lost++
				}
			}
			if lost != tt.lost {
				t.Errorf("%d are told that it did not go, want %d", lost, tt.lost)
			}
			g.meet.Add(1) // only who has still the old one says so
			say(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
			if got := hear(); !strings.Contains(got, `"result"`) {
				t.Errorf("after that it is answered %s", got)
			}
			_ = in.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			for _, session := range g.by {
				if session != "s2" {
					t.Errorf("answered in %v, want all in s2", g.by)
				}
			}
			if g.begun != 2 {
				t.Errorf("%d sessions were begun, want 2", g.begun)
			}
		})
	}
}
