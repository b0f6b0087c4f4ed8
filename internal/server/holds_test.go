package server

import (
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
)

// Each row is what happens to the holders of one call, second by second, and
// how often the gateway is told that a connection is gone.
func TestHolds(t *testing.T) {
	const agent, call = nod.AgentID("agent_A"), nod.CallID("call_A")
	type step func(h *holds)
	open := func(h *holds) { h.open(call) }
	take := func(h *holds) { h.take(call) }
	lose := func(h *holds) { h.lose(agent, call, 5*time.Second) }
	forget := func(h *holds) { h.forget(call) }
	giveUp := func(h *holds) { h.giveUp(call) }
	after := func(d time.Duration) step { return func(*holds) { time.Sleep(d) } }
	for _, tt := range []struct {
		name  string
		steps []step
		gone  int
	}{
		{"lost for good", []step{open, lose, after(6 * time.Second)}, 1},
		{"within the grace", []step{open, lose, after(4 * time.Second)}, 0},
		{"came back", []step{open, lose, after(4 * time.Second), take, after(time.Minute)}, 0},
		{"came back and went", []step{open, lose, after(4 * time.Second), take, lose, after(6 * time.Second)}, 1},
		{"one of two", []step{open, open, lose, after(time.Minute)}, 0},
		{"both of two, each opened it", []step{open, open, lose, lose, after(6 * time.Second)}, 2},
		{"ended meanwhile", []step{open, lose, forget, after(time.Minute)}, 0},
		{"taken back meanwhile", []step{open, lose, giveUp, after(time.Minute)}, 0},
		{"polled but never attached", []step{take, lose, after(time.Minute)}, 0},
		{"lost twice", []step{open, lose, lose, after(time.Minute)}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := 0
				h := newHolds(func(a nod.AgentID, c nod.CallID) {
					if a != agent || c != call {
						t.Errorf("gone %s, %s", a, c)
					}
					gone++
				})
				for _, s := range tt.steps {
					s(h)
				}
				h.stop()
				synctest.Wait()
				if gone != tt.gone {
					t.Errorf("the gateway was told %d times, want %d", gone, tt.gone)
				}
			})
		})
	}
}

func TestHoldsLeave(t *testing.T) {
	h := newHolds(func(nod.AgentID, nod.CallID) { t.Error("told that it is gone") })
	h.open("call_A")
	h.open("call_A")
	if n := h.leave("call_A"); n != 0 {
		t.Errorf("the first of two was told it is the last, of %d", n)
	}
	if n := h.leave("call_A"); n != 2 {
		t.Errorf("the last was told it is that of %d, want 2", n)
	}
	if n := h.giveUp("call_A"); n != 0 {
		t.Errorf("gave up a call that nobody waits for, of %d", n)
	}
}
