package stdio

import (
	"bytes"
	"encoding/json"
	"strconv"

	"nod.dev/nod/internal/wire"
)

// Methods that the proxy must know to carry them well.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodCall        = "tools/call"
	methodListen      = "subscriptions/listen"
)

// subjects says which parameter of a method its header Mcp-Name repeats (MCP
// 2026-07-28; tasks/* are those of the extension io.modelcontextprotocol/tasks).
var subjects = map[string]string{
	methodCall: "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

// Error codes of JSON-RPC.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeInternal = -32603
)

// message is one JSON-RPC message, and what of it matters on the way.
type message struct {
	raw    []byte // as it came
	id     json.RawMessage
	method string
	// version is the protocol revision that the message itself names.
	version string
	// subject is what its header Mcp-Name repeats.
	subject string
	// cancels is the id of the request that a cancellation is about.
	cancels json.RawMessage
}

// readMessage takes a message apart. tree is the same line, parsed strictly, so
// that no key is there twice; keys match exactly.
func readMessage(tree any, line []byte) (message, bool) {
	if _, ok := tree.(map[string]any); !ok {
		return message{}, false
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(line, &outer) != nil {
		return message{}, false
	}
	m := message{raw: line, id: present(outer["id"])}
	_ = json.Unmarshal(outer["method"], &m.method) // an answer has none
	var params map[string]json.RawMessage
	if json.Unmarshal(outer["params"], &params) == nil {
		m.cancels = present(params["requestId"])
		_ = json.Unmarshal(params[subjects[m.method]], &m.subject)
		var meta map[string]json.RawMessage
		if json.Unmarshal(params["_meta"], &meta) == nil {
			_ = json.Unmarshal(meta["io.modelcontextprotocol/protocolVersion"], &m.version)
		}
	}
	if m.method == "" {
		m.id = nil // an answer: nothing comes back for it
	}
	return m, true
}

// stateless reports whether the message says all of itself, without a session.
func (m message) stateless() bool { return m.version >= firstStateless }

// present is a value that is there and is not null.
func present(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// key is an id as a map key, however it was written: 1 and 1.0 are one, 1 and "1"
// are two.
func key(id json.RawMessage) string {
	switch v, _ := wire.Parse(id); v := v.(type) {
	case string:
		return "s" + v
	case int64:
		return "n" + strconv.FormatInt(v, 10)
	}
	return string(bytes.TrimSpace(id))
}

// refuse answers a request, or what could not be read as one, with an error.
func (p *proxy) refuse(id json.RawMessage, code int, text string) {
	p.answer(id, "error", map[string]any{"code": code, "message": text})
}

// say answers a tool call in words, as the gateway would.
func (p *proxy) say(id json.RawMessage, text string) {
	p.answer(id, "result", map[string]any{
		"content": []any{map[string]any{"type": "text", "text": text}}, "isError": true,
	})
}

func (p *proxy) answer(id json.RawMessage, kind string, value any) {
	if id == nil {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, kind: value})
	if err != nil {
		p.log.Error("an answer could not be encoded", "err", err) // our own shapes only
		return
	}
	p.write(b)
}

// flat is a message on one line, as the pipe needs it.
func flat(message []byte) []byte {
	if !bytes.ContainsAny(message, "\r\n") {
		return message
	}
	var b bytes.Buffer
	if json.Compact(&b, message) != nil {
		return bytes.ReplaceAll(bytes.ReplaceAll(message, []byte("\r"), nil), []byte("\n"), []byte(" "))
	}
	return b.Bytes()
}
