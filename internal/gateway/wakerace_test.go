package gateway

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/push/pushtest"
	"nod.dev/nod/internal/wire"
)

// receiptToken is the token of the one wake-up whose receipts count, for tests
// in which the push service does not say that it took it.
func (w *waking) receiptToken() (token string) {
	w.t.Helper()
	synctest.Wait()
	if len(w.core.push.receipts) != 1 {
		w.t.Fatalf("%d receipts can come", len(w.core.push.receipts))
	}
	for token = range w.core.push.receipts {
	}
	return token
}

// A push service that does not answer may have taken the message all the same.
// The phone's word that it came is then what counts: it is not sent again, and
// the notification is replaced when the card is over, after a restart too.
func TestReceiptWithoutAnAnswer(t *testing.T) {
	silent := pushtest.Answer{Code: 201, Wait: time.Hour}
	for _, row := range []struct {
		name  string
		tries int
		do    func(h *waking, c nod.Call, receipt func())
	}{
		{"the phone says so while the service is waited for", 1, func(h *waking, c nod.Call, receipt func()) {
			receipt()
			pass(time.Minute)
			_, _ = h.Cancel(h.t.Context(), h.agent, c.ID)
		}},
		{"the phone says so when it was given up", 3, func(h *waking, c nod.Call, receipt func()) {
			pass(time.Minute)
			receipt()
			_, _ = h.Cancel(h.t.Context(), h.agent, c.ID)
		}},
		{"the phone says so when the card is over", 3, func(h *waking, c nod.Call, receipt func()) {
			pass(time.Minute)
			_, _ = h.Cancel(h.t.Context(), h.agent, c.ID)
			pass(time.Second)
			receipt()
		}},
		{"the gateway starts anew in between", 1, func(h *waking, c nod.Call, receipt func()) {
			receipt()
			pass(time.Minute)
			h.restart()
			pass(time.Minute)
			_, _ = h.Cancel(h.t.Context(), h.agent, c.ID)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			withPush(t, func(t *testing.T, h *waking, p *pixel) {
				away(p)
				h.service.Answers(slices.Repeat([]pushtest.Answer{silent}, row.tries)...)
				c := h.ask(alarm, func(a *Ask) { a.Detached = true })
				token := h.receiptToken()
				row.do(h, c, func() {
					if err := h.PushReceipt(t.Context(), token, "received"); err != nil {
						t.Error(err)
					}
				})
				pass(time.Second)
				h.wantKinds(h.browser, "over", "when it is over")
				if h.service.Tried() != row.tries+1 {
					t.Errorf("%d messages were sent, want the card %d times and once that it is over", h.service.Tried(), row.tries)
				}
				h.core.mustRest(t)
			})
		})
	}
}

// What a push service says of a subscription is of that one: a phone that has
// another by then keeps it, and is woken by it.
func TestGoneIsOfItsSubscription(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.service.Answers(pushtest.Answer{Code: 410, Wait: 5 * time.Second})
		h.ask(alarm)
		pass(time.Second)
		second := h.subscribe(p)
		pass(10 * time.Second)
		if info := h.Push(p.id); !info.Subscribed {
			t.Errorf("the subscription that is good is gone: %+v", info)
		}
		h.wantKinds(second, "card", "subscribed anew")
	})
}

// A phone that subscribes anew can be woken for what could not wake it before.
func TestSubscribedAnew(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.service.Answers(pushtest.Answer{Code: 410})
		h.ask(alarm)
		pass(10 * time.Second)
		p.connect()
		second := h.subscribe(p)
		p.delivered(p.offer())
		p.disconnect()
		pass(10 * time.Second)
		h.wantKinds(second, "card", "subscribed anew, and away before the card was shown")
	})
}

// What a phone is told of its last notification is of that one, whatever it says
// late of those before it.
func TestLastIsOfTheLast(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.ask(alarm)
		h.got(h.browser)
		pass(time.Second)
		h.ask(timer)
		got := h.got(h.browser)
		say := func(of int, what string) nod.PushLast {
			t.Helper()
			if err := h.PushReceipt(t.Context(), got[of].Nod.Receipt, what); err != nil {
				t.Fatal(err)
			}
			return h.Push(p.id).Last
		}
		if last := say(0, "shown"); last.ReceivedAt != 0 || last.ShownAt != 0 {
			t.Errorf("the last one is told to have come, and only the first did: %+v", last)
		}
		if last := say(1, "shown"); last.ShownAt == 0 {
			t.Errorf("the last one came: %+v", last)
		}
		h.subscribe(p)
		if last := say(1, "received"); last != (nod.PushLast{}) {
			t.Errorf("a new subscription had no message yet: %+v", last)
		}
	})
}

