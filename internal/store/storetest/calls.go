package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

func testVersions(t *testing.T, f *fixture) {
	c := OpenCall(f.agent)
	f.commit(t, &store.Batch{Calls: []nod.Call{c}})
	shown := c
	shown.Version, shown.State = 2, nod.Shown
	decided := shown
	decided.Version, decided.State, decided.Decided = 3, nod.Decided, 1050
	f.commit(t, &store.Batch{Calls: []nod.Call{shown, decided}}) // two steps in one batch
	got, err := f.Call(f.ctx, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "Call", decided, got)
}

func testConflict(t *testing.T, f *fixture) {
	c := OpenCall(f.agent)
	f.commit(t, &store.Batch{Now: 5, Calls: []nod.Call{c}, Entries: []log.Entry{Entry(t, f.person.ID, 5)}})
	stranger := Agent(f.addOther(t))
	for name, change := range map[string]func(*nod.Call){
		"again":        func(c *nod.Call) {},
		"skipped":      func(c *nod.Call) { c.Version = 3 },
		"zero":         func(c *nod.Call) { c.Version = 0 },
		"never seen":   func(c *nod.Call) { c.ID, c.Version = nod.NewCallID(), 2 },
		"other agent":  func(c *nod.Call) { c.Version, c.Agent = 2, stranger.ID },
		"other person": func(c *nod.Call) { c.Version, c.Person = 2, stranger.Person },
	} {
		wrong := c
		change(&wrong)
		fine := OpenCall(f.agent)
		_, err := f.Commit(f.ctx, &store.Batch{
			Now: 6000, Calls: []nod.Call{fine, wrong}, Meta: map[string]string{"half": "done"},
			Entries: []log.Entry{Entry(t, f.person.ID, 6000)},
		})
		if !errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), string(wrong.ID)) {
			t.Errorf("%s: got %v, want ErrConflict that names %s", name, err, wrong.ID)
		}
		wantCode(t, err, nod.CodeConflict)
	}
	state := f.load(t, 0)
	compare(t, "Calls", []nod.Call{c}, state.Calls)
	if len(state.Meta) != 0 || state.Now != 5 {
		t.Errorf("a batch in conflict left Meta %v and Now %d", state.Meta, state.Now)
	}
	f.verify(t, f.person.ID, 1)
	f.commit(t, &store.Batch{Now: 7, Entries: []log.Entry{Entry(t, f.person.ID, 7)}})
	f.verify(t, f.person.ID, 2)
}

// addOther adds a second person.
func (f *fixture) addOther(t *testing.T) nod.PersonID {
	t.Helper()
	p, _, _ := f.addPerson(t, "Bea")
	return p.ID
}

func testUnknownPerson(t *testing.T, f *fixture) {
	nobody := nod.NewPersonID()
	for name, b := range map[string]*store.Batch{
		"agent":   {Agents: []nod.Agent{Agent(nobody)}},
		"phone":   {Phones: []nod.Phone{Phone(nobody)}},
		"call":    {Calls: []nod.Call{OpenCall(Agent(f.person.ID))}},
		"entry":   {Entries: []log.Entry{Entry(t, nobody, 2)}},
		"token":   {Tokens: []store.Token{{Hash: []byte("x"), Agent: nod.NewAgentID()}}},
		"record":  {Records: []store.Record{Record(nobody, "pause")}},
		"pairing": {Pairings: []store.Pairing{Pairing(nobody)}},
	} {
		b.Now, b.Meta = 900, map[string]string{"half": "done"}
		_, err := f.Commit(f.ctx, b)
		if err == nil {
			t.Errorf("%s: a row that belongs to nobody was written", name)
			continue
		}
		wantCode(t, err, nod.CodeInternal)
	}
	if state := f.load(t, 0); len(state.Meta) != 0 || state.Now != 1 || len(state.Heads) != 0 {
		t.Errorf("refused batches left %+v", state)
	}
}

func testLoadCalls(t *testing.T, f *fixture) {
	var batch []nod.Call
	add := func(state nod.State, received, ended nod.Time) nod.CallID {
		c := OpenCall(f.agent)
		c.State, c.Received, c.Ended = state, received, ended
		batch = append(batch, c)
		return c.ID
	}
	add(nod.Closed, 100, 200)
	at := add(nod.Closed, 105, 300)
	after := add(nod.Closed, 90, 301)
	var want []nod.CallID
	want = append(want, after)
	want = append(want, at)
	for i, s := range []nod.State{nod.Received, nod.Offered, nod.Delivered, nod.Shown, nod.Decided, nod.Working} {
		want = append(want, add(s, nod.Time(110+i), 0))
	}
	f.commit(t, &store.Batch{Calls: batch})
	var got []nod.CallID
	for _, c := range f.load(t, 300).Calls {
		got = append(got, c.ID)
	}
	compare(t, "calls of Load(300), oldest first", want, got)
}

