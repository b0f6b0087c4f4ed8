package gateway

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/push/pushtest"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// TestAnswersOfAPushService: what becomes of a wake-up and of the subscription.
func TestAnswersOfAPushService(t *testing.T) {
	code := func(c int) pushtest.Answer { return pushtest.Answer{Code: c} }
	for _, row := range []struct {
		name       string
		answers    []pushtest.Answer
		tried      int
		push       nod.Push
		last       string
		subscribed bool
		logged     string
	}{
		{"taken", nil, 1, nod.PushAccepted, "accepted", true, "push.accepted"},
		{"gone", []pushtest.Answer{code(410)}, 1, nod.PushFailed, "gone", false, "push.gone"},
		{"not found", []pushtest.Answer{code(404)}, 1, nod.PushFailed, "gone", false, "push.gone"},
		{"refused", []pushtest.Answer{code(403)}, 1, nod.PushFailed, "refused", true, "push.refused"},
		{"too large", []pushtest.Answer{code(413)}, 1, nod.PushFailed, "refused", true, "push.refused"},
		{"a moment's trouble", []pushtest.Answer{code(503)}, 2, nod.PushAccepted, "accepted", true, "push.accepted"},
		{"trouble that goes on", []pushtest.Answer{code(503), code(500), code(502)}, 3, nod.PushFailed, "failed", true, "push.failed"},
		{"asks for a minute", []pushtest.Answer{{Code: 429, Header: map[string]string{"Retry-After": "60"}}}, 2, nod.PushAccepted, "accepted", true, "push.accepted"},
		{"asks for longer than the card waits", []pushtest.Answer{{Code: 429, Header: map[string]string{"Retry-After": "600"}}}, 1, nod.PushFailed, "failed", true, "push.failed"},
		{"does not answer", []pushtest.Answer{{Code: 201, Wait: time.Hour}}, 2, nod.PushAccepted, "accepted", true, "push.accepted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			withPush(t, func(t *testing.T, h *waking, p *pixel) {
				away(p)
				h.service.Answers(row.answers...)
				c := h.ask(alarm)
				pass(90 * time.Second)
				info := h.Push(p.id)
				if now := h.now(c.ID); now.Push != row.push || now.State != nod.Offered || (row.push == nod.PushAccepted) != (len(now.Pushed) == 1) {
					t.Errorf("the call is %s, push %q %v, want %q", now.State, now.Push, now.Pushed, row.push)
				}
				if h.service.Tried() != row.tried || info.Last.Status != row.last || info.Subscribed != row.subscribed {
					t.Errorf("tried %d times, last %+v, subscribed %v", h.service.Tried(), info.Last, info.Subscribed)
				}
				entries := slices.DeleteFunc(h.entries(c.ID), func(k string) bool { return !strings.HasPrefix(k, "push.") })
				if !slices.Equal(entries, []string{row.logged}) {
					t.Errorf("the log says %v, want %s once", entries, row.logged)
				}
				pass(time.Minute)
				if ended := h.want(c.ID, nod.Unseen, ""); row.push == nod.PushFailed && !strings.Contains(ended.Text, "No wake-up could be sent") {
					t.Errorf("the agent is told %q", ended.Text)
				}
				if row.push == nod.PushFailed && h.service.Tried() != row.tried {
					t.Error("a notification that never came was replaced")
				}
				h.core.mustRest(t)
			})
		})
	}
}

// mustRest checks that nothing is counted as on its way when nothing is.
func (k *Core) mustRest(t *testing.T) {
	t.Helper()
	if k.push.sending != 0 {
		t.Errorf("%d wake-ups are counted as on their way", k.push.sending)
	}
}

