package mcphttp

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

// named says, for each method whose headers name what it is about, which
// parameter that is. tasks/* are those of the extension
// io.modelcontextprotocol/tasks.
var named = map[string]string{
	"tools/call":     "name",
	"prompts/get":    "name",
	"resources/read": "uri",
	"tasks/get":      "taskId",
	"tasks/update":   "taskId",
	"tasks/cancel":   "taskId",
}

// check compares the headers of a message without a session with its body
// (MCP 2026-07-28, Streamable HTTP, "Request metadata headers"). The library
// checks less: it takes the name undecoded, knows nothing of tasks, and takes
// the first of two headers. After check the headers are as the library wants
// them.
func (e envelope) check(h http.Header) *refusal {
	for _, name := range []string{versionHeader, methodHeader, nameHeader} {
		if len(h.Values(name)) > 1 {
			return mismatch("the header %s is there more than once", name)
		}
	}
	version := h.Get(versionHeader)
	switch {
	case version == "":
		return mismatch("the header MCP-Protocol-Version is missing: the message says that it follows %s", e.version)
	case e.version != "" && e.version != version:
		return mismatch("the header MCP-Protocol-Version says %q, the message %q", version, e.version)
	case e.method == "":
		return nil // an answer or a batch: the library says what is wrong with it
	}
	switch method := h.Get(methodHeader); method {
	case e.method:
	case "":
		return mismatch("the header Mcp-Method is missing: the message says %q", e.method)
	default:
		return mismatch("the header Mcp-Method says %q, the message %q", method, e.method)
	}
	key, ok := named[e.method]
	if !ok {
		return nil
	}
	if len(h.Values(nameHeader)) == 0 {
		return mismatch("the header Mcp-Name is missing: %s needs it", e.method)
	}
	name, ok := decodeHeader(h.Get(nameHeader))
	if !ok {
		return mismatch("the header Mcp-Name is not Base64 between =?base64? and ?=")
	}
	if inBody, ok := e.params[key].(string); !ok || inBody != name {
		return mismatch("the header Mcp-Name says %q, and the message's %s is another", name, key)
	}
	h.Set(nameHeader, name)
	return nil
}

func mismatch(format string, args ...any) *refusal {
	return &refusal{codeHeaderMismatch, fmt.Sprintf(format, args...)}
}

// decodeHeader reads a value that may stand as Base64 because a header cannot
// hold it as it is.
func decodeHeader(v string) (string, bool) {
	inner, ok := strings.CutPrefix(v, "=?base64?")
	if !ok {
		return v, true
	}
	if inner, ok = strings.CutSuffix(inner, "?="); !ok {
		return v, true
	}
	b, err := base64.StdEncoding.DecodeString(inner)
	return string(b), err == nil
}
