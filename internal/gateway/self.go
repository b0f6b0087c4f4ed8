package gateway

import (
	"context"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

// byAgent is what the log says of a stop that an agent asked for itself.
const byAgent = "agent"

// SwitchOffSelf takes from an agent, at its own wish, some of what it may ask
// for, each like "maps:act", and counts its actions that are being carried out at
// this moment.
func (g *Gateway) SwitchOffSelf(ctx context.Context, agent nod.AgentID, apps []string) (inFlight int, err error) {
	if _, err := ParseAccess(apps, g.cfg.Spec.Apps); err != nil {
		return 0, err // before its turn: a list of thousands of words would hold up everybody's
	}
	err = g.turn(ctx, func(t *Turn) error {
		a, err := t.asking(agent)
		if err != nil {
			return err
		}
		var on []string // what is off already is not logged again
		for _, app := range apps {
			if a.Access.Switches[app] != nod.AccessOff && !slices.Contains(on, app) {
				on = append(on, app)
			}
		}
		if len(on) == 0 && len(apps) > 0 {
			return nil
		}
		_, inFlight, err = t.SwitchOff(a.Person, string(a.ID), on)
		return err
	})
	return inFlight, err
}

// PauseSelf stops an agent at its own wish until a phone resumes it, and counts
// its actions that are being carried out at this moment. An agent may narrow
// itself and never widen (design section 7).
func (g *Gateway) PauseSelf(ctx context.Context, agent nod.AgentID) (inFlight int, err error) {
	err = g.turn(ctx, func(t *Turn) error {
		a, err := t.asking(agent)
		if err == nil && !a.Paused { // else an agent in a loop could fill the log
			inFlight = t.pauseAgent(a, byAgent)
		}
		return err
	})
	return inFlight, err
}

// RevokeSelf removes an agent for good at its own wish: one whose token got into
// wrong hands can end it from where it is.
func (g *Gateway) RevokeSelf(ctx context.Context, agent nod.AgentID) (inFlight int, err error) {
	err = g.turn(ctx, func(t *Turn) error {
		a, err := t.asking(agent)
		if err == nil && a.Revoked == 0 {
			inFlight = len(t.revokeAgent(a))
		}
		return err
	})
	return inFlight, err
}

// AgentCalls selects from an agent's own calls.
type AgentCalls struct {
	// Ended leaves out those that have no outcome yet.
	Ended bool
	// Before continues a list: only calls older than this one of the agent's.
	Before nod.CallID
	Limit  int
}

// AgentCalls lists an agent's own calls, newest first. Those of a flood are not
// in the ledger.
func (g *Gateway) AgentCalls(ctx context.Context, agent nod.Agent, q AgentCalls) ([]nod.Call, error) {
	if q.Before != "" {
		if _, err := g.Call(ctx, agent.ID, q.Before); err != nil {
			return nil, err
		}
	}
	query := store.Query{Person: agent.Person, Agent: agent.ID, Before: q.Before, Limit: q.Limit}
	if q.Ended {
		query.State = nod.Closed
	}
	return g.cfg.Ledger.Calls(ctx, query)
}

// AgentLog returns up to limit entries of the log that are about an agent or its
// calls, oldest first: those from seq on, or the newest where from is 0. What is
// not about a call comes without its payload: it is the person's.
func (g *Gateway) AgentLog(ctx context.Context, agent nod.Agent, from int64, limit int) ([]log.Entry, error) {
	entries, err := g.cfg.Ledger.EntriesBy(ctx, agent.Person, agent.ID, from, limit)
	for i := range entries {
		if entries[i].Call == "" {
			entries[i].Payload = nil
		}
	}
	return entries, err
}