// TestDeadPushService is I15: two thousand calls, and a push service that takes
// connections and never answers. What is on its way is bounded, every call ends,
// and what is kept of them goes with the calls.
func TestDeadPushService(t *testing.T) {
	const calls = 2_000 // sixty times what may be on its way at once
	synctest.Test(t, func(t *testing.T) {
		key, err := wire.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		service := pushtest.New()
		service.Always(&pushtest.Answer{Wait: 24 * time.Hour})
		push := &PushConfig{Key: key, Subject: "mailto:ana@nod-test.org", Base: "https://nod.nod-test.org",
			Hosts: []string{service.Host()}, Transport: service.Transport()}
		g, agent := floodHouse(t, push, service, calls)
		before := runtime.NumGoroutine()
		most := 0
		for i := range calls {
			c, err := g.Open(t.Context(), Ask{Agent: agent(i), Tool: "phone_action", Arguments: []byte(alarm), Detached: true})
			if err != nil || c.State != nod.Offered {
				t.Fatalf("call %d is %s %s: %v", i, c.State, c.Outcome, err)
			}
			most = max(most, runtime.NumGoroutine())
		}
		for range 60 {
			pass(3 * time.Second)
			most = max(most, runtime.NumGoroutine())
		}
		// A transport has a goroutine or two of its own for each message.
		if most > before+4*maxSending {
			t.Errorf("%d goroutines, %d before", most, before)
		}
		pass(time.Minute)
		g.mu.Lock()
		defer g.mu.Unlock()
		if open := g.core.unfinished(); len(open) != 0 || g.core.push.sending != 0 {
			t.Errorf("%d calls are open, %d wake-ups on their way", len(open), g.core.push.sending)
		}
		g.core.Forget(g.clock.now().Add(time.Minute))
		if len(g.core.push.wakes) != 0 || len(g.core.push.receipts) != 0 {
			t.Errorf("%d wake-ups and %d receipts are kept when the calls are forgotten", len(g.core.push.wakes), len(g.core.push.receipts))
		}
	})
}

// nothingKept is a ledger in memory, for tests of the gateway's own memory.
type nothingKept struct {
	Ledger
	state store.State
}

func (n *nothingKept) Load(context.Context, nod.Time) (*store.State, error) { return &n.state, nil }
func (n *nothingKept) Privates(context.Context) ([]nod.CallID, error)       { return nil, nil }
func (n *nothingKept) SweepAttachments(context.Context, nod.Time) error     { return nil }
func (n *nothingKept) Commit(context.Context, *store.Batch) (map[nod.PersonID]wire.Signed, error) {
	return nil, nil
}

// somebody adds a person whose phone has the key and can be woken.
func (n *nothingKept) somebody(key, server []byte, service *pushtest.Service) nod.Person {
	person := nod.Person{ID: nod.NewPersonID(), Name: "Ana", WaitSeconds: 120}
	phone := nod.Phone{ID: nod.NewPhoneID(), Person: person.ID, Name: "Pixel", Host: nod.HostWeb, Key: key, Approved: true, Screen: true}
	b := service.Subscribe(wire.Encode64(server))
	n.state.People = append(n.state.People, person)
	n.state.Phones = append(n.state.Phones, phone)
	n.state.Subscriptions = append(n.state.Subscriptions, store.Subscription{Phone: phone.ID, Address: b.Address, Key: b.Key, Secret: b.Secret, MadeFor: server})
	return person
}

// floodHouse is a gateway whose phones sleep, and so many agents and people that
// no budget bounds what they ask together.
func floodHouse(t *testing.T, push *PushConfig, service *pushtest.Service, agents int) (*Gateway, func(int) nod.AgentID) {
	t.Helper()
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	ledger := &nothingKept{}
	name := func(i int) nod.AgentID { return nod.AgentID(fmt.Sprintf("agent_%05d", i)) }
	var person nod.Person
	for i := range agents {
		if i%policy.MaxPersonCards == 0 {
			person = ledger.somebody(key.Public(), push.Key.Public(), service)
		}
		ledger.state.Agents = append(ledger.state.Agents, nod.Agent{ID: name(i), Person: person.ID, Name: string(name(i)), Mode: nod.AskBeforeAction})
	}
	g, err := New(t.Context(), Config{Ledger: ledger, Signer: key, Spec: spec.Get(), Version: "test", Push: push})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g, name
}

// TestWakeAfterRestart: the subscription is still there, what was waiting wakes
// the phone, and a notification that a push service had taken is replaced.
func TestWakeAfterRestart(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		attached := h.ask(alarm)
		h.wantKinds(h.browser, "card", "before the restart")
		kept := h.ask(timer, func(a *Ask) { a.Detached = true })
		h.wantKinds(h.browser, "card card", "before the restart")
		h.restart()
		h.want(attached.ID, nod.Withdrawn, nod.WhyRestart)
		pass(time.Second)
		h.wantKinds(h.browser, "card card over", "after it, for the call that it ended")
		if info := h.Push(p.id); !info.Subscribed || info.Last.Status != "accepted" {
			t.Errorf("the subscription is %+v", info)
		}
		pass(10 * time.Second)
		h.wantKinds(h.browser, "card card over", "no call wakes a phone twice: then")
		pass(2 * time.Minute)
		h.want(kept.ID, nod.Unseen, "")
		h.wantKinds(h.browser, "card card over over", "at the end")

		// A call that was open and had woken nobody wakes the phone if it is not back.
		p.connect()
		waits := h.ask(torch, func(a *Ask) { a.Detached = true })
		p.delivered(p.offer())
		h.restart()
		pass(WakeAfter)
		h.wantKinds(h.browser, "card card over over card", "after a restart that the phone did not come back from")
		if now := h.now(waits.ID); now.Push != nod.PushAccepted {
			t.Errorf("push is %q", now.Push)
		}
	})
}

