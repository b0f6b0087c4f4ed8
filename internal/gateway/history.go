package gateway

import (
	"context"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// PhoneCalls selects from the calls of one phone: those in which it acted or decided.
type PhoneCalls struct {
	App string // empty for every app
	// Before continues a list: only calls older than this one.
	Before nod.CallID
	Limit  int
}

// CallsOf lists the calls of a phone, newest first.
func (g *Gateway) CallsOf(ctx context.Context, phone nod.Phone, q PhoneCalls) ([]nod.Call, error) {
	if q.Before != "" {
		if _, err := g.CallOf(ctx, phone, q.Before); err != nil {
			return nil, err
		}
	}
	return g.cfg.Ledger.Calls(ctx, store.Query{Person: phone.Person, Phone: phone.ID, App: q.App,
		Since: phone.Created, Before: q.Before, Limit: q.Limit})
}

// AppsOf lists the apps of a phone's calls.
func (g *Gateway) AppsOf(ctx context.Context, phone nod.Phone) ([]string, error) {
	return g.cfg.Ledger.CallApps(ctx, phone.Person, phone.ID, phone.Created)
}

// CallOf returns a call of a phone's: one that it was asked, acted on or decided.
// Another phone's does not exist for it.
func (g *Gateway) CallOf(ctx context.Context, phone nod.Phone, id nod.CallID) (nod.Call, error) {
	c, err := g.known(ctx, id)
	if err != nil && nod.CodeOf(err) != nod.CodeNotFound {
		return nod.Call{}, err
	}
	if err != nil || c.Person != phone.Person ||
		c.Phone != phone.ID && c.DecidedBy != phone.ID && !slices.Contains(audience(c), phone.ID) {
		return nod.Call{}, nod.Errorf(nod.CodeNotFound, "there is no call "+clip(string(id), 60)+" of this phone", "")
	}
	return c, nil
}

// known finds a call in memory, else in the ledger.
func (g *Gateway) known(ctx context.Context, id nod.CallID) (nod.Call, error) {
	g.mu.RLock()
	c, ok := g.core.calls[id]
	g.mu.RUnlock()
	if ok {
		return c, nil
	}
	return g.cfg.Ledger.Call(ctx, id)
}

// maxReceipt bounds the entries of a receipt. A call has about ten; more only
// where its result was asked for again and again.
const maxReceipt = 200

// ReceiptOf proves all that the log holds of a call. Whose it is, the caller has
// made sure of.
func (g *Gateway) ReceiptOf(ctx context.Context, c nod.Call) (log.Receipt, []log.Entry, error) {
	head, ok := g.Head(c.Person) // before the entries: those that come meanwhile are not under it
	if !ok {
		return log.Receipt{}, nil, nod.Errorf(nod.CodeNotFound, "the log is empty", "")
	}
	entries, err := g.cfg.Ledger.EntriesOf(ctx, c.Person, c.ID, maxReceipt)
	if err != nil {
		return log.Receipt{}, nil, err
	}
	size := headSize(head)
	entries = slices.DeleteFunc(entries, func(e log.Entry) bool { return e.Seq > size })
	receipt, err := log.NewReceipt(entries, head, g.cfg.Ledger.Hashes(ctx, c.Person))
	if err != nil {
		return log.Receipt{}, nil, err
	}
	receipt.Offer = string(c.Offer)
	receipt.Decision, receipt.Result = signedOf(c.Decision), signedOf(c.Result)
	return receipt, entries, nil
}

func signedOf(data []byte) *wire.Signed {
	var s wire.Signed
	if len(data) == 0 || wire.Decode(data, &s) != nil {
		return nil
	}
	return &s
}

// Names returns what a person calls every agent and phone that a past call can
// be of, removed ones too.
func (g *Gateway) Names(person nod.PersonID) (agents map[nod.AgentID]string, phones map[nod.PhoneID]string) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	agents, phones = map[nod.AgentID]string{}, map[nod.PhoneID]string{}
	for id, a := range g.core.agents {
		if a.Person == person {
			agents[id] = a.Name
		}
	}
	for id, p := range g.core.phones {
		if p.Person == person {
			phones[id] = p.Name
		}
	}
	return agents, phones
}