// A card that ends in the turn in which its wake-up was to leave rings nowhere.
func TestOverBeforeTheWakeupLeaves(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		c := h.ask(alarm)
		synctest.Wait()
		turn := h.core.Begin(h.Now().Add(WakeAfter))
		turn.Tick()
		if len(turn.Wakes()) != 1 {
			t.Fatalf("%d wake-ups are due", len(turn.Wakes()))
		}
		turn.PauseAll(h.person, "console")
		if ended, _ := turn.call(c.ID); !ended.Final() || len(turn.Wakes()) != 0 {
			t.Errorf("the call is %s, and %d wake-ups leave", ended.State, len(turn.Wakes()))
		}
		if w := turn.wake(wakeID{c.ID, p.id}); w.sending || w.sent || w.at != 0 {
			t.Errorf("what did not leave is %+v", w)
		}
	})
}

// A receipt is of the message that it was in, also when the next is planned.
func TestReceiptIsOfItsMessage(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.ask(alarm)
		token := h.got(h.browser)[0].Nod.Receipt
		turn := h.core.Begin(h.Now())
		turn.PauseAll(h.person, "console")
		if err := turn.Receipt(token, receiptReceived); err != nil {
			t.Fatal(err)
		}
		entries := turn.Batch().Entries
		if e := entries[len(entries)-1]; e.Kind != logPushReceived || e.Facts["kind"] != wakeCard {
			t.Errorf("the log says %s of %v, want of the card", e.Kind, e.Facts)
		}
	})
}

// A replacement is kept for as long as its notification can be there, whichever
// try gets through.
func TestReplacementTriedAgain(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		c := h.ask(alarm)
		if err := h.PushReceipt(t.Context(), h.got(h.browser)[0].Nod.Receipt, "shown"); err != nil {
			t.Fatal(err)
		}
		h.service.Answers(pushtest.Answer{Code: 503})
		_, _ = h.Cancel(t.Context(), h.agent, c.ID)
		pass(time.Minute)
		m := h.browser.Messages()
		if len(m) != 2 || m[1].TTL != overKnown {
			t.Errorf("the browser got %d messages, the last kept for %s", len(m), m[len(m)-1].TTL)
		}
	})
}

// The act that comes back for the place of a card whose connection dropped does not
// ring again where the first one rang (design section 3, "Repeats").
func TestTakenPlaceDoesNotRing(t *testing.T) {
	for _, rang := range []bool{true, false} {
		withPush(t, func(t *testing.T, h *waking, p *pixel) {
			away(p)
			c := h.ask(alarm)
			token := h.got(h.browser)[0].Nod.Receipt
			if rang {
				if err := h.PushReceipt(t.Context(), token, "shown"); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.Gone(t.Context(), h.agent, c.ID); err != nil {
				t.Fatal(err)
			}
			pass(time.Second)
			again := h.ask(alarm)
			got := h.got(h.browser)
			if len(got) != 3 || got[2].Nod.Kind != wakeCard || got[2].Nod.Call != again.ID || got[2].Notification.Silent != rang || got[0].Notification.Silent {
				t.Errorf("where the first rang is %v the browser got %+v", rang, got)
			}
			pass(5 * time.Minute)
			next := h.ask(`{"action":"timer","seconds":60}`)
			rings := slices.ContainsFunc(h.got(h.browser), func(b wakeBody) bool {
				return b.Nod.Call == next.ID && b.Nod.Kind == wakeCard && !b.Notification.Silent
			})
			if !rings {
				t.Error("a new card does not ring")
			}
		})
	}
}

// A page in a loop fills no disk, whatever it asks for.
func TestAPageInALoop(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		phone := h.Phones(h.person)[0].Phone
		for name, ask := range map[string]func(i int) error{
			"the cards' wait": func(i int) error { return h.SetWait(t.Context(), h.person, p.id, MinWaitSeconds+i%2) },
			"a test card": func(int) error {
				c, err := h.TestCard(t.Context(), phone, "https://nod.nod-test.org/tested")
				if err == nil && c.State.Open() {
					p.decide(wire.OfferBody{Call: c.ID, Phone: p.id}, nod.ChoiceDecline, "")
				}
				return err
			},
		} {
			before := h.size(t)
			var last error
			for i := range 5 * maxRecords {
				last = ask(i + 1)
			}
			if nod.CodeOf(last) != nod.CodeTooMany {
				t.Errorf("%s, again and again: %v", name, last)
			}
			if n := h.size(t) - before; n > 4*maxRecords {
				t.Errorf("%s: %d entries in a minute", name, n)
			}
			pass(2 * time.Minute)
			if err := ask(0); err != nil {
				t.Errorf("%s, two minutes later: %v", name, err)
			}
		}
		if err := h.SetWait(t.Context(), h.person, "", MaxWaitSeconds); err != nil {
			t.Errorf("the console: %v", err)
		}
	})
}

// size is the number of entries in the log.
func (w *waking) size(t *testing.T) int64 {
	t.Helper()
	signed, _ := w.Head(w.person)
	var head wire.Head
	if err := wire.Decode([]byte(signed.Body), &head); err != nil {
		t.Fatal(err)
	}
	return head.Size
}
