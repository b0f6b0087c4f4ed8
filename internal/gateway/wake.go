package gateway

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/push"
)

// Times and bounds of wake-ups.
const (
	// WakeAfter is how long a phone that is in front of a person has to say that it
	// has an offer, before it is woken (design section 6, "Reachable").
	WakeAfter = 2 * time.Second
	// maxSending bounds the wake-ups that are on their way to push services at a
	// time, whatever the services do: the others wait.
	maxSending = 32
	// maxTries is how often a wake-up is tried that failed on the way.
	maxTries = 3
	// overKnown and overUnsure are how long a push service keeps a replacement: for
	// a phone that shows the notification, and for one that may not.
	overKnown  = time.Hour
	overUnsure = 5 * time.Minute
)

// What a wake-up says.
const (
	wakeCard = "card" // a card waits
	wakeOver = "over" // it does not any more: replaces the first one's notification
	wakeTest = "test"
)

// wakeID names the wake-ups of a call for one phone, or with no call a phone's test.
type wakeID struct {
	call  nod.CallID
	phone nod.PhoneID
}

// wake is what is known of them. It is not stored: that a push service accepted
// one is in the call's row.
type wake struct {
	kind    string   // what is to be sent, or was last
	at      nod.Time // when it is to be sent; 0 when it is not
	sending bool
	tries   int
	token   string // the receipts of the one that was sent last
	of      string // the kind of that one
	sent    bool   // a card's was accepted by a push service, or came
	lost    bool   // it was given up
	card    bool   // the phone said that the card is on its screen
	ends    bool   // the card is over
	known   bool   // the phone said that it got the notification which is replaced
	quiet   bool   // it takes the place of a card that rang there

	answered nod.Time // when the push service answered the one that was sent last
	received nod.Time // when the phone said that it got that one
	shown    nod.Time // and that its notification is shown

	// test is of a test alone.
	test    PushTest
	started nod.Time
}

// Wake is a message for a phone's push service, to leave once its turn is in the
// ledger. Each is answered by [Turn.Pushed].
type Wake struct {
	Call    nod.CallID // empty for a test
	Phone   nod.PhoneID
	Kind    string // card, over or test
	To      PushSubscription
	Message push.Message
	token   string
}

// Wakes returns the messages of the turn. They may leave only once it is adopted.
func (t *Turn) Wakes() []Wake { return t.wakeups }

func (t *Turn) wake(id wakeID) wake {
	w, _ := newest(t.wakes, t.core.push.wakes, id)
	return w
}

// subscription returns where a phone's wake-ups go, if it can be woken.
func (t *Turn) subscription(phone nod.PhoneID) (sub subscribed, ok bool) {
	sub, ok = newest(t.subs, t.core.push.subs, phone)
	return sub, ok && sub.Address != "" && t.core.push.on() && bytes.Equal(sub.MadeFor, t.core.push.key)
}

// canWake reports whether a call may wake a phone: the person is to be asked
// there, or needed there, and can still answer. What is allowed and needs nobody
// rings nowhere, and neither does what was stopped, written or not.
func (t *Turn) canWake(c nod.Call, phone nod.PhoneID) bool {
	p, _ := t.phone(phone)
	if _, ok := t.subscription(phone); !ok || p.Revoked != 0 || !p.Screen || !c.State.Open() || !t.wanted(c, phone) {
		return false
	}
	_, stopped := t.stopped(c)
	return !stopped
}

// wanted reports whether a call wants the person at a phone: to answer its card,
// or, where none asks, to let the phone that acts do what needs them.
func (t *Turn) wanted(c nod.Call, phone nod.PhoneID) bool {
	if c.Verdict.Answer == nod.Ask {
		return true
	}
	tool, _ := t.core.spec.Tool(c.Tool)
	return tool.WaitsSeconds > 0 && phone == c.Phone
}

// planWake decides when a phone is woken for a call whose offer leaves for it: a
// page that is in front of somebody gets a moment to say that it has it.
func (t *Turn) planWake(c nod.Call, phone nod.PhoneID, greeted bool) {
	at := t.now
	if l := t.core.links[phone]; greeted || l != nil && l.conn != nil && l.visible {
		at = t.now.Add(WakeAfter)
	}
	t.wakeAt(c, phone, at)
}

// hush keeps a wake-up from ringing whose card takes the place of another, if the
// phone said that it got that one's.
func (t *Turn) hush(id wakeID, takes nod.CallID) {
	w, planned := newest(t.wakes, t.core.push.wakes, id)
	before := t.wake(wakeID{takes, id.phone})
	if planned && takes != "" && (before.known || before.of == wakeCard && before.received != 0) {
		w.quiet = true
		t.wakes[id] = w
	}
}

