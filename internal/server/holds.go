package server

import (
	"sync"
	"time"

	"nod.dev/nod"
)

// How long a call outlives the connection that decides over it. A dropped
// connection is not yet an agent that gave up: it may come back.
const (
	graceRemote   = 10 * time.Second
	graceLoopback = 5 * time.Second
	// gracePolled is for a caller that asks again and again instead of staying
	// connected.
	gracePolled = 10 * time.Second
)

// holds counts, for each open call that is attached to its agent's connections,
// how many of those there are. A client that retries holds the same call twice;
// the call ends only when the last one has been away for its grace.
type holds struct {
	// gone tells the gateway, once for each time the call was opened, that the
	// last holder did not come back.
	gone func(nod.AgentID, nod.CallID)

	mu    sync.Mutex
	calls map[nod.CallID]*hold // guarded by mu
}

type hold struct {
	opened  int // how many times the gateway was asked to open it
	holders int
	timer   *time.Timer // runs while nobody holds the call
}

func newHolds(gone func(nod.AgentID, nod.CallID)) *holds {
	return &holds{gone: gone, calls: make(map[nod.CallID]*hold)}
}

// open adds the holder that opened the call.
func (h *holds) open(call nod.CallID) { h.add(call, 1) }

// take adds a holder that came for a call that was opened before. A call that
// nobody counts any more stays so.
func (h *holds) take(call nod.CallID) { h.add(call, 0) }

func (h *holds) add(call nod.CallID, opened int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.calls[call]
	if k == nil {
		if opened == 0 {
			return
		}
		k = &hold{}
		h.calls[call] = k
	}
	k.opened += opened
	k.holders++
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
}

// lose removes a holder whose connection went away. The last one starts the
// grace.
func (h *holds) lose(agent nod.AgentID, call nod.CallID, grace time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.calls[call]
	if k == nil {
		return
	}
	k.holders--
	if k.holders > 0 || k.timer != nil {
		return
	}
	k.timer = time.AfterFunc(grace, func() {
		h.mu.Lock()
		if h.calls[call] != k || k.holders > 0 {
			h.mu.Unlock()
			return
		}
		delete(h.calls, call)
		h.mu.Unlock()
		for range k.opened {
			h.gone(agent, call)
		}
	})
}

// leave removes a holder that gives the call up on purpose. If it was the last,
// the call is the caller's to withdraw, and leave returns how many times it was
// opened; else 0. The gateway knows better than h whether one comes just now.
func (h *holds) leave(call nod.CallID) (opened int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.calls[call]
	if k == nil {
		return 1
	}
	k.holders--
	if k.holders > 0 {
		return 0
	}
	delete(h.calls, call)
	return k.opened
}

// giveUp ends the grace of a call whose last holder is away. If it did, the call
// is the caller's to withdraw, and giveUp returns how many times it was opened;
// else 0.
func (h *holds) giveUp(call nod.CallID) (opened int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.calls[call]
	if k == nil || k.holders > 0 {
		return 0
	}
	if k.timer != nil {
		k.timer.Stop()
	}
	delete(h.calls, call)
	return k.opened
}

// forget ends the count: the call has ended, or no connection decides over it
// any more.
func (h *holds) forget(call nod.CallID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k := h.calls[call]; k != nil {
		if k.timer != nil {
			k.timer.Stop()
		}
		delete(h.calls, call)
	}
}

// stop ends every grace without a word to the gateway; for shutdown.
func (h *holds) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, k := range h.calls {
		if k.timer != nil {
			k.timer.Stop()
		}
		delete(h.calls, id)
	}
}
