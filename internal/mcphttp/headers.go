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
	methodCall:       "name",
	"prompts/get":    "name",
	"resources/read": "uri",
	"tasks/get":      "taskId",
	"tasks/update":   "taskId",
	"tasks/cancel":   "taskId",
}

// check compares the headers of a message without a session with its body
// (MCP 2026-07-28, Streamable HTTP, "Server Validation"). The library checks
// less: it takes the name undecoded, knows nothing of tasks, takes the first of
// two headers, and wants headers of a notification, which the revision does not.
// After check the headers are as the library wants them.
func (e envelope) check(h http.Header) *refusal {
	switch {
	case e.batch:
		return invalid("one message at a time: this revision has no batches")
	case e.method == "":
		return invalid("a client sends requests and notifications, and nothing without a method")
	}
	for _, name := range []string{versionHeader, methodHeader, nameHeader} {
		if refusal := plain(h, name); refusal != nil {
			return refusal
		}
	}
	if refusal := e.checkVersion(h); refusal != nil {
		return refusal
	}
	switch method := h.Get(methodHeader); {
	case method == e.method:
	case method == "" && e.id == nil:
		h.Set(methodHeader, e.method)
	case method == "":
		return mismatch("the header Mcp-Method is missing: the message says %q", clip(e.method))
	default:
		return mismatch("the header Mcp-Method says %q, the message %q", clip(method), clip(e.method))
	}
	return e.checkName(h)
}

// plain refuses a header that is there twice, so that two readers could take it
// for two things, or that holds what a header cannot.
func plain(h http.Header, name string) *refusal {
	values := h.Values(name)
	if len(values) > 1 {
		return mismatch("the header %s is there more than once", name)
	}
	for _, v := range values {
		if strings.ContainsFunc(v, func(c rune) bool { return c != '\t' && (c < ' ' || c > '~') }) {
			return mismatch("the header %s holds what a header cannot; write it as =?base64?...?=", name)
		}
	}
	return nil
}

func (e envelope) checkVersion(h http.Header) *refusal {
	version := h.Get(versionHeader)
	switch {
	case version == "":
		return mismatch("the header MCP-Protocol-Version is missing: the message follows %q", clip(e.version))
	case e.version != "" && e.version != version:
		return mismatch("the header MCP-Protocol-Version says %q, the message %q", clip(version), clip(e.version))
	}
	return nil // a request that says nothing of it lacks a parameter: the library says so
}

func (e envelope) checkName(h http.Header) *refusal {
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
		return mismatch("the header Mcp-Name says %q, and the message's %s is another", clip(name), key)
	}
	h.Set(nameHeader, name)
	return nil
}

func mismatch(format string, args ...any) *refusal {
	return &refusal{code: codeHeaderMismatch, message: fmt.Sprintf(format, args...)}
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