// What a push service answered while the disk was full is not lost, and counts
// as on its way until it is written.
func TestPushOnAFullDisk(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.service.Answers(pushtest.Answer{Code: 201, Wait: time.Second})
		c := h.ask(alarm)
		h.ledger.fill(true)
		pass(30 * time.Second)
		if now := h.now(c.ID); now.Push != nod.PushNone {
			t.Errorf("what is not in the ledger was told: %q", now.Push)
		}
		h.ledger.fill(false)
		pass(2 * time.Second)
		if now := h.now(c.ID); now.Push != nod.PushAccepted || h.service.Tried() != 1 {
			t.Errorf("push is %q after %d tries", now.Push, h.service.Tried())
		}
		h.core.mustRest(t)
	})
}

// A stop that cannot be written acts all the same: no phone is woken for what it stopped.
func TestStoppedWakesNobody(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		h.ask(alarm)
		p.offer() // in front, and it says nothing yet
		h.ledger.fill(true)
		if _, _, err := h.PauseAgent(t.Context(), h.person, "Laptop"); nod.CodeOf(err) != nod.CodeStorage {
			t.Fatal(err)
		}
		pass(10 * time.Second)
		h.wantKinds(h.browser, "", "after a stop that could not be written")
	})
}

// A phone that was removed is woken by nothing, and nothing is kept of how it was.
func TestRemovedPhoneIsNotWoken(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		c := h.ask(alarm)
		h.wantKinds(h.browser, "card", "asleep")
		if _, _, err := h.RevokePhone(t.Context(), h.person, "Pixel"); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		h.want(c.ID, nod.Withdrawn, nod.WhyPhoneRemoved)
		h.wantKinds(h.browser, "card", "removed")
		state, err := h.ledger.Load(t.Context(), 0)
		if err != nil || len(state.Subscriptions) != 0 || h.Push(p.id).Subscribed {
			t.Errorf("kept: %+v, %v", state.Subscriptions, err)
		}
		b := h.service.Subscribe(h.Push(p.id).Key)
		if err := h.Subscribe(t.Context(), p.id, PushSubscription{Address: b.Address, Key: b.Key, Secret: b.Secret}); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("a removed phone subscribes: %v", err)
		}
	})
}

// TestSubscribe: a page says at every start where it is woken; only what is new
// is written. One browser is one phone.
func TestSubscribe(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		same := PushSubscription{Address: h.browser.Address, Key: h.browser.Key, Secret: h.browser.Secret}
		count := func() (n int) {
			entries, err := h.Log(t.Context(), h.person, 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if strings.HasPrefix(e.Kind, "push.") {
					n++
				}
			}
			return n
		}
		for range 5 {
			if err := h.Subscribe(t.Context(), p.id, same); err != nil {
				t.Fatal(err)
			}
		}
		if n := count(); n != 1 {
			t.Errorf("%d entries for one subscription", n)
		}
		second := h.subscribe(p)
		away(p)
		h.ask(alarm)
		h.wantKinds(second, "card", "renewed")
		h.wantKinds(h.browser, "", "replaced")

		for i := range 200 { // a page in a loop fills no disk
			b := h.service.Subscribe(h.Push(p.id).Key)
			err := h.Subscribe(t.Context(), p.id, PushSubscription{Address: b.Address, Key: b.Key, Secret: b.Secret})
			if i >= maxRecords && nod.CodeOf(err) != nod.CodeTooMany {
				t.Fatalf("subscription %d in a minute: %v", i, err)
			}
		}
		if n := count(); n > maxRecords+10 {
			t.Errorf("%d entries in a minute", n)
		}
		pass(time.Minute)
		second = h.subscribe(p)

		bad := same
		bad.Address = "https://169.254.169.254/latest"
		if err := h.Subscribe(t.Context(), p.id, bad); nod.CodeOf(err) != nod.CodeInvalid || !IsUnknownPushService(err) {
			t.Errorf("an address inside the house: %v", err)
		}
		other := h.pair("Other", true) // the same browser, paired anew
		if err := h.Subscribe(t.Context(), other.id, PushSubscription{Address: second.Address, Key: second.Key, Secret: second.Secret}); err != nil {
			t.Fatal(err)
		}
		if h.Push(p.id).Subscribed || !h.Push(other.id).Subscribed {
			t.Error("one browser is woken as two phones")
		}
	})
}

