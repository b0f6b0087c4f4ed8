package mcptask

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Declared reports whether the client declared the extension in this very
// request. What it declared before does not count.
func Declared(req mcp.Request) bool {
	params := req.GetParams()
	if !current(req) || params == nil {
		return false
	}
	return declared(params.GetMeta())
}

// current reports whether the request follows a revision that has the extension.
func current(req mcp.Request) bool {
	r, ok := req.(interface{ ProtocolVersion() string })
	return ok && r.ProtocolVersion() >= firstRevision
}

// declared looks for the extension among the capabilities that a request's
// _meta declares. Its value is an object, so far an empty one.
func declared(meta map[string]any) bool {
	at := any(meta[mcp.MetaKeyClientCapabilities])
	for _, key := range []string{"extensions", Extension} {
		object, ok := at.(map[string]any)
		if !ok {
			return false
		}
		at = object[key]
	}
	_, ok := at.(map[string]any)
	return ok
}

// required is what a client lacks. The library's own shape of it would ask for
// roots as well.
const required = `{"requiredCapabilities":{"extensions":{"` + Extension + `":{}}}}`

// Missing is the error for a client that did not declare the extension and asks
// for what belongs to it.
func Missing() *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    mcp.CodeMissingRequiredClientCapabilities,
		Data:    json.RawMessage(required),
		Message: "this needs the client to declare the extension " + Extension + " in the request",
	}
}

// Listen says with which error subscriptions/listen with these params is to be
// refused, nil for none: a client that did not declare the extension cannot
// subscribe to tasks. One that did is told of none in the acknowledgement.
func Listen(params map[string]any) *jsonrpc.Error {
	notifications, _ := params["notifications"].(map[string]any)
	meta, _ := params["_meta"].(map[string]any)
	if _, asked := notifications["taskIds"]; !asked || declared(meta) {
		return nil
	}
	return Missing()
}

// slot is where a tool's handler leaves the task that is its answer.
type slot struct{ task *Task }

type slotKey struct{}

// Answer makes the tool call that ctx belongs to answer with a task. The ledger
// must know the task already, so that a tasks/get which comes at once finds it.
// The result stands in for the answer; the handler returns it as it is. The
// error is [Missing] when the client did not declare the extension.
func Answer(ctx context.Context, t Task) (*mcp.CallToolResult, error) {
	s, ok := ctx.Value(slotKey{}).(*slot)
	if !ok {
		return nil, Missing()
	}
	s.task = &t
	return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
}
