package mcphttp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// A request is answered under the id that it came with, or refused: an answer
// under another one is none, and its client would wait for ever. The library
// keeps a number of an id as a whole one.
func TestIDs(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session := h.initialize("A")
		for id, kept := range map[string]bool{
			`0`: true, `-1`: true, `1`: true, `9007199254740991`: true, `-9007199254740991`: true, `1.0`: true, `1e3`: true, `""`: true, `"1"`: true, `"1.5"`: true,
			`1.5`: false, `-0.1`: false, `9007199254740993`: false, `-9007199254740993`: false, `12345678901234567890`: false, `1e300`: false, `5e-324`: false,
			`true`: false, `{}`: false, `[1]`: false,
		} {
			call := func(era string) ask {
				a := modern("A", "tools/call", "echo", `"name":"echo","arguments":{}`)
				if era == "session" {
					a = ask{user: "A", session: session, body: message("tools/call", "", `"name":"echo","arguments":{}`)}
				}
				a.body = strings.Replace(a.body, `"id":7`, `"id":`+id, 1)
				return a
			}
			for _, era := range []string{"session", "stateless"} {
				before := len(h.calls())
				w := h.do(call(era))
				synctest.Wait()
				ran := len(h.calls()) > before
				if number := !strings.ContainsAny(id, "t[{"); !kept && number && !strings.Contains(w.Body.String(), `"id":`+id+`,`) {
					t.Errorf("%s: the id %s: refused with %s", era, id, w.Body)
				}
				if ran != kept || (w.Code == http.StatusOK) != kept {
					t.Errorf("%s: the id %s: it ran: %v, answered %d %s", era, id, ran, w.Code, w.Body)
				}
			}
		}
	})
}

// A batch is bounded: each of its messages is work of its own, and only the
// request that it comes in is counted.
func TestBatch(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		session := h.initialize("A")
		batch := func(n int, id func(int) string) ask {
			var all []string
			for i := range n {
				all = append(all, strings.Replace(message("tools/call", "", `"name":"echo","arguments":{}`), `"id":7`, `"id":`+id(i), 1))
			}
			return ask{user: "A", session: session, version: "2025-03-26", body: "[" + strings.Join(all, ",") + "]"}
		}
		number := func(i int) string { return fmt.Sprint(i) }
		for _, tt := range []struct {
			name   string
			ask    ask
			status int
			ran    int
		}{
			{"one", batch(1, number), 200, 1},
			{"as many as there may be", batch(maxBatch, number), 200, maxBatch},
			{"one more", batch(maxBatch+1, number), 400, 0},
			{"a huge one", batch(1500, number), 400, 0},
			{"an id that is none", batch(2, func(i int) string { return fmt.Sprint(float64(i) + 0.5) }), 400, 0},
		} {
			before := len(h.calls())
			w := h.do(tt.ask)
			synctest.Wait()
			if ran := len(h.calls()) - before; w.Code != tt.status || ran != tt.ran {
				t.Errorf("%s: answered %d, %d ran, want %d, %d", tt.name, w.Code, ran, tt.status, tt.ran)
			}
		}
	})
}
