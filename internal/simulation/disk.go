package simulation

import (
	"errors"
	"maps"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/store"
)

// disk is a ledger that keeps what was committed, and lies when told to.
type disk struct {
	people map[nod.PersonID]nod.Person
	agents map[nod.AgentID]nod.Agent
	phones map[nod.PhoneID]nod.Phone
	calls  map[nod.CallID]nod.Call
	subs   map[nod.PhoneID]store.Subscription
	// released are the calls of which the log says that what was read may leave.
	released map[nod.CallID]bool
	now      nod.Time
	// undo takes back the last commit, for a disk that does not sync.
	undo func()
}

func newDisk() *disk {
	return &disk{people: map[nod.PersonID]nod.Person{}, agents: map[nod.AgentID]nod.Agent{},
		phones: map[nod.PhoneID]nod.Phone{}, calls: map[nod.CallID]nod.Call{},
		subs: map[nod.PhoneID]store.Subscription{}, released: map[nod.CallID]bool{}}
}

var errConflict = errors.New("a row is not at the version before")

// commit writes a batch as the store does: all of it, and calls by version.
func (d *disk) commit(b *store.Batch) error {
	for _, c := range b.Calls {
		if before, ok := d.calls[c.ID]; ok && before.Version != c.Version-1 || !ok && c.Version != 1 {
			return errConflict
		}
	}
	before := disk{maps.Clone(d.people), maps.Clone(d.agents), maps.Clone(d.phones), nil, maps.Clone(d.subs), maps.Clone(d.released), d.now, nil}
	var calls []nod.Call
	for _, c := range b.Calls {
		calls = append(calls, d.calls[c.ID])
		d.calls[c.ID] = c
	}
	for _, p := range b.People {
		d.people[p.ID] = p
	}
	for _, a := range b.Agents {
		d.agents[a.ID] = a
	}
	for _, p := range b.Phones {
		d.phones[p.ID] = p
	}
	for _, s := range b.Subscriptions {
		if d.subs[s.Phone] = s; s.Empty() {
			delete(d.subs, s.Phone)
		}
	}
	for _, e := range b.Entries {
		if e.Kind == call.LogReleased {
			d.released[e.Call] = true
		}
	}
	d.now = max(d.now, b.Now)
	d.undo = func() {
		d.people, d.agents, d.phones, d.subs, d.now = before.people, before.agents, before.phones, before.subs, before.now
		d.released = before.released
		for i, c := range b.Calls {
			if calls[i].ID == "" {
				delete(d.calls, c.ID)
			} else {
				d.calls[c.ID] = calls[i]
			}
		}
		d.undo = nil
	}
	return nil
}

// state is what a gateway starts from.
func (d *disk) state() *store.State {
	s := &store.State{Now: d.now}
	s.People = slices.Collect(maps.Values(d.people))
	s.Agents = slices.Collect(maps.Values(d.agents))
	s.Phones = slices.Collect(maps.Values(d.phones))
	s.Subscriptions = slices.Collect(maps.Values(d.subs))
	for _, c := range d.calls {
		c.GoOver = false // not stored
		s.Calls = append(s.Calls, c)
	}
	slices.SortFunc(s.Calls, func(a, b nod.Call) int { return int(a.Received - b.Received) })
	return s
}
