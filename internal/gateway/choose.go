package gateway

import (
	"fmt"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Presence, as design section 6 counts it.
const (
	// LostGrace is how long a phone whose link was lost counts as reachable.
	LostGrace = 60 * time.Second
)

// Conn is one live link to a phone, as the core sees it.
type Conn interface {
	// Send queues a frame; false when the link is over or its queue is full.
	Send(wire.Frame) bool
	// Close ends the link and tells the phone why.
	Close(reason string)
}

// live is what is known of a phone's link. It is not stored: after a restart
// phones say hello again.
type live struct {
	conn    Conn // nil once it is lost
	epoch   int64
	visible bool
	lost    nod.Time // when it was lost; meaningful while conn is nil
	bearer  string
	// records counts those that came from the phone in the minute that began then.
	minute  nod.Time
	records int
	// stale is the app version that was told to reload, and told when.
	stale string
	told  nod.Time
}

// Reach is how a phone is reached.
type Reach string

// The ways to reach a phone.
const (
	ReachLink Reach = "link" // it is connected, or was a moment ago
	ReachPush Reach = "push" // it is woken by its browser's push service
	ReachNo   Reach = "no"
)

// findPhone finds one of a person's phones by id or by name. A name that two
// phones share finds none: it is not guessed which was meant.
func (t *Turn) findPhone(person nod.PersonID, word string) (nod.Phone, bool) {
	if p, ok := t.phone(nod.PhoneID(word)); ok && p.Person == person {
		return p, true
	}
	var found nod.Phone
	count := 0
	t.eachPhone(person, func(p nod.Phone) {
		if strings.EqualFold(p.Name, word) && p.Revoked == 0 && p.Approved {
			found, count = p, count+1
		}
	})
	return found, count == 1
}

// phoneNamed finds a phone that somebody names who manages phones, or says that there is none.
func (t *Turn) phoneNamed(person nod.PersonID, word string) (nod.Phone, error) {
	p, ok := t.findPhone(person, word)
	if !ok || p.Revoked != 0 {
		return nod.Phone{}, nod.Errorf(nod.CodeNotFound, fmt.Sprintf("there is no phone %q", clip(word, 60)), `list them with "nod phones"`)
	}
	return p, nil
}

// choose picks the phone that is to act: the one the call names or the agent is
// bound to, else the one that a call it repeats went to, else the one able to do
// it that was proven most recently (design section 6, "Which phone"). False when
// none is paired.
func (t *Turn) choose(agent nod.Agent, ask Ask, act nod.Action, c class) (nod.Phone, bool) {
	named := ask.Phone
	if named == "" {
		named = string(agent.Phone)
	}
	if named != "" {
		return t.findPhone(agent.Person, named)
	}
	if p, ok := t.phone(t.repeats(agent, act)); ok {
		return p, true
	}
	var best nod.Phone
	t.eachPhone(agent.Person, func(p nod.Phone) {
		if p.Revoked == 0 && p.Approved && (best.ID == "" || t.better(p, best, c)) {
			best = p
		}
	})
	return best, best.ID != ""
}

// better reports whether phone a is the one to ask rather than b.
func (t *Turn) better(a, b nod.Phone, c class) bool {
	_, canA := t.can(a, c)
	_, canB := t.can(b, c)
	if canA != canB {
		return canA
	}
	liveA, liveB := t.isReachable(a.ID), t.isReachable(b.ID)
	if liveA != liveB {
		return liveA
	}
	if a.Seen != b.Seen {
		return a.Seen > b.Seen
	}
	return a.ID < b.ID
}

// can reports whether a phone declares that it can do this kind of thing, and
// the reason where not. A missing permission is no reason: the phone asks for it.
func (t *Turn) can(p nod.Phone, c class) (reason string, ok bool) {
	if c.capability == "" || p.Epoch == 0 {
		return "", true // it has never been here to say
	}
	for _, capability := range p.Capabilities {
		if capability.ID == c.capability {
			return capability.Reason, capability.State != nod.Unsupported
		}
	}
	return "this phone does not offer it", false
}

// isReachable reports whether a phone can be asked something now: it has a link,
// or can be woken.
func (t *Turn) isReachable(id nod.PhoneID) bool { return t.reachedBy(id) != ReachNo }

// reachedBy says how a phone is reached now.
func (t *Turn) reachedBy(id nod.PhoneID) Reach {
	if t.hasLink(id) {
		return ReachLink
	}
	p, _ := t.phone(id)
	if _, ok := t.subscription(id); ok && p.Screen { // without one there is nothing to wake it for
		return ReachPush
	}
	return ReachNo
}

// hasLink reports whether a phone has a live link, or lost one less than a
// minute ago: it is expected back.
func (t *Turn) hasLink(id nod.PhoneID) bool {
	l := t.core.links[id]
	switch {
	case l == nil:
		return false
	case l.conn != nil:
		return true
	}
	return t.now.Sub(l.lost) < LostGrace
}

// reach lists the screens that may decide over an action of phone: the phone
// itself if it shows cards, else the person's other phones that do. It says why
// not when the acting phone, or every screen, is out of reach. What is allowed
// without a card wakes a phone only where it needs the person there; anything
// else needs a phone that is there.
func (t *Turn) reach(phone nod.Phone, v nod.Verdict, c class) ([]nod.PhoneID, nod.Why) {
	if !t.isReachable(phone.ID) || v.Answer == nod.Allow && !c.person && !t.hasLink(phone.ID) {
		return nil, nod.WhyNotReachable
	}
	if phone.Screen {
		return []nod.PhoneID{phone.ID}, nod.WhyNone
	}
	if v.Answer == nod.Allow {
		return []nod.PhoneID{}, nod.WhyNone // no card is shown, so it needs no screen
	}
	var screens []nod.PhoneID
	reachable := false
	t.eachPhone(phone.Person, func(p nod.Phone) {
		if p.ID != phone.ID && p.Screen && p.Approved && p.Revoked == 0 {
			screens = append(screens, p.ID)
			reachable = reachable || t.isReachable(p.ID)
		}
	})
	if !reachable {
		return nil, nod.WhyNoScreen
	}
	return sorted(screens), nod.WhyNone
}
