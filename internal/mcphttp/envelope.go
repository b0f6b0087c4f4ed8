package mcphttp

import (
	"encoding/json"
	"net/http"

	"nod.dev/nod/internal/wire"
)

// Methods that the transport itself treats apart.
const (
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
)

// Where a message of 2026-07-28 says which revision it follows.
const metaVersion = "io.modelcontextprotocol/protocolVersion"

// refusal is a JSON-RPC error.
type refusal struct {
	code    int
	message string
}

// Codes of JSON-RPC 2.0, and of MCP 2026-07-28.
const (
	codeParse          = -32700
	codeInvalid        = -32600
	codeHeaderMismatch = -32020
)

var errNoSession = &refusal{codeInvalid, "begin with initialize, and name the session it makes in the header Mcp-Session-Id"}

// write answers the message id, nil for one that has none, with the refusal.
func (f *refusal) write(w http.ResponseWriter, status int, id json.RawMessage) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if id == nil {
		id = json.RawMessage("null")
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // a reader that went away is no news here
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": f.code, "message": f.message},
	})
}

// envelope is what the transport needs to know of a body: of its one message, or
// of a batch nothing but that it is one.
type envelope struct {
	id      json.RawMessage // as it was written; nil for none
	method  string
	version string         // what _meta says; empty for nothing
	params  map[string]any // nil for none
}

// readEnvelope parses a body strictly.
func readEnvelope(body []byte) (envelope, *refusal) {
	tree, err := wire.Parse(body)
	if err != nil {
		return envelope{}, &refusal{codeParse, "the message is not strict JSON: " + err.Error()}
	}
	var e envelope
	switch message := tree.(type) {
	case map[string]any:
		e.method, _ = message["method"].(string)
		e.params, _ = message["params"].(map[string]any)
		meta, _ := e.params["_meta"].(map[string]any)
		e.version, _ = meta[metaVersion].(string)
		e.id = idOf(body)
	case []any:
	default:
		return envelope{}, &refusal{codeInvalid, "a message is a JSON object"}
	}
	return e, nil
}

// idOf is the id of a message, byte for byte, if it is one that JSON-RPC knows.
func idOf(body []byte) json.RawMessage {
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		return nil
	}
	switch id := outer["id"]; {
	case len(id) == 0, id[0] == '{', id[0] == '[', id[0] == 't', id[0] == 'f':
		return nil
	default:
		return id
	}
}
