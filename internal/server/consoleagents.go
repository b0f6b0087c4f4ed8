package server

import (
	"net/http"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
)

func (s *Server) consoleAgents(w http.ResponseWriter, _ *http.Request, person nod.Person) {
	agents := []client.Agent{}
	for _, a := range s.gateway.Agents(person.ID) {
		agents = append(agents, viewAgent(a))
	}
	answer(w, http.StatusOK, map[string]any{"agents": agents})
}

// agentRequest is the body of POST /console/agents.
type agentRequest struct {
	Name        string   `json:"name"`
	Person      string   `json:"person"`
	Apps        []string `json:"apps"`
	Phone       string   `json:"phone"`
	WaitSeconds int64    `json:"wait_seconds"`
}

func (s *Server) consoleAddAgent(w http.ResponseWriter, r *http.Request) {
	var q agentRequest
	if err := decode(w, r, &q); err != nil {
		s.fail(w, r, err)
		return
	}
	person, err := s.findPerson(q.Person)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	agent, token, err := s.gateway.AddAgent(r.Context(), gateway.AgentSpec{
		Person: person.ID, Name: q.Name, Apps: q.Apps, Phone: q.Phone, WaitSeconds: int(q.WaitSeconds),
	})
	s.reply(w, r, client.NewAgent{Agent: viewAgent(agent), Token: token}, err)
}

func (s *Server) consoleRotateAgent(w http.ResponseWriter, r *http.Request, person nod.Person) {
	agent, token, err := s.gateway.RotateAgent(r.Context(), person.ID, r.PathValue("agent"))
	s.reply(w, r, client.NewAgent{Agent: viewAgent(agent), Token: token}, err)
}

func (s *Server) consoleRenameAgent(w http.ResponseWriter, r *http.Request, person nod.Person) {
	name, err := readName(w, r)
	var agent nod.Agent
	if err == nil {
		agent, err = s.gateway.RenameAgent(r.Context(), person.ID, r.PathValue("agent"), name)
	}
	s.reply(w, r, viewAgent(agent), err)
}

func (s *Server) consoleAgentWait(w http.ResponseWriter, r *http.Request, person nod.Person) {
	var q struct {
		Seconds int64 `json:"seconds"`
	}
	err := decode(w, r, &q)
	var agent nod.Agent
	if err == nil {
		agent, err = s.gateway.SetAgentWait(r.Context(), person.ID, r.PathValue("agent"), int(q.Seconds))
	}
	s.reply(w, r, viewAgent(agent), err)
}

func (s *Server) consoleSwitchOff(w http.ResponseWriter, r *http.Request, person nod.Person) {
	var q struct {
		Apps []string `json:"apps"`
	}
	err := decode(w, r, &q)
	inFlight := 0
	if err == nil {
		_, inFlight, err = s.gateway.SwitchOff(r.Context(), person.ID, r.PathValue("agent"), q.Apps)
	}
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}

func (s *Server) consolePauseAgent(w http.ResponseWriter, r *http.Request, person nod.Person) {
	_, inFlight, err := s.gateway.PauseAgent(r.Context(), person.ID, r.PathValue("agent"))
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}

func (s *Server) consoleRevokeAgent(w http.ResponseWriter, r *http.Request, person nod.Person) {
	var q struct {
		Wait bool `json:"wait"`
	}
	err := decode(w, r, &q)
	inFlight := 0
	if err == nil {
		inFlight, err = s.gateway.RevokeAgent(r.Context(), person.ID, r.PathValue("agent"), q.Wait)
	}
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}

// readName reads a body that holds a new name.
func readName(w http.ResponseWriter, r *http.Request) (string, error) {
	var q struct {
		Name string `json:"name"`
	}
	err := decode(w, r, &q)
	return q.Name, err
}
