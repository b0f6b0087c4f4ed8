package simulation

import (
	"fmt"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
)

// agents lets a few programs ask, one call after the other. Each lives for a
// while, then the person removes it and another takes its place.
func (w *World) agents() {
	for i := range 3 {
		w.agentAsks(fmt.Sprintf("Agent %d", i))
	}
}

// agentAsks adds an agent and lets it ask.
func (w *World) agentAsks(name string) {
	var id nod.AgentID
	ok := w.gate.turn(func(t *gateway.Turn) {
		a, _, err := t.AddAgent(gateway.AgentSpec{Person: person, Name: name, Apps: may})
		if err != nil {
			panic(err)
		}
		id = a.ID
	})
	if !ok {
		w.queue.after(5*time.Second, func() { w.agentAsks(name) })
		return
	}
	w.asks(id, name, 20+w.rng.IntN(60))
}

// asks makes one call and plans the next; after the last the agent is removed.
func (w *World) asks(id nod.AgentID, name string, left int) {
	w.queue.after(w.upTo(3*time.Minute), func() {
		if w.asked >= w.opt.Calls {
			return
		}
		if left == 0 {
			w.remove(id, name)
			return
		}
		w.ask(id)
		w.asks(id, name, left-1)
	})
}

func (w *World) ask(id nod.AgentID) {
	w.asked++
	tool, arguments := w.act()
	ask := gateway.Ask{Agent: id, Tool: tool, Arguments: arguments, Detached: w.often(0.2)}
	if w.often(0.3) {
		ask.Phone = string(w.rig.id)
	} else {
		ask.Phone = string(w.screen.id)
	}
	var c nod.Call
	ok := w.gate.turn(func(t *gateway.Turn) {
		var err error
		if c, err = t.Open(ask); err != nil {
			panic(err)
		}
	})
	if ok && c.Kind == nod.Read {
		for range 2 { // it asks for what was read, sometimes again
			w.queue.after(w.upTo(2*time.Minute), func() { w.release(c) })
		}
	}
	if !ok || c.Final() {
		w.hear(c, ok)
		return
	}
	w.later(c, ask)
}

// release is the agent being handed what its phone read, if it may have it.
func (w *World) release(c nod.Call) {
	var err error
	ok := w.gate.turn(func(t *gateway.Turn) { err = t.Release(c.Agent, c.ID) })
	if err == nil && (ok || w.opt.Bug == BugReleaseUnlogged && w.gate.held[c.ID] != "") {
		w.oracle.handed(w.gate.disk.calls[c.ID], w.gate.held[c.ID], w.gate.disk.released[c.ID])
	}
}

// hear is the agent being given a result.
func (w *World) hear(c nod.Call, ok bool) {
	if ok && w.often(0.9) {
		w.gate.turn(func(t *gateway.Turn) { _ = t.HandedOver(c.Agent, c.ID) })
	}
}

// later is what an agent does while its call waits: nothing, most of the time.
func (w *World) later(c nod.Call, ask gateway.Ask) {
	wait := w.upTo(2 * time.Minute)
	switch {
	case w.often(0.1):
		w.queue.after(wait, func() {
			var now nod.Call
			if w.gate.turn(func(t *gateway.Turn) { now, _ = t.Cancel(c.Agent, c.ID) }) {
				w.gate.bugCancelled(now)
			}
		})
	case w.often(0.1):
		w.queue.after(wait, func() { w.gate.turn(func(t *gateway.Turn) { _ = t.Gone(c.Agent, c.ID) }) })
		if w.often(0.5) { // and its client asks again
			w.queue.after(wait+w.upTo(15*time.Second), func() {
				w.gate.turn(func(t *gateway.Turn) { _, _ = t.Open(ask) })
			})
		}
	case w.often(0.2):
		w.queue.after(wait, func() { w.gate.turn(func(t *gateway.Turn) { _, _ = t.Detach(c.Agent, c.ID) }) })
	}
}

// remove takes an agent's rights away, at whatever its calls are at.
func (w *World) remove(id nod.AgentID, name string) {
	if w.gate.bugRemove(id) {
		return
	}
	ok := w.gate.turn(func(t *gateway.Turn) {
		// Not found is one that was stopped in memory before, when the disk said no.
		_, _, _ = t.RevokeAgent(person, string(id))
	})
	if !ok {
		w.queue.after(time.Second, func() { w.remove(id, name) })
		return
	}
	w.oracle.stopped[id] = true
	w.agentAsks(name)
}
