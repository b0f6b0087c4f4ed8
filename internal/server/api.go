package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/wire"
)

// maxPoll is the longest that one request of the HTTP API waits: proxies cut an
// idle connection after 60 seconds.
const maxPoll = 50

// maxKey bounds an idempotency key.
const maxKey = 128

// callRequest is the body of POST /v1/calls, but for its arguments.
type callRequest struct {
	Tool        string   `json:"tool"`
	Phone       string   `json:"phone"`
	Mode        nod.Mode `json:"mode"`
	WaitSeconds int64    `json:"wait_seconds"`
	Detached    *bool    `json:"detached"`
}

// postCall sends a call: POST /v1/calls. It answers 200 with a call that has
// ended, else 202; with ?wait=SECONDS it waits that long for the end.
func (s *Server) postCall(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	wait, err := seconds("wait", r.URL.Query().Get("wait"), maxPoll)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ask, err := readAsk(w, r, agent)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if tool, ok := s.spec.Tool(ask.Tool); ok && tool.Gateway {
		s.fail(w, r, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%s is for agents that speak MCP", tool.Name),
			"here it is GET /v1/calls/{id}?wait=SECONDS and POST /v1/calls/{id}/cancel"))
		return
	}
	c, err := s.gateway.Open(r.Context(), ask)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if !ask.Detached && !c.Final() {
		s.holds.open(c.ID)
	}
	s.poll(w, r, c, wait)
}

// readAsk reads the body of POST /v1/calls. The arguments go to the gateway as
// the bytes they came in: it is the one that checks them.
func readAsk(w http.ResponseWriter, r *http.Request, agent nod.Agent) (gateway.Ask, error) {
	b, err := jsonBody(w, r)
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
	if q.Tool == "" {
		return gateway.Ask{}, nod.Errorf(nod.CodeInvalid, "the call names no tool", "GET /v1/tools lists what this agent may ask for")
	}
	ask := gateway.Ask{Agent: agent.ID, Tool: q.Tool, Arguments: raw["arguments"], Phone: q.Phone, Mode: q.Mode, Detached: true}
	if ask.Arguments == nil {
		ask.Arguments = []byte("{}")
	}
	if q.Detached != nil {
		ask.Detached = *q.Detached
	}
	if ask.Phone == "" {
		ask.Phone = r.Header.Get(phoneHeader)
	}
	if ask.Mode == "" {
		ask.Mode = nod.Mode(r.Header.Get(modeHeader))
	}
	if ask.Wait, err = cardWait(q.WaitSeconds, r.Header); err != nil {
		return gateway.Ask{}, err
	}
	ask.Key = r.Header.Get("Idempotency-Key")
	if len(ask.Key) > maxKey {
		return gateway.Ask{}, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the idempotency key is longer than %d characters", maxKey), "use a shorter one")
	}
	return ask, nil
}

// cardWait is how long the card may wait: as the body says, else the header.
func cardWait(fromBody int64, h http.Header) (time.Duration, error) {
	if fromBody < 0 || fromBody > gateway.MaxWaitSeconds {
		return 0, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("wait_seconds is not from 1 to %d", gateway.MaxWaitSeconds), "leave it out for what the person has set")
	}
	header, err := headerWait(h)
	if err != nil || fromBody == 0 {
		return header, err
	}
	return time.Duration(fromBody) * time.Second, nil
}

// getCall answers a call of the agent, and waits for its end where asked:
// GET /v1/calls/{id}?wait=SECONDS.
func (s *Server) getCall(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	wait, err := seconds("wait", r.URL.Query().Get("wait"), maxPoll)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	c, err := s.gateway.Call(r.Context(), agent.ID, nod.CallID(r.PathValue("id")))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.holds.take(c.ID)
	s.poll(w, r, c, wait)
}

// poll waits for a call's end and answers. A caller that polls holds an
// attached call while it asks, and for a moment after: it will ask again.
func (s *Server) poll(w http.ResponseWriter, r *http.Request, c nod.Call, wait time.Duration) {
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{}) // not every writer has one
	c, err := s.final(r.Context(), c, wait)
	if err != nil {
		s.holds.lose(c.Agent, c.ID, gracePolled)
		s.fail(w, r, err)
		return
	}
	if !c.Final() {
		s.holds.lose(c.Agent, c.ID, gracePolled)
		answer(w, http.StatusAccepted, s.view(c))
		return
	}
	s.holds.forget(c.ID)
	answer(w, http.StatusOK, s.view(c))
	if err := rc.Flush(); err == nil && r.Context().Err() == nil {
		s.handedOver(c)
	}
}

// cancelCall takes a call back: POST /v1/calls/{id}/cancel.
func (s *Server) cancelCall(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	c, err := s.gateway.Cancel(r.Context(), agent.ID, nod.CallID(r.PathValue("id")))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.holds.forget(c.ID)
	answer(w, http.StatusOK, s.view(c))
}

// openCalls lists the agent's calls that have not ended: GET /v1/calls.
func (s *Server) openCalls(w http.ResponseWriter, _ *http.Request, agent nod.Agent) {
	list := client.Calls{Calls: []client.Call{}}
	for _, c := range s.gateway.OpenCalls(agent.ID) {
		list.Calls = append(list.Calls, s.view(c))
	}
	answer(w, http.StatusOK, list)
}

// listTools lists what the agent may ask for: GET /v1/tools.
func (s *Server) listTools(w http.ResponseWriter, _ *http.Request, agent nod.Agent) {
	tools := []client.Tool{}
	for _, t := range s.gateway.Tools(agent) {
		tools = append(tools, client.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, Kind: t.Kind, Risk: t.Risk, InputSchema: t.InputSchema,
		})
	}
	answer(w, http.StatusOK, map[string]any{"tools": tools})
}

// listPhones lists the phones of the agent's person: GET /v1/phones.
func (s *Server) listPhones(w http.ResponseWriter, _ *http.Request, agent nod.Agent) {
	phones := []client.Phone{}
	for _, p := range s.gateway.Phones(agent.Person) {
		phones = append(phones, viewPhone(p))
	}
	answer(w, http.StatusOK, map[string]any{"phones": phones})
}

// me answers the agent that the token belongs to: GET /v1/me.
func (s *Server) me(w http.ResponseWriter, _ *http.Request, agent nod.Agent) {
	answer(w, http.StatusOK, viewAgent(agent))
}
