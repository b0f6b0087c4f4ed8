package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Core is everything a gateway knows and decides, without a clock, I/O or
// goroutines. It changes in turns: [Core.Begin] starts one, the happenings of
// the turn are applied to it, its batch is written to the ledger, and only then
// is it adopted and may its frames leave. A turn that could not be written is
// dropped, and the core is as it was.
//
// One goroutine owns a core. The simulation owns one too, with a ledger that
// fails and a network that loses.
type Core struct {
	spec    *spec.Spec
	signer  wire.Signer
	nonce   func() string
	callID  func() nod.CallID
	program string // the program's version, told in welcome
	web     string // the web app's version; see Turn.reload

	people   map[nod.PersonID]nod.Person
	agents   map[nod.AgentID]nod.Agent
	tokens   map[string]nod.AgentID // by hash
	phones   map[nod.PhoneID]nod.Phone
	calls    map[nod.CallID]nod.Call // open ones and those of the last hour
	callsOf  map[nod.AgentID]map[nod.CallID]bool
	open     map[nod.PersonID]map[nod.CallID]bool // those without an outcome
	pairings map[string]store.Pairing
	waiting  map[string]waiting // pairings whose phone waits for a yes
	heads    map[nod.PersonID]wire.Signed
	records  map[nod.RecordID]bool // those that were taken: one that is sent again changes nothing

	// setBackAt is the ledger time to which a restore went back, as the store
	// wrote it; accepted is which of them each person has accepted on a phone.
	setBackAt string
	accepted  map[nod.PersonID]string
	// testAgents are the agents in whose name a person's phones test themselves.
	testAgents map[nod.PersonID]nod.AgentID

	// unwritten are the stops that act in memory and are not in the ledger yet.
	unwritten []func(*Turn)

	links    map[nod.PhoneID]*live
	held     map[string]place // by act digest: cards whose place is kept
	attached map[nod.CallID]int
	uploads  map[nod.CallID]string // the tokens for blobs that went out with a go
	floods   map[nod.AgentID]*flood
	dues     dues
	push     pushes
	forgot   nod.Time // the bound of the last Forget
}

// CoreConfig is what a core needs besides what it loads.
type CoreConfig struct {
	Spec   *spec.Spec
	Signer wire.Signer
	// Nonce makes the nonce of an offer; wire.Encode64 of 16 random bytes.
	Nonce func() string
	// CallID makes the id of a call; nil for [nod.NewCallID].
	CallID func() nod.CallID
	// Version of the program, told in welcome.
	Version string
	// PushKey is the gateway's public push key; nil when phones cannot be woken.
	PushKey []byte
	// Base is the address that phones know the gateway by.
	Base string
	// WebVersion is that of the web app; empty for none.
	WebVersion string
}

