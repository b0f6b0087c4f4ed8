package host

import (
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// goNow is the gateway's word that a decision was committed. It is the only
// way to a launch, and leads there at most once.
func (m *Machine) goNow(f wire.Frame) {
	var body wire.GoBody
	if err := f.Signed().OpenAs(wire.KindGo, m.self.Gateway, &body); err != nil {
		m.note("", "a go was dropped: "+err.Error())
		return
	}
	e, ok := m.calls[body.Call]
	if !ok {
		m.goForNone(body)
		return
	}
	switch e.state {
	case Received, Decided, Declined:
		m.goFor(body, e)
	case Held:
		m.finish(body.Call, e, RecEnded, Result{Status: wire.ResultFailed, Message: saysNoGo})
	case Finished:
		m.sendResult(e)
	}
}

// goForNone answers a go for a call that is over, or whose offer never came.
// Where it is certain that nothing was started the agent can be told so, and
// the record makes it true of an offer that still comes.
func (m *Machine) goForNone(body wire.GoBody) {
	never, over := m.tombs[body.Call]
	if over && !never {
		return
	}
	why := saysNoOffer
	if over {
		why = saysNoGo
	}
	e := &entry{digest: body.Digest, at: m.now.Wall, offer: wire.OfferBody{Call: body.Call, Phone: m.self.Phone}}
	m.calls[body.Call] = e
	delete(m.tombs, body.Call)
	m.finish(body.Call, e, RecEnded, Result{Status: wire.ResultFailed, Message: why})
}

// goFor judges a go for a call that has not been launched.
func (m *Machine) goFor(body wire.GoBody, e *entry) {
	if !m.acts(e) || body.Digest != e.digest {
		m.note(body.Call, "a go was dropped: it is not for what was offered here")
		return
	}
	decision, err := m.committed(body, e)
	if err != nil {
		m.note(body.Call, "a go was dropped: "+err.Error())
		return
	}
	if why := m.tooLate(decision, e); why != "" {
		m.finish(body.Call, e, RecEnded, Result{Status: wire.ResultFailed, Message: why})
		return
	}
	if why := m.unclear(decision, e); why != "" {
		m.finish(body.Call, e, RecEnded, Result{Status: wire.ResultFailed, Message: why})
		return
	}
	m.arm(body.Call, e, body.Upload)
}

// committed opens the decision inside a go: this phone's own, byte for byte, or
// one of another screen that the offer names and whose key is known.
func (m *Machine) committed(body wire.GoBody, e *entry) (wire.DecisionBody, error) {
	var decision wire.DecisionBody
	mine := e.decision != nil && body.Decision == *e.decision
	key, err := m.self.ParseKey(m.self.Signer.Public())
	if err != nil {
		return decision, err
	}
	if !mine {
		var peek wire.DecisionBody
		if tree, err := wire.ParseCanonical([]byte(body.Decision.Body)); err != nil {
			return decision, err
		} else if err := wire.Fill(tree, &peek); err != nil {
			return decision, err
		}
		if peek.Phone == m.self.Phone {
			return decision, nod.Errorf(nod.CodeForbidden, "its decision was not made on this phone", "")
		}
		known, ok := m.phones[peek.Phone]
		if !ok || !slices.Contains(e.offer.Screens, peek.Phone) {
			return decision, nod.Errorf(nod.CodeForbidden, "its decision is by a screen that does not count here", "")
		}
		key = known
	}
	if err := body.Decision.OpenAs(wire.KindDecision, key, &decision); err != nil {
		return decision, err
	}
	if decision.Call != body.Call || decision.Digest != e.digest {
		return decision, nod.Errorf(nod.CodeForbidden, "its decision is over something else", "")
	}
	if decision.Choice != nod.ChoiceConfirm && (decision.Choice != nod.ChoiceStanding || !mine) {
		return decision, nod.Errorf(nod.CodeForbidden, "its decision is no yes", "")
	}
	return decision, nil
}

// tooLate is why a go that is right in itself must not be acted upon any more.
func (m *Machine) tooLate(decision wire.DecisionBody, e *entry) string {
	switch {
	case m.revoked:
		return saysRevoked
	case m.setBack != nil:
		return saysSetBack
	case e.state == Declined:
		return saysDeclinedHere
	case !e.live:
		return saysNoGo
	case decision.Phone != m.self.Phone:
		if m.now.Boot >= e.deadline+GoGrace {
			return saysNoGo
		}
	case m.goLate(e):
		return saysNoGo
	}
	return ""
}

// goLate reports whether a decision made here is too old for a go: by the boot
// clock, by the wall clock, or because the device slept since.
func (m *Machine) goLate(e *entry) bool {
	return m.now.Boot-e.decided.Boot >= GoWindow ||
		m.now.Wall.Sub(e.decided.Wall) >= GoWindow ||
		m.now.sleptSince(e.decided)
}

// arm is the point of no return: once the record is durable, the call counts as
// started for ever, and the launch follows.
func (m *Machine) arm(call nod.CallID, e *entry, upload string) {
	if e.card && e.decision == nil {
		m.answer(call, e, ReasonAnswered, "")
	}
	m.stopLooking(call, e)
	e.state = Armed
	m.write(Record{Kind: RecArmed, Call: call})
	card := m.cardOf(e)
	card.Left, card.upload = 0, upload
	m.do(Effect{Do: CarryOut, Call: call, Card: card})
}

// ended takes the driver's word of how it went.
func (m *Machine) ended(call nod.CallID, r Result) {
	e, ok := m.calls[call]
	if !ok || e.state != Armed {
		return
	}
	switch {
	case r.Status == wire.ResultDone, r.Status == wire.ResultOpened && !m.reads(e):
		r.Started = true
	case m.reads(e):
		r = Result{Status: wire.ResultFailed, Message: r.Message, Why: r.Why}
	case r.Status == wire.ResultFailed:
	default:
		r.Status, r.Started = wire.ResultUnknown, true
	}
	if r.Started {
		m.finish(call, e, RecEnded, r)
	} else {
		m.finish(call, e, RecDisarmed, r)
	}
}

// finish signs and journals a result, and only then sends it. With a result
// that nothing was started, the record also forbids that it ever will be.
func (m *Machine) finish(call nod.CallID, e *entry, kind RecordKind, r Result) {
	r.Message = cut(r.Message, maxWords)
	body := wire.ResultBody{
		Call: call, Digest: e.digest, Phone: m.self.Phone,
		Status: r.Status, Started: r.Started, Message: r.Message, App: r.App,
	}
	rec := Record{Kind: kind, Call: call}
	switch {
	case r.Status == wire.ResultFailed:
		if slices.Contains(nod.PhoneWhys, r.Why) {
			body.Why = r.Why
		}
	case r.Status == wire.ResultDone || r.Status == wire.ResultOpened:
		if r.Data != "" {
			data := wire.DataOf(r.Salt, r.Data)
			body.Data, rec.Text, rec.Salt = &data, r.Data, wire.Encode64(r.Salt)
		}
		for _, b := range r.Blobs {
			body.Blobs = append(body.Blobs, b.Signed())
		}
	}
	signed, err := wire.Sign(m.self.Signer, wire.KindResult, body)
	if err != nil {
		// Left as it is, the call can still only end as what it was: armed stays
		// unknown, and the rest is given up again at the next tick.
		m.note(call, "the result could not be signed: "+err.Error())
		return
	}
	m.stopLooking(call, e)
	e.state, e.result, e.text, e.salt = Finished, &signed, rec.Text, rec.Salt
	rec.Signed = &signed
	m.write(rec)
	e.resend.start(m.now)
	m.sendResult(e)
	m.do(Effect{Do: ShowOutcome, Call: call, Result: r})
}

// disarm stops a call that has not been launched. One that is armed is asked to
// stop, and only the driver can say whether it did.
func (m *Machine) disarm(f wire.Frame) {
	var body wire.CallBody
	if err := f.Signed().OpenAs(wire.KindDisarm, m.self.Gateway, &body); err != nil {
		m.note("", "a disarm was dropped: "+err.Error())
		return
	}
	e, ok := m.calls[body.Call]
	if !ok || !m.acts(e) {
		return
	}
	switch e.state {
	case Received, Held, Decided:
		m.finish(body.Call, e, RecEnded, Result{Status: wire.ResultFailed, Message: saysDisarmed})
	case Armed:
		m.do(Effect{Do: Stop, Call: body.Call})
	case Finished:
		m.sendResult(e)
	}
}
