package mcphttp

import (
	"net/http"
	"strings"
	"testing"
)

// A method that there is not is an answer like any other in a session, which goes
// on; a notification that nobody knows is read and left. What is wrong otherwise
// stays as the library says it.
func TestUnknownMethodInASession(t *testing.T) {
	h := newHouse(t)
	own := h.initialize("A")
	for _, tt := range []struct {
		name, body string
		status     int
		answer     string // the whole of it, or how it begins
	}{
		{"a request", message("tasks/list", "", ""), 200, `{"error":{"code":-32601,"message":"method not found: \"tasks/list\""},"id":7,"jsonrpc":"2.0"}` + "\n"},
		{"an id in letters", `{"jsonrpc":"2.0","id":"seven","method":"fly"}`, 200, `{"error":{"code":-32601,"message":"method not found: \"fly\""},"id":"seven","jsonrpc":"2.0"}` + "\n"},
		{"a name without end", message(strings.Repeat("x", 300), "", ""), 200, `{"error":{"code":-32601,"message":"method not found: \"xxx`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/flown"}`, 202, ""},
		{"a batch", `[` + message("fly", "", "") + `]`, 400, "JSON RPC not handled"},
		{"an empty batch", `[]`, 400, "malformed payload"},
		{"nothing to call", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, 400, "invalid request"},
		{"the session goes on", message("tools/list", "", ""), 200, "event: message\n"},
	} {
		w := h.do(ask{user: "A", session: own, body: tt.body})
		if w.Code != tt.status || !strings.HasPrefix(w.Body.String(), tt.answer) || tt.answer == "" && w.Body.Len() > 0 {
			t.Errorf("%s: answered %d %q, want %d %q", tt.name, w.Code, w.Body, tt.status, tt.answer)
		}
		if plain := strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain"); plain != (w.Code == http.StatusBadRequest) {
			t.Errorf("%s: answered as %q", tt.name, w.Header().Get("Content-Type"))
		}
	}
}
