package host

import (
	"context"
	"slices"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// mailbox holds what other goroutines want done by the loop. It is never full:
// the socket's reader waits for each of its own, and the rest is as much as one
// person and one driver can do.
type mailbox struct {
	mu    sync.Mutex
	todo  []func()
	ready chan struct{}
}

func (b *mailbox) put(f func()) {
	b.mu.Lock()
	b.todo = append(b.todo, f)
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

func (b *mailbox) take() []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	todo := b.todo
	b.todo = nil
	return todo
}

// post has f run by the loop, later.
func (h *host) post(f func()) { h.inbox.put(f) }

// call has f run by the loop and waits for it; false where the loop has ended.
func (h *host) call(f func()) bool {
	done := make(chan struct{})
	h.post(func() {
		defer close(done)
		f()
	})
	select {
	case <-done:
		return true
	case <-h.closed:
		return false
	}
}

// tickAtMost bounds how long the loop sleeps on a deadline: the system's timers
// stand still while the device sleeps, and the boot clock does not.
const tickAtMost = 5 * time.Second

// loop runs everything that belongs to it, until ctx ends or the phone must stop.
func (h *host) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for h.failed == nil && h.leaving == nil {
		if at, ok := h.machine.Next(); ok {
			timer.Reset(min(max(at-h.cfg.Clock().Boot, time.Millisecond), tickAtMost))
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			h.farewell()
			return nil
		case <-h.inbox.ready:
			for _, f := range h.inbox.take() {
				f()
			}
		case <-timer.C:
			h.step(Event{Kind: Tick})
		}
	}
	if h.failed != nil {
		<-h.stopDrivers().Done()
		return h.failed
	}
	h.farewell()
	return h.leaving
}

// lastWords bounds how long a stopping phone waits for its drivers, and then
// for its last frames.
const lastWords = 5 * time.Second

// farewell stops what can be stopped, journals how it ended, and says bye.
func (h *host) farewell() {
	over := h.stopDrivers()
	for waiting := true; waiting; {
		select {
		case <-over.Done():
			waiting = false
		case <-h.inbox.ready:
		}
		for _, f := range h.inbox.take() {
			f()
		}
	}
	if h.link == nil {
		return
	}
	h.link.push(wire.Frame{Kind: wire.KindBye, Reason: "stopping"})
	patience := time.NewTimer(lastWords)
	defer patience.Stop()
	select {
	case <-h.link.done:
	case <-patience.C:
	}
}

// leave makes the phone stop in order.
func (h *host) leave(why error) {
	if h.leaving == nil {
		h.leaving = why
	}
}

// stopDrivers asks every action under way to give up. The context that it
// returns ends once all did, or when waiting has no sense any more.
func (h *host) stopDrivers() context.Context {
	for _, under := range []map[nod.CallID]context.CancelFunc{h.running, h.looking} {
		for _, stop := range under {
			stop()
		}
	}
	over, done := context.WithTimeout(context.Background(), lastWords)
	go func() {
		h.drivers.Wait()
		done()
	}()
	return over
}

// step takes the machine through an event and does what follows.
func (h *host) step(ev Event) {
	if h.failed == nil {
		h.perform(h.machine.Step(h.cfg.Clock(), ev))
	}
}

// perform does effects in order. One that must be durable and is not ends the
// phone before the next: the machine's memory is then ahead of the disk.
func (h *host) perform(effects []Effect) {
	for _, e := range effects {
		if h.failed != nil {
			return
		}
		switch e.Do {
		case WriteRecord:
			h.failed = h.cfg.Journal.Append(e.Record)
			h.written++
		case SendFrame:
			if h.link != nil {
				h.link.push(e.Frame)
			}
		case LookUp:
			h.lookUp(e.Card)
		case CarryOut:
			h.carryOut(e.Card)
		case Shorten:
			h.written = compactEvery
		case Stop:
			for _, under := range []map[nod.CallID]context.CancelFunc{h.running, h.looking} {
				if stop, ok := under[e.Call]; ok {
					stop()
				}
			}
		case Leave:
			h.leave(ErrRevoked)
		case Note:
			h.log.Warn(e.Reason, "call", e.Call)
		default:
			h.show(e)
		}
	}
	if h.written >= compactEvery && h.failed == nil {
		h.written = 0
		h.failed = h.cfg.Journal.Replace(h.machine.Snapshot())
	}
}

// show does what belongs on a screen.
func (h *host) show(e Effect) {
	switch e.Do {
	case ShowOutcome:
		h.log.Info("ended", "call", e.Call, "status", e.Result.Status, "started", e.Result.Started)
	case AskResume:
		h.log.Info("the gateway asks whether agents may ask again")
	case AskSetBack:
		h.log.Warn("the gateway was set back to an earlier day; no offers are taken until the person accepts it", "at", e.Head.At)
	}
	ui := h.cfg.UI
	if ui == nil {
		return
	}
	switch e.Do {
	case DrawCard:
		ui.Draw(e.Card, h.screen)
	case HoldCard:
		ui.Hold(e.Call, e.Reason)
	case RemoveCard:
		ui.Remove(e.Call, e.Reason, e.By)
	case ShowOutcome:
		ui.Outcome(e.Call, e.Result)
	case AskSetBack:
		ui.SetBack(e.Head, h.screen)
	case AskResume:
		if r, ok := ui.(Resumer); ok {
			r.AskResume(h.screen)
		}
	}
}

// linkUp opens an epoch on the machine, its log first: a gateway that was set
// back must not get an offer in before that is known.
func (h *host) linkUp(l *link, w wire.WelcomeBody) {
	h.link = l
	h.log.Info("connected", "epoch", w.Epoch, "person", w.Person)
	h.judgeHead(w)
	h.step(Event{Kind: Connected, Welcome: w})
	if h.cfg.OnLink != nil {
		h.cfg.OnLink(true)
	}
}

// judgeHead compares the gateway's log with the newest that this phone saw. An
// empty log is nothing to remember, and any log goes on from it.
func (h *host) judgeHead(w wire.WelcomeBody) {
	if err := h.goesOn(w); err != nil {
		h.log.Warn("the gateway was set back", "reason", err)
		h.step(Event{Kind: SetBackSeen, Head: w.Head})
	} else if w.Head.Size > 0 {
		h.step(Event{Kind: HeadSeen, Head: w.Head})
	}
}

// goesOn is why the gateway's log does not go on from where it was.
func (h *host) goesOn(w wire.WelcomeBody) error {
	if w.SetBack && !h.machine.Accepting() {
		return nod.Errorf(nod.CodeForbidden, "it says that it was restored from a copy", "")
	}
	before := h.machine.Head()
	if before == nil {
		return nil
	}
	if before.Person != w.Head.Person {
		return nod.Errorf(nod.CodeForbidden, "its log is another person's", "")
	}
	return log.CheckConsistency(*before, w.Head, w.Proof)
}

func (h *host) linkDown(l *link) {
	if h.link != l {
		return
	}
	h.link = nil
	h.step(Event{Kind: Disconnected})
	if h.cfg.OnLink != nil {
		h.cfg.OnLink(false)
	}
}

// refresh tells the gateway when the driver can do more or less than before.
func (h *host) refresh() {
	now := h.cfg.Driver.Capabilities()
	if h.link != nil && !slices.Equal(now, h.declared) {
		h.declared = now
		h.link.push(wire.Frame{Kind: wire.KindCapabilities, Capabilities: now})
	}
}