// wakeAt plans the one wake-up of a call and phone, unless it is on its way, was
// sent, or is not needed.
func (t *Turn) wakeAt(c nod.Call, phone nod.PhoneID, at nod.Time) {
	id := wakeID{c.ID, phone}
	w := t.wake(id)
	if !t.canWake(c, phone) || w.sending || w.sent || w.lost || w.card || w.ends {
		return
	}
	if w.at == 0 || at < w.at {
		w.kind, w.at = wakeCard, at
		t.wakes[id] = w
	}
}

// awake notes that a phone has a call's offer, or shows its card.
func (t *Turn) awake(c nod.Call, phone nod.PhoneID, kind call.Kind) {
	id := wakeID{c.ID, phone}
	w, known := newest(t.wakes, t.core.push.wakes, id)
	if !known && !t.canWake(c, phone) {
		return
	}
	l := t.core.links[phone]
	w.card = w.card || kind == call.Shown
	if w.kind == wakeCard && (w.card || l != nil && l.visible) {
		w.at = 0 // a hidden page has it, and nobody sees it: that one is woken
	}
	t.wakes[id] = w
}

// wakeFor plans to wake a phone for the cards that it has not shown: at once when
// it went out of sight, a moment later when its link is over and may be back.
func (t *Turn) wakeFor(phone nod.PhoneID, at nod.Time) {
	if _, ok := t.subscription(phone); !ok {
		return
	}
	for _, c := range t.openOn(phone) {
		t.wakeAt(c, phone, at)
	}
}

// cardOver follows the end of a card with what it means for its notifications.
func (t *Turn) cardOver(c nod.Call) {
	for _, phone := range audience(c) {
		id := wakeID{c.ID, phone}
		w, known := newest(t.wakes, t.core.push.wakes, id)
		if !known || w.ends {
			continue
		}
		w.ends = true
		if t.recall(id) {
			w.sending = false
			w.tries--
		}
		if !w.sending {
			w.at = 0
		}
		t.wakes[id] = w
		if w.sent && !t.leftToPage(id) {
			t.replace(id)
		}
	}
}

// recall takes back a wake-up that was to leave with this turn.
func (t *Turn) recall(id wakeID) bool {
	before := len(t.wakeups)
	t.wakeups = slices.DeleteFunc(t.wakeups, func(m Wake) bool { return wakeID{m.Call, m.Phone} == id })
	return len(t.wakeups) < before
}

// leftToPage reports whether a notification is not replaced: a page in front of
// the person that knows of it takes it away itself. Nobody wants to be rung for
// what they have just done.
func (t *Turn) leftToPage(id wakeID) bool {
	l := t.core.links[id.phone]
	return t.wake(id).received != 0 && l != nil && l.conn != nil && l.visible
}

// replace plans the notification that takes the place of a card's that is over.
func (t *Turn) replace(id wakeID) {
	w := t.wake(id)
	w.kind, w.at, w.tries, w.lost = wakeOver, t.now, 0, false
	t.wakes[id] = w
}

// sendWakes hands out what is due, as far as there is room on the way.
func (t *Turn) sendWakes() {
	room := maxSending - t.core.push.sending - len(t.wakeups)
	if room <= 0 {
		return
	}
	ready := t.core.push.dues.until(t.now, t.core.push.stands, room)
	slices.SortFunc(ready, func(a, b due) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.call, b.call), cmp.Compare(a.phone, b.phone))
	})
	for _, d := range ready {
		id := wakeID{d.call, d.phone}
		w := t.wake(id)
		w.at = 0
		if wakeup, ok := t.wakeup(id, &w); ok {
			w.sending = true
			w.tries++
			t.wakeups = append(t.wakeups, wakeup)
		}
		t.wakes[id] = w
	}
}

// wakeup makes the message that is due, false when it is not needed any more.
func (t *Turn) wakeup(id wakeID, w *wake) (Wake, bool) {
	sub, ok := t.subscription(id.phone)
	c, known := t.call(id.call)
	switch {
	case !ok,
		w.kind == wakeCard && (!known || !t.canWake(c, id.phone)),
		w.kind == wakeOver && (!known || t.now.Sub(max(c.Ended, c.Decided)) > overKnown):
		return Wake{}, false
	}
	if w.tries == 0 { // another message than the one before: from here on, receipts are of this one
		w.known = w.received != 0
		w.token, w.of, w.answered, w.received, w.shown = t.core.nonce(), w.kind, 0, 0, 0
		t.core.push.receipt(t, w.token, id)
	}
	m := push.Message{Topic: topic(id), Body: t.wakeBody(c, id, *w)}
	switch {
	case w.kind == wakeCard:
		m.TTL = c.Deadline.Sub(t.now)
	case w.kind == wakeTest:
		m.TTL = testWait
	case w.known:
		m.TTL = overKnown
	default:
		m.TTL = overUnsure
	}
	return Wake{Call: id.call, Phone: id.phone, Kind: w.kind, To: sub.to(), Message: m, token: w.token}, true
}

