package mcphttp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"nod.dev/nod/internal/wire"
)

// FuzzRequest sends anything at all. Whatever comes, the program lives, the fault
// is never nod's, and a tool runs only for what strict JSON and the headers say
// alike. A session in the input stands for one that is there.
func FuzzRequest(f *testing.F) {
	call := message("tools/call", firstStateless, `"name":"echo","arguments":{"a":1}`)
	for _, a := range []ask{
		modern("A", "tools/call", "echo", `"name":"echo","arguments":{"a":1}`),
		modern("A", "tools/call", base64Of("echo"), `"name":"echo"`),
		modern("A", "tools/list", "", ""),
		modern("A", "server/discover", "", ""),
		modern("A", "subscriptions/listen", "", listen),
		modern("A", "tasks/get", "t", `"taskId":"t"`),
		{version: firstStateless, method: "tools/call", name: "wait", body: call},
		{version: "2025-11-25", body: call},
		{version: "2025-11-25", session: "S", body: message("tools/call", "", `"name":"echo","arguments":{}`)},
		{session: "S", body: `[` + message("tools/call", "", `"name":"echo"`) + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}]`},
		{session: "S", body: `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{session: "S", body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`},
		{session: "S", body: `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`},
		{session: "S", body: `{"jsonrpc":"2.0","id":{},"method":"tools/call","params":[]}`},
		{version: "2025-11-25", body: initialize},
		{verb: http.MethodGet, session: "S"},
		{verb: http.MethodDelete, session: "S"},
		{verb: http.MethodDelete, session: "T"},
		{verb: "BREW", version: firstStateless},
		{version: firstStateless, method: "tools/call", name: "echo", body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait","name":"echo"}}`},
		{version: "é", method: "\x00", name: "=?base64?", body: "\xff"},
	} {
		if a.verb == "" {
			a.verb = http.MethodPost
		}
		f.Add(a.verb, a.version, a.session, a.method, a.name, []byte(a.body))
	}
	f.Fuzz(func(t *testing.T, verb, version, session, method, name string, body []byte) {
		h := newHouse(t)
		defer h.End("A") // a call of a session goes on when its client went away
		own := h.initialize("A")
		if session == "S" {
			session = own
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // for what only listens
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, verb, "/mcp", bytes.NewReader(body))
		if err != nil {
			t.Skip() // no server gets that far with such a verb
		}
		r.Header = http.Header{"Authorization": {"Bearer A"}, "Content-Type": {"application/json"}, "Accept": {"*/*"}}
		for key, value := range map[string]string{versionHeader: version, sessionHeader: session, methodHeader: method, nameHeader: name} {
			if value != "" {
				r.Header.Set(key, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("answered %d %s", w.Code, w.Body)
		}
		if media := w.Header().Get("Content-Type"); media == "application/json" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("answered %q as JSON", w.Body)
		}
		ran := h.calls()
		if len(ran) == 0 {
			return
		}
		tree, err := wire.Parse(body)
		if err != nil {
			t.Fatalf("%q ran for what is not strict JSON: %v", ran, err)
		}
		if !Stateless(version) {
			if session != own {
				t.Errorf("%q ran in the session %q", ran, session)
			}
			return
		}
		params, _ := tree.(map[string]any)["params"].(map[string]any)
		if said, ok := decodeHeader(name); !ok || said != params["name"] || said != ran[0] || method != "tools/call" {
			t.Errorf("%q ran, the headers say %q of %q, the body %v", ran, method, name, params["name"])
		}
	})
}
