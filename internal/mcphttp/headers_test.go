package mcphttp

import (
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What a header says of a message is what the message says, or nothing runs:
// MCP 2026-07-28, "Server Validation" and "Value Encoding".
func TestHeaders(t *testing.T) {
	call := func(name string) string {
		return message("tools/call", firstStateless, `"name":`+name+`,"arguments":{}`)
	}
	for _, tt := range []struct {
		what   string
		header http.Header
		body   string
		status int
		code   int
		ran    string
	}{
		{"the name as it is", http.Header{nameHeader: {"echo"}}, call(`"echo"`), 200, 0, "echo"},
		{"the name as Base64", http.Header{nameHeader: {base64Of("echo")}}, call(`"echo"`), 200, 0, "echo"},
		{"a name that only Base64 can carry", http.Header{nameHeader: {base64Of("naïve")}}, call(`"naïve"`), 200, 0, "naïve"},
		{"a name that looks like Base64, as Base64", http.Header{nameHeader: {base64Of("=?base64?ZQ==?=")}}, call(`"=?base64?ZQ==?="`), 200, 0, "=?base64?ZQ==?="},
		{"a name that looks like Base64, as it is", http.Header{nameHeader: {"=?base64?ZQ==?="}}, call(`"=?base64?ZQ==?="`), 400, -32020, ""},
		{"a name beyond ASCII, as it is", http.Header{nameHeader: {"naïve"}}, call(`"naïve"`), 400, -32020, ""},
		{"another name", http.Header{nameHeader: {"wait"}}, call(`"echo"`), 400, -32020, ""},
		{"another name as Base64", http.Header{nameHeader: {base64Of("wait")}}, call(`"echo"`), 400, -32020, ""},
		{"the name in another case", http.Header{nameHeader: {"Echo"}}, call(`"echo"`), 400, -32020, ""},
		{"broken Base64", http.Header{nameHeader: {"=?base64?ZWNobw=?="}}, call(`"echo"`), 400, -32020, ""},
		{"Base64 with a line end", http.Header{nameHeader: {"=?base64?ZWNo\nbw==?="}}, call(`"echo"`), 400, -32020, ""},
		{"the marks in another case are no marks", http.Header{nameHeader: {"=?BASE64?ZWNobw==?="}}, call(`"echo"`), 400, -32020, ""},
		{"no name", http.Header{}, call(`"echo"`), 400, -32020, ""},
		{"an empty name", http.Header{nameHeader: {""}}, call(`"echo"`), 400, -32020, ""},
		{"two names", http.Header{nameHeader: {"echo", "wait"}}, call(`"echo"`), 400, -32020, ""},
		{"two names that are one", http.Header{nameHeader: {"echo", "echo"}}, call(`"echo"`), 400, -32020, ""},
		{"a name that is a number", http.Header{nameHeader: {"5"}}, call(`5`), 400, -32020, ""},
		{"two methods", http.Header{nameHeader: {"echo"}, methodHeader: {"tools/call", "tools/call"}}, call(`"echo"`), 400, -32020, ""},
		{"another method", http.Header{nameHeader: {"echo"}, methodHeader: {"tools/list"}}, call(`"echo"`), 400, -32020, ""},
		{"the method in another case", http.Header{nameHeader: {"echo"}, methodHeader: {"Tools/Call"}}, call(`"echo"`), 400, -32020, ""},
		{"no method", http.Header{nameHeader: {"echo"}, methodHeader: nil}, call(`"echo"`), 400, -32020, ""},
		{"two revisions", http.Header{nameHeader: {"echo"}, versionHeader: {firstStateless, firstStateless}}, call(`"echo"`), 400, -32020, ""},
		{"no revision", http.Header{nameHeader: {"echo"}, versionHeader: nil}, call(`"echo"`), 400, -32020, ""},
		{"an older revision", http.Header{nameHeader: {"echo"}, versionHeader: {"2025-11-25"}}, call(`"echo"`), 400, -32020, ""},
		{"a prompt", http.Header{nameHeader: {"p"}}, message("prompts/get", firstStateless, `"name":"q"`), 400, -32020, ""},
		{"a resource", http.Header{nameHeader: {"a:b"}}, message("resources/read", firstStateless, `"uri":"a:c"`), 400, -32020, ""},
		{"a task", http.Header{nameHeader: {"t"}}, message("tasks/get", firstStateless, `"taskId":"u"`), 400, -32020, ""},
		{"a task without a name", http.Header{}, message("tasks/cancel", firstStateless, `"taskId":"u"`), 400, -32020, ""},
		{"a task's name, and no such method here", http.Header{nameHeader: {"u"}}, message("tasks/update", firstStateless, `"taskId":"u"`), 404, -32601, ""},
		{"a name that is not asked for is nothing", http.Header{nameHeader: {"echo"}}, message("tools/list", firstStateless, ""), 200, 0, ""},
		{"a session that is not there is nothing", http.Header{sessionHeader: {"UNKNOWN"}}, message("tools/list", firstStateless, ""), 200, 0, ""},
		{"no such method", http.Header{}, message("tools/fly", firstStateless, ""), 404, -32601, ""},
		{"a notification without headers", http.Header{methodHeader: nil}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, 0, ""},
		{"a notification with another method", http.Header{methodHeader: {"x"}}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 400, -32020, ""},
		{"an answer", http.Header{}, `{"jsonrpc":"2.0","id":7,"result":{}}`, 400, -32600, ""},
		{"a batch", http.Header{}, `[` + call(`"echo"`) + `]`, 400, -32600, ""},
		{"a string", http.Header{}, `"echo"`, 400, -32600, ""},
		{"a doubled key", http.Header{nameHeader: {"echo"}}, call(`"wait","name":"echo"`), 400, -32700, ""},
		{"the name once more in another case", http.Header{nameHeader: {"echo"}}, call(`"echo","Name":"wait","NAME":"wait"`), 200, 0, "echo"},
		{"the name in another case alone", http.Header{nameHeader: {"wait"}}, message("tools/call", firstStateless, `"Name":"wait","arguments":{}`), 400, -32020, ""},
		{"the method once more in another case", http.Header{}, strings.Replace(message("tools/list", firstStateless, `"name":"echo"`), `"id"`, `"Method":"tools/call","id"`, 1), 200, 0, ""},
		{"the parameters once more in another case", http.Header{nameHeader: {"echo"}}, strings.Replace(call(`"echo"`), `"id"`, `"Params":{"name":"wait"},"id"`, 1), 200, 0, "echo"},
		{"a name with a letter that folds to another", http.Header{nameHeader: {"echo"}}, call(`"echo","ſname":"wait","namE":"wait"`), 200, 0, "echo"},
		{"no capabilities", http.Header{}, `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"` + metaVersion + `":"2026-07-28"}}}`, 400, -32602, ""},
	} {
		h := newHouse(t)
		a := ask{user: "A", version: firstStateless, body: tt.body}
		e, _ := readEnvelope([]byte(tt.body))
		a.method = e.method
		r := a.request(t.Context())
		for name, values := range tt.header {
			r.Header[name] = values
		}
		w := h.serveTo(r)
		if got := code(t, w); w.Code != tt.status || got != tt.code {
			t.Errorf("%s: answered %d, %d, want %d, %d\n%s", tt.what, w.Code, got, tt.status, tt.code, w.Body)
		}
		if got := strings.Join(h.calls(), " "); got != tt.ran {
			t.Errorf("%s: ran %q, want %q", tt.what, got, tt.ran)
		}
		if w.Header().Get(sessionHeader) != "" {
			t.Errorf("%s: a session was made", tt.what)
		}
	}
}

// A name comes through in whatever form the revision lets it travel, and no
// other name does.
func TestHeaderNames(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " echo", "echo ", "=?base64?", "=?base64??=", "=?base64?ZQ==?=", "a\tb", "a\nb"}))
	rapid.Check(t, func(t *rapid.T) {
		name, sent := text.Draw(t, "name"), text.Draw(t, "sent")
		e := envelope{id: []byte("1"), method: "tools/call", version: firstStateless, params: map[string]any{"name": name}}
		headers := func(v string) http.Header {
			return http.Header{versionHeader: {firstStateless}, methodHeader: {"tools/call"}, nameHeader: {v}}
		}
		if refusal := e.check(headers(base64Of(name))); refusal != nil {
			t.Fatalf("%q as Base64: %s", name, refusal.message)
		}
		h := headers(sent)
		refusal := e.check(h)
		decoded, isBase64 := decodeHeader(sent)
		printable := !strings.ContainsFunc(sent, func(c rune) bool { return c != '\t' && (c < ' ' || c > '~') })
		if want := printable && isBase64 && decoded == name; (refusal == nil) != want {
			t.Fatalf("%q for %q: %+v", sent, name, refusal)
		}
		if refusal == nil && h.Get(nameHeader) != name {
			t.Fatalf("the library sees %q, not %q", h.Get(nameHeader), name)
		}
	})
}

// The form of a name in a header is the one that the revision shows.
func TestHeaderForm(t *testing.T) {
	for want, v := range map[string]string{
		"us-west1":            "us-west1",
		"Hello, 世界":           "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":            "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":        "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":  "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?unfinished": "=?base64?unfinished",
	} {
		if got, ok := decodeHeader(v); !ok || got != want {
			t.Errorf("%s is %q, %v, want %q", v, got, ok, want)
		}
	}
	for _, v := range []string{"=?base64?*?=", "=?base64?YQ?=", "=?base64?YQ==YQ==?="} {
		if got, ok := decodeHeader(v); ok {
			t.Errorf("%s is %q, want nothing", v, got)
		}
	}
}
