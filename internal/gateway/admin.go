package gateway

import (
	"cmp"
	"context"
	"crypto/subtle"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// PhoneStatus is a phone and whether it is there.
type PhoneStatus struct {
	nod.Phone
	// Connected is what the phone last proved, never what a socket thinks.
	Connected bool
	// Reach is how it would be asked. Connected or not, a phone is reachable that
	// lost its link less than a minute ago or can be woken.
	Reach Reach
}

// Reachable reports whether the phone can be asked now.
func (p PhoneStatus) Reachable() bool { return p.Reach == ReachLink || p.Reach == ReachPush }

// AgentByToken returns the agent that a token belongs to.
func (g *Gateway) AgentByToken(token string) (nod.Agent, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	id, ok := g.core.tokens[string(auth.HashToken(token))]
	agent, known := g.core.agents[id]
	if !ok || !known {
		return nod.Agent{}, nod.Errorf(nod.CodeUnauthorized, "this token is not known", `make one with "nod agents add NAME", or a new one with "nod agents rotate NAME"`)
	}
	if agent.Revoked != 0 {
		return nod.Agent{}, nod.Errorf(nod.CodeUnauthorized, "the person removed this agent", "it cannot ask again")
	}
	return agent, nil
}

// PhoneByBearer returns the phone whose link, in its present epoch, was given
// the bearer of the phone API.
func (g *Gateway) PhoneByBearer(bearer string) (nod.Phone, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for id, l := range g.core.links {
		if l.conn != nil && l.bearer != "" && subtle.ConstantTimeCompare([]byte(l.bearer), []byte(bearer)) == 1 {
			if p := g.core.phones[id]; p.Revoked == 0 {
				return p, nil
			}
		}
	}
	return nod.Phone{}, nod.Errorf(nod.CodeUnauthorized, "this phone's link is over", "the page connects again and asks anew")
}

// People lists the people, oldest first.
func (g *Gateway) People() []nod.Person {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var people []nod.Person
	for _, p := range g.core.people {
		if p.Removed == 0 {
			people = append(people, p)
		}
	}
	slices.SortFunc(people, func(a, b nod.Person) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return people
}

// Agents lists a person's agents, oldest first, removed ones left out.
func (g *Gateway) Agents(person nod.PersonID) []nod.Agent {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var agents []nod.Agent
	for _, a := range g.core.agents {
		if a.Person == person && a.Revoked == 0 {
			agents = append(agents, a)
		}
	}
	slices.SortFunc(agents, func(a, b nod.Agent) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return agents
}

// Phones lists a person's phones, oldest first, removed ones and those that
// were never approved left out.
func (g *Gateway) Phones(person nod.PersonID) []PhoneStatus {
	g.mu.RLock()
	defer g.mu.RUnlock()
	view := g.core.Begin(g.clock.now())
	var phones []PhoneStatus
	for _, p := range g.core.phones {
		if p.Person != person || p.Revoked != 0 || !p.Approved {
			continue
		}
		l := g.core.links[p.ID]
		phones = append(phones, PhoneStatus{Phone: p, Connected: l != nil && l.conn != nil, Reach: view.reachedBy(p.ID)})
	}
	slices.SortFunc(phones, func(a, b PhoneStatus) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return phones
}

// FindPhone finds one of a person's phones by id or name.
func (g *Gateway) FindPhone(person nod.PersonID, word string) (nod.Phone, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.core.Begin(g.clock.now()).phoneNamed(person, word)
}

// Stats are the gauges of a running gateway.
type Stats struct {
	OpenCalls       int
	PhonesConnected int
}

// Stats counts what is going on now.
func (g *Gateway) Stats() Stats {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var s Stats
	for _, open := range g.core.open {
		s.OpenCalls += len(open)
	}
	for _, l := range g.core.links {
		if l.conn != nil {
			s.PhonesConnected++
		}
	}
	return s
}

// AddPerson adds somebody who decides.
func (g *Gateway) AddPerson(ctx context.Context, name string) (p nod.Person, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { p, err = t.AddPerson(name); return err })
	return p, err
}

// SetWait sets how long a person's cards wait, in seconds, 120 to 1200; by is
// the phone it was set on, empty for the console.
func (g *Gateway) SetWait(ctx context.Context, person nod.PersonID, by nod.PhoneID, seconds int) error {
	return g.turn(ctx, func(t *Turn) error { return t.SetWait(person, by, seconds) })
}

// AddAgent adds an agent and returns its token, which is shown this once.
func (g *Gateway) AddAgent(ctx context.Context, s AgentSpec) (a nod.Agent, token string, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { a, token, err = t.AddAgent(s); return err })
	return a, token, err
}

// RotateAgent gives an agent a new token; the old one is dead when it returns.
func (g *Gateway) RotateAgent(ctx context.Context, person nod.PersonID, word string) (a nod.Agent, token string, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { a, token, err = t.RotateAgent(person, word); return err })
	return a, token, err
}

// RenameAgent changes how cards name an agent, given by id or name.
func (g *Gateway) RenameAgent(ctx context.Context, person nod.PersonID, word, name string) (a nod.Agent, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { a, err = t.RenameAgent(person, word, name); return err })
	return a, err
}

// SetAgentWait sets how long one answer to an agent may take, in seconds, 1 to
// 1200, or 0 for what its client is known to bear.
func (g *Gateway) SetAgentWait(ctx context.Context, person nod.PersonID, word string, seconds int) (a nod.Agent, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { a, err = t.SetAgentWait(person, word, seconds); return err })
	return a, err
}