func ids(calls []nod.Call) []nod.CallID {
	list := make([]nod.CallID, len(calls))
	for i := range calls {
		list[i] = calls[i].ID
	}
	return list
}

// manyCalls commits n calls, several of them in the same millisecond, and
// returns them newest first.
func (f *fixture) manyCalls(t *testing.T, n int) []nod.Call {
	t.Helper()
	all := make([]nod.Call, n)
	for i := range all {
		all[i] = Call(f.agent)
		all[i].Received = nod.Time(1000 + i/3)
		if i%2 == 0 {
			all[i].State, all[i].Ended = nod.Offered, 0
		}
	}
	f.commit(t, &store.Batch{Calls: all})
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b nod.Call) int {
		if a.Received != b.Received {
			return int(b.Received - a.Received)
		}
		return strings.Compare(string(b.ID), string(a.ID))
	})
	return sorted
}

func testCallOrder(t *testing.T, f *fixture) {
	want := ids(f.manyCalls(t, 70))
	for _, c := range []struct{ limit, want int }{{0, 50}, {-1, 50}, {1, 1}, {70, 70}, {5000, 70}} {
		got, err := f.Calls(f.ctx, store.Query{Limit: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "Calls", want[:c.want], ids(got))
	}
}

func testCallPages(t *testing.T, f *fixture) {
	want := ids(f.manyCalls(t, 20))
	var got []nod.CallID
	q := store.Query{Person: f.person.ID, Limit: 7}
	for {
		page, err := f.Calls(f.ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, ids(page)...)
		q.Before = page[len(page)-1].ID
		// What arrives meanwhile is newer, and moves no page.
		f.commit(t, &store.Batch{Calls: []nod.Call{{
			ID: nod.NewCallID(), Person: f.person.ID, Agent: f.agent.ID, Version: 1, State: nod.Received, Received: 9000,
		}}})
	}
	compare(t, "all pages", want, got)
}

func testCallFilters(t *testing.T, f *fixture) {
	mine := f.manyCalls(t, 10)
	other, otherAgent, _ := f.addPerson(t, "Bea")
	second := Agent(f.person.ID)
	theirs, seconds := OpenCall(otherAgent), OpenCall(second)
	f.commit(t, &store.Batch{Agents: []nod.Agent{second}, Calls: []nod.Call{theirs, seconds}})
	var open []nod.CallID
	for _, c := range mine {
		if c.State == nod.Offered {
			open = append(open, c.ID)
		}
	}
	for _, c := range []struct {
		q    store.Query
		want []nod.CallID
	}{
		{store.Query{Person: other.ID}, []nod.CallID{theirs.ID}},
		{store.Query{Agent: second.ID}, []nod.CallID{seconds.ID}},
		{store.Query{Person: f.person.ID, Agent: f.agent.ID}, ids(mine)},
		{store.Query{Agent: f.agent.ID, State: nod.Offered}, open},
		{store.Query{Person: other.ID, Agent: f.agent.ID}, []nod.CallID{}},
		{store.Query{Person: f.person.ID, Agent: f.agent.ID, Before: mine[3].ID}, ids(mine[4:])},
	} {
		got, err := f.Calls(f.ctx, c.q)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "Calls", c.want, ids(got))
	}
}

func testContext(t *testing.T, f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	if _, err := f.Commit(ctx, &store.Batch{Now: 77}); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit with an ended context: %v", err)
	}
	if _, err := f.Load(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Load with an ended context: %v", err)
	}
	if got := f.load(t, 0).Now; got != 1 {
		t.Errorf("Now is %d after a commit that never began, want 1", got)
	}
	// A commit that has begun is carried through.
	ctx, f.onSign = context.WithCancel(f.ctx)
	if _, err := f.Commit(ctx, &store.Batch{Now: 78, Entries: []log.Entry{Entry(t, f.person.ID, 78)}}); err != nil {
		t.Errorf("Commit whose context ends in the middle: %v", err)
	}
	if ctx.Err() == nil || f.load(t, 0).Now != 78 {
		t.Errorf("the commit was not carried through: context %v", ctx.Err())
	}
}

func testClosed(t *testing.T, f *fixture) {
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := f.Commit(f.ctx, &store.Batch{Now: 5})
	wantCode(t, err, nod.CodeStorage)
	_, err = f.Load(f.ctx, 0)
	wantCode(t, err, nod.CodeStorage)
	if !errors.Is(err, store.ErrClosed) {
		t.Errorf("Load after Close: %v, want ErrClosed", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}
