package server

import (
	"net/http"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
)

// phoneSettings is what a phone sets for its person, kept by the gateway: what
// is only about the phone itself, the phone keeps. GET and PUT /phone/settings.
type phoneSettings struct {
	// WaitSeconds is how long a card waits for an answer.
	WaitSeconds int64 `json:"wait_seconds"`
}

func (s *Server) phoneSettings(w http.ResponseWriter, _ *http.Request, phone nod.Phone) {
	answer(w, http.StatusOK, s.settingsOf(phone.Person))
}

func (s *Server) settingsOf(person nod.PersonID) phoneSettings {
	for _, p := range s.gateway.People() {
		if p.ID == person {
			return phoneSettings{WaitSeconds: int64(p.WaitSeconds)}
		}
	}
	return phoneSettings{}
}

func (s *Server) phoneSetSettings(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	var q phoneSettings
	err := decode(w, r, &q)
	if err == nil {
		// Out of int's range is out of the gateway's too.
		err = s.gateway.SetWait(r.Context(), phone.Person, phone.ID, int(min(max(q.WaitSeconds, 0), gateway.MaxWaitSeconds+1)))
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, s.settingsOf(phone.Person))
}
