package host

import (
	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// connected opens an epoch: cards of calls that the gateway has ended go away,
// and what it may not have heard is said again.
func (m *Machine) connected(w wire.WelcomeBody) {
	m.linked, m.epoch = true, w.Epoch
	m.records = w.Phones
	m.trust()
	open := make(map[nod.CallID]bool, len(w.Open))
	for _, call := range w.Open {
		open[call] = true
	}
	for _, call := range m.sorted() {
		e := m.calls[call]
		switch e.state {
		case Received:
			switch {
			case open[call]:
			case m.awaitsOther(e):
				m.answer(call, e, ReasonOver, "")
			default:
				m.over(call, e, ReasonOver, "")
			}
		case Decided:
			if !m.goLate(e) {
				e.resend.start(m.now)
				m.sendDecision(e)
			}
		case Declined:
			e.resend.start(m.now)
			m.sendDecision(e)
		case Finished:
			e.resend.start(m.now)
			m.sendResult(e)
		}
	}
	if len(m.outbox) > 0 {
		m.outboxResend.start(m.now)
		m.sendRecord()
	}
}

// wasSetBack stops everything that waits for the person: what was offered may
// stand on a past that this gateway no longer knows.
func (m *Machine) wasSetBack(head wire.Head) {
	if m.setBack == nil || *m.setBack != head {
		m.setBack = &head
		m.write(Record{Kind: RecSetBack, Head: &head})
	}
	for _, call := range m.sorted() {
		if e := m.calls[call]; e.state == Received || e.state == Held {
			m.over(call, e, ReasonSetBack, "")
		}
	}
	m.do(Effect{Do: AskSetBack, Head: head})
}

// accepted signs that the person takes the gateway as it was set back.
func (m *Machine) accepted() {
	if m.setBack == nil || m.revoked {
		return
	}
	head := *m.setBack
	if m.sign(wire.RecordResume, wire.RecordBody{SetBack: &head}, Record{Kind: RecAccept, Head: &head}) {
		m.head, m.setBack = &head, nil
	}
}

// say signs what the person wants: that agents stop asking, or may ask again, or
// may ask for more or less.
func (m *Machine) say(kind string, body wire.RecordBody) {
	if !m.revoked {
		m.sign(kind, body, Record{Kind: RecSigned})
	}
}

// record takes what a gateway has to say of records: another phone was paired,
// or somebody at its console wants agents to ask again, which only the person
// can allow.
func (m *Machine) record(f wire.Frame) {
	switch {
	case f.Record != nil && f.Record.Kind == wire.RecordPhone:
		m.records = append(m.records, *f.Record)
		m.trust()
	case f.Record == nil && f.Reason == wire.RecordResume && !m.revoked:
		m.do(Effect{Do: AskResume})
	}
}

// sign makes a record of the person's, journals it and sends it until acked.
func (m *Machine) sign(kind string, body wire.RecordBody, r Record) bool {
	body.Phone = m.self.Phone
	seed, err := wire.Canonical(struct {
		Kind string          `json:"kind"`
		At   nod.Time        `json:"at"`
		N    int             `json:"n"`
		Body wire.RecordBody `json:"body"`
	}{kind, m.now.Wall, len(m.outbox), body})
	if err != nil {
		m.note("", "a record could not be made: "+err.Error())
		return false
	}
	body.ID = nod.RecordID("record_" + wire.Encode64(wire.Digest(append(seed, m.self.Signer.Public()...))))
	signed, err := wire.Sign(m.self.Signer, kind, body)
	if err != nil {
		m.note("", "a record could not be signed: "+err.Error())
		return false
	}
	r.Signed = &signed
	m.write(r)
	m.outbox = append(m.outbox, signed)
	if len(m.outbox) == 1 {
		m.outboxResend.start(m.now)
		m.sendRecord()
	}
	return true
}

func (m *Machine) sendRecord() {
	m.send(wire.Frame{Kind: wire.KindRecords, Record: &m.outbox[0]})
}

// recordAcked goes on to the next record. Its ack names the record in Call
// where the gateway does so, and is then taken for no other.
func (m *Machine) recordAcked(f wire.Frame) {
	if len(m.outbox) == 0 {
		return
	}
	var body wire.RecordBody
	if tree, err := wire.ParseCanonical([]byte(m.outbox[0].Body)); err == nil {
		if err := wire.Fill(tree, &body); err == nil && f.Call != "" && string(f.Call) != string(body.ID) {
			return
		}
	}
	m.outbox = m.outbox[1:]
	m.write(Record{Kind: RecSent})
	if len(m.outbox) > 0 {
		m.outboxResend.start(m.now)
		m.sendRecord()
	}
}

// headSeen remembers the newest log head, so that an older one is noticed. It
// extends what was seen before, so a gateway that was set back is so no more.
func (m *Machine) headSeen(head wire.Head) {
	if m.setBack == nil && m.head != nil && *m.head == head {
		return
	}
	m.head, m.setBack = &head, nil
	m.write(Record{Kind: RecHead, Head: &head})
}

// wasRevoked ends the phone. What was armed is asked to stop and still says
// how it ended; nothing else will ever be started.
func (m *Machine) wasRevoked(f wire.Frame) {
	var body wire.RevokedBody
	if err := f.Signed().OpenAs(wire.KindRevoked, m.self.Gateway, &body); err != nil || body.Phone != m.self.Phone {
		m.note("", "a revocation that is not for this phone was dropped")
		return
	}
	if m.revoked {
		return
	}
	m.revoked = true
	m.write(Record{Kind: RecRevoked})
	for _, call := range m.sorted() {
		switch e := m.calls[call]; e.state {
		case Received, Held:
			m.over(call, e, ReasonRevoked, "")
		case Decided:
			if m.acts(e) {
				m.finish(call, e, RecEnded, Result{Status: wire.ResultFailed, Message: saysRevoked})
			}
		case Armed:
			m.do(Effect{Do: Stop, Call: call})
		}
	}
	m.do(Effect{Do: Leave})
}
