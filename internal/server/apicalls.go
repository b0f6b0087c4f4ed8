package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
)

// maxPoll is the longest that one request of the HTTP API waits, in seconds:
// proxies cut an idle connection after 60.
const maxPoll = 50

// postCall sends a call: POST /v1/calls. It answers 200 with a call that has
// ended, else 202; with ?wait=SECONDS it waits that long for the end.
func (s *Server) postCall(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	wait, err := seconds("wait", r.URL.Query().Get("wait"), maxPoll)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ask, err := s.readAsk(w, r, agent)
	if err != nil {
		s.fail(w, r, err)
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
	over := s.ends.of(c.Agent)
	_, dead := s.authenticate(r)
	if dead == nil {
		var err error
		if c, err = s.final(r.Context(), c, wait, over); err != nil {
			s.holds.lose(c.Agent, c.ID, gracePolled)
			s.fail(w, r, err)
			return
		}
		_, dead = s.authenticate(r)
	}
	if dead != nil && c.Outcome != nod.Withdrawn {
		s.drop(r.Context(), c)
		s.fail(w, r, dead)
		return
	}
	if !c.Final() {
		s.holds.lose(c.Agent, c.ID, gracePolled)
		w.Header().Set("Location", "/v1/calls/"+string(c.ID))
		answer(w, http.StatusAccepted, s.view(c))
		return
	}
	s.holds.forget(c.ID)
	s.tell(w, r, c)
}

// tell answers with a call and what the phone read for it, and has the gateway
// told that it did if it has ended.
func (s *Server) tell(w http.ResponseWriter, r *http.Request, c nod.Call) {
	if r.Method == http.MethodHead { // nobody reads it
		answer(w, http.StatusOK, s.view(c))
		return
	}
	v, whole, err := s.single(r.Context(), c)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.hand(w, r, c, v, whole)
}

// hand answers with a call, whole or not.
func (s *Server) hand(w http.ResponseWriter, r *http.Request, c nod.Call, v client.Call, whole bool) {
	answer(w, http.StatusOK, v)
	there := r.Context().Err() == nil // a client that goes away once it has the answer has it
	if err := http.NewResponseController(w).Flush(); err == nil && there && c.Final() && whole {
		s.handedOver(c)
	}
}

// drop takes a call back whose caller has no living token any more, unless
// another connection holds it or none decides over it.
func (s *Server) drop(ctx context.Context, c nod.Call) {
	opened := s.holds.leave(c.ID)
	if opened == 0 {
		return
	}
	_, err := s.gateway.TakeBack(context.WithoutCancel(ctx), c.Agent, c.ID, nod.WhyGone, opened)
	if err != nil && nod.CodeOf(err) != nod.CodeNotFound {
		s.log.Warn("a call of a dead token could not be taken back", "call", c.ID, "err", err)
	}
}

// cancelCall takes a call back: POST /v1/calls/{id}/cancel. Who comes too late is
// told how it ended, and not what was read: nobody who takes a read back wants it.
func (s *Server) cancelCall(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	c, err := s.gateway.Cancel(r.Context(), agent.ID, nod.CallID(r.PathValue("id")))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.holds.forget(c.ID)
	s.hand(w, r, c, s.view(c), !c.Data)
}

// listCalls lists the agent's calls, newest first, in pages:
// GET /v1/calls?state=open|ended&limit=&before=.
func (s *Server) listCalls(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	query := r.URL.Query()
	limit, err := pageLimit(query.Get("limit"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var calls []nod.Call
	q := gateway.AgentCalls{Before: nod.CallID(query.Get("before")), Limit: limit + 1} // one more tells whether there are more
	switch state := query.Get("state"); state {
	case "open":
		calls, err = s.openCalls(agent, q.Before)
	case "ended", "":
		q.Ended = state != ""
		calls, err = s.gateway.AgentCalls(r.Context(), agent, q)
	default:
		err = nod.Errorf(nod.CodeInvalid, "state is neither open nor ended", "leave it out for both")
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	list := client.Calls{Calls: []client.Call{}}
	for _, c := range calls[:min(limit, len(calls))] {
		list.Calls = append(list.Calls, s.view(c))
	}
	if len(calls) > limit {
		list.Next = calls[limit-1].ID
	}
	answer(w, http.StatusOK, list)
}

// openCalls are the agent's calls that have not ended, newest first, from the
// one after before on. All of them are in memory.
func (s *Server) openCalls(agent nod.Agent, before nod.CallID) ([]nod.Call, error) {
	open := s.gateway.OpenCalls(agent.ID)
	slices.Reverse(open)
	if before == "" {
		return open, nil
	}
	i := slices.IndexFunc(open, func(c nod.Call) bool { return c.ID == before })
	if i < 0 {
		return nil, nod.Errorf(nod.CodeNotFound, "the call to go on from has ended", "begin the list again")
	}
	return open[i+1:], nil
}
