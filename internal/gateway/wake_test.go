package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/push/pushtest"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// waking is a house whose phones can be woken by a push service.
type waking struct {
	*house
	service *pushtest.Service
	browser *pushtest.Browser
}

// withPush runs a test in a bubble, with one phone that is connected, in front
// of the person and subscribed.
func withPush(t *testing.T, f func(t *testing.T, h *waking, p *pixel)) {
	t.Helper()
	bubble(t, func(t *testing.T, h *house) {
		w := &waking{house: h, service: pushtest.New()}
		key, err := wire.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		h.push = &PushConfig{Key: key, Subject: "mailto:ana@nod-test.org", Base: "https://nod.nod-test.org",
			Hosts: []string{w.service.Host()}, Transport: w.service.Transport()}
		h.restart()
		p := h.pair("Pixel", false)
		p.locale = "de-AT"
		p.connect()
		w.browser = w.subscribe(p)
		f(t, w, p)
		synctest.Wait()
		for _, problem := range w.service.Problems() {
			t.Errorf("the push service: %s", problem)
		}
	})
}

func (w *waking) subscribe(p *pixel) *pushtest.Browser {
	w.t.Helper()
	b := w.service.Subscribe(w.Push(p.id).Key)
	if err := w.Subscribe(w.t.Context(), p.id, PushSubscription{Address: b.Address, Key: b.Key, Secret: b.Secret}); err != nil {
		w.t.Fatal(err)
	}
	return b
}

// got returns what the browser got so far, as the service worker reads it.
func (w *waking) got(b *pushtest.Browser) (bodies []wakeBody) {
	w.t.Helper()
	synctest.Wait()
	for _, m := range b.Messages() {
		var body wakeBody
		if err := json.Unmarshal(m.Body, &body); err != nil {
			w.t.Fatalf("%v: %s", err, m.Body)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// kinds lists the kinds of what the browser got.
func (w *waking) kinds(b *pushtest.Browser) string {
	var kinds []string
	for _, m := range w.got(b) {
		kinds = append(kinds, m.Nod.Kind)
	}
	return strings.Join(kinds, " ")
}

func (w *waking) wantKinds(b *pushtest.Browser, want, when string) {
	w.t.Helper()
	if got := w.kinds(b); got != want {
		w.t.Errorf("%s the browser got %q, want %q", when, got, want)
	}
}

// away ends the phone's link and lets the time pass in which it would be expected back.
func away(p *pixel) {
	p.disconnect()
	pass(2 * LostGrace)
}

// TestWakeBody is the message to the byte: who asks, what kind of thing, and
// nothing of what is in it.
func TestWakeBody(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		c := h.ask(`{"action":"sms_draft","to":["+351 910 000 001"],"text":"the secret plan"}`)
		got := h.got(h.browser)[0]
		token := got.Nod.Receipt
		message := h.browser.Messages()[0]
		want := fmt.Sprintf(`{"web_push":8030,"mutable":true,"notification":{"title":"Laptop","body":"SMS entwerfen",`+
			`"navigate":"https://nod.nod-test.org/card/%[1]s","lang":"de","dir":"auto","tag":"card-%[1]s","silent":false,"app_badge":"1","mutable":true,`+
			`"data":{"kind":"card","call":"%[1]s","receipt":"%[2]s"}},"nod":{"kind":"card","call":"%[1]s","receipt":"%[2]s"}}`, c.ID, token)
		want = strings.Replace(want, "SMS entwerfen", spec.Get().PersonText("de", "card.title.sms_draft", nil), 1)
		if string(message.Body) != want {
			t.Errorf("the body is\n%s\nwant\n%s", message.Body, want)
		}
		if len(token) != 22 || message.TTL != 2*time.Minute || message.Urgency != "high" || len(message.Topic) != 32 {
			t.Errorf("token %q, TTL %s, urgency %q, topic %q", token, message.TTL, message.Urgency, message.Topic)
		}
		if strings.Contains(string(message.Body), "secret") || strings.Contains(string(message.Body), "910") {
			t.Error("the wake-up holds what only the card may show")
		}
	})
}

// TestWhenToWake is design section 6, "Reachable".
func TestWhenToWake(t *testing.T) {
	for _, row := range []struct {
		name  string
		do    func(h *waking, p *pixel)
		after time.Duration // how much time passes after the offer
		want  string
	}{
		{"in front and answers", func(h *waking, p *pixel) { p.delivered(p.offer()) }, time.Minute, ""},
		{"in front and shows it", func(h *waking, p *pixel) { p.shown(p.offer()) }, time.Minute, ""},
		{"in front, and the moment is not over", nil, WakeAfter - time.Millisecond, ""},
		{"in front and says nothing", nil, WakeAfter, "card"},
		{"goes out of sight at once", func(h *waking, p *pixel) { p.visible(false) }, 0, "card"},
		{"goes out of sight before the card was shown", func(h *waking, p *pixel) { p.delivered(p.offer()); p.visible(false) }, 0, "card"},
		{"goes out of sight after the card was shown", func(h *waking, p *pixel) { p.shown(p.offer()); p.visible(false) }, time.Minute, ""},
		{"goes away before it said anything", func(h *waking, p *pixel) { p.disconnect() }, WakeAfter, "card"},
		{"goes away before the card was shown", func(h *waking, p *pixel) { p.delivered(p.offer()); p.disconnect() }, WakeAfter, "card"},
		{"goes away and is back in a moment", func(h *waking, p *pixel) {
			p.delivered(p.offer())
			p.disconnect()
			pass(time.Second)
			p.connect()
			p.delivered(p.offer())
		}, time.Minute, ""},
		{"goes away after the card was shown", func(h *waking, p *pixel) { p.shown(p.offer()); p.disconnect() }, time.Minute, ""},
		{"comes back and says nothing", func(h *waking, p *pixel) { p.disconnect(); p.connect() }, WakeAfter, "card"},
		{"is decided before", func(h *waking, p *pixel) { p.confirm(p.offer()) }, time.Minute, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			withPush(t, func(t *testing.T, h *waking, p *pixel) {
				h.ask(alarm)
				if row.do != nil {
					row.do(h, p)
				}
				pass(row.after)
				h.wantKinds(h.browser, row.want, "a phone that "+row.name+":")
			})
		})
	}
}

