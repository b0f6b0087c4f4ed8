package gateway

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/wire"
)

// maxPending bounds what a [Follower] keeps for a reader that does not take it.
const maxPending = 256

// Follower hears what becomes of one agent and its calls. It keeps the newest
// state of each call that its reader has not taken, so a slow reader sees fewer
// steps and never an old state.
type Follower struct {
	g      *Gateway
	agent  nod.AgentID
	person nod.PersonID
	ready  chan struct{}

	mu      sync.Mutex
	changes []Change // oldest first, one a call; guarded by mu
	lost    bool     // guarded by mu
}

// Change is a call as it is in the ledger after something happened to it.
type Change struct {
	Call nod.Call
	// Seq is the place in the person's log of the last entry that the change
	// made; 0 when it made none, as a wake-up on its way does.
	Seq int64
}

// Follow begins to listen for an agent. Stop must be called.
func (g *Gateway) Follow(agent nod.Agent) *Follower {
	f := &Follower{g: g, agent: agent.ID, person: agent.Person, ready: make(chan struct{}, 1)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.followers[agent.ID] == nil {
		g.followers[agent.ID] = map[*Follower]bool{}
	}
	g.followers[agent.ID][f] = true
	return f
}

// Stop ends the listening.
func (f *Follower) Stop() {
	f.g.mu.Lock()
	defer f.g.mu.Unlock()
	delete(f.g.followers[f.agent], f)
	if len(f.g.followers[f.agent]) == 0 {
		delete(f.g.followers, f.agent)
	}
}

// Ready has a value when a call of the agent's changed, or the agent itself or
// its person did: its rights may be others now, or gone.
func (f *Follower) Ready() <-chan struct{} { return f.ready }

// Take returns the changes since it was last called, in the order in which they
// came, and whether some were lost because there were too many.
func (f *Follower) Take() (changes []Change, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changes, lost = f.changes, f.lost
	f.changes, f.lost = nil, false
	return changes, lost
}

func (f *Follower) put(changes []Change) {
	f.mu.Lock()
	for _, c := range changes {
		i := slices.IndexFunc(f.changes, func(old Change) bool { return old.Call.ID == c.Call.ID })
		switch {
		case i >= 0 && c.Seq == 0:
			f.changes[i].Call = c.Call // it keeps its place: what a reader has up to there is whole
			continue
		case i >= 0:
			f.changes = slices.Delete(f.changes, i, i+1)
		case len(f.changes) >= maxPending:
			f.changes, f.lost = f.changes[1:], true
		}
		f.changes = append(f.changes, c)
	}
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default: // it is to look already
	}
}

// tellFollowers gives what an adopted turn changed to those who listen.
func (g *Gateway) tellFollowers(t *Turn) {
	if len(g.followers) == 0 {
		return
	}
	last := map[nod.CallID]int64{}
	for _, e := range t.batch.Entries {
		if e.Call != "" && e.Kind != call.LogReleased && e.Kind != logTaint {
			last[e.Call] = e.Seq
		}
	}
	changes := map[nod.AgentID][]Change{}
	for _, id := range t.order {
		c := t.calls[id]
		if last[id] == 0 && c.Final() {
			continue // handed out, or over: nothing that its agent sees of it
		}
		changes[c.Agent] = append(changes[c.Agent], Change{Call: c, Seq: last[id]})
	}
	for _, list := range changes {
		slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	for agent, list := range g.followers {
		_, touched := t.agents[agent]
		for f := range list {
			_, person := t.people[f.person]
			if touched || person || rotated(t, agent) || len(changes[agent]) > 0 {
				f.put(changes[agent])
			}
		}
	}
}

func rotated(t *Turn, agent nod.AgentID) bool {
	for _, token := range t.batch.Tokens {
		if token.Agent == agent {
			return true
		}
	}
	return false
}

// headSize is how many entries a signed head covers.
func headSize(head wire.Signed) int64 {
	var body wire.Head
	if wire.Decode([]byte(head.Body), &body) != nil {
		return 0
	}
	return body.Size
}

// maxSince bounds how many entries one look back takes.
const maxSince = 1000

// Since lists, oldest first, the agent's calls that have entries in the log
// after seq, each as it is now. It is not whole, and empty, when there are too
// many of them or the log ends before seq: then it was set back.
func (g *Gateway) Since(ctx context.Context, agent nod.Agent, seq int64) (changes []Change, whole bool, err error) {
	if seq > g.LogSize(agent.Person) {
		return nil, false, nil
	}
	entries, err := g.cfg.Ledger.EntriesBy(ctx, agent.Person, agent.ID, seq+1, maxSince)
	if err != nil || len(entries) >= maxSince {
		return nil, false, err
	}
	last := map[nod.CallID]int64{}
	for _, e := range entries {
		last[e.Call] = e.Seq
	}
	for _, e := range entries {
		if e.Call == "" || last[e.Call] != e.Seq {
			continue
		}
		c, err := g.Call(ctx, agent.ID, e.Call)
		if err != nil {
			return nil, false, err
		}
		changes = append(changes, Change{Call: c, Seq: e.Seq})
	}
	return changes, true, nil
}

// LogSize is how many entries a person's log has.
func (g *Gateway) LogSize(person nod.PersonID) int64 {
	head, ok := g.Head(person)
	if !ok {
		return 0
	}
	return headSize(head)
}
