package host

import (
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// offered takes an offer: new, or again after a connection came back.
func (m *Machine) offered(f wire.Frame) {
	if f.Epoch != m.epoch || !m.linked {
		m.note("", "an offer of another connection was dropped")
		return
	}
	offer, err := m.openOffer(f)
	if err != nil {
		m.note(offer.Call, "an offer was dropped: "+err.Error())
		return
	}
	if m.revoked || m.setBack != nil {
		return
	}
	left := leftOf(f, offer)
	if _, ok := m.tombs[offer.Call]; ok {
		return
	}
	if e, ok := m.calls[offer.Call]; ok {
		m.offeredAgain(offer.Call, e, f, left)
		return
	}
	if m.open() >= maxOpen {
		m.note(offer.Call, "an offer was dropped: too many are open on this phone")
		return
	}
	m.take(f, offer, left)
}

// openOffer verifies an offer down to its bytes: signed by the pinned gateway,
// canonical, nothing in it that this phone would not draw, and for this phone.
func (m *Machine) openOffer(f wire.Frame) (wire.OfferBody, error) {
	var offer wire.OfferBody
	if err := f.Signed().OpenAs(wire.KindOffer, m.self.Gateway, &offer); err != nil {
		return offer, err
	}
	again, err := wire.Canonical(offer)
	if err != nil {
		return offer, err
	}
	if string(again) != f.Body {
		return offer, nod.Errorf(nod.CodeInvalid, "its bytes hold something that this phone does not know", "update the phone side of nod")
	}
	if offer.Call == "" || offer.TTLSeconds <= 0 {
		return offer, nod.Errorf(nod.CodeInvalid, "it names no call or no end", "")
	}
	if offer.Phone != m.self.Phone && !slices.Contains(offer.Screens, m.self.Phone) {
		return offer, nod.Errorf(nod.CodeForbidden, "it is for another phone", "")
	}
	return offer, nil
}

// leftOf is how long the card may still wait. The envelope is not signed, so it
// can only shorten what the offer says.
func leftOf(f wire.Frame, offer wire.OfferBody) time.Duration {
	ttl := time.Duration(offer.TTLSeconds) * time.Second
	left := time.Duration(f.LeftMS) * time.Millisecond
	if left <= 0 || left > ttl {
		return ttl
	}
	return left
}

// take journals a new offer, answers delivered and goes on to the card, or to
// what needs none.
func (m *Machine) take(f wire.Frame, offer wire.OfferBody, left time.Duration) {
	e := &entry{
		state:    Received,
		body:     f.Body,
		offer:    offer,
		digest:   wire.Encode64(wire.Digest([]byte(f.Body))),
		ttl:      time.Duration(offer.TTLSeconds) * time.Second,
		at:       m.now.Wall,
		live:     true,
		deadline: m.now.Boot + left,
	}
	m.calls[offer.Call] = e
	m.write(Record{Kind: RecReceived, Call: offer.Call, Offer: f.Body})
	m.send(wire.Frame{Kind: wire.KindDelivered, Call: offer.Call, Epoch: m.epoch})
	if why, message := m.cannot(e); why != nod.WhyNone || message != "" {
		if m.acts(e) {
			m.finish(offer.Call, e, RecEnded, Result{Status: wire.ResultFailed, Why: why, Message: message})
		} else {
			m.over(offer.Call, e, message, "")
		}
		return
	}
	switch {
	case offer.Verdict == nod.Allow:
		m.standing(offer.Call, e, f.Standing)
	case m.acts(e) && m.looksUp(e):
		m.lookUp(offer.Call, e, f.Takes)
	case m.decides(e):
		m.draw(offer.Call, e, f.Takes, left)
	}
}

// cannot is why an offer is not put to anyone here; both are empty where it is.
func (m *Machine) cannot(e *entry) (why nod.Why, message string) {
	if err := m.self.Recheck(e.offer); err != nil {
		return nod.WhyNone, "This phone does not accept the action: " + err.Error()
	}
	if e.offer.Verdict != nod.Ask && e.offer.Verdict != nod.Allow {
		return nod.WhyNone, "This phone does not accept an offer that is neither asked nor allowed."
	}
	if m.acts(e) && m.self.Cannot != nil {
		return m.self.Cannot((Card{Offer: e.offer}).Action())
	}
	return nod.WhyNone, ""
}

// acts reports whether this phone is the one that carries the call out.
func (m *Machine) acts(e *entry) bool { return e.offer.Phone == m.self.Phone }

// decides reports whether this phone may put the call to the person.
func (m *Machine) decides(e *entry) bool {
	return m.self.Screen && !e.answered && e.offer.Verdict == nod.Ask && slices.Contains(e.offer.Screens, m.self.Phone)
}

// place ends a held call whose place on the screen another one takes.
func (m *Machine) place(call nod.CallID, e *entry) {
	e.card = false
	m.over(call, e, ReasonTaken, "")
}

// draw hands the card to the screen. A card that takes the place of a held one
// ends that one: the place is all that was left of it.
func (m *Machine) draw(call nod.CallID, e *entry, takes nod.CallID, left time.Duration) {
	held, ok := m.calls[takes]
	if ok && held.state == Held {
		m.place(takes, held)
	} else {
		takes = ""
	}
	e.card = true
	card := m.cardOf(e)
	card.Left, card.Takes = left, takes
	m.do(Effect{Do: DrawCard, Call: call, Card: card})
}

// offeredAgain goes on with a call that is known. The card stays as it is; what
// the gateway may not have heard is said again.
func (m *Machine) offeredAgain(call nod.CallID, e *entry, f wire.Frame, left time.Duration) {
	if e.digest != wire.Encode64(wire.Digest([]byte(f.Body))) {
		m.note(call, "an offer was dropped: the call was offered before with other bytes")
		return
	}
	switch e.state {
	case Received:
		deadline := m.now.Boot + left
		if e.live {
			deadline = min(deadline, e.deadline)
		}
		e.live, e.deadline = true, deadline
		m.send(wire.Frame{Kind: wire.KindDelivered, Call: call, Epoch: m.epoch})
		switch {
		case e.drawn:
			m.send(wire.Frame{Kind: wire.KindShown, Call: call, Epoch: m.epoch})
		case e.looking, e.card:
		case m.acts(e) && m.looksUp(e) && !e.looked:
			m.lookUp(call, e, f.Takes)
		case m.decides(e):
			m.draw(call, e, f.Takes, left)
		}
	case Decided, Declined:
		m.sendDecision(e)
	case Finished:
		m.sendResult(e)
	}
}

// answer takes the question away and leaves the call.
func (m *Machine) answer(call nod.CallID, e *entry, reason, by string) {
	if e.card {
		m.do(Effect{Do: RemoveCard, Call: call, Reason: reason, By: by})
	}
	e.card, e.drawn, e.answered = false, false, true
}

// drawnCard says shown, once the card really is on the screen.
func (m *Machine) drawnCard(call nod.CallID) {
	e, ok := m.calls[call]
	if !ok || e.state != Received || !e.card || e.drawn {
		return
	}
	e.drawn = true
	m.send(wire.Frame{Kind: wire.KindShown, Call: call, Epoch: m.epoch})
}
