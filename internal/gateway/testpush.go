package gateway

import (
	"context"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/push"
	"nod.dev/nod/internal/wire"
)

// PushTest is how far a test of a phone's notifications came, and when, counted
// from its start. What has not happened yet is 0.
type PushTest struct {
	ID         string
	AcceptedMS int64 // the push service took it
	ReceivedMS int64 // the phone's browser got it
	ShownMS    int64 // it is on the screen
	// Problem is the contract's key of what went wrong, Detail the push service's
	// own words.
	Problem, Detail string
}

// Over reports whether nothing more is to come.
func (p PushTest) Over() bool { return p.ShownMS != 0 || p.Problem != "" }

// Problems of a test, as the contract spells them.
const (
	PushUnsubscribed = "push.problem.unsubscribed" // the phone has no subscription
	PushSilent       = "push.problem.silent"       // accepted, and no word of the phone
	PushHidden       = "push.problem.hidden"       // received, and no word that it is shown
)

// testWait is how long a test waits for the phone.
const testWait = 30 * time.Second

var errNoTest = nod.Errorf(nod.CodeNotFound, "there is no such test", "another one was started since")

// StartPushTest sends a notification that asks for nothing. A phone has one test at a time.
func (t *Turn) StartPushTest(phone nod.PhoneID) (PushTest, error) {
	if _, ok := t.subscription(phone); !ok {
		return PushTest{Problem: PushUnsubscribed}, nil
	}
	id := wakeID{phone: phone}
	before := t.wake(id)
	if before.sending || before.test.ID != "" && t.now.Sub(before.started) < time.Second {
		return PushTest{}, nod.Errorf(nod.CodeTooMany, "a test is under way", "wait a moment")
	}
	if t.often(phone) {
		return PushTest{}, errOften
	}
	w := wake{kind: wakeTest, at: t.now, started: t.now, test: PushTest{ID: wire.Encode64(wire.Digest([]byte(t.core.nonce())))[:22]}}
	t.wakes[id] = w
	return w.test, nil
}

// tested notes what the push service said to a test.
func (t *Turn) tested(w *wake, m Wake, r PushReceipt) {
	switch {
	case m.Kind != wakeTest:
	case r.Status == push.Accepted:
		w.test.AcceptedMS = w.since(t.now)
	case w.received != 0: // it did not answer, and took it
		w.test.AcceptedMS = w.since(w.received)
	default:
		w.test.Problem, w.test.Detail = "push.problem."+string(r.Status), r.Detail
	}
}

// since is a time of a test; 0 is kept for what has not happened.
func (w wake) since(at nod.Time) int64 {
	if at == 0 {
		return 0
	}
	return max(at.Sub(w.started).Milliseconds(), 1)
}

// PushTest says how far a test of a phone's came.
func (k *Core) PushTest(phone nod.PhoneID, id string, now nod.Time) (PushTest, error) {
	w, ok := k.push.wakes[wakeID{phone: phone}]
	if !ok || w.test.ID != id {
		return PushTest{}, errNoTest
	}
	p := w.test
	p.ReceivedMS, p.ShownMS = w.since(w.received), w.since(w.shown)
	if now.Sub(w.started) >= testWait {
		p = p.givenUp()
	}
	return p, nil
}

// givenUp is a test that is not waited for any longer.
func (p PushTest) givenUp() PushTest {
	switch {
	case p.Over():
	case p.ReceivedMS != 0:
		p.Problem = PushHidden
	default:
		p.Problem = PushSilent
	}
	return p
}

// StartPushTest sends a phone a notification that asks for nothing.
func (g *Gateway) StartPushTest(ctx context.Context, phone nod.PhoneID) (p PushTest, err error) {
	if g.pusher.sender == nil {
		return PushTest{Problem: g.pusher.off}, nil
	}
	err = g.turn(ctx, func(t *Turn) (err error) { p, err = t.StartPushTest(phone); return err })
	return p, err
}

// PushTest says how far a test came.
func (g *Gateway) PushTest(phone nod.PhoneID, id string) (PushTest, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.core.PushTest(phone, id, g.clock.now())
}

// lookAgain is how often [Gateway.TestPush] looks how far a test came.
const lookAgain = 50 * time.Millisecond

// TestPush sends a test and waits until the phone shows it, something is wrong
// with it, or ctx ends: that the phone said nothing by then is a problem, too.
func (g *Gateway) TestPush(ctx context.Context, phone nod.PhoneID) (PushTest, error) {
	p, err := g.StartPushTest(ctx, phone)
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for err == nil && !p.Over() {
		select {
		case <-tick.C:
			p, err = g.PushTest(phone, p.ID)
		case <-ctx.Done():
			return p.givenUp(), nil
		case <-g.done:
			return p, errStopped
		}
	}
	return p, err
}
