package storetest

import (
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

// testEntriesBy asks for the entries that are about one agent.
func testEntriesBy(t *testing.T, f *fixture) {
	var want []int64
	for i := range 9 {
		e := Entry(t, f.person.ID, nod.Time(i))
		switch i % 3 {
		case 0:
			e.Agent = f.agent.ID
			want = append(want, int64(i+1))
		case 1:
			e.Agent = nod.NewAgentID()
		default:
			e.Agent = ""
		}
		if err := log.Seal(&e, nil); err != nil {
			t.Fatal(err)
		}
		f.commit(t, &store.Batch{Now: nod.Time(i), Entries: []log.Entry{e}})
	}
	for _, c := range []struct {
		person nod.PersonID
		agent  nod.AgentID
		from   int64
		limit  int
		want   []int64
	}{
		{f.person.ID, f.agent.ID, 1, 0, want},
		{f.person.ID, f.agent.ID, 2, 0, want[1:]},
		{f.person.ID, f.agent.ID, 1, 2, want[:2]},
		{f.person.ID, f.agent.ID, 0, 2, want[1:]},
		{f.person.ID, f.agent.ID, 0, 0, want},
		{f.person.ID, f.agent.ID, 99, 0, nil},
		{f.person.ID, "", 1, 0, nil},
		{f.addOther(t), f.agent.ID, 1, 0, nil},
	} {
		got, err := f.EntriesBy(f.ctx, c.person, c.agent, c.from, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var seqs []int64
		for _, e := range got {
			seqs = append(seqs, e.Seq)
		}
		compare(t, "EntriesBy", c.want, seqs)
	}
}

// testKeys finds a call by its agent's idempotency key.
func testKeys(t *testing.T, f *fixture) {
	_, other, _ := f.addPerson(t, "Bea")
	add := func(agent nod.Agent, key string, at nod.Time) nod.Call {
		c := Call(agent)
		c.Key, c.Received = key, at
		f.commit(t, &store.Batch{Calls: []nod.Call{c}})
		return c
	}
	first := add(f.agent, "k", 10)
	add(f.agent, "", 20)
	second := add(f.agent, "k", 30)
	theirs := add(other, "k", 40)
	for _, c := range []struct {
		q    store.Query
		want []nod.Call
	}{
		{store.Query{Agent: f.agent.ID, Key: "k"}, []nod.Call{second, first}},
		{store.Query{Agent: f.agent.ID, Key: "k", Since: 11}, []nod.Call{second}},
		{store.Query{Agent: f.agent.ID, Key: "k", Since: 31}, nil},
		{store.Query{Agent: f.agent.ID, Key: "other"}, nil},
		{store.Query{Agent: other.ID, Key: "k"}, []nod.Call{theirs}},
	} {
		got, err := f.Calls(f.ctx, c.q)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "Calls", ids(c.want), ids(got))
	}
}
