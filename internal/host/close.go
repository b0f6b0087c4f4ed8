package host

import (
	"slices"
	"time"

	"nod.dev/nod/internal/wire"
)

// Reasons for a card to go away that are no nod.Why: those of a withdraw frame,
// and the phone's own.
const (
	ReasonExpired  = "expired"  // its time is up
	ReasonAnswered = "answered" // on another screen
	ReasonOver     = "over"     // the gateway has ended the call
	ReasonTaken    = "taken"    // another card took its place
	ReasonAcked    = "acked"    // all that was to be said has arrived
	ReasonNoGo     = "no_go"    // the decision was not heard of again
	ReasonSetBack  = "set_back" // the gateway was set back
	ReasonRevoked  = "revoked"  // this phone was removed
)

// withdraw takes a card away, or holds its place for a connection that may come
// back. For the acting phone, answered is no end: the go follows.
func (m *Machine) withdraw(f wire.Frame) {
	var body wire.CallBody
	if err := f.Signed().OpenAs(wire.KindWithdraw, m.self.Gateway, &body); err != nil {
		m.note("", "a withdraw was dropped: "+err.Error())
		return
	}
	e, ok := m.calls[body.Call]
	if !ok {
		return
	}
	switch e.state {
	case Received:
		switch {
		case body.Reason == ReasonAnswered && m.acts(e):
			m.answer(body.Call, e, body.Reason, body.By)
		case body.KeepMS > 0 && e.card:
			e.state = Held
			e.keep = m.now.Boot + min(time.Duration(body.KeepMS)*time.Millisecond, e.ttl)
			m.do(Effect{Do: HoldCard, Call: body.Call, Reason: body.Reason})
		default:
			m.over(body.Call, e, body.Reason, body.By)
		}
	case Held:
		if body.KeepMS <= 0 {
			m.over(body.Call, e, body.Reason, body.By)
		}
	case Decided:
		if body.Reason == ReasonAnswered && m.acts(e) {
			return
		}
		m.over(body.Call, e, body.Reason, body.By)
	case Declined:
		m.over(body.Call, e, body.Reason, body.By)
	}
}

// acked ends the repeating of what has arrived. An ack is not signed: all that
// it can do is to stop a repetition.
func (m *Machine) acked(f wire.Frame) {
	if f.Of == wire.KindRecords {
		m.recordAcked(f)
		return
	}
	e, ok := m.calls[f.Call]
	if !ok {
		return
	}
	switch {
	case f.Of == wire.KindDecision && e.state == Decided && m.acts(e):
		e.resend = resend{} // it was heard; the go follows
	case f.Of == wire.KindResult && e.state == Finished,
		f.Of == wire.KindDecision && e.state == Declined,
		f.Of == wire.KindDecision && e.state == Decided && !m.acts(e):
		e.card = false // its screen shows how it ended
		m.over(f.Call, e, ReasonAcked, "")
	}
}

// expire does what is due by the clocks.
func (m *Machine) expire() {
	for _, call := range m.sorted() {
		e := m.calls[call]
		switch e.state {
		case Received:
			m.expireReceived(e)
		case Held:
			if m.now.Boot >= e.keep {
				m.over(call, e, ReasonExpired, "")
			}
		case Decided:
			m.expireDecided(e)
		case Declined:
			if m.now.Boot >= e.deadline {
				e.card = false
				m.over(call, e, ReasonExpired, "")
			} else if m.linked && e.resend.due(m.now) {
				e.resend.again(m.now)
				m.sendDecision(e)
			}
		case Finished:
			if m.linked && e.resend.due(m.now) {
				e.resend.again(m.now)
				m.sendResult(e)
			}
		}
	}
	if m.linked && len(m.outbox) > 0 && m.outboxResend.due(m.now) {
		m.outboxResend.again(m.now)
		m.sendRecord()
	}
}

// expireReceived takes the card away at its end. A phone that acts for other
// screens waits on, for a go that is on its way.
func (m *Machine) expireReceived(e *entry) {
	if m.now.Boot < e.deadline {
		return
	}
	call := e.offer.Call
	if !m.awaitsOther(e) || m.now.Boot >= e.deadline+GoGrace {
		m.over(call, e, ReasonExpired, "")
	} else if !e.answered {
		m.answer(call, e, ReasonExpired, "")
	}
}

// awaitsOther reports whether another screen may decide what this phone does.
func (m *Machine) awaitsOther(e *entry) bool {
	if !m.acts(e) {
		return false
	}
	for _, screen := range e.offer.Screens {
		if screen != m.self.Phone {
			return true
		}
	}
	return false
}

// expireDecided gives up on a go that did not come. Only the acting phone has a
// result to say; for any other the decision has had its chance.
func (m *Machine) expireDecided(e *entry) {
	call := e.offer.Call
	switch {
	case m.goLate(e) && m.acts(e):
		m.finish(call, e, RecEnded, Result{Status: wire.ResultFailed, Message: saysNoGo})
	case m.goLate(e):
		e.card = false
		m.over(call, e, ReasonNoGo, "")
	case m.linked && e.resend.due(m.now):
		e.resend.again(m.now)
		m.sendDecision(e)
	}
}

// Next returns when, by the boot clock, the machine wants its next Tick; false
// when it waits for nothing but events.
func (m *Machine) Next() (time.Duration, bool) {
	var due []time.Duration
	for _, e := range m.calls {
		switch e.state {
		case Received:
			at := e.deadline
			if e.answered {
				at += GoGrace
			} else if !e.card && m.awaitsOther(e) {
				at += GoGrace
			}
			due = append(due, at)
		case Held:
			due = append(due, e.keep)
		case Decided:
			due = append(due, e.decided.Boot+GoWindow)
		case Declined:
			due = append(due, e.deadline)
		}
		if m.linked && e.resend.wait > 0 && e.state != Armed {
			due = append(due, e.resend.at)
		}
	}
	if m.linked && len(m.outbox) > 0 {
		due = append(due, m.outboxResend.at)
	}
	if len(due) == 0 {
		return 0, false
	}
	return slices.Min(due), true
}
