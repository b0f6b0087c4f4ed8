package gateway

import (
	"context"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/spec"
)

// watcher holds the newest state of a call that its reader has not taken.
type watcher struct{ changes chan nod.Call }

// put replaces what the reader has not taken. Only one goroutine puts.
func (w *watcher) put(c nod.Call) {
	select {
	case <-w.changes:
	default:
	}
	w.changes <- c
}

// Watch tells of a call as it stands and of each change that is in the ledger;
// a reader that is slow sees the newest only. Stop must be called.
func (g *Gateway) Watch(ctx context.Context, agent nod.AgentID, id nod.CallID) (<-chan nod.Call, func(), error) {
	w := &watcher{changes: make(chan nod.Call, 1)}
	g.mu.Lock()
	defer g.mu.Unlock()
	c, ok := g.core.calls[id]
	if !ok {
		var err error
		if c, err = g.cfg.Ledger.Call(ctx, id); err != nil {
			return nil, nil, unread(id, err)
		}
	}
	if c.Agent != agent {
		return nil, nil, noSuchCall(id)
	}
	w.put(c)
	if g.watchers[id] == nil {
		g.watchers[id] = map[*watcher]bool{}
	}
	g.watchers[id][w] = true
	stop := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.watchers[id], w)
		if len(g.watchers[id]) == 0 {
			delete(g.watchers, id)
		}
	}
	return w.changes, stop, nil
}

// tell gives every change of an adopted turn to its watchers.
func (g *Gateway) tell(t *Turn) {
	if g.cfg.Observer != nil {
		for _, c := range t.endings {
			g.cfg.Observer.Ended(c)
		}
	}
	for _, id := range t.order {
		for w := range g.watchers[id] {
			w.put(t.calls[id])
		}
	}
	g.tellFollowers(t)
}

// Call returns a call of the agent's.
func (g *Gateway) Call(ctx context.Context, agent nod.AgentID, id nod.CallID) (nod.Call, error) {
	c, err := g.known(ctx, id)
	if err != nil {
		return nod.Call{}, unread(id, err)
	}
	if c.Agent != agent {
		return nod.Call{}, noSuchCall(id)
	}
	return c, nil
}

// unread is the error for a call that the ledger did not give. One that it could
// not read may be there: to be told that it is not, an agent would give it up.
func unread(id nod.CallID, err error) error {
	if nod.CodeOf(err) == nod.CodeNotFound {
		return noSuchCall(id)
	}
	return err
}

// OpenCalls lists an agent's calls that have no outcome yet, oldest first.
func (g *Gateway) OpenCalls(agent nod.AgentID) []nod.Call {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var open []nod.Call
	for _, id := range g.core.unfinished() {
		if c := g.core.calls[id]; c.Agent == agent {
			open = append(open, c)
		}
	}
	return open
}

// Calls lists calls of a person's, newest first.
func (g *Gateway) Calls(ctx context.Context, person nod.PersonID, agent nod.AgentID, limit int) ([]nod.Call, error) {
	return g.cfg.Ledger.Calls(ctx, store.Query{Person: person, Agent: agent, Limit: limit})
}

// Cancel takes a call back for its agent and returns it as it then stands.
func (g *Gateway) Cancel(ctx context.Context, agent nod.AgentID, id nod.CallID) (c nod.Call, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) {
		c, err = t.Cancel(agent, id)
		return err
	})
	if nod.CodeOf(err) == nod.CodeNotFound {
		return g.Call(ctx, agent, id) // it ended long ago
	}
	return c, err
}

// TakeBack withdraws a call for the last of the connections that decided over it,
// which opened it so many times, and returns it as it then stands. Another one
// that opened it meanwhile keeps it. why is [nod.WhyCancelled] where the agent said
// so, [nod.WhyGone] where its connection went away for good, [nod.WhyRestart]
// where the gateway ends.
func (g *Gateway) TakeBack(ctx context.Context, agent nod.AgentID, id nod.CallID, why nod.Why, opened int) (c nod.Call, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) {
		c, err = t.TakeBack(agent, id, why, opened)
		return err
	})
	return c, err
}

// Gone tells that a connection which waited for a call is over.
func (g *Gateway) Gone(ctx context.Context, agent nod.AgentID, id nod.CallID) error {
	return g.turn(ctx, func(t *Turn) error { return t.Gone(agent, id) })
}

// Detach lets a call live on without the connection that made it.
func (g *Gateway) Detach(ctx context.Context, agent nod.AgentID, id nod.CallID) (c nod.Call, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) {
		c, err = t.Detach(agent, id)
		return err
	})
	return c, err
}

// HandedOver records that the agent was given a call's final result in full.
func (g *Gateway) HandedOver(ctx context.Context, agent nod.AgentID, id nod.CallID) error {
	err := g.turn(ctx, func(t *Turn) error { return t.HandedOver(agent, id) })
	if nod.CodeOf(err) == nod.CodeNotFound {
		return nil // one of a flood, or ended long ago: nothing depends on it
	}
	return err
}

// Tools lists what an agent may name. It depends on the agent's access and on
// what its person's phones can ever do, never on which of them is there now.
func (g *Gateway) Tools(agent nod.Agent) []spec.Tool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.tools(agent)
}

func (g *Gateway) tools(agent nod.Agent) []spec.Tool {
	var tools []spec.Tool
	for _, tool := range g.cfg.Spec.Tools {
		if tool.Gateway || g.core.offers(agent, tool) {
			tools = append(tools, tool)
		}
	}
	return tools
}

// offers reports whether a tool is in an agent's list: phone_action while one
// of its apps is on, another while its own app is and a phone can ever do it.
func (k *Core) offers(agent nod.Agent, tool spec.Tool) bool {
	if tool.App != "" {
		return agent.Access.State(tool.App, tool.Kind, tool.Private) == nod.AccessAsk && !k.never(agent, tool.Capability)
	}
	for _, a := range k.spec.Phone.Actions {
		if agent.Access.State(a.App, tool.Kind, tool.Private) == nod.AccessAsk {
			return true
		}
	}
	return false
}

// never reports whether every phone that an agent may have act, of those that ever
// said what they can do, says that it cannot do this at all.
func (k *Core) never(agent nod.Agent, capability string) bool {
	if capability == "" {
		return false
	}
	said := false
	for _, p := range k.phones {
		if p.Person != agent.Person || p.Revoked != 0 || !p.Approved || p.Epoch == 0 || agent.Phone != "" && agent.Phone != p.ID {
			continue
		}
		i := slices.IndexFunc(p.Capabilities, func(c nod.Capability) bool { return c.ID == capability })
		if i < 0 || p.Capabilities[i].State != nod.Unsupported {
			return false
		}
		said = true
	}
	return said
}
