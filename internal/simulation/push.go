package simulation

import (
	"encoding/json"
	"time"

	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/store"
)

// pushKey stands for the gateway's public push key.
var pushKey = []byte("push key")

// subscribe puts the phone's subscription into the ledger, as if it had always
// been there.
func (p *phone) subscribe() {
	p.w.gate.disk.subs[p.id] = store.Subscription{Phone: p.id, Address: "https://push.example/" + string(p.id), MadeFor: pushKey}
}

// subscribeAgain is a page saying at its start where it is woken.
func (p *phone) subscribeAgain() {
	if p != p.w.screen {
		return
	}
	p.w.gate.turn(func(t *gateway.Turn) {
		if err := t.Subscribe(p.id, gateway.PushSubscription{Address: "https://push.example/" + string(p.id)}); err != nil {
			p.w.oracle.broken("push", "%v", err)
		}
	})
}

// wakeUp hands the messages of a turn to the push service: it takes them, or does
// not, or answers too late; and what it took comes to the phone late, twice or
// never.
func (g *gate) wakeUp(list []gateway.Wake) {
	w, life := g.w, g.life
	for _, m := range list {
		if g.core == nil || g.life != life {
			return
		}
		id := wakeup{m.Call, m.Phone, life}
		if m.Kind == "card" {
			w.oracle.wakes(g.disk.calls[m.Call], id)
		}
		r := gateway.PushReceipt{Status: "accepted"}
		switch {
		case w.chance("push service refuses", 0.03):
			r.Status = "refused"
		case w.chance("push service is in trouble", 0.05):
			r.Status = "failed"
		case w.chance("push subscription is gone", 0.02):
			r.Status = "gone"
		}
		if r.Status == "accepted" {
			if m.Kind == "card" {
				w.oracle.woken[id] = true
			}
			w.carryPush(func() { w.phone(m.Phone).woken(m) })
		}
		w.queue.after(w.upTo(time.Second), func() { g.landed(life, m, r) })
	}
}

// landed hands in what became of a message until that is written, as the
// gateway's shell does.
func (g *gate) landed(life int, m gateway.Wake, r gateway.PushReceipt) {
	if g.life != life || g.core == nil {
		return
	}
	if !g.turn(func(t *gateway.Turn) { t.Pushed(m, r) }) && g.life == life {
		g.w.queue.after(time.Second, func() { g.landed(life, m, r) })
	}
}

// carryPush is the way of a message from its push service to the phone.
func (w *World) carryPush(deliver func()) {
	delay := w.upTo(2 * time.Second)
	switch {
	case w.chance("push lost", 0.1):
		return
	case w.chance("push doubled", 0.05):
		w.queue.after(delay+w.upTo(10*time.Second), deliver)
	case w.chance("push late", 0.1):
		delay += w.upTo(5 * time.Minute)
	}
	w.queue.after(delay, deliver)
}

// woken is the phone's service worker: it shows the notification, says so, and
// now and then the person taps it, which opens the page.
func (p *phone) woken(m gateway.Wake) {
	var body struct {
		Nod struct{ Receipt string }
	}
	if err := json.Unmarshal(m.Message.Body, &body); err != nil {
		p.w.oracle.broken("push", "%v", err)
	}
	for _, what := range []string{"received", "shown"} {
		if !p.w.chance("receipt lost", 0.1) {
			p.w.queue.after(p.w.upTo(time.Second), func() {
				p.w.gate.turn(func(t *gateway.Turn) { _ = t.Receipt(body.Nod.Receipt, what) }) // one for what was replaced is refused
			})
		}
	}
	if p.asleep && p.machine != nil && p.w.often(0.8) {
		p.asleep = false
		p.connectAfter(p.w.upTo(5 * time.Second))
	}
}