// A page that nobody looks at answers beats and takes offers: it is woken all
// the same, at once, and once.
func TestHiddenPageIsWoken(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		p.visible(false)
		h.ask(alarm)
		p.delivered(p.offer())
		pass(time.Minute)
		h.wantKinds(h.browser, "card", "hidden")
	})
}

// A phone that is asleep is reachable by its subscription, and woken at once.
func TestSleepingPhone(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		status := h.Phones(h.person)[0]
		if status.Connected || status.Reach != ReachPush || !status.Reachable() {
			t.Errorf("the phone is connected %v, reached by %s", status.Connected, status.Reach)
		}
		c := h.ask(alarm)
		h.wantKinds(h.browser, "card", "asleep")
		if now := h.now(c.ID); now.State != nod.Offered || now.Push != nod.PushAccepted || !slices.Equal(now.Pushed, []nod.PhoneID{p.id}) {
			t.Errorf("the call is %s, push %q %v: accepted is not delivered", now.State, now.Push, now.Pushed)
		}
		p.connect()
		o := p.offer()
		p.shown(o)
		p.confirm(o)
		p.result(o, wire.ResultDone, true, "")
		h.want(c.ID, nod.Done, "")

		if err := h.Unsubscribe(t.Context(), p.id); err != nil {
			t.Fatal(err)
		}
		away(p)
		if status := h.Phones(h.person)[0]; status.Reach != ReachNo || status.Reachable() {
			t.Errorf("without a subscription it is reached by %s", status.Reach)
		}
		if c := h.ask(timer); c.Outcome != nod.Unavailable {
			t.Errorf("without a subscription the call is %s", c.Outcome)
		}
	})
}

