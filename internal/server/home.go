package server

import (
	"net/http"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// homeCalls is how many calls a phone's start page shows.
const homeCalls = 50

// home is what a phone's start page shows: GET /phone/home.
type home struct {
	Person string      `json:"person"`
	Phone  homePhone   `json:"phone"`
	Paused bool        `json:"paused"`
	Agents []homeAgent `json:"agents"`
	Calls  []homeCall  `json:"calls"` // newest first
}

type homePhone struct {
	ID   nod.PhoneID `json:"id"`
	Name string      `json:"name"`
	Host nod.Host    `json:"host"`
}

type homeAgent struct {
	ID       nod.AgentID `json:"id"`
	Name     string      `json:"name"`
	Paused   bool        `json:"paused"`
	LastUsed time.Time   `json:"last_used,omitzero"`
}

// homeCall is a call as the person reads about it.
type homeCall struct {
	ID        nod.CallID  `json:"id"`
	Agent     nod.AgentID `json:"agent"`
	AgentName string      `json:"agent_name"`
	Tool      string      `json:"tool"`
	Action    string      `json:"action"`
	Fields    nod.Fields  `json:"fields"`
	State     nod.State   `json:"state"`
	Outcome   nod.Outcome `json:"outcome"`
	Why       nod.Why     `json:"why"`
	Text      string      `json:"text"`
	At        time.Time   `json:"at"`
	EndedAt   time.Time   `json:"ended_at,omitzero"`
	// DecidedBy names the phone whose answer counted.
	DecidedBy string   `json:"decided_by"`
	App       string   `json:"app"`
	Kind      nod.Kind `json:"kind"`
	Rule      nod.Rule `json:"rule"`
	Basis     string   `json:"basis"`
	// ReleasedAt is when what the phone read was first handed to the agent.
	ReleasedAt time.Time `json:"released_at,omitzero"`
}

func (s *Server) phoneHome(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	h := home{
		Phone:  homePhone{ID: phone.ID, Name: phone.Name, Host: phone.Host},
		Agents: []homeAgent{}, Calls: []homeCall{},
	}
	for _, p := range s.gateway.People() {
		if p.ID == phone.Person {
			h.Person, h.Paused = p.Name, p.PausedAll
		}
	}
	for _, a := range s.gateway.Agents(phone.Person) {
		h.Agents = append(h.Agents, homeAgent{ID: a.ID, Name: a.Name, Paused: a.Paused, LastUsed: clock(a.LastUsed)})
	}
	calls, err := s.gateway.Calls(r.Context(), phone.Person, "", homeCalls)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	n := s.names(phone.Person)
	for _, c := range calls {
		h.Calls = append(h.Calls, viewHome(c, n))
	}
	answer(w, http.StatusOK, h)
}

// viewHome is a call for the person. Its fields are those of the offer: what
// was on the card. A call that never became one has none.
func viewHome(c nod.Call, n names) homeCall {
	v := homeCall{
		ID: c.ID, Agent: c.Agent, AgentName: n.agents[c.Agent], Tool: c.Tool, Action: c.Action, Fields: nod.Fields{},
		State: c.State, Outcome: c.Outcome, Why: c.Why, Text: c.Text,
		At: clock(c.Received), EndedAt: clock(c.Ended), DecidedBy: n.phones[c.DecidedBy],
		App: c.App, Kind: c.Kind, Rule: c.Verdict.Rule, Basis: c.Verdict.Basis, ReleasedAt: clock(c.Released),
	}
	var offer wire.OfferBody
	if len(c.Offer) > 0 && wire.Decode(c.Offer, &offer) == nil {
		v.Fields = offer.Fields
		if v.AgentName == "" {
			v.AgentName = offer.AgentName
		}
	}
	return v
}
