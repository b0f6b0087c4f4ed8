package gateway

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
)

// taken lists what a follower was told, as state or outcome, in order.
func taken(f *Follower) (said []string) {
	changes, _ := f.Take()
	for _, c := range changes {
		word := string(c.Call.State)
		if c.Call.Final() {
			word = string(c.Call.Outcome)
		}
		said = append(said, word)
	}
	return said
}

// A follower hears each step of its own agent's calls and of no other's.
func TestFollow(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		other := h.addAgent("Other")
		mine, theirs := h.Follow(nod.Agent{ID: h.agent, Person: h.person}), h.Follow(other)
		defer mine.Stop()
		defer theirs.Stop()
		var heard []string
		step := func() {
			pass(0)
			heard = append(heard, taken(mine)...)
		}
		c := h.ask(alarm)
		step()
		o := p.offer()
		p.delivered(o)
		step()
		p.shown(o)
		step()
		p.decide(o, nod.ChoiceDecline, "")
		step()
		if err := h.HandedOver(t.Context(), h.agent, c.ID); err != nil {
			t.Fatal(err)
		}
		step()
		if want := []string{"offered", "delivered", "shown", "declined"}; !slices.Equal(heard, want) {
			t.Errorf("heard %v, want %v", heard, want)
		}
		if said := taken(theirs); said != nil {
			t.Errorf("another agent heard %v", said)
		}
		_ = taken(mine)
		if _, err := h.PauseAll(t.Context(), h.person, "test"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-mine.Ready():
		default:
			t.Error("a pause wakes nobody")
		}
	})
}

// A reader that takes nothing costs a bounded amount, sees the newest state of
// each call, and is told that something is lost.
func TestFollowIsBounded(t *testing.T) {
	f := &Follower{ready: make(chan struct{}, 1)}
	change := func(i int, seq int64, state nod.State) Change {
		return Change{Call: nod.Call{ID: nod.CallID(fmt.Sprint("call_", i)), State: state}, Seq: seq}
	}
	f.put([]Change{change(1, 1, nod.Offered), change(2, 2, nod.Offered)})
	f.put([]Change{change(1, 3, nod.Shown)})
	f.put([]Change{change(2, 0, nod.Offered)})
	changes, lost := f.Take()
	if len(changes) != 2 || changes[0].Seq != 2 || changes[1].Seq != 3 || changes[1].Call.State != nod.Shown || lost {
		t.Errorf("took %+v, lost %v", changes, lost)
	}
	for i := range 2 * maxPending {
		f.put([]Change{change(i, int64(i+1), nod.Offered)})
	}
	if changes, lost = f.Take(); len(changes) != maxPending || !lost || changes[0].Seq != maxPending+1 {
		t.Errorf("%d are kept from %d on, lost %v", len(changes), changes[0].Seq, lost)
	}
}

// What happened since a place in the log is each call once, as it is now, also
// after a restart.
func TestSince(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		agent := nod.Agent{ID: h.agent, Person: h.person}
		before := h.LogSize(h.person)
		first := h.done(p, alarm)
		second := h.done(p, timer)
		h.restart()
		changes, whole, err := h.Since(t.Context(), agent, before)
		if err != nil || !whole || len(changes) != 2 || changes[0].Call.ID != first.ID || changes[1].Call.ID != second.ID || changes[1].Call.Outcome != nod.Done {
			t.Errorf("since %d: %+v, whole %v, %v", before, changes, whole, err)
		}
		if changes, whole, err = h.Since(t.Context(), agent, changes[0].Seq); err != nil || !whole || len(changes) != 1 || changes[0].Call.ID != second.ID {
			t.Errorf("since the first: %+v, whole %v, %v", changes, whole, err)
		}
		if _, whole, err = h.Since(t.Context(), agent, h.LogSize(h.person)+1); err != nil || whole {
			t.Errorf("from beyond the end: whole %v, %v", whole, err)
		}
		synctest.Wait() // the sweep is over, and between two turns nobody else reads it
		err = h.turn(t.Context(), func(*Turn) error {
			h.Gateway.cfg.Ledger = many{h.Gateway.cfg.Ledger}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if changes, whole, err = h.Since(t.Context(), agent, before); err != nil || whole || changes != nil {
			t.Errorf("with too much since: %d changes, whole %v, %v", len(changes), whole, err)
		}
	})
}

// many is a ledger in which a lot has happened.
type many struct{ Ledger }

// EntriesBy implements [Ledger].
func (many) EntriesBy(_ context.Context, _ nod.PersonID, _ nod.AgentID, _ int64, limit int) ([]log.Entry, error) {
	return make([]log.Entry, limit), nil
}

// An agent may stop itself, once is enough, and only a phone lets it go on.
func TestSelf(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(alarm)
		p.shown(p.offer())
		for range 3 {
			if _, err := h.SwitchOffSelf(t.Context(), h.agent, []string{"maps:act"}); err != nil {
				t.Fatal(err)
			}
		}
		size := h.LogSize(h.person)
		for range 3 {
			if inFlight, err := h.PauseSelf(t.Context(), h.agent); err != nil || inFlight != 0 {
				t.Fatalf("%d, %v", inFlight, err)
			}
			if a, err := h.AgentByToken(h.token); err != nil || !a.Paused {
				t.Fatalf("%+v, %v", a, err)
			}
		}
		h.want(c.ID, nod.Denied, nod.WhyPaused)
		if grown := h.LogSize(h.person) - size; grown != 2 {
			t.Errorf("three pauses and one end made %d entries, want 2", grown)
		}
		if c := h.ask(timer); c.Verdict.Rule != nod.RulePaused {
			t.Errorf("a paused agent's call: %s, %s", c.Outcome, c.Verdict.Rule)
		}
		if _, err := h.RevokeSelf(t.Context(), h.agent); err != nil {
			t.Fatal(err)
		}
		if _, err := h.AgentByToken(h.token); nod.CodeOf(err) != nod.CodeUnauthorized {
			t.Errorf("its token: %v", err)
		}
	})
}

// I9 for what an agent looks up: another agent's calls and entries do not exist
// for it, and neither does what the person said of agents as a whole.
func TestAgentsPastIsItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		other := h.addAgent("Other")
		c := h.done(p, alarm)
		if calls, err := h.AgentCalls(t.Context(), other, AgentCalls{}); err != nil || len(calls) != 0 {
			t.Errorf("another agent lists %+v, %v", calls, err)
		}
		if _, err := h.AgentCalls(t.Context(), other, AgentCalls{Before: c.ID}); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("another agent pages from it: %v", err)
		}
		entries, err := h.AgentLog(t.Context(), other, 1, 100)
		if err != nil || len(entries) != 1 || entries[0].Kind != logAgentAdded || entries[0].Payload != nil {
			t.Errorf("another agent reads %+v, %v", entries, err)
		}
		mine := nod.Agent{ID: h.agent, Person: h.person}
		calls, err := h.AgentCalls(t.Context(), mine, AgentCalls{Ended: true})
		if err != nil || len(calls) != 1 || calls[0].ID != c.ID {
			t.Errorf("the agent lists %+v, %v", calls, err)
		}
		entries, err = h.AgentLog(t.Context(), mine, 0, 1)
		if err != nil || len(entries) != 1 || entries[0].Kind != "call.ended" || entries[0].Payload == nil {
			t.Errorf("the agent reads %+v, %v", entries, err)
		}
	})
}