// TestPushIsNoDelivery: the stages of a wake-up are told apart, and none of them
// is the card.
func TestPushIsNoDelivery(t *testing.T) {
	for _, row := range []struct {
		receipts []string
		push     nod.Push
		text     string
	}{
		{nil, nod.PushAccepted, "there is no sign that the phone got it"},
		{[]string{"received"}, nod.PushReceived, "The phone got a wake-up"},
		{[]string{"received", "shown", "received", "shown"}, nod.PushShown, "A notification was on the phone"},
		{[]string{"shown"}, nod.PushShown, "A notification was on the phone"},
	} {
		withPush(t, func(t *testing.T, h *waking, p *pixel) {
			away(p)
			c := h.ask(alarm)
			token := h.got(h.browser)[0].Nod.Receipt
			for _, what := range row.receipts {
				if err := h.PushReceipt(t.Context(), token, what); err != nil {
					t.Fatal(err)
				}
			}
			if now := h.now(c.ID); now.State != nod.Offered || now.Push != row.push {
				t.Errorf("after %v the call is %s, push %s", row.receipts, now.State, now.Push)
			}
			pass(3 * time.Minute)
			ended := h.want(c.ID, nod.Unseen, "")
			if !strings.Contains(ended.Text, row.text) || !strings.Contains(ended.Text, "Nothing was done") {
				t.Errorf("after %v: %q", row.receipts, ended.Text)
			}
			want := map[nod.Push][]string{
				nod.PushAccepted: {"call.offered", "push.accepted", "call.ended", "push.accepted"},
				nod.PushReceived: {"call.offered", "push.accepted", "push.received", "call.ended", "push.accepted"},
				nod.PushShown:    {"call.offered", "push.accepted", "push.received", "push.shown", "call.ended", "push.accepted"},
			}[row.push]
			if got := h.entries(c.ID); !slices.Equal(got, want) {
				t.Errorf("the log says %v, want %v", got, want)
			}
		})
	}
}

// Each entry about a wake-up names the push service and never the browser's own
// address there, and that address is in nothing that is told.
func TestAddressIsNotTold(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.service.Answers(pushtest.Answer{Code: 403, Body: `{"reason":"BadJwtToken"}`})
		h.ask(alarm)
		h.ask(timer)
		synctest.Wait()
		entries, err := h.Log(t.Context(), h.person, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		secret := h.browser.Address[strings.LastIndex(h.browser.Address, "/")+1:]
		found := map[string]bool{}
		for _, e := range entries {
			if !strings.HasPrefix(e.Kind, "push.") {
				continue
			}
			found[e.Kind] = true
			if e.Facts["host"] != h.service.Host() || strings.Contains(fmt.Sprint(e), secret) || strings.Contains(string(e.Payload), secret) {
				t.Errorf("%s tells %v and %s", e.Kind, e.Facts, e.Payload)
			}
		}
		if !found["push.subscribed"] || !found["push.accepted"] || !found["push.refused"] {
			t.Errorf("the log has %v", found)
		}
		if told := fmt.Sprint(h.Push(p.id), h.Phones(h.person)); strings.Contains(told, secret) {
			t.Errorf("it is told: %s", told)
		}
	})
}

// TestOver: a pushed card that goes is replaced by a notification that says so,
// once, whatever ended it.
func TestOver(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(h *waking, p *pixel, c nod.Call)
		says string
	}{
		{"taken back", func(h *waking, p *pixel, c nod.Call) { _, _ = h.Cancel(h.t.Context(), h.agent, c.ID) }, "Zurückgezogen"},
		{"the time is up", func(h *waking, p *pixel, c nod.Call) { pass(2 * time.Minute) }, "Die Zeit ist um"},
		{"paused", func(h *waking, p *pixel, c nod.Call) { _, _ = h.PauseAll(h.t.Context(), h.person, "console") }, "Zurückgezogen"},
		{"answered here", func(h *waking, p *pixel, c nod.Call) {
			p.connect()
			p.decide(p.offer(), nod.ChoiceDecline, "")
		}, "Beantwortet"},
	} {
		t.Run(row.name, func(t *testing.T) {
			withPush(t, func(t *testing.T, h *waking, p *pixel) {
				away(p)
				c := h.ask(alarm, func(a *Ask) { a.Detached = true })
				h.wantKinds(h.browser, "card", "asleep")
				row.end(h, p, c)
				pass(time.Minute)
				bodies := h.got(h.browser)
				if len(bodies) != 2 || bodies[1].Nod.Kind != wakeOver {
					t.Fatalf("the browser got %q", h.kinds(h.browser))
				}
				card, over := bodies[0], bodies[1]
				if over.Notification.Tag != card.Notification.Tag || over.Notification.Title != "Laptop" || over.Notification.Body != row.says ||
					!over.Notification.Silent || over.Notification.AppBadge != "0" || over.Nod.Receipt == card.Nod.Receipt {
					t.Errorf("the replacement is %+v", over)
				}
				if m := h.browser.Messages(); m[0].Topic != m[1].Topic || m[1].TTL != overUnsure {
					t.Errorf("topics %q and %q, TTL %s", m[0].Topic, m[1].Topic, m[1].TTL)
				}
				if err := h.PushReceipt(t.Context(), card.Nod.Receipt, "received"); nod.CodeOf(err) != nod.CodeNotFound {
					t.Errorf("a receipt for what was replaced: %v", err)
				}
				if err := h.PushReceipt(t.Context(), over.Nod.Receipt, "shown"); err != nil {
					t.Error(err)
				}
				if last := h.Push(p.id).Last; last.Status != "accepted" || last.ReceivedAt == 0 || last.ShownAt == 0 {
					t.Errorf("the phone hears %+v", last)
				}
			})
		})
	}
}

