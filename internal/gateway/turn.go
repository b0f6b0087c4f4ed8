package gateway

import (
	"crypto/rand"
	"iter"
	"maps"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// Turn is one change of a core under way: what happened in it is seen by what
// happens after it in the same turn, and by nobody else until it is adopted.
type Turn struct {
	core *Core
	now  nod.Time

	people   map[nod.PersonID]nod.Person
	agents   map[nod.AgentID]nod.Agent
	phones   map[nod.PhoneID]nod.Phone
	calls    map[nod.CallID]nod.Call
	pairings map[string]store.Pairing
	waiting  map[string]waiting
	attached map[nod.CallID]int
	held     map[string]place
	tokens   map[nod.CallID]string      // for blobs; see Turn.uploads
	subs     map[nod.PhoneID]subscribed // one without an address is removed
	wakes    map[wakeID]wake
	// testAgents are those that were added in this turn; see Turn.testAgent.
	testAgents map[nod.PersonID]nod.AgentID
	order      []nod.CallID

	// endings are the calls that got their outcome in this turn.
	endings []nod.Call

	batch   store.Batch
	out     []Out
	wakeups []Wake
	// arguments are those of a call that is being closed before it was offered, for its log entry.
	arguments []byte
	// after runs when the turn is adopted: changes of what is not stored.
	after []func()
	// always runs whether or not the turn could be written: what the ledger has no part in.
	always []func()
	// narrowed runs when the turn could not be written: what was stopped stays stopped.
	narrowed []func()
}

// Out is a frame for a phone, to leave once the turn is in the ledger.
type Out struct {
	Phone nod.PhoneID
	Frame wire.Frame
	// Close ends the link after the frame.
	Close string
	// GoFor is the call whose go this is.
	GoFor nod.CallID
}

// Begin starts a turn at ledger time now.
func (k *Core) Begin(now nod.Time) *Turn {
	return &Turn{
		core: k, now: now,
		people: map[nod.PersonID]nod.Person{}, agents: map[nod.AgentID]nod.Agent{}, phones: map[nod.PhoneID]nod.Phone{},
		calls: map[nod.CallID]nod.Call{}, pairings: map[string]store.Pairing{}, waiting: map[string]waiting{},
		attached: map[nod.CallID]int{}, held: map[string]place{}, testAgents: map[nod.PersonID]nod.AgentID{},
		tokens: map[nod.CallID]string{}, subs: map[nod.PhoneID]subscribed{}, wakes: map[wakeID]wake{},
		batch: store.Batch{Now: now, Meta: map[string]string{}},
	}
}

// Batch returns what is to be written, nil when nothing is.
func (t *Turn) Batch() *store.Batch {
	b := &t.batch
	b.People, b.Agents, b.Phones, b.Calls, b.Pairings, b.Subscriptions = nil, nil, nil, nil, nil, nil
	for _, p := range t.people {
		b.People = append(b.People, p)
	}
	for _, a := range t.agents {
		b.Agents = append(b.Agents, a)
	}
	for _, p := range t.phones {
		b.Phones = append(b.Phones, p)
	}
	for _, p := range t.pairings {
		b.Pairings = append(b.Pairings, p)
	}
	for _, s := range t.subs {
		b.Subscriptions = append(b.Subscriptions, store.Subscription(s))
	}
	for _, id := range t.order {
		b.Calls = append(b.Calls, t.calls[id])
	}
	if len(b.Subscriptions)+len(b.People)+len(b.Agents)+len(b.Tokens)+len(b.Phones)+len(b.Calls)+len(b.Pairings)+len(b.Records)+len(b.Entries)+len(b.Meta) == 0 {
		return nil
	}
	return b
}

// Adopt makes the turn the core's state and returns the frames that may now
// leave, in order. The ledger holds the turn's batch by then.
func (k *Core) Adopt(t *Turn, heads map[nod.PersonID]wire.Signed) []Out {
	for id, p := range t.people {
		k.people[id] = p
	}
	for id, a := range t.agents {
		k.agents[id] = a
	}
	for _, token := range t.batch.Tokens {
		for hash, agent := range k.tokens {
			if agent == token.Agent {
				delete(k.tokens, hash)
			}
		}
		k.tokens[string(token.Hash)] = token.Agent
	}
	for id, p := range t.phones {
		k.phones[id] = p
	}
	maps.Copy(k.pairings, t.pairings)
	maps.Copy(k.waiting, t.waiting)
	maps.Copy(k.attached, t.attached)
	maps.Copy(k.held, t.held)
	maps.Copy(k.uploads, t.tokens)
	maps.Copy(k.testAgents, t.testAgents)
	for _, id := range t.order {
		k.keep(t.calls[id])
	}
	k.push.adopt(t)
	for person, head := range heads {
		k.heads[person] = head
	}
	k.unwritten = nil
	for _, f := range append(t.always, t.after...) {
		f()
	}
	return t.out
}

// Drop gives up a turn that could not be written. Nothing of it happened, but
// for what it stopped: a pause or a revoke acts in memory all the same, and is
// written with the first turn that can be.
func (k *Core) Drop(t *Turn) {
	k.unwritten = nil
	for _, f := range append(t.always, t.narrowed...) {
		f()
	}
}

// narrow says what stopping something means if this turn cannot be written:
// what to change in memory, and how to write it later.
func (t *Turn) narrow(now func(), later func(*Turn)) {
	t.narrowed = append(t.narrowed, func() {
		now()
		t.core.unwritten = append(t.core.unwritten, later)
	})
}

// newest returns a row as it is in this turn: changed in it, or as the core has it.
func newest[K comparable, V any](turn, core map[K]V, id K) (V, bool) {
	if v, ok := turn[id]; ok {
		return v, true
	}
	v, ok := core[id]
	return v, ok
}

// all yields every row as it is in this turn, those that are new in it last.
func all[K comparable, V any](turn, core map[K]V) iter.Seq[V] {
	return func(yield func(V) bool) {
		for id := range core {
			if v, _ := newest(turn, core, id); !yield(v) {
				return
			}
		}
		for id, v := range turn {
			if _, old := core[id]; !old && !yield(v) {
				return
			}
		}
	}
}

func (t *Turn) person(id nod.PersonID) (nod.Person, bool) {
	return newest(t.people, t.core.people, id)
}

func (t *Turn) agent(id nod.AgentID) (nod.Agent, bool) { return newest(t.agents, t.core.agents, id) }

func (t *Turn) phone(id nod.PhoneID) (nod.Phone, bool) { return newest(t.phones, t.core.phones, id) }

func (t *Turn) call(id nod.CallID) (nod.Call, bool) { return newest(t.calls, t.core.calls, id) }

func (t *Turn) pairing(id string) (store.Pairing, bool) {
	return newest(t.pairings, t.core.pairings, id)
}

// eachPhone calls f for the phones of a person as they are in this turn.
func (t *Turn) eachPhone(person nod.PersonID, f func(nod.Phone)) {
	for p := range all(t.phones, t.core.phones) {
		if p.Person == person {
			f(p)
		}
	}
}

// eachAgent calls f for the agents of a person as they are in this turn.
func (t *Turn) eachAgent(person nod.PersonID, f func(nod.Agent)) {
	for a := range all(t.agents, t.core.agents) {
		if a.Person == person {
			f(a)
		}
	}
}

// eachOpen calls f for every call that has no outcome yet, as it is in this turn.
func (t *Turn) eachOpen(f func(nod.Call)) {
	for _, id := range t.core.unfinished() {
		if c, _ := t.call(id); !c.Final() {
			f(c)
		}
	}
	for _, id := range slices.Clone(t.order) {
		if _, old := t.core.calls[id]; !old && !t.calls[id].Final() {
			f(t.calls[id])
		}
	}
}

// eachOpenOf calls f for every call to a person that has no outcome yet, in no
// order.
func (t *Turn) eachOpenOf(person nod.PersonID, f func(nod.Call)) {
	for id := range t.core.open[person] {
		if c, _ := t.call(id); !c.Final() {
			f(c)
		}
	}
	for _, id := range t.order {
		if c := t.calls[id]; c.Person == person && !t.core.open[person][id] && !c.Final() {
			f(c)
		}
	}
}

// eachCallOf calls f for every call of an agent that is in memory.
func (t *Turn) eachCallOf(agent nod.AgentID, f func(nod.Call)) {
	for id := range t.core.callsOf[agent] {
		if c, ok := t.call(id); ok {
			f(c)
		}
	}
	for _, id := range t.order {
		if _, old := t.core.calls[id]; !old && t.calls[id].Agent == agent {
			f(t.calls[id])
		}
	}
}

// set stores a call's row. However often a call changes in one turn, the
// ledger sees one change of it.
func (t *Turn) set(c nod.Call) {
	before, known := t.core.calls[c.ID]
	c.Version = 1
	if known {
		c.Version = before.Version + 1
	}
	if _, seen := t.calls[c.ID]; !seen {
		t.order = append(t.order, c.ID)
	}
	t.calls[c.ID] = c
}

// step takes a call through one event, logs what is to be logged and queues the
// frames that follow.
func (t *Turn) step(c nod.Call, ev call.Event) nod.Call {
	after, effects := call.Step(c, ev, t.now)
	changed := after.Version != c.Version
	if after.Final() && after.Text == "" {
		after.Text = t.say(after)
	}
	if after.Supplement != c.Supplement {
		after.Text = t.say(after)
	}
	if changed {
		t.set(after)
		after = t.calls[after.ID]
	}
	for _, e := range effects {
		t.follow(after, e)
	}
	if c.State.Open() && !after.State.Open() {
		t.cardOver(after)
	}
	if after.Final() && !c.Final() {
		t.ended(after)
	}
	return after
}

// log adds an entry about a call to its person's log.
func (t *Turn) log(kind string, c nod.Call, facts map[string]string, payload any) {
	t.entry(log.Entry{Person: c.Person, Kind: kind, Call: c.ID, Agent: c.Agent, Phone: c.Phone, Facts: facts}, payload)
}

// entry adds one entry. The payload is kept apart from what is proven, so that
// it can be erased; nil for none.
func (t *Turn) entry(e log.Entry, payload any) {
	e.At = t.now
	if payload != nil {
		e.Payload = jsonOf(payload)
	}
	if err := log.Seal(&e, rand.Reader); err != nil {
		panic("gateway: a log entry that cannot be sealed: " + err.Error()) // our own facts only
	}
	t.batch.Entries = append(t.batch.Entries, e)
}

func (t *Turn) send(phone nod.PhoneID, f wire.Frame) {
	t.out = append(t.out, Out{Phone: phone, Frame: f})
}

// Out returns the frames of the turn so far. They may leave only once it is adopted.
func (t *Turn) Out() []Out { return t.out }