// PauseAgent stops an agent until a phone resumes it, and counts its actions
// that are being carried out at this moment.
func (g *Gateway) PauseAgent(ctx context.Context, person nod.PersonID, word string) (a nod.Agent, inFlight int, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { a, inFlight, err = t.PauseAgent(person, word); return err })
	return a, inFlight, err
}

// PauseAll stops every agent of a person until a phone resumes them.
func (g *Gateway) PauseAll(ctx context.Context, person nod.PersonID, by string) (inFlight int, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { inFlight, err = t.PauseAll(person, by); return err })
	return inFlight, err
}

// RevokeAgent removes an agent for good. When it returns no offer and no go is
// sent for it any more; those already sent are counted, and with wait it
// returns only once they have ended.
func (g *Gateway) RevokeAgent(ctx context.Context, person nod.PersonID, word string, wait bool) (int, error) {
	var inFlight []nod.CallID
	var agent nod.Agent
	err := g.turn(ctx, func(t *Turn) (err error) { agent, inFlight, err = t.RevokeAgent(person, word); return err })
	if err == nil && wait {
		err = g.waitAll(ctx, agent.ID, inFlight)
	}
	return len(inFlight), err
}

func (g *Gateway) waitAll(ctx context.Context, agent nod.AgentID, calls []nod.CallID) error {
	for _, id := range calls {
		if _, err := g.Wait(ctx, agent, id); err != nil {
			return err
		}
	}
	return nil
}

// AskResume asks on a person's phones whether agents may ask again: only a
// phone can say so. It returns the names of the phones that were asked.
func (g *Gateway) AskResume(ctx context.Context, person nod.PersonID) (asked []string, err error) {
	err = g.turn(ctx, func(t *Turn) error {
		t.eachPhone(person, func(p nod.Phone) {
			if p.Approved && p.Revoked == 0 && p.Screen && t.hasLink(p.ID) {
				t.send(p.ID, wire.Frame{Kind: wire.KindRecords, Reason: wire.RecordResume})
				asked = append(asked, p.Name)
			}
		})
		return nil
	})
	slices.Sort(asked)
	return asked, err
}

// RevokePhone removes a phone, given by id or name, for good. It counts the
// actions whose go was sent before: no word of how they end can come any more,
// so they end unknown when their results are due.
func (g *Gateway) RevokePhone(ctx context.Context, person nod.PersonID, word string) (p nod.Phone, inFlight int, err error) {
	var calls []nod.CallID
	err = g.turn(ctx, func(t *Turn) (err error) { p, calls, err = t.RevokePhone(person, word); return err })
	return p, len(calls), err
}

// RenamePhone changes what a phone is called.
func (g *Gateway) RenamePhone(ctx context.Context, person nod.PersonID, word, name string) (p nod.Phone, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { p, err = t.RenamePhone(person, word, name); return err })
	return p, err
}

// StartPairing makes an invitation for one phone, good for fifteen minutes.
func (g *Gateway) StartPairing(ctx context.Context, person nod.PersonID, recover bool) (p store.Pairing, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { p, err = t.StartPairing(person, recover); return err })
	return p, err
}

// Pair takes a phone's pairing request.
func (g *Gateway) Pair(ctx context.Context, q auth.PairRequest) (r auth.PairReply, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { r, err = t.Pair(q); return err })
	return r, err
}

// PairRecord takes the record of a phone that approves itself.
func (g *Gateway) PairRecord(ctx context.Context, r auth.RecordRequest) error {
	return g.turn(ctx, func(t *Turn) error { return t.PairRecord(r) })
}

// PairState says where a pairing stands.
func (g *Gateway) PairState(pairing string) auth.PairState {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.core.PairState(pairing, g.clock.now())
}

// Waiting lists the phones that wait for a person's yes.
func (g *Gateway) Waiting(person nod.PersonID) []auth.Waiting {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.core.Waiting(person, g.clock.now())
}

// Reject turns down a phone that waits.
func (g *Gateway) Reject(ctx context.Context, person nod.PersonID, pairing string) error {
	return g.turn(ctx, func(t *Turn) error { return t.Reject(person, pairing) })
}

// Log returns up to limit entries of a person's log from seq on.
func (g *Gateway) Log(ctx context.Context, person nod.PersonID, from int64, limit int) ([]log.Entry, error) {
	return g.cfg.Ledger.Entries(ctx, person, from, limit)
}

// Head returns the newest signed head of a person's log; false before the first entry.
func (g *Gateway) Head(person nod.PersonID) (wire.Signed, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	head, ok := g.core.heads[person]
	return head, ok
}

// PublicKey returns the gateway's public key, by which heads are checked.
func (g *Gateway) PublicKey() []byte { return g.cfg.Signer.Public() }

// PhoneKeys returns the public key of every phone a person ever paired, removed
// ones too: their decisions are in the log.
func (g *Gateway) PhoneKeys(person nod.PersonID) map[nod.PhoneID][]byte {
	g.mu.RLock()
	defer g.mu.RUnlock()
	keys := map[nod.PhoneID][]byte{}
	for id, p := range g.core.phones {
		if p.Person == person {
			keys[id] = p.Key
		}
	}
	return keys
}

// Backup writes a copy of the ledger to a new file.
func (g *Gateway) Backup(ctx context.Context, path string) error {
	return g.cfg.Ledger.Backup(ctx, path)
}