// A page in front of the person that knows of its notification takes it away
// itself. One that does not know of it may still get it, so it is replaced.
func TestOverIsLeftToThePage(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.ask(alarm)
		if err := h.PushReceipt(t.Context(), h.got(h.browser)[0].Nod.Receipt, "received"); err != nil {
			t.Fatal(err)
		}
		p.connect()
		p.decide(p.offer(), nod.ChoiceDecline, "")
		pass(time.Minute)
		h.wantKinds(h.browser, "card", "a page in front that knows:")
	})
}

// A card that goes while its wake-up is on its way is replaced when that came through.
func TestOverWhileSending(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		c := h.ask(alarm)
		h.wantKinds(h.browser, "card", "first")
		_, _ = h.Cancel(t.Context(), h.agent, c.ID)
		h.wantKinds(h.browser, "card over", "then")

		h.service.Answers(pushtest.Answer{Code: 201, Wait: 5 * time.Second})
		c = h.ask(timer)
		pass(time.Second)
		_, _ = h.Cancel(t.Context(), h.agent, c.ID)
		pass(time.Second)
		h.wantKinds(h.browser, "card over", "while it is on its way")
		pass(4 * time.Second)
		h.wantKinds(h.browser, "card over over", "after it came through") // the card itself was taken by the answer above
		if now := h.now(c.ID); now.Outcome != nod.Withdrawn || now.Push != nod.PushNone {
			t.Errorf("%s, push %q: what comes after the end is not told any more", now.Outcome, now.Push)
		}

		h.service.Answers(pushtest.Answer{Code: 500, Wait: 5 * time.Second})
		c = h.ask(torch)
		pass(time.Second)
		_, _ = h.Cancel(t.Context(), h.agent, c.ID)
		pass(time.Minute)
		h.wantKinds(h.browser, "card over over", "after one that failed")
	})
}

// What is allowed without a card rings nowhere, and so it needs a phone that is there.
func TestAllowedDoesNotRing(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		view := h.core.Begin(h.Now())
		phone, _ := view.phone(p.id)
		allow, ask := nod.Verdict{Answer: nod.Allow}, nod.Verdict{Answer: nod.Ask}
		if _, why := view.reach(phone, allow, class{}); why != nod.WhyNone {
			t.Errorf("a connected phone: %s", why)
		}
		away(p)
		view = h.core.Begin(h.Now())
		if _, why := view.reach(phone, ask, class{}); why != nod.WhyNone {
			t.Errorf("what is asked on a phone that sleeps: %s", why)
		}
		if _, why := view.reach(phone, allow, class{}); why != nod.WhyNotReachable {
			t.Errorf("what is allowed on a phone that sleeps: %s", why)
		}
		c := nod.Call{ID: nod.NewCallID(), Person: h.person, Agent: h.agent, Phone: p.id, State: nod.Offered, Verdict: allow}
		if view.canWake(c, p.id) {
			t.Error("what is allowed wakes a phone")
		}
		c.Verdict = ask
		if !view.canWake(c, p.id) {
			t.Error("what is asked does not wake a phone")
		}
	})
}
