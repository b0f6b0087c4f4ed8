package stdio

import (
	"net/http"
	"testing"

	"nod.dev/nod/internal/wire"
)

// What a message without a session says of itself in headers (MCP 2026-07-28).
func TestLabelMessage(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, tt := range []struct{ message, method, name string }{
		{`{"id":1,"method":"tools/list","params":{` + meta + `,"name":"not for this method"}}`, "tools/list", "absent"},
		{`{"id":1,"method":"tools/call","params":{` + meta + `,"name":"phone_action"}}`, "tools/call", "phone_action"},
		{`{"id":1,"method":"tools/call","params":{` + meta + `,"name":"caf\u00e9"}}`, "tools/call", "=?base64?Y2Fmw6k=?="},
		{`{"id":1,"method":"tools/call","params":{` + meta + `,"name":"a\nb: c"}}`, "tools/call", "=?base64?YQpiOiBj?="},
		{`{"id":1,"method":"tools/call","params":{` + meta + `,"name":" x"}}`, "tools/call", "=?base64?IHg=?="},
		{`{"id":1,"method":"tools/call","params":{` + meta + `,"name":"=?base64?eA==?="}}`, "tools/call", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="},
		{`{"id":1,"method":"tools/call","params":{` + meta + `}}`, "tools/call", ""},
		{`{"id":1,"method":"resources/read","params":{` + meta + `,"uri":"nod://x","name":"y"}}`, "resources/read", "nod://x"},
		{`{"id":1,"method":"tasks/get","params":{` + meta + `,"taskId":"call_A"}}`, "tasks/get", "call_A"},
		{`{"id":1,"method":"tools/call","params":{"name":"phone_action"}}`, "absent", "absent"},
		{`{"id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"},"name":"phone_action"}}`, "absent", "absent"},
	} {
		tree, err := wire.Parse([]byte(tt.message))
		if err != nil {
			t.Fatal(err)
		}
		m, ok := readMessage(tree, []byte(tt.message))
		if !ok {
			t.Fatalf("%s was not read", tt.message)
		}
		h := http.Header{"Mcp-Session-Id": {"s"}, "Mcp-Protocol-Version": {"2025-11-25"}}
		labelMessage(h, m)
		got := func(key string) string {
			if v, ok := h[key]; ok && len(v) == 1 {
				return v[0]
			}
			return "absent"
		}
		if got("Mcp-Method") != tt.method || got("Mcp-Name") != tt.name {
			t.Errorf("%s\nMcp-Method %q, Mcp-Name %q, want %q, %q", tt.message, got("Mcp-Method"), got("Mcp-Name"), tt.method, tt.name)
		}
		if stateless := tt.method != "absent"; stateless != (h.Get("Mcp-Session-Id") == "") || stateless != (h.Get("Mcp-Protocol-Version") == firstStateless) {
			t.Errorf("%s\nheaders %v", tt.message, h)
		}
	}
}
