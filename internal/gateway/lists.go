package gateway

import (
	"strings"

	"nod.dev/nod"
)

// AgentNews is what an agent's door has to act on at once.
type AgentNews struct {
	Agent nod.AgentID
	// List: the tools that it may name are others than before; see [Gateway.Tools].
	List bool
	// Over: a token of it is dead. It was removed, or given a new one.
	Over bool
}

// OnAgents has f called with every [AgentNews], once the ledger holds what it
// tells of and before whoever caused it hears that it is done; nil for nobody.
// One f is known at a time. It must not wait, and must not call the gateway.
func (g *Gateway) OnAgents(f func(AgentNews)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.onAgents = f
	g.lists = map[nod.AgentID]string{}
	for id, a := range g.core.agents {
		g.lists[id] = g.list(a)
	}
}

// list names an agent's tools, in order.
func (g *Gateway) list(a nod.Agent) string {
	var names []string
	for _, tool := range g.tools(a) {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// agentNews compares what an adopted turn left with what was there before. What
// changes a list is the agent's own access, and what its person's phones can do.
func (g *Gateway) agentNews(t *Turn) []AgentNews {
	if g.onAgents == nil || len(t.agents)+len(t.phones)+len(t.batch.Tokens) == 0 {
		return nil
	}
	people := map[nod.PersonID]bool{}
	for _, p := range t.phones {
		people[p.Person] = true
	}
	var news []AgentNews
	for id, a := range g.core.agents {
		_, touched := t.agents[id]
		n := AgentNews{Agent: id, Over: rotated(t, id) || touched && a.Revoked != 0}
		if touched || people[a.Person] {
			now := g.list(a)
			n.List = a.Revoked == 0 && now != g.lists[id]
			g.lists[id] = now
		}
		if n.List || n.Over {
			news = append(news, n)
		}
	}
	return news
}
