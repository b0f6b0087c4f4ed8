package mcphttp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod/internal/wire"
)

// Methods that the transport itself treats apart.
const (
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
	methodCall       = "tools/call"
)

// Where a message of 2026-07-28 says which revision it follows.
const metaVersion = "io.modelcontextprotocol/protocolVersion"

// refusal is a JSON-RPC error.
type refusal struct {
	code    int
	message string
	data    any // nil for none
}

// Codes of JSON-RPC 2.0, and of MCP 2026-07-28.
const (
	codeParse          = -32700
	codeInvalid        = -32600
	codeHeaderMismatch = -32020
	codeUnsupported    = -32022
)

var errNoSession = invalid("begin with initialize, and name the session it makes in the header Mcp-Session-Id")

func invalid(message string) *refusal { return &refusal{code: codeInvalid, message: message} }

// write answers the message id, nil for one that has none, with the refusal.
func (f *refusal) write(w http.ResponseWriter, status int, id json.RawMessage) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if id == nil {
		id = json.RawMessage("null")
	}
	problem := map[string]any{"code": f.code, "message": f.message}
	if f.data != nil {
		problem["data"] = f.data
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": problem}) // a reader that went away is no news here
}

// envelope is what the transport needs to know of a body: of its one message, or
// of a batch nothing but that it is one.
type envelope struct {
	batch   bool
	id      json.RawMessage // as it was written; nil for none
	method  string          // empty for an answer
	version string          // what _meta says; empty for nothing
	params  map[string]any  // nil for none
}

// maxBatch bounds a batch, which is 2025-03-26's alone: each of its messages is
// work of its own, and may wait for a person.
const maxBatch = 16

// readEnvelope parses a body strictly. With a refusal it returns whose it is.
func readEnvelope(body []byte) (envelope, *refusal) {
	tree, err := wire.Parse(body)
	if err != nil {
		return envelope{}, &refusal{code: codeParse, message: "the message is not strict JSON: " + err.Error()}
	}
	var e envelope
	switch message := tree.(type) {
	case map[string]any:
		e.method, _ = message["method"].(string)
		e.params, _ = message["params"].(map[string]any)
		meta, _ := e.params["_meta"].(map[string]any)
		e.version, _ = meta[metaVersion].(string)
		e.id = idOf(body)
		return e, checkID(message)
	case []any:
		e.batch = true
		if len(message) > maxBatch {
			return e, invalid(fmt.Sprintf("a batch has at most %d messages", maxBatch))
		}
		for _, m := range message {
			if refusal := checkID(m); refusal != nil {
				return e, refusal
			}
		}
	default:
		return envelope{}, invalid("a message is a JSON object")
	}
	return e, nil
}

// checkID refuses an id under which no answer would come: the library keeps the
// whole part of a number, as far as it can.
func checkID(message any) *refusal {
	object, _ := message.(map[string]any)
	switch object["id"].(type) {
	case nil, string, int64:
		return nil
	}
	return invalid(fmt.Sprintf("an id is a string, or a whole number of at most %d", int64(wire.MaxInteger)))
}

// outside says what is wrong with a message of an old revision that belongs to
// no session and begins none.
func (e envelope) outside() *refusal {
	known := mcp.SupportedProtocolVersions()
	if e.version == "" || slices.Contains(known, e.version) {
		return errNoSession
	}
	return &refusal{code: codeUnsupported, message: fmt.Sprintf("the revision %q is not spoken here", clip(e.version)),
		data: map[string]any{"supported": known, "requested": clip(e.version)}}
}

// listChanged is what a subscription is sent when the list of tools changes; nil
// when it did not ask to hear of that.
func (e envelope) listChanged() []byte {
	wanted, _ := e.params["notifications"].(map[string]any)
	if yes, _ := wanted["toolsListChanged"].(bool); !yes || e.id == nil {
		return nil
	}
	return listChanged(e.id)
}

// listChanged is notifications/tools/list_changed as an event, for the
// subscription with the id, or for a session's stream.
func listChanged(id json.RawMessage) []byte {
	message := map[string]any{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
	if id != nil {
		message["params"] = map[string]any{"_meta": map[string]any{mcp.MetaKeySubscriptionID: id}}
	}
	b, err := json.Marshal(message)
	if err != nil {
		return nil // an id that was parsed is JSON
	}
	return append(append([]byte("event: message\ndata: "), b...), "\n\n"...)
}

// clip shortens what a refusal quotes of what it refuses.
func clip(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
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
