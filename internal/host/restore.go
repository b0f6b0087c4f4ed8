package host

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Restore makes the machine that a journal remembers, and what follows from the
// program having ended where it did:
//
//   - armed without an end may have happened: its result is unknown;
//   - a confirm whose go had not come is given up, and nothing was started;
//   - an offer waits to be offered again before anyone is asked or a go counts.
func Restore(self Self, records []Record, now Now) (*Machine, []Effect, error) {
	m := NewMachine(self)
	m.now = now
	for i, r := range records {
		if err := m.replay(r); err != nil {
			return nil, nil, &nod.Error{
				Code:    nod.CodeStorage,
				Message: fmt.Sprintf("record %d (%s) of the phone's journal does not fit what comes before it", i+1, r.Kind),
				Hint:    "remove the phone's folder and pair it again",
				Err:     err,
			}
		}
	}
	for _, call := range m.sorted() {
		switch e := m.calls[call]; e.state {
		case Armed:
			if m.reads(e) {
				m.finish(call, e, RecEnded, Result{Status: wire.ResultFailed, Message: saysNoRead})
			} else {
				m.finish(call, e, RecEnded, Result{Status: wire.ResultUnknown, Started: true, Message: saysRestarted})
			}
		case Decided:
			if m.acts(e) {
				m.finish(call, e, RecEnded, Result{Status: wire.ResultFailed, Message: saysNoGo})
			} else {
				m.over(call, e, ReasonNoGo, "")
			}
		}
	}
	if m.setBack != nil {
		m.do(Effect{Do: AskSetBack, Head: *m.setBack})
	}
	if m.revoked {
		m.do(Effect{Do: Leave})
	}
	return m, m.out, nil
}

// replay takes one record back into memory.
func (m *Machine) replay(r Record) error {
	switch r.Kind {
	case RecPhone:
		if r.Phone != m.self.Phone {
			return nod.Errorf(nod.CodeStorage, "it is the journal of "+string(r.Phone), "")
		}
		return nil
	case RecHead:
		m.head, m.setBack = r.Head, nil
		return nil
	case RecSetBack:
		m.setBack = r.Head
		return nil
	case RecAccept:
		m.head, m.setBack = r.Head, nil
		return m.replaySigned(r)
	case RecSigned:
		return m.replaySigned(r)
	case RecSent:
		if len(m.outbox) > 0 {
			m.outbox = m.outbox[1:]
		}
		return nil
	case RecRoot:
		m.root = &r
		return nil
	case RecRevoked:
		m.revoked = true
		return nil
	}
	return m.replayCall(r)
}

func (m *Machine) replaySigned(r Record) error {
	if r.Signed == nil {
		return nod.Errorf(nod.CodeStorage, "the signed record is missing", "")
	}
	m.outbox = append(m.outbox, *r.Signed)
	return nil
}

// replayCall takes one point of a call's life back into memory.
func (m *Machine) replayCall(r Record) error {
	if r.Kind == RecOver {
		delete(m.calls, r.Call)
		m.tombs[r.Call] = r.Never
		return nil
	}
	if r.Kind == RecReceived {
		return m.replayOffer(r)
	}
	e, ok := m.calls[r.Call]
	if !ok {
		if r.Kind != RecEnded {
			return nod.Errorf(nod.CodeStorage, "its offer is missing", "")
		}
		e = &entry{at: r.At, offer: wire.OfferBody{Call: r.Call, Phone: m.self.Phone}}
		m.calls[r.Call] = e
		delete(m.tombs, r.Call)
	}
	switch r.Kind {
	case RecDecided:
		return m.replayDecision(r, e)
	case RecArmed:
		e.state = Armed
	case RecEnded, RecDisarmed:
		if r.Signed == nil {
			return nod.Errorf(nod.CodeStorage, "the result is missing", "")
		}
		var body wire.ResultBody
		if err := open(*r.Signed, &body); err != nil {
			return err
		}
		e.state, e.result, e.digest, e.text, e.salt = Finished, r.Signed, body.Digest, r.Text, r.Salt
	default:
		return nod.Errorf(nod.CodeStorage, "the kind is not known", "a newer nod wrote it")
	}
	return nil
}

func (m *Machine) replayOffer(r Record) error {
	e := &entry{state: Received, body: r.Offer, at: r.At, digest: wire.Encode64(wire.Digest([]byte(r.Offer)))}
	tree, err := wire.ParseCanonical([]byte(r.Offer))
	if err != nil {
		return err
	}
	if err := wire.Fill(tree, &e.offer); err != nil {
		return err
	}
	e.ttl = time.Duration(e.offer.TTLSeconds) * time.Second
	// The boot clock of then means nothing now. The wall clock may lie, so it
	// can neither lengthen the wait beyond the offer's own nor make a go count.
	left := min(max(r.At.Add(e.ttl).Sub(m.now.Wall), 0), e.ttl)
	e.deadline = m.now.Boot + left
	m.calls[r.Call] = e
	return nil
}

func (m *Machine) replayDecision(r Record, e *entry) error {
	if r.Signed == nil {
		return nod.Errorf(nod.CodeStorage, "the decision is missing", "")
	}
	var body wire.DecisionBody
	if err := open(*r.Signed, &body); err != nil {
		return err
	}
	e.state, e.decision = Decided, r.Signed
	if body.Choice == nod.ChoiceDecline {
		e.state = Declined
		e.resend.start(m.now)
	}
	return nil
}

// open reads a signed thing that this phone wrote into its own journal.
func open(s wire.Signed, v any) error {
	tree, err := wire.ParseCanonical([]byte(s.Body))
	if err != nil {
		return err
	}
	return wire.Fill(tree, v)
}

// Snapshot returns the shortest journal that restores to the same machine:
// tombstones stay, and of every open call what is still needed.
func (m *Machine) Snapshot() []Record {
	var out []Record
	add := func(r Record) {
		if r.At == 0 {
			r.At = m.now.Wall
		}
		out = append(out, r)
	}
	add(Record{Kind: RecPhone, Phone: m.self.Phone})
	if m.root != nil {
		add(*m.root)
	}
	if m.head != nil {
		add(Record{Kind: RecHead, Head: m.head})
	}
	if m.setBack != nil {
		add(Record{Kind: RecSetBack, Head: m.setBack})
	}
	for i := range m.outbox {
		add(Record{Kind: RecSigned, Signed: &m.outbox[i]})
	}
	if m.revoked {
		add(Record{Kind: RecRevoked})
	}
	for _, call := range slices.Sorted(maps.Keys(m.tombs)) {
		add(Record{Kind: RecOver, Call: call, Never: m.tombs[call]})
	}
	for _, call := range m.sorted() {
		e := m.calls[call]
		if e.body != "" {
			add(Record{Kind: RecReceived, At: e.at, Call: call, Offer: e.body})
		}
		if e.decision != nil {
			add(Record{Kind: RecDecided, At: e.at, Call: call, Signed: e.decision})
		}
		switch e.state {
		case Held:
			add(Record{Kind: RecOver, Call: call, Reason: ReasonExpired, Never: true})
		case Armed:
			add(Record{Kind: RecArmed, At: e.at, Call: call})
		case Finished:
			add(Record{Kind: RecEnded, At: e.at, Call: call, Signed: e.result, Text: e.text, Salt: e.salt})
		}
	}
	return out
}