// A new push key makes every subscription void: no service would take a message
// for it. The phone is not said to be reachable by it.
func TestAnotherPushKey(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		key, err := wire.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		changed := *h.push
		changed.Key = key
		h.push = &changed
		h.restart()
		pass(2 * LostGrace)
		if info := h.Push(p.id); info.Subscribed || info.Key != wire.Encode64(key.Public()) {
			t.Errorf("with another key: %+v", info)
		}
		if s := h.Phones(h.person)[0]; s.Reach != ReachNo {
			t.Errorf("it is reached by %s", s.Reach)
		}
		h.push = nil
		h.restart()
		if err := h.Subscribe(t.Context(), p.id, PushSubscription{}); nod.CodeOf(err) != nod.CodeConflict || h.Push(p.id).Off != "push.off.none" {
			t.Errorf("with push off: %v", err)
		}
	})
}

// TestSubscriptionIsOver: what is kept of a subscription that is over is that it
// is, so that the page makes a new one; its address is not.
func TestSubscriptionIsOver(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.browser.Unsubscribe()
		h.ask(alarm)
		pass(time.Second)
		h.restart()
		if info := h.Push(p.id); info.Subscribed || info.Last.Status != "gone" || info.Host != "" {
			t.Errorf("the page hears %+v", info)
		}
		state, err := h.ledger.Load(t.Context(), 0)
		if err != nil || len(state.Subscriptions) != 1 || state.Subscriptions[0].Address != "" || len(state.Subscriptions[0].Secret) != 0 {
			t.Errorf("kept: %+v, %v", state.Subscriptions, err)
		}
		if s := h.Phones(h.person)[0]; s.Reach == ReachPush {
			t.Error("it is said to be reached by push")
		}
		p.connect()
		again := h.subscribe(p)
		if info := h.Push(p.id); !info.Subscribed || info.Last.Status != "" {
			t.Errorf("subscribed anew, the page hears %+v", info)
		}
		away(p)
		h.ask(timer)
		h.wantKinds(again, "card", "subscribed anew")
	})
}

// A phone can be quicker than its push service: what it said stays said.
func TestReceiptBeforeTheAnswer(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		away(p)
		h.ask(timer)
		first := h.got(h.browser)[0].Nod.Receipt
		h.service.Answers(pushtest.Answer{Code: 201, Wait: 5 * time.Second})
		c := h.ask(alarm)
		synctest.Wait()
		var token string
		for receipt := range h.core.push.receipts { // the test's service keeps nothing of what it takes so late
			if receipt != first {
				token = receipt
			}
		}
		if err := h.PushReceipt(t.Context(), token, "shown"); err != nil {
			t.Fatal(err)
		}
		pass(10 * time.Second)
		now, last := h.now(c.ID), h.Push(p.id).Last
		if now.Push != nod.PushShown || len(now.Pushed) != 1 || last.Status != "accepted" || last.ShownAt == 0 || last.ReceivedAt == 0 || last.At <= last.ShownAt {
			t.Errorf("the call's push is %s %v, the phone hears %+v", now.Push, now.Pushed, last)
		}
	})
}

// TestBadge: the number on the app's icon is how many cards wait, and nothing
// that a phone says late changes it.
func TestBadge(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		c := h.ask(torch)
		o := p.offer()
		_, _ = h.Cancel(t.Context(), h.agent, c.ID)
		p.delivered(o) // too late
		away(p)
		for _, action := range []string{alarm, timer} {
			c = h.ask(action, func(a *Ask) { a.Detached = true })
			pass(time.Second) // what leaves at one moment arrives in any order
		}
		_, _ = h.Cancel(t.Context(), h.agent, c.ID)
		var badges []string
		for _, m := range h.got(h.browser) {
			badges = append(badges, m.Notification.AppBadge)
		}
		if !slices.Equal(badges, []string{"1", "2", "1"}) {
			t.Errorf("the icon says %v, want 1, 2, 1", badges)
		}
	})
}

