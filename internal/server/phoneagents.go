package server

import (
	"net/http"
	"time"

	"nod.dev/nod"
)

// phoneAgent is an agent as a phone shows what it may ask for.
type phoneAgent struct {
	ID     nod.AgentID `json:"id"`
	Name   string      `json:"name"`
	Mode   nod.Mode    `json:"mode"`
	Paused bool        `json:"paused"`
	// Only is true when what Switches does not name is off.
	Only     bool                       `json:"only"`
	Switches map[string]nod.AccessState `json:"switches"`
	// Phone is the one phone that the agent is bound to, if it is.
	Phone nod.PhoneID `json:"phone"`
	// Tainted lists the apps whose private data it was given lately.
	Tainted    []string  `json:"tainted"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
	AddedAt    time.Time `json:"added_at"`
}

// phoneAgents lists the agents of the phone's person: GET /phone/agents. To change
// what one may ask for takes a record that the phone signs, over its link.
func (s *Server) phoneAgents(w http.ResponseWriter, _ *http.Request, phone nod.Phone) {
	list, now := []phoneAgent{}, s.gateway.Now()
	for _, a := range s.gateway.Agents(phone.Person) {
		v := phoneAgent{
			ID: a.ID, Name: a.Name, Mode: a.Mode, Paused: a.Paused, Only: a.Access.Only, Switches: a.Access.Switches,
			Phone: a.Phone, Tainted: a.Tainted(now), LastUsedAt: clock(a.LastUsed), AddedAt: clock(a.Created),
		}
		if v.Switches == nil {
			v.Switches = map[string]nod.AccessState{}
		}
		if v.Tainted == nil {
			v.Tainted = []string{}
		}
		list = append(list, v)
	}
	answer(w, http.StatusOK, map[string]any{"agents": list})
}
