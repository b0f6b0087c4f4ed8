package server

import (
	"sync"

	"nod.dev/nod"
)

// ends tells the requests that wait over the HTTP API that a token of their
// agent is dead. It has a channel for each agent that ever waited, and no more
// agents than the ledger has.
type ends struct {
	mu   sync.Mutex
	next map[nod.AgentID]chan struct{} // guarded by mu
}

// of is closed when the next token of the agent dies. Whoever asks makes sure
// after that that its own is not dead already.
func (e *ends) of(agent nod.AgentID) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.next[agent] == nil {
		if e.next == nil {
			e.next = map[nod.AgentID]chan struct{}{}
		}
		e.next[agent] = make(chan struct{})
	}
	return e.next[agent]
}

// end tells of a death.
func (e *ends) end(agent nod.AgentID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if over := e.next[agent]; over != nil {
		close(over)
		delete(e.next, agent)
	}
}