// NewCore makes a core from what the ledger holds.
func NewCore(cfg CoreConfig, state *store.State) (*Core, error) {
	k := &Core{
		spec: cfg.Spec, signer: cfg.Signer, nonce: cfg.Nonce, callID: cfg.CallID, program: cfg.Version, web: cfg.WebVersion,
		people: map[nod.PersonID]nod.Person{}, agents: map[nod.AgentID]nod.Agent{}, tokens: map[string]nod.AgentID{},
		phones: map[nod.PhoneID]nod.Phone{}, calls: map[nod.CallID]nod.Call{},
		callsOf: map[nod.AgentID]map[nod.CallID]bool{}, open: map[nod.PersonID]map[nod.CallID]bool{}, pairings: map[string]store.Pairing{},
		accepted: map[nod.PersonID]string{}, testAgents: map[nod.PersonID]nod.AgentID{}, records: map[nod.RecordID]bool{}, waiting: map[string]waiting{}, heads: map[nod.PersonID]wire.Signed{},
		links: map[nod.PhoneID]*live{}, held: map[string]place{}, attached: map[nod.CallID]int{}, uploads: map[nod.CallID]string{}, floods: map[nod.AgentID]*flood{},
	}
	if k.callID == nil {
		k.callID = nod.NewCallID
	}
	for _, p := range state.People {
		k.people[p.ID] = p
	}
	for _, a := range state.Agents {
		k.agents[a.ID] = a
	}
	for _, t := range state.Tokens {
		k.tokens[string(t.Hash)] = t.Agent
	}
	for _, p := range state.Phones {
		if _, err := wire.ParsePublic(p.Key); err != nil {
			return nil, fmt.Errorf("phone %s (%s) has a key that is none: %w", p.ID, p.Name, err)
		}
		k.phones[p.ID] = p
	}
	for _, c := range state.Calls {
		k.keep(c)
	}
	k.push = pushes{key: cfg.PushKey, base: cfg.Base}
	k.push.load(state)
	for _, r := range state.Records {
		k.records[r.ID] = true
	}
	for _, p := range state.Pairings {
		k.pairings[p.ID] = p
	}
	maps.Copy(k.heads, state.Heads)
	k.setBackAt = state.Meta[store.MetaSetBack]
	for id := range k.people {
		k.accepted[id] = state.Meta[acceptedKey(id)]
		k.testAgents[id] = nod.AgentID(state.Meta[testAgentKey(id)])
	}
	return k, nil
}

// forgetEvery is how often what is over is looked for.
const forgetEvery = time.Minute

// Forget drops from memory what was over at ledger time before: calls, kept
// places, invitations. The ledger keeps the calls. It looks once a minute at
// the most, so that it can be called in every turn.
func (k *Core) Forget(before nod.Time) {
	if before.Sub(k.forgot) < forgetEvery {
		return
	}
	k.forgot = before
	for id, c := range k.calls {
		if c.Final() && c.Ended < before {
			delete(k.calls, id)
			delete(k.callsOf[c.Agent], id)
			delete(k.attached, id)
			delete(k.uploads, id)
		}
	}
	k.push.forget(k.calls)
	for digest, p := range k.held {
		if p.until < before {
			delete(k.held, digest)
		}
	}
	for id, p := range k.pairings {
		if p.Expires < before {
			delete(k.pairings, id)
			delete(k.waiting, id)
		}
	}
}

// Next returns the earliest time at which something is due, 0 for never.
func (k *Core) Next() nod.Time {
	call, wake := k.dues.next(k.stands), k.push.next()
	if call == 0 || wake != 0 && wake < call {
		return wake
	}
	return call
}

// stands reports whether a call is still due when it was.
func (k *Core) stands(d due) bool {
	c, ok := k.calls[d.call]
	return ok && dueAt(c) == d.at
}

// keep puts a call into memory as it is now.
func (k *Core) keep(c nod.Call) {
	before := k.calls[c.ID]
	k.calls[c.ID] = c
	if k.callsOf[c.Agent] == nil {
		k.callsOf[c.Agent] = map[nod.CallID]bool{}
	}
	k.callsOf[c.Agent][c.ID] = true
	if c.Final() {
		delete(k.open[c.Person], c.ID)
		return
	}
	if k.open[c.Person] == nil {
		k.open[c.Person] = map[nod.CallID]bool{}
	}
	k.open[c.Person][c.ID] = true
	if dueAt(before) != dueAt(c) {
		k.dues.add(due{at: dueAt(c), call: c.ID})
	}
}

// unfinished lists the calls without an outcome, oldest first, so that what is
// done to all of them is done in an order that can be told.
func (k *Core) unfinished() []nod.CallID {
	var ids []nod.CallID
	for _, open := range k.open {
		ids = slices.AppendSeq(ids, maps.Keys(open))
	}
	slices.SortFunc(ids, func(a, b nod.CallID) int {
		return cmp.Or(cmp.Compare(k.calls[a].Received, k.calls[b].Received), cmp.Compare(a, b))
	})
	return ids
}

func sorted(ids []nod.PhoneID) []nod.PhoneID {
	slices.Sort(ids)
	return ids
}
