package server

import (
	"sync"
	"time"
)

// waits counts the tool calls over MCP that are not answered yet, for the end of
// the server to let them be.
type waits struct {
	mu      sync.Mutex
	under   int           // guarded by mu
	nothing chan struct{} // closed once there is none, where somebody waits for that; guarded by mu
}

// begin counts a call until the returned function is called.
func (w *waits) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.under++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.under--; w.under == 0 && w.nothing != nil {
			close(w.nothing)
			w.nothing = nil
		}
	}
}

// closeTime is how long the calls that wait may take to be answered at the end.
const closeTime = time.Second

// Wait returns once no call waits, or after closeTime.
func (w *waits) Wait() {
	w.mu.Lock()
	if w.under == 0 {
		w.mu.Unlock()
		return
	}
	if w.nothing == nil {
		w.nothing = make(chan struct{})
	}
	nothing := w.nothing
	w.mu.Unlock()
	select {
	case <-nothing:
	case <-time.After(closeTime):
	}
}
