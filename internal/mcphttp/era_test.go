package mcphttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerOf says what a message is answered, by the revision of its header and of
// its body, its session and its method: MCP 2026-07-28, "Server Validation" and
// "Protocol Version Negotiation", and 2025-11-25, "Session management". It is
// the table in words, not in the order in which the handler looks.
func answerOf(header, meta, session, method string) (status, code int) {
	known := mcp.SupportedProtocolVersions()
	if header >= firstStateless || meta >= firstStateless {
		switch {
		case header == "", meta != "" && meta != header:
			return http.StatusBadRequest, -32020
		case method == "notifications/cancelled":
			return http.StatusAccepted, 0
		case meta == "":
			return http.StatusBadRequest, -32602
		case !slices.Contains(known, header):
			return http.StatusBadRequest, -32022
		case method == "initialize", method == "ping":
			return http.StatusNotFound, -32601
		}
		return http.StatusOK, 0
	}
	if method == "initialize" && session != "own" {
		session = "" // whatever it says, a new one is begun
	}
	switch {
	case session == "unknown", session == "another's":
		return http.StatusNotFound, 0
	case session == "" && method != "initialize" && meta != "" && !slices.Contains(known, meta):
		return http.StatusBadRequest, -32022
	case session == "" && method != "initialize":
		return http.StatusBadRequest, -32600
	case header != "" && !slices.Contains(known, header):
		return http.StatusBadRequest, 0
	case method == "notifications/cancelled" && meta == "":
		return http.StatusAccepted, 0
	case meta != "" && method != "server/discover":
		return http.StatusBadRequest, -32022 // the library: only messages without a session say so
	case method == "server/discover" && meta != "" && header == "":
		return http.StatusBadRequest, -32020
	case method == "server/discover" && meta != "" && header != meta:
		return http.StatusBadRequest, -32020
	case method == "server/discover":
		return http.StatusOK, -32601
	case session != "" && method == "initialize":
		return http.StatusOK, 0 // twice: an error of the library's that has no code
	}
	return http.StatusOK, 0
}

// Every combination of what decides the era is answered as the revisions say,
// and never with nod's own fault.
func TestEras(t *testing.T) {
	h := newHouse(t)
	sessions := map[string]string{"": "", "own": h.initialize("A"), "another's": h.initialize("B"), "unknown": "UNKNOWN"}
	for _, header := range []string{"", "1900-01-01", "2024-11-05", "2025-03-26", "2025-11-25", firstStateless, "2099-01-01", "zero"} {
		for _, meta := range []string{"", "1900-01-01", "2025-11-25", firstStateless, "2099-01-01"} {
			for session, id := range sessions {
				for _, method := range []string{"initialize", "ping", "tools/list", "tools/call", "server/discover", "notifications/cancelled"} {
					a := ask{user: "A", version: header, session: id, method: method, body: message(method, meta, "")}
					switch method {
					case "tools/call":
						a.name = "echo"
						a.body = message(method, meta, `"name":"echo","arguments":{}`)
					case "initialize":
						a.body = message(method, meta, `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`)
					case "notifications/cancelled":
						a.body = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`
						if meta != "" {
							a.body = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99,"_meta":{"` + metaVersion + `":"` + meta + `"}}}`
						}
					}
					w := h.do(a)
					status, rpc := answerOf(header, meta, session, method)
					if got := code(t, w); w.Code != status || got != rpc {
						t.Errorf("header %q, _meta %q, session %q, %s: answered %d, %d, want %d, %d\n%s", header, meta, session, method, w.Code, got, status, rpc, w.Body)
					}
				}
			}
		}
	}
}

// The verbs besides POST belong to sessions.
func TestVerbs(t *testing.T) {
	h := newHouse(t)
	own, other := h.initialize("A"), h.initialize("B")
	for _, tt := range []struct {
		verb, version, session string
		status                 int
		allow                  string
	}{
		{http.MethodGet, firstStateless, own, 405, "POST"},
		{http.MethodDelete, firstStateless, own, 405, "POST"},
		{http.MethodGet, "", "", 400, ""},
		{http.MethodDelete, "", "", 400, ""},
		{http.MethodGet, "2025-11-25", "UNKNOWN", 404, ""},
		{http.MethodDelete, "2025-11-25", "UNKNOWN", 404, ""},
		{http.MethodGet, "", other, 404, ""},
		{http.MethodDelete, "", other, 404, ""},
		{http.MethodPut, "", own, 405, "GET, POST, DELETE"},
		{http.MethodPatch, firstStateless, "", 405, "POST"},
		{http.MethodHead, "", own, 405, "GET, POST, DELETE"},
		{http.MethodOptions, "", "", 405, "GET, POST, DELETE"},
		{http.MethodDelete, "", own, 204, ""},
		{http.MethodDelete, "2025-06-18", own, 404, ""},
	} {
		w := h.do(ask{verb: tt.verb, user: "A", version: tt.version, session: tt.session})
		if w.Code != tt.status || w.Header().Get("Allow") != tt.allow {
			t.Errorf("%s of %q in session %q: answered %d, Allow %q, want %d, %q", tt.verb, tt.version, tt.session, w.Code, w.Header().Get("Allow"), tt.status, tt.allow)
		}
	}
	if w := h.do(ask{user: "B", session: other, body: message("tools/list", "", "")}); w.Code != http.StatusOK {
		t.Errorf("the session that another tried to end answers %d", w.Code)
	}
}

// unread is a body that nobody may look at.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body of somebody unknown was read")
	return 0, io.EOF
}

// Nothing of a request is parsed before its sender is known, and the token goes
// no further than that.
func TestUnknownSender(t *testing.T) {
	h := newHouse(t)
	r := httptest.NewRequest(http.MethodPost, "/mcp", unread{t})
	r.Header.Set(versionHeader, firstStateless)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized {
		t.Errorf("answered %d, want 401", w.Code)
	}
	r = modern("A", "tools/call", "echo", `"name":"echo"`).request(t.Context())
	h.ServeHTTP(httptest.NewRecorder(), r)
	if got := r.Header.Get("Authorization"); strings.Contains(got, "A") {
		t.Errorf("the tool saw %q", got)
	}
}
