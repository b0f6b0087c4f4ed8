package simulation

import (
	"fmt"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// draw puts a card before the person, who answers soon, late, twice or never.
func (p *phone) draw(card host.Card) {
	if card.Quiet {
		return
	}
	w, life := p.w, p.life
	if w.often(0.05) {
		return // the screen was off: never drawn
	}
	w.queue.after(w.upTo(time.Second), func() {
		if p.life != life {
			return
		}
		p.step(host.Event{Kind: host.Drawn, Call: card.Call})
		p.answer(card)
	})
}

func (p *phone) answer(card host.Card) {
	w, life := p.w, p.life
	choice := nod.ChoiceConfirm
	switch {
	case w.often(0.15):
		return // not answered
	case w.often(0.25):
		choice = nod.ChoiceDecline
	}
	wait := 700*time.Millisecond + w.upTo(20*time.Second)
	if w.often(0.1) {
		wait = 100*time.Second + w.upTo(40*time.Second) // round the deadline
	}
	taps := 1
	if w.often(0.1) {
		taps = 2
	}
	for i := range taps {
		w.queue.after(wait+time.Duration(i)*100*time.Millisecond, func() {
			if p.life != life {
				return
			}
			w.oracle.tapped(card.Call, choice, card.Digest)
			p.step(host.Event{Kind: host.Chosen, Call: card.Call, Choice: p.bugChoice(choice)})
		})
	}
}

// launch is the driver: it begins a moment later unless it is told to stop, and
// says how it ended.
func (p *phone) launch(card host.Card) {
	w, life, id := p.w, p.life, card.Call
	digest := p.bugEdit(card)
	p.running[id] = true
	w.queue.after(w.upTo(500*time.Millisecond), func() {
		if p.life != life {
			return
		}
		if !p.running[id] {
			p.end(id, wire.ResultFailed, false)
			return
		}
		switch tool, _ := spec.Get().Tool(card.Offer.Tool); {
		case w.often(0.1):
			p.end(id, wire.ResultFailed, false)
		case tool.Kind == nod.Read:
			w.oracle.reads(card.Offer, digest)
			p.endLater(id, wire.ResultDone)
		case w.often(0.1):
			w.oracle.began(id, digest)
			p.endLater(id, wire.ResultFailed)
		case w.often(0.3):
			w.oracle.began(id, digest)
			p.endLater(id, wire.ResultOpened)
		default:
			w.oracle.began(id, digest)
			p.endLater(id, wire.ResultDone)
		}
	})
}

// endLater is an action that takes a while, now and then too long.
func (p *phone) endLater(id nod.CallID, status wire.ResultStatus) {
	life := p.life
	wait := p.w.upTo(3 * time.Second)
	if p.w.often(0.05) {
		wait = 15*time.Second + p.w.upTo(time.Minute)
	}
	p.w.queue.after(wait, func() {
		if p.life == life {
			p.end(id, status, true)
		}
	})
}

func (p *phone) end(id nod.CallID, status wire.ResultStatus, started bool) {
	p.w.oracle.stated(id, status)
	r := host.Result{Status: status, Started: started}
	if p.w.reads(id) && status == wire.ResultDone {
		r.Data, r.Salt = fmt.Sprintf(`{"title":%q}`, canary(id)), make([]byte, wire.SaltSize)
	}
	p.step(host.Event{Kind: host.Ended, Call: id, Result: r})
}

// reads reports whether a call reads.
func (w *World) reads(id nod.CallID) bool { return w.gate.disk.calls[id].Kind == nod.Read }
