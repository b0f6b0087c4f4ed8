package server

import (
	"context"
	"net/http"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/wire"
)

// phonesGateway is what phones can do.
type phonesGateway interface {
	Ready() error
	LinkHandler() http.Handler
	Result(ctx context.Context, signed wire.Signed, text, salt string) error
	// Uploader says whose files for a call's result come with a token, and Upload
	// takes one of them.
	Uploader(call nod.CallID, token string) (nod.PhoneID, error)
	Upload(ctx context.Context, call nod.CallID, n int, token, mime string, data []byte) error
	Now() nod.Time

	Pair(ctx context.Context, q auth.PairRequest) (auth.PairReply, error)
	PairRecord(ctx context.Context, q auth.RecordRequest) error
	PairState(id string) auth.PairState

	PhoneByBearer(bearer string) (nod.Phone, error)
	People() []nod.Person
	Agents(person nod.PersonID) []nod.Agent
	Calls(ctx context.Context, person nod.PersonID, agent nod.AgentID, limit int) ([]nod.Call, error)
	PauseAgent(ctx context.Context, person nod.PersonID, agent string) (nod.Agent, int, error)
	PauseAll(ctx context.Context, person nod.PersonID, by string) (int, error)
	Waiting(person nod.PersonID) []auth.Waiting
	Reject(ctx context.Context, person nod.PersonID, pairing string) error

	historyGateway
	callbackGateway
	testGateway
	pushGateway
}

// postResult takes a signed result: POST /link/result. A page that is being
// closed sends it by beacon, as plain text and without a header of its own: its
// signature is the authentication.
func (s *Server) postResult(w http.ResponseWriter, r *http.Request) {
	b, err := upTo(maxWithText, w, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var sent struct {
		wire.Signed
		Text string `json:"text,omitempty"` // what was read, and its salt, as in a frame
		Salt string `json:"salt,omitempty"`
	}
	if err := wire.Decode(b, &sent); err != nil {
		s.fail(w, r, badJSON(err))
		return
	}
	if err := s.guessing(r, func() error { return s.gateway.Result(r.Context(), sent.Signed, sent.Text, sent.Salt) }); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// guessing runs what a stranger may try, and stops listening for a while to an
// address that keeps failing.
func (s *Server) guessing(r *http.Request, try func() error) error {
	from := s.bucket(r)
	if err := s.failures.spent(from); err != nil {
		return err
	}
	err := try()
	switch nod.CodeOf(err) {
	case nod.CodeForbidden, nod.CodeUnauthorized, nod.CodeNotFound:
		_ = s.failures.take(from)
	}
	return err
}

// pair takes a new phone's request: POST /pair.
func (s *Server) pair(w http.ResponseWriter, r *http.Request) {
	var q auth.PairRequest
	if err := decode(w, r, &q); err != nil {
		s.fail(w, r, err)
		return
	}
	var reply auth.PairReply
	err := s.guessing(r, func() (err error) {
		reply, err = s.gateway.Pair(r.Context(), q)
		return err
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, reply)
}

// pairRecord takes the record that a phone signed for itself: POST /pair/record.
func (s *Server) pairRecord(w http.ResponseWriter, r *http.Request) {
	var q auth.RecordRequest
	if err := decode(w, r, &q); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.guessing(r, func() error { return s.gateway.PairRecord(r.Context(), q) }); err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, auth.PairWait{State: auth.PairApproved})
}

const (
	// pairPoll is how long a phone that waits for another one's yes is kept waiting.
	pairPoll = 25 * time.Second
	// lookEvery is how often [Server.until] looks.
	lookEvery = 250 * time.Millisecond
)

// pairWait answers where a pairing stands once that changes, or after a while:
// GET /pair/wait?id=.
func (s *Server) pairWait(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	s.until(r.Context(), pairPoll, func() bool { return s.gateway.PairState(id) != auth.PairWaiting })
	answer(w, http.StatusOK, auth.PairWait{State: s.gateway.PairState(id)})
}

// until returns when is says so, after most, or when ctx ends. It looks again
// and again: what it waits for is rare, and a person is at both ends of it.
func (s *Server) until(ctx context.Context, most time.Duration, is func() bool) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// phoneHandler serves a request of a phone with a live link.
type phoneHandler func(w http.ResponseWriter, r *http.Request, phone nod.Phone)

// phone lets the phone of the request's bearer through to next. The bearer was
// given to it over its link, for as long as that link is up.
func (s *Server) phone(next phoneHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var phone nod.Phone
		err := s.guessing(r, func() error {
			bearer, err := auth.Bearer(r)
			if err != nil {
				return err
			}
			phone, err = s.gateway.PhoneByBearer(bearer)
			return err
		})
		if err != nil {
			s.fail(w, r, err)
			return
		}
		defer keep(r)()
		next(w, r, phone)
	}
}

// phonePause stops agents until a phone resumes them: POST /phone/pause.
func (s *Server) phonePause(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	var q struct {
		Agent string `json:"agent"`
	}
	err := decode(w, r, &q)
	inFlight := 0
	switch {
	case err != nil:
	case q.Agent != "":
		_, inFlight, err = s.gateway.PauseAgent(r.Context(), phone.Person, q.Agent)
	default:
		inFlight, err = s.gateway.PauseAll(r.Context(), phone.Person, string(phone.ID))
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, map[string]int{"in_flight": inFlight})
}

// phonePairing lists the phones that wait for this person's yes: GET /phone/pairing.
func (s *Server) phonePairing(w http.ResponseWriter, _ *http.Request, phone nod.Phone) {
	waiting := s.gateway.Waiting(phone.Person)
	if waiting == nil {
		waiting = []auth.Waiting{}
	}
	answer(w, http.StatusOK, map[string]any{"waiting": waiting})
}

// phoneReject turns a waiting phone down: POST /phone/pairing/reject. Saying
// yes is a signed record and comes over the link.
func (s *Server) phoneReject(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	var q struct {
		ID string `json:"id"`
	}
	err := decode(w, r, &q)
	if err == nil {
		err = s.gateway.Reject(r.Context(), phone.Person, q.ID)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
