package server

import (
	"net/http"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

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
	s.answerPhones(w, agent.Person)
}

// me answers the agent that the token belongs to: GET /v1/me.
func (s *Server) me(w http.ResponseWriter, _ *http.Request, agent nod.Agent) {
	answer(w, http.StatusOK, s.viewSelf(agent))
}

// viewSelf is an agent as it sees itself.
func (s *Server) viewSelf(agent nod.Agent) client.Agent {
	view := viewAgent(agent)
	for _, p := range s.gateway.People() {
		if p.ID == agent.Person {
			view.PausedAll = p.PausedAll
		}
	}
	return view
}

// switchMeOff gives up some of what the agent may ask for: POST /v1/me/off.
func (s *Server) switchMeOff(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	var q struct {
		Apps []string `json:"apps"`
	}
	b, err := s.agentJSON(maxSmall, w, r)
	if err == nil {
		err = readJSON(b, &q)
	}
	var inFlight int
	if err == nil {
		inFlight, err = s.gateway.SwitchOffSelf(r.Context(), agent.ID, q.Apps)
	}
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}

// pauseMe stops the agent at its own wish until a phone resumes it:
// POST /v1/me/pause.
func (s *Server) pauseMe(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	inFlight, err := s.gateway.PauseSelf(r.Context(), agent.ID)
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}

// revokeMe removes the agent for good at its own wish: POST /v1/me/revoke.
func (s *Server) revokeMe(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	inFlight, err := s.gateway.RevokeSelf(r.Context(), agent.ID)
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}