// TestTwoScreens: a card that acts on a phone without a screen wakes each screen
// that sleeps, and the others hear who answered.
func TestTwoScreens(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		rig := h.pair("Rig", true)
		rig.noShow = true
		rig.connect()
		tablet := h.pair("Tablet", true)
		tablet.connect()
		onTablet := h.subscribe(tablet)
		if _, _, err := h.resumeAll(p); err != nil {
			t.Fatal(err)
		}
		away(p)
		rig.connect()
		tablet.connect()
		h.ask(alarm, func(a *Ask) { a.Phone = "Rig" })
		o := tablet.offer()
		tablet.shown(o)
		pass(10 * time.Second)
		h.wantKinds(h.browser, "card", "the screen that sleeps")
		h.wantKinds(onTablet, "", "the screen in front")
		tablet.confirm(o)
		pass(time.Second)
		bodies := h.got(h.browser)
		if len(bodies) != 2 || bodies[1].Notification.Body != "Beantwortet auf Tablet" {
			t.Errorf("the other screen got %+v", bodies)
		}
		// The notification leads there: what a phone was asked, it may look up.
		if _, err := h.CallOf(t.Context(), h.phoneOf(h.person, p.id), o.Call); err != nil {
			t.Errorf("the screen that was asked and did not answer: %v", err)
		}
	})
}

// A phone without a screen shows no notification, so none makes it reachable.
func TestNoScreenIsNotWoken(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		rig := h.pair("Rig", true)
		rig.noShow = true
		rig.connect()
		h.subscribe(rig)
		if _, _, err := h.resumeAll(p); err != nil {
			t.Fatal(err)
		}
		away(rig)
		if c := h.ask(alarm, func(a *Ask) { a.Phone = "Rig" }); c.Outcome != nod.Unavailable {
			t.Errorf("a call for a phone that cannot be woken is %s %s", c.State, c.Outcome)
		}
		for _, s := range h.Phones(h.person) {
			if s.ID == rig.id && s.Reach != ReachNo {
				t.Errorf("it is reached by %s", s.Reach)
			}
		}
	})
}

// resumeAll lets agents ask again after a recovery, as a phone does.
func (w *waking) resumeAll(p *pixel) (wire.RecordBody, wire.Signed, error) {
	p.connect()
	body := wire.RecordBody{ID: "record_resume", Phone: p.id, Agent: w.agent}
	signed, err := wire.Sign(p.key, wire.RecordResume, body)
	p.frame(wire.Frame{Kind: wire.KindRecords, Record: &signed})
	synctest.Wait()
	return body, signed, err
}

// TestPushTest: a test tells each step with its time, and what is missing.
func TestPushTest(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		h.service.Answers(pushtest.Answer{Code: 429}) // a test is not tried again: it says what happened
		first, err := h.TestPush(t.Context(), p.id)
		if err != nil || first.Problem != "push.problem.failed" || !strings.Contains(first.Detail, "fewer messages") || first.ShownMS != 0 {
			t.Fatalf("%+v, %v", first, err)
		}
		if _, err := h.StartPushTest(t.Context(), p.id); nod.CodeOf(err) != nod.CodeTooMany {
			t.Errorf("a second test at once: %v", err)
		}
		pass(time.Minute)

		done := make(chan PushTest, 1)
		go func() {
			r, err := h.TestPush(context.WithoutCancel(t.Context()), p.id)
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		pass(300 * time.Millisecond)
		got := h.got(h.browser)
		if len(got) != 1 || got[0].Nod.Kind != wakeTest || got[0].Nod.Call != "" || got[0].Notification.Navigate != "https://nod.nod-test.org/settings" {
			t.Fatalf("the browser got %+v", got)
		}
		for _, what := range []string{"received", "shown"} {
			if err := h.PushReceipt(t.Context(), got[0].Nod.Receipt, what); err != nil {
				t.Fatal(err)
			}
			pass(200 * time.Millisecond)
		}
		r := <-done
		if r.AcceptedMS < 1 || r.ReceivedMS != 300 || r.ShownMS != 500 || r.Problem != "" {
			t.Errorf("%+v", r)
		}
		if _, err := h.PushTest(p.id, first.ID); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("a test that was followed by another: %v", err)
		}

		pass(time.Minute)
		r, err = h.TestPush(t.Context(), p.id)
		if err != nil || r.Problem != PushSilent || r.AcceptedMS < 1 {
			t.Errorf("a phone that says nothing: %+v, %v", r, err)
		}
		h.browser.Unsubscribe()
		pass(time.Minute)
		if r, err = h.TestPush(t.Context(), p.id); err != nil || r.Problem != "push.problem.gone" {
			t.Errorf("a subscription that is over: %+v, %v", r, err)
		}
		if r, err = h.TestPush(t.Context(), p.id); err != nil || r.Problem != PushUnsubscribed {
			t.Errorf("no subscription: %+v, %v", r, err)
		}
		if err := h.PushReceipt(t.Context(), "no such token", "shown"); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("a receipt for nothing: %v", err)
		}
		if err := h.PushReceipt(t.Context(), got[0].Nod.Receipt, "clicked"); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("a strange receipt: %v", err)
		}
	})
}
