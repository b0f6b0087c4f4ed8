package storetest

import (
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

// testPast asks what a phone asks of its own past.
func testPast(t *testing.T, f *fixture) {
	phone := nod.NewPhoneID()
	add := func(agent nod.Agent, app string, at nod.Time, change func(*nod.Call)) nod.Call {
		c := Call(agent)
		c.App, c.Received = app, at
		change(&c)
		f.commit(t, &store.Batch{Calls: []nod.Call{c}})
		return c
	}
	acts := func(c *nod.Call) { c.Phone = phone }
	other, otherAgent, _ := f.addPerson(t, "Bea")
	first := add(f.agent, "maps", 1, acts)
	second := add(f.agent, "clock", 2, func(c *nod.Call) { c.DecidedBy = phone })
	third := add(f.agent, "maps", 3, acts)
	add(f.agent, "mail", 4, func(*nod.Call) {})
	add(f.agent, "", 5, func(*nod.Call) {})
	theirs := add(otherAgent, "torch", 6, acts)
	for _, c := range []struct {
		q    store.Query
		want []nod.Call
	}{
		{store.Query{Person: f.person.ID, Phone: phone}, []nod.Call{third, second, first}},
		{store.Query{Person: f.person.ID, Phone: phone, App: "maps"}, []nod.Call{third, first}},
		{store.Query{Person: f.person.ID, Phone: phone, App: "maps", Before: third.ID}, []nod.Call{first}},
		{store.Query{Person: f.person.ID, Phone: phone, App: "mail"}, nil},
		{store.Query{Person: f.person.ID, Phone: phone, Since: 2}, []nod.Call{third, second}},
		{store.Query{Person: other.ID, Phone: phone}, []nod.Call{theirs}},
	} {
		got, err := f.Calls(f.ctx, c.q)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "Calls", ids(c.want), ids(got))
	}
	for since, want := range map[nod.Time][]string{0: {"clock", "maps"}, 2: {"clock", "maps"}, 3: {"maps"}, 4: nil} {
		apps, err := f.CallApps(f.ctx, f.person.ID, phone, since)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "CallApps", want, apps)
	}
}

// testEntriesOf asks for the entries of one call.
func testEntriesOf(t *testing.T, f *fixture) {
	call := nod.NewCallID()
	var want []int64
	for i := range 6 {
		e := Entry(t, f.person.ID, nod.Time(i))
		switch i % 3 {
		case 0:
			e.Call = call
			want = append(want, int64(i+1))
		case 1:
			e.Call = ""
		}
		if err := log.Seal(&e, nil); err != nil {
			t.Fatal(err)
		}
		f.commit(t, &store.Batch{Now: nod.Time(i), Entries: []log.Entry{e}})
	}
	for _, c := range []struct {
		person nod.PersonID
		call   nod.CallID
		limit  int
		want   []int64
	}{{f.person.ID, call, 0, want}, {f.person.ID, call, 1, want[:1]}, {f.person.ID, "", 0, nil}, {f.addOther(t), call, 0, nil}} {
		got, err := f.EntriesOf(f.ctx, c.person, c.call, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var seqs []int64
		for _, e := range got {
			seqs = append(seqs, e.Seq)
		}
		compare(t, "EntriesOf", c.want, seqs)
	}
}
