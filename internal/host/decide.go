package host

import (
	"unicode/utf8"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// maxWords bounds what a person types with a decline, and what a phone says of
// an ending (seed 000: message_max_chars).
const maxWords = 500

// chosen turns the person's answer into a signed decision. An answer to a card
// that is not on the screen, is held or has passed its end is no answer.
func (m *Machine) chosen(ev Event) {
	e, ok := m.calls[ev.Call]
	if !ok || e.state != Received || !e.drawn || m.revoked || m.now.Boot >= e.deadline {
		return
	}
	switch ev.Choice {
	case nod.ChoiceConfirm:
		m.decide(ev.Call, e, wire.DecisionBody{Choice: nod.ChoiceConfirm})
	case nod.ChoiceDecline:
		m.decide(ev.Call, e, wire.DecisionBody{Choice: nod.ChoiceDecline, Reason: cut(ev.Reason, maxWords)})
	}
}

// BasisSpec is the basis of a standing decision under the phone's own spec.
const BasisSpec = "spec"

// standing signs what needs no card, if this phone's own rules say so too: its
// own spec marks the tool as never asked for, or as a read that is not private,
// or what the person does in the system's own picker is their consent.
// Grants and modes are records that this host does not keep, so it accepts none.
func (m *Machine) standing(call nod.CallID, e *entry, record *wire.Signed) {
	if !m.acts(e) {
		return
	}
	tool, ok := m.self.Spec.Tool(e.offer.Tool)
	allowed := tool.Confirm == nod.ConfirmNever || (tool.Kind == nod.Read && !tool.Private) ||
		(m.self.Picks != nil && tool.Capability != "" && m.self.Picks(tool.Capability))
	if !ok || record != nil || !allowed || tool.Confirm == nod.ConfirmAlways {
		m.finish(call, e, RecEnded, Result{Status: wire.ResultFailed, Message: saysNoStanding})
		return
	}
	m.decide(call, e, wire.DecisionBody{Choice: nod.ChoiceStanding, Basis: BasisSpec})
	if m.self.Screen && e.state == Decided {
		m.do(Effect{Do: DrawCard, Call: call, Card: Card{Call: call, Offer: e.offer, Digest: e.digest, Quiet: true}})
	}
}

// decide signs, journals and only then sends a decision.
func (m *Machine) decide(call nod.CallID, e *entry, body wire.DecisionBody) {
	body.Call, body.Digest, body.Phone, body.Assurance = call, e.digest, m.self.Phone, m.self.Assurance
	signed, err := wire.Sign(m.self.Signer, wire.KindDecision, body)
	if err != nil {
		m.note(call, "the decision could not be signed: "+err.Error())
		return
	}
	e.state, e.decision, e.decided = Decided, &signed, m.now
	if body.Choice == nod.ChoiceDecline {
		e.state = Declined
	}
	m.write(Record{Kind: RecDecided, Call: call, Signed: &signed})
	e.resend.start(m.now)
	m.sendDecision(e)
}

// sendDecision sends a decision again: a decline until its deadline, a
// confirm only while its go could still count.
func (m *Machine) sendDecision(e *entry) {
	f := wire.FrameOf(*e.decision)
	f.Call, f.Epoch = e.offer.Call, m.epoch
	m.send(f)
}

// sendResult sends a result again, until it is acked.
func (m *Machine) sendResult(e *entry) {
	f := wire.FrameOf(*e.result)
	f.Text, f.Salt = e.text, e.salt
	m.send(f)
}

// cut shortens s to n runes.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
