package gateway

import (
	"bytes"
	"context"
	"errors"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/push"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// PushSubscription is where a phone's wake-ups go, and PushReceipt what a push
// service answered to one.
type (
	PushSubscription = push.Subscription
	PushReceipt      = push.Receipt
)

// subscribed is a phone's subscription as the ledger keeps it.
type subscribed store.Subscription

func (s subscribed) to() PushSubscription {
	return PushSubscription{Address: s.Address, Key: s.Key, Secret: s.Secret}
}

// pushes is all that a core knows of waking phones.
type pushes struct {
	key      []byte // the gateway's public push key; nil while push is off
	base     string // the address that phones know the gateway by
	subs     map[nod.PhoneID]subscribed
	wakes    map[wakeID]wake
	receipts map[string]wakeID   // by token
	cards    map[nod.PhoneID]int // that wait, of the phones that can be woken
	dues     dues
	sending  int
}

// on reports whether phones can be woken at all.
func (p *pushes) on() bool { return p.key != nil }

// stands reports whether something that was planned still is.
func (p *pushes) stands(d due) bool {
	w, ok := p.wakes[wakeID{d.call, d.phone}]
	return ok && w.at == d.at
}

// next returns when a wake-up is to be sent. With no room on the way that is when
// one has landed, which is a happening of its own.
func (p *pushes) next() nod.Time {
	if p.sending >= maxSending {
		return 0
	}
	return p.dues.next(p.stands)
}

// load takes what the ledger holds. A phone whose push service accepted a
// wake-up before a restart may still show its notification.
func (p *pushes) load(state *store.State) {
	p.subs, p.wakes, p.receipts = map[nod.PhoneID]subscribed{}, map[wakeID]wake{}, map[string]wakeID{}
	p.cards = map[nod.PhoneID]int{}
	for _, s := range state.Subscriptions {
		p.subs[s.Phone] = subscribed(s)
	}
	for _, c := range state.Calls {
		if c.State.Open() {
			for _, phone := range c.Pushed {
				p.wakes[wakeID{c.ID, phone}] = wake{kind: wakeCard, sent: true, card: c.State == nod.Shown}
				p.cards[phone]++
			}
		}
	}
}

// receipt lets a token count once the turn is adopted.
func (p *pushes) receipt(t *Turn, token string, id wakeID) {
	t.after = append(t.after, func() { p.receipts[token] = id })
}

// adopt takes the changes of a turn.
func (p *pushes) adopt(t *Turn) {
	for phone, s := range t.subs {
		if store.Subscription(s).Empty() {
			delete(p.subs, phone)
		} else {
			p.subs[phone] = s
		}
	}
	for id, w := range t.wakes {
		before, known := p.wakes[id]
		p.wakes[id] = w
		p.sending += one(w.sending) - one(before.sending)
		p.cards[id.phone] += one(w.waits(id)) - one(known && before.waits(id))
		if w.token != before.token {
			delete(p.receipts, before.token)
		}
		if w.at != 0 && w.at != before.at {
			p.dues.add(due{at: w.at, call: id.call, phone: id.phone})
		}
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// waits reports whether the wake-up is for a card that waits.
func (w wake) waits(id wakeID) bool { return id.call != "" && !w.ends }

// forget drops what is over, with the calls it was for.
func (p *pushes) forget(calls map[nod.CallID]nod.Call) {
	for id, w := range p.wakes {
		if _, ok := calls[id.call]; !ok && id.call != "" && !w.sending {
			delete(p.wakes, id)
			delete(p.receipts, w.token)
			p.cards[id.phone] -= one(w.waits(id))
		}
	}
}

// Subscribe takes the way to wake a phone. One that it had before is replaced,
// and another phone that names the same way has it no more: it was this browser.
func (t *Turn) Subscribe(phone nod.PhoneID, s PushSubscription) error {
	p, ok := t.phone(phone)
	if !ok || !p.Approved || p.Revoked != 0 {
		return nod.Errorf(nod.CodeForbidden, "this phone is not paired", "")
	}
	before, had := t.subscription(phone)
	if had && before.Address == s.Address && bytes.Equal(before.Key, s.Key) && bytes.Equal(before.Secret, s.Secret) {
		return nil // as at every start of the page
	}
	if t.often(phone) {
		return errOften
	}
	for other := range all(t.subs, t.core.push.subs) {
		if other.Phone != phone && other.Address == s.Address {
			t.unsubscribe(other.Phone, "moved")
		}
	}
	row := store.Subscription{Phone: phone, Address: s.Address, Key: s.Key, Secret: s.Secret, MadeFor: t.core.push.key, Created: t.now}
	t.writeSubscription(row)
	for _, c := range t.openOn(phone) { // what could not wake it before can now
		id := wakeID{c.ID, phone}
		if w := t.wake(id); w.lost && !w.ends {
			w.lost, w.tries = false, 0
			t.wakes[id] = w
		}
	}
	t.entry(log.Entry{Person: p.Person, Kind: logPushSubscribed, Phone: phone, Facts: map[string]string{"host": s.Host()}}, nil)
	return nil
}

var errOften = nod.Errorf(nod.CodeTooMany, "this phone asks for more than a person can mean", "it asks again in a minute")

// unsubscribe forgets the way to wake a phone.
func (t *Turn) unsubscribe(phone nod.PhoneID, why string) {
	s, ok := newest(t.subs, t.core.push.subs, phone)
	if !ok {
		return
	}
	if s.Address != "" {
		p, _ := t.phone(phone)
		t.entry(log.Entry{Person: p.Person, Kind: logPushUnsubscribed, Phone: phone, Facts: map[string]string{"host": s.to().Host(), "why": why}}, nil)
	}
	left := store.Subscription{Phone: phone, Created: s.Created}
	if why == unsubscribedGone {
		left.Last = s.Last // the page subscribes anew when it hears this
	}
	t.writeSubscription(left)
}

// unsubscribedGone is that the push service said so.
const unsubscribedGone = "gone"

// writeSubscription stores a phone's subscription; of several in one turn the last.
func (t *Turn) writeSubscription(s store.Subscription) { t.subs[s.Phone] = subscribed(s) }

// host names the push service of a phone.
func (t *Turn) host(phone nod.PhoneID) string {
	s, _ := newest(t.subs, t.core.push.subs, phone)
	return s.to().Host()
}

// lastPush keeps what became of the last wake-up of a phone. The phone's own word
// may have been quicker than its push service's answer.
func (t *Turn) lastPush(m Wake, r PushReceipt, w wake) {
	if s, ok := newest(t.subs, t.core.push.subs, m.Phone); ok && s.Address == m.To.Address {
		s.Last = nod.PushLast{At: t.now, Status: string(r.Status), Detail: clip(r.Detail, 300), ReceivedAt: w.received, ShownAt: w.shown}
		t.writeSubscription(store.Subscription(s))
	}
}

// lastReceipt adds the phone's own word to it, if the word is of that one.
func (t *Turn) lastReceipt(phone nod.PhoneID, w wake) {
	if s, ok := newest(t.subs, t.core.push.subs, phone); ok && s.Address != "" && w.answered != 0 && s.Last.At == w.answered {
		s.Last.ReceivedAt, s.Last.ShownAt = w.received, w.shown
		t.writeSubscription(store.Subscription(s))
	}
}

// dropForeign forgets the subscriptions that were made for another push key than
// this gateway's: no push service takes a message for them.
func (t *Turn) dropForeign() {
	if !t.core.push.on() {
		return
	}
	for phone, s := range t.core.push.subs {
		if s.Address != "" && !bytes.Equal(s.MadeFor, t.core.push.key) {
			t.unsubscribe(phone, "key")
		}
	}
}

// PushInfo is what a phone is told of how it is woken.
type PushInfo struct {
	// Off is the contract's key of why no phone can be woken; empty when they can.
	Off string
	// Key is the gateway's public push key, base64url.
	Key        string
	Subscribed bool
	// Host is the push service of the phone's subscription.
	Host string
	Last nod.PushLast
}

// Push says how a phone is woken.
func (g *Gateway) Push(phone nod.PhoneID) PushInfo {
	g.mu.RLock()
	defer g.mu.RUnlock()
	info := PushInfo{Off: g.pusher.off, Key: wire.Encode64(g.core.push.key)}
	s, ok := g.core.Begin(g.clock.now()).subscription(phone)
	info.Last = s.Last
	if ok {
		info.Subscribed, info.Host = true, s.to().Host()
	}
	return info
}

// Subscribe takes the way to wake a phone.
func (g *Gateway) Subscribe(ctx context.Context, phone nod.PhoneID, s PushSubscription) error {
	if g.pusher.sender == nil {
		return nod.Errorf(nod.CodeConflict, g.cfg.Spec.PersonText("en", g.pusher.off, nil), "")
	}
	if err := g.pusher.sender.Check(s); err != nil {
		return err
	}
	return g.turn(ctx, func(t *Turn) error { return t.Subscribe(phone, s) })
}

// IsUnknownPushService reports whether a subscription was refused because its
// push service is not one that nod sends to.
func IsUnknownPushService(err error) bool { return errors.Is(err, push.ErrUnknownService) }

// Unsubscribe forgets the way to wake a phone.
func (g *Gateway) Unsubscribe(ctx context.Context, phone nod.PhoneID) error {
	return g.turn(ctx, func(t *Turn) error { t.unsubscribe(phone, "phone"); return nil })
}

// PushReceipt takes the word of a phone's service worker about a wake-up.
func (g *Gateway) PushReceipt(ctx context.Context, token, what string) error {
	return g.turn(ctx, func(t *Turn) error { return t.Receipt(token, what) })
}
