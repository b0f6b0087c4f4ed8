package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/spec"
)

// agentsGateway is what agents can do.
type agentsGateway interface {
	AgentByToken(token string) (nod.Agent, error)
	Tools(agent nod.Agent) []spec.Tool
	Phones(person nod.PersonID) []gateway.PhoneStatus
	OnAgents(f func(gateway.AgentNews))

	Open(ctx context.Context, ask gateway.Ask) (nod.Call, error)
	Call(ctx context.Context, agent nod.AgentID, call nod.CallID) (nod.Call, error)
	OpenCalls(agent nod.AgentID) []nod.Call
	AgentCalls(ctx context.Context, agent nod.Agent, q gateway.AgentCalls) ([]nod.Call, error)
	AgentLog(ctx context.Context, agent nod.Agent, from int64, limit int) ([]log.Entry, error)
	LogSize(person nod.PersonID) int64
	Follow(agent nod.Agent) *gateway.Follower
	Since(ctx context.Context, agent nod.Agent, seq int64) (changes []gateway.Change, whole bool, err error)
	SwitchOffSelf(ctx context.Context, agent nod.AgentID, apps []string) (inFlight int, err error)
	PauseSelf(ctx context.Context, agent nod.AgentID) (inFlight int, err error)
	RevokeSelf(ctx context.Context, agent nod.AgentID) (inFlight int, err error)
	// Watch sends the call as it is and then each committed change of it.
	Watch(ctx context.Context, agent nod.AgentID, call nod.CallID) (<-chan nod.Call, func(), error)
	Cancel(ctx context.Context, agent nod.AgentID, call nod.CallID) (nod.Call, error)
	// TakeBack withdraws a call for the last of the connections that decided over
	// it, which opened it so many times.
	TakeBack(ctx context.Context, agent nod.AgentID, call nod.CallID, why nod.Why, opened int) (nod.Call, error)
	Gone(ctx context.Context, agent nod.AgentID, call nod.CallID) error
	Detach(ctx context.Context, agent nod.AgentID, call nod.CallID) (nod.Call, error)
	HandedOver(ctx context.Context, agent nod.AgentID, call nod.CallID) error
	// Release commits that the agent is given what the phone read, and returns it.
	Release(ctx context.Context, agent nod.AgentID, call nod.CallID) (gateway.Released, error)
	// ReleaseFile is Release of one of its files alone.
	ReleaseFile(ctx context.Context, agent nod.AgentID, call nod.CallID, n int) (gateway.Released, error)
}

// agentHandler serves a request of a known agent.
type agentHandler func(w http.ResponseWriter, r *http.Request, agent nod.Agent)

// agent lets the agent of the request's token through to next.
func (s *Server) agent(next agentHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		agent, err := s.authenticate(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		next(w, r, agent)
	}
}

// authenticate finds the agent of a request. An address that keeps sending
// wrong tokens is told to wait. The right one is heard from there all the same:
// behind one address can be several agents, and one of them outdated.
func (s *Server) authenticate(r *http.Request) (nod.Agent, error) {
	token, err := auth.Bearer(r)
	if err != nil {
		return nod.Agent{}, err
	}
	agent, err := s.gateway.AgentByToken(token)
	if err != nil {
		if nod.CodeOf(err) == nod.CodeUnauthorized {
			if late, ok := errors.AsType[*tooSoon](s.failures.take(s.bucket(r))); ok {
				late.refusal = nod.Errorf(nod.CodeTooMany, "too many wrong tokens came from this address, and this one is not known either",
					`make one with "nod agents add NAME"; it is heard at once`)
				return nod.Agent{}, late
			}
		}
		return nod.Agent{}, err
	}
	return agent, nil
}

// final waits until the call has its outcome, ctx or over ends, or wait has
// passed, and returns the call as it then is. None of these is an error.
func (s *Server) final(ctx context.Context, c nod.Call, wait time.Duration, over <-chan struct{}) (nod.Call, error) {
	if c.Final() || wait <= 0 {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	changes, stop, err := s.gateway.Watch(ctx, c.Agent, c.ID)
	if err != nil {
		return c, err
	}
	defer stop()
	for !c.Final() {
		select {
		case next, ok := <-changes:
			if !ok {
				return s.gateway.Call(context.WithoutCancel(ctx), c.Agent, c.ID)
			}
			c = next
		case <-over:
			return s.gateway.Call(context.WithoutCancel(ctx), c.Agent, c.ID)
		case <-s.closing:
			return c, nil
		case <-ctx.Done():
			return c, nil
		}
	}
	return c, nil
}

// handedOver tells the gateway that the agent has the call's final result in
// full: what it was never told, it is told when it asks again. That lasts ten
// minutes; a call that the gateway has in memory no more is past it.
func (s *Server) handedOver(c nod.Call) {
	err := s.gateway.HandedOver(context.Background(), c.Agent, c.ID)
	if err != nil && nod.CodeOf(err) != nod.CodeNotFound {
		s.log.Warn("a result that was handed over could not be noted", "call", c.ID, "err", err)
	}
}
