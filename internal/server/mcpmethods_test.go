package server_test

import (
	"net/http"
	"strings"
	"testing"

	"nod.dev/nod/nodtest"
)

// TestMCPNotOffered asks for what a server of MCP can have and nod has not. The
// library answers with lists of nothing (found by the conformance suite).
func TestMCPNotOffered(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	s, _ := connect(t, n, nil)
	for method, params := range map[string]string{
		"prompts/list": ``, "prompts/get": `"name":"x"`,
		"resources/list": ``, "resources/templates/list": ``, "resources/read": `"uri":"test://x"`, "resources/subscribe": `"uri":"test://x"`,
		"completion/complete": `"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":"x"}`,
		"logging/setLevel":    `"level":"debug"`,
	} {
		header := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
		switch {
		case strings.HasPrefix(params, `"uri"`):
			header["Mcp-Name"] = "test://x"
		case method == "prompts/get":
			header["Mcp-Name"] = "x"
		}
		all := meta
		if params != "" {
			all += "," + params
		}
		status, _, body := do(t, n, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+all+`}}`, header)
		if status != http.StatusNotFound || !strings.Contains(body, `"code":-32601`) {
			t.Errorf("%s without a session answered %d %s, want 404 and -32601", method, status, body)
		}
		_, _, body = do(t, n, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`,
			map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": s.ID()})
		if !strings.Contains(body, `"code":-32601`) {
			t.Errorf("%s in a session answered %s, want -32601", method, body)
		}
	}
}
