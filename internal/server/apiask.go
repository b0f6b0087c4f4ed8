package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/wire"
)

// callRequest is the body of POST /v1/calls, but for its arguments.
type callRequest struct {
	Tool        string   `json:"tool"`
	Phone       string   `json:"phone"`
	Mode        nod.Mode `json:"mode"`
	WaitSeconds int64    `json:"wait_seconds"`
	Detached    *bool    `json:"detached"`
}

// readAsk reads POST /v1/calls. What the body says wins over the headers of the
// agent's set-up. The arguments go to the gateway as the bytes they came in: it
// is the one that checks them.
func (s *Server) readAsk(w http.ResponseWriter, r *http.Request, agent nod.Agent) (gateway.Ask, error) {
	b, err := s.agentJSON(MaxBody, w, r)
	if err != nil {
		return gateway.Ask{}, err
	}
	var q callRequest
	if err := wire.Decode(b, &q); err != nil {
		return gateway.Ask{}, badJSON(err)
	}
	var raw map[string]json.RawMessage // a map's keys match exactly, and none is there twice: Decode saw to it
	if err := json.Unmarshal(b, &raw); err != nil {
		return gateway.Ask{}, badJSON(err)
	}
	if err := s.checkTool(q.Tool); err != nil {
		return gateway.Ask{}, err
	}
	ask := gateway.Ask{Agent: agent.ID, Tool: q.Tool, Arguments: raw["arguments"], Phone: q.Phone, Mode: q.Mode, Detached: true}
	if ask.Arguments == nil {
		ask.Arguments = []byte("{}")
	}
	if q.Detached != nil {
		ask.Detached = *q.Detached
	}
	err = readHeaders(&ask, q.WaitSeconds, r.Header)
	return ask, err
}

// checkTool refuses what can be no call of the HTTP API.
func (s *Server) checkTool(name string) error {
	if name == "" {
		return nod.Errorf(nod.CodeInvalid, "the call names no tool", "GET /v1/tools lists what this agent may ask for")
	}
	if tool, ok := s.spec.Tool(name); ok && tool.Gateway {
		return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%s is for agents that speak MCP", tool.Name),
			"here it is GET /v1/calls/{id}?wait=SECONDS and POST /v1/calls/{id}/cancel")
	}
	return nil
}

// readHeaders reads what a request's headers say of a call.
func readHeaders(ask *gateway.Ask, bodyWait int64, h http.Header) error {
	by, err := readSetUp(h)
	if err != nil {
		return err
	}
	if ask.Phone == "" {
		ask.Phone = by.phone
	}
	if ask.Mode == "" {
		ask.Mode = by.mode
	}
	if ask.Wait, err = cardWait(bodyWait, by.wait); err != nil {
		return err
	}
	ask.Key, err = idempotencyKey(h)
	return err
}

// cardWait is how long the card may wait: as the body says, else the header.
func cardWait(body int64, header time.Duration) (time.Duration, error) {
	if body < 0 || body > gateway.MaxWaitSeconds {
		return 0, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("wait_seconds is not from 1 to %d", gateway.MaxWaitSeconds), "leave it out for what the person has set")
	}
	if body == 0 {
		return header, nil
	}
	return time.Duration(body) * time.Second, nil
}

// keyHeader makes a call safe to send again (draft-ietf-httpapi-idempotency-key-header).
const keyHeader = "Idempotency-Key"

// maxKey bounds an idempotency key, in characters.
const maxKey = 255

// idempotencyKey reads the key. One that is there and empty is refused: it is a
// variable that was never set, and its call would not be safe to send again.
func idempotencyKey(h http.Header) (string, error) {
	key, err := one(h, keyHeader)
	if err != nil || len(h.Values(keyHeader)) == 0 {
		return "", err
	}
	plain := key != "" && len(key) <= maxKey
	for _, c := range []byte(key) {
		plain = plain && c > ' ' && c < 0x7f
	}
	if !plain {
		return "", nod.Errorf(nod.CodeInvalid, "the idempotency key is not 1 to 255 letters, digits and signs of ASCII",
			"a fresh random id for each call is best, as a UUID")
	}
	return key, nil
}
