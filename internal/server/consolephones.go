package server

import (
	"net/http"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/gateway"
)

func (s *Server) consolePhones(w http.ResponseWriter, _ *http.Request, person nod.Person) {
	s.answerPhones(w, person.ID)
}

// answerPhones lists a person's phones, for an agent and at the console alike.
func (s *Server) answerPhones(w http.ResponseWriter, person nod.PersonID) {
	phones := []client.Phone{}
	for _, p := range s.gateway.Phones(person) {
		phones = append(phones, viewPhone(p))
	}
	answer(w, http.StatusOK, map[string]any{"phones": phones})
}

func (s *Server) consoleRenamePhone(w http.ResponseWriter, r *http.Request, person nod.Person) {
	name, err := readName(w, r)
	var phone nod.Phone
	if err == nil {
		phone, err = s.gateway.RenamePhone(r.Context(), person.ID, r.PathValue("phone"), name)
	}
	s.reply(w, r, viewPhone(gateway.PhoneStatus{Phone: phone}), err)
}

func (s *Server) consoleRevokePhone(w http.ResponseWriter, r *http.Request, person nod.Person) {
	_, inFlight, err := s.gateway.RevokePhone(r.Context(), person.ID, r.PathValue("phone"))
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}

// consolePair makes an invitation. Its link holds the secret in the fragment,
// which no browser sends to a server.
func (s *Server) consolePair(w http.ResponseWriter, r *http.Request, person nod.Person) {
	var q struct {
		Recover bool `json:"recover"`
	}
	if err := decode(w, r, &q); err != nil {
		s.fail(w, r, err)
		return
	}
	p, err := s.gateway.StartPairing(r.Context(), person.ID, q.Recover)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, client.Pairing{ID: p.ID, Link: auth.PairLink(s.base(), p.Secret), ExpiresAt: clock(p.Expires)})
}

// consolePairing answers where an invitation stands, once that is not what the
// caller knows any more, or after a while.
func (s *Server) consolePairing(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	wait, err := seconds("wait", q.Get("wait"), maxPoll)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	id, known := r.PathValue("id"), auth.PairState(q.Get("known"))
	var state auth.PairState
	var phone nod.Phone
	s.until(r.Context(), wait, func() bool {
		state, phone = s.gateway.Invitation(id)
		return state != known
	})
	view := client.PairingState{State: string(state)}
	if phone.ID != "" {
		p := viewPhone(gateway.PhoneStatus{Phone: phone})
		view.Phone = &p
	}
	answer(w, http.StatusOK, view)
}
