package storetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

// model is what a ledger should hold after a history, kept the simple way.
type model struct {
	persons []nod.PersonID
	agents  []nod.Agent
	calls   map[nod.CallID]nod.Call
	order   []nod.CallID
	logs    map[nod.PersonID][]log.Entry
}

// testHistory draws histories of batches, right and wrong ones, and compares
// the engine with the model after each. Every history has persons of its own,
// so that they can share one engine.
func testHistory(t *testing.T, f *fixture) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{calls: make(map[nod.CallID]nod.Call), logs: make(map[nod.PersonID][]log.Entry)}
		for range rapid.IntRange(1, 3).Draw(rt, "persons") {
			p, a, _ := f.addPerson(t, "someone")
			m.persons = append(m.persons, p.ID)
			m.agents = append(m.agents, a)
		}
		for i := range rapid.IntRange(1, 6).Draw(rt, "batches") {
			m.step(rt, t, f, i)
		}
		m.check(rt, t, f)
	})
}

func (m *model) step(rt *rapid.T, t *testing.T, f *fixture, i int) {
	b := &store.Batch{Now: nod.Time(rapid.IntRange(0, 5000).Draw(rt, "now"))}
	next := make(map[nod.CallID]nod.Call)
	for range rapid.IntRange(0, 4).Draw(rt, "calls") {
		var c nod.Call
		if len(m.order) > 0 && rapid.Bool().Draw(rt, "change") {
			id := rapid.SampledFrom(m.order).Draw(rt, "call")
			c = m.calls[id]
			if later, ok := next[id]; ok {
				c = later
			}
			c.Version++
			c.Text = fmt.Sprintf("text %d", i)
			c.State = rapid.SampledFrom([]nod.State{nod.Shown, nod.Working, nod.Closed}).Draw(rt, "state")
		} else {
			c = OpenCall(rapid.SampledFrom(m.agents).Draw(rt, "agent"))
		}
		next[c.ID] = c
		b.Calls = append(b.Calls, c)
	}
	for range rapid.IntRange(0, 5).Draw(rt, "entries") {
		b.Entries = append(b.Entries, Entry(t, rapid.SampledFrom(m.persons).Draw(rt, "person"), b.Now))
	}
	wrong := rapid.IntRange(0, 3).Draw(rt, "wrong") == 0
	if wrong {
		c := OpenCall(m.agents[0])
		c.Version = int64(rapid.IntRange(2, 4).Draw(rt, "version"))
		b.Calls = append(b.Calls, c)
	}
	_, err := f.Commit(f.ctx, b)
	if wrong != (err != nil) {
		rt.Fatalf("a batch that is wrong=%v gave %v", wrong, err)
	}
	if wrong {
		return
	}
	for _, c := range b.Calls {
		if _, ok := m.calls[c.ID]; !ok {
			m.order = append(m.order, c.ID)
		}
		m.calls[c.ID] = c
	}
	for _, e := range b.Entries {
		m.logs[e.Person] = append(m.logs[e.Person], e)
	}
}

func (m *model) check(rt *rapid.T, t *testing.T, f *fixture) {
	total := 0
	for _, person := range m.persons {
		found, err := f.Calls(f.ctx, store.Query{Person: person, Limit: 1000})
		if err != nil {
			rt.Fatal(err)
		}
		for _, c := range found {
			compare(t, "call", m.calls[c.ID], c)
		}
		total += len(found)
		if want := m.logs[person]; len(want) > 0 {
			compare(t, "log", want, f.verify(t, person, int64(len(want))))
		}
	}
	if total != len(m.order) || t.Failed() {
		rt.Fatalf("%d calls are in the ledger, want %d", total, len(m.order))
	}
}