// Pushed takes what a push service answered to a message. Accepted is no sign
// of the phone, and changes nothing but what the agent hears of the wake-up. One
// that did not answer may have taken it all the same: the phone's word counts.
func (t *Turn) Pushed(m Wake, r PushReceipt) {
	id := wakeID{m.Call, m.Phone}
	w, ok := newest(t.wakes, t.core.push.wakes, id)
	if !ok || !w.sending || w.token != m.token {
		return
	}
	w.sending = false
	t.wakes[id] = w
	took := r.Status == push.Accepted || w.received != 0
	if !took && t.tryAgain(id, m, r) {
		return
	}
	t.logPush(logPushed[r.Status], id, m.To.Host(), m.Kind, r)
	w.answered, w.lost = t.now, !took
	w.sent = w.sent || took && m.Kind == wakeCard
	t.lastPush(m, r, w)
	if r.Status == push.Gone && !t.moved(m) {
		t.unsubscribe(m.Phone, unsubscribedGone)
	}
	t.tested(&w, m, r)
	t.wakes[id] = w
	if m.Kind != wakeCard {
		return
	}
	stage := nod.PushFailed
	if took {
		stage = nod.PushAccepted
	}
	t.pushed(m.Call, m.Phone, stage)
	if w.ends && took && !t.leftToPage(id) {
		t.replace(id)
	}
}

// moved reports whether a phone is woken in another way by now than the one a
// message was sent.
func (t *Turn) moved(m Wake) bool {
	sub, ok := t.subscription(m.Phone)
	return ok && sub.Address != m.To.Address
}

// tryAgain plans another try of a message that did not get through, if it can be
// of use then: one that failed on the way, or went to where the phone is not any more.
func (t *Turn) tryAgain(id wakeID, m Wake, r PushReceipt) bool {
	w := t.wake(id)
	at := t.now.Add(max(r.RetryAfter, time.Duration(w.tries*w.tries)*2*time.Second))
	if t.moved(m) {
		at = t.now
	} else if r.Status != push.Failed {
		return false
	}
	c, _ := t.call(id.call)
	useful := m.Kind == wakeOver || m.Kind == wakeCard && !w.ends && t.canWake(c, id.phone) && at < c.Deadline
	if w.tries >= maxTries || !useful {
		return false
	}
	w.at = at
	t.wakes[id] = w
	return true
}

// pushed notes in a call's row how far a wake-up came.
func (t *Turn) pushed(id nod.CallID, phone nod.PhoneID, stage nod.Push) {
	if c, ok := t.call(id); ok {
		t.step(c, call.Event{Kind: call.Pushed, Phone: phone, Push: stage})
	}
}

// Receipt takes the word of a phone's service worker that it got a message
// (what is received) or shows its notification (shown). The token was in the
// message, which nobody else could read.
func (t *Turn) Receipt(token, what string) error {
	if what != receiptReceived && what != receiptShown {
		return nod.Errorf(nod.CodeInvalid, "what is received or shown", "")
	}
	id, ok := t.core.push.receipts[token]
	w := t.wake(id)
	if !ok || w.token != token {
		return nod.Errorf(nod.CodeNotFound, "this receipt is for nothing that was sent, or for something that was replaced", "")
	}
	got := func(at *nod.Time, kind string) {
		if *at != 0 {
			return
		}
		*at = t.now
		t.logPush(kind, id, t.host(id.phone), w.of, PushReceipt{})
	}
	got(&w.received, logPushReceived) // what is shown was received
	stage := nod.PushReceived
	if what == receiptShown {
		got(&w.shown, logPushShown)
		stage = nod.PushShown
	}
	if w.kind == w.of {
		w.at = 0 // what came is not tried again
	}
	late := w.of == wakeCard && !w.sending && !w.sent // its push service had not said that it took it
	w.sent = w.sent || late
	t.wakes[id] = w
	t.lastReceipt(id.phone, w)
	if w.of == wakeCard {
		t.pushed(id.call, id.phone, stage)
	}
	if late && w.ends {
		t.replace(id)
	}
	return nil
}

// What a receipt can say.
const (
	receiptReceived = "received"
	receiptShown    = "shown"
)
