package gateway

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// TestRestart: attached calls are withdrawn, detached ones keep their
// deadline, decided ones get no new go and end by result or as unknown.
func TestRestart(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		attached := h.ask(alarm)
		p.offer()
		detached := h.ask(timer, func(a *Ask) { a.Detached = true })
		waiting := p.offer()
		decided := h.ask(torch)
		o := p.offer()
		p.confirm(o)
		p.take(wire.KindGo)

		h.restart()
		h.want(attached.ID, nod.Withdrawn, nod.WhyRestart)
		welcome := p.connect()
		if len(welcome.Open) != 2 {
			t.Errorf("welcome names %v as open, want the detached and the decided call", welcome.Open)
		}
		if again := p.offer(); again.Nonce != waiting.Nonce {
			t.Error("the offer was made a second time")
		}
		p.none(wire.KindGo)
		p.confirm(waiting)
		p.result(waiting, wire.ResultDone, true, "")
		h.want(detached.ID, nod.Done, "")
		p.result(o, wire.ResultDone, true, "")
		h.want(decided.ID, nod.Done, "")
	})
}

func TestRestartThenNothing(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(torch)
		p.confirm(p.offer())
		h.restart()
		pass(30 * time.Second)
		h.want(c.ID, nod.Unknown, "")
	})
}

// TestFullDisk is I6: what cannot be written is not sent, and stopping acts all the same.
func TestFullDisk(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(alarm)
		o := p.offer()

		h.ledger.fill(true)
		if _, err := h.Open(t.Context(), Ask{Agent: h.agent, Tool: "phone_action", Arguments: []byte(timer)}); nod.CodeOf(err) != nod.CodeStorage {
			t.Errorf("a call on a full disk = %v, want a storage error", err)
		}
		p.none(wire.KindOffer)
		p.confirm(o)
		p.none(wire.KindGo)
		if h.Ready() == nil {
			t.Error("the gateway says that it is ready")
		}
		if _, _, err := h.PauseAgent(t.Context(), h.person, "Laptop"); nod.CodeOf(err) != nod.CodeStorage {
			t.Errorf("a pause on a full disk = %v, want a storage error", err)
		}
		h.ledger.fill(false)

		// The pause acted at once and is written with the first turn that can be.
		p.confirm(o)
		p.none(wire.KindGo)
		h.want(c.ID, nod.Denied, nod.WhyPaused)
		h.restart()
		if a := h.Agents(h.person)[0]; !a.Paused {
			t.Error("the pause was forgotten")
		}
		if h.Ready() != nil {
			t.Error("the gateway does not recover when there is room again")
		}
	})
}

func TestFullDiskAtTheDeadline(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(alarm)
		h.ledger.fill(true)
		pass(3 * time.Minute)
		if now := h.now(c.ID); now.Final() {
			t.Fatal("an end that is not in the ledger was told")
		}
		h.ledger.fill(false)
		pass(2 * time.Second)
		h.want(c.ID, nod.Unseen, "")
	})
}

// TestRevokeAgainstDecision is I5: not one go after revoke returned.
func TestRevokeAgainstDecision(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		for range 50 {
			a := h.addAgent("Racer")
			c, err := h.Open(t.Context(), Ask{Agent: a.ID, Tool: "phone_action", Arguments: []byte(alarm)})
			if err != nil {
				t.Fatal(err)
			}
			o := p.offer()
			done := make(chan struct{})
			go func() { defer close(done); p.confirm(o) }()
			inFlight, err := h.RevokeAgent(t.Context(), h.person, "Racer", false)
			if err != nil {
				t.Fatal(err)
			}
			<-done
			_, gone := p.find(wire.KindGo)
			if gone != (inFlight == 1) {
				t.Fatalf("a go was sent: %t, and revoke counted %d", gone, inFlight)
			}
			if gone {
				p.result(o, wire.ResultDone, true, "")
			}
			if ended, err := h.Call(t.Context(), a.ID, c.ID); err != nil || !gone && ended.Outcome != nod.Withdrawn {
				t.Fatalf("%+v %v", ended, err)
			}
			p.mu.Lock()
			p.frames = nil
			p.mu.Unlock()
		}
	})
}

func TestSetBack(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		open := h.ask(torch, func(a *Ask) { a.Detached = true })
		copyAt := t.TempDir() + "/copy.db"
		if err := h.Backup(t.Context(), copyAt); err != nil {
			t.Fatal(err)
		}
		h.handOver(h.ask(`{"action":"fly"}`))
		h.stop()
		if err := store.Restore(t.Context(), h.dir, copyAt); err != nil {
			t.Fatal(err)
		}
		h.start()
		h.want(open.ID, nod.Unknown, "")
		if welcome := p.connect(); !welcome.SetBack {
			t.Error("welcome does not say that nod was set back")
		}
		if c := h.ask(alarm); c.Verdict.Rule != nod.RuleSetBack {
			t.Fatalf("a call after a restore: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		record, err := wire.Sign(p.key, wire.RecordResume, wire.RecordBody{ID: "record_1", Phone: p.id, SetBack: &wire.Head{Person: h.person}})
		if err != nil {
			t.Fatal(err)
		}
		p.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
		p.take(wire.KindAck)
		if c := h.ask(alarm); c.Final() {
			t.Fatalf("after accepting: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		if _, err := h.PauseAll(t.Context(), h.person, "console"); err != nil {
			t.Fatal(err)
		}
		p.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
		p.take(wire.KindAck)
		if c := h.ask(timer); c.Verdict.Rule != nod.RulePausedAll {
			t.Errorf("a record that was sent again undid a later pause: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		h.restart()
		if welcome := p.connect(); welcome.SetBack {
			t.Error("the acceptance was forgotten")
		}
	})
}

// TestSameRecordTwiceInOneTurn changes nothing the second time, and with other
// bytes under its id it does not spoil the turn for everybody else.
func TestSameRecordTwiceInOneTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		pause := wire.RecordBody{ID: "record_1", Phone: p.id}
		one, _ := wire.Sign(p.key, wire.RecordPause, pause)
		two, _ := wire.Sign(p.key, wire.RecordPause, pause) // another signature
		h.together(
			func(t *Turn) error { return t.Record(p.id, one, pause) },
			func(t *Turn) error { return t.Record(p.id, two, pause) },
		)
		paused := 0
		entries, err := h.Log(t.Context(), h.person, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Kind == logPaused {
				paused++
			}
		}
		if paused != 1 {
			t.Errorf("the log says %d times that all were paused, want once", paused)
		}
	})
}

// TestStrangeToolName: what an agent sends cannot stop the gateway.
func TestStrangeToolName(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		c, err := h.Open(t.Context(), Ask{Agent: h.agent, Tool: "phone\xff\xfe", Arguments: []byte("{\"a\":\"\xff\"}"), Mode: "\xff", Phone: "\xff"})
		if err != nil || c.Outcome != nod.Refused {
			t.Fatalf("%+v %v", c, err)
		}
	})
}

// TestPhoneDeclaresTooMuch: what a phone says of itself is bounded before it is
// kept, and before an agent reads it.
func TestPhoneDeclaresTooMuch(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		long := make([]rune, 5000)
		for i := range long {
			long[i] = 'é'
		}
		var list []nod.Capability
		for range 1000 {
			list = append(list, nod.Capability{ID: string(long[:70]), State: nod.Ready})
		}
		alarms, _ := spec.Get().Action("alarm")
		list = slices.Insert(list, 0, nod.Capability{ID: alarms.Capability, State: nod.Unsupported, Reason: string(long)})
		p.frame(wire.Frame{Kind: wire.KindCapabilities, Capabilities: list})
		c := h.ask(alarm)
		if c.Outcome != nod.Failed || c.Why != nod.WhyCannot {
			t.Fatalf("%s %s", c.Outcome, c.Why)
		}
		if n := len([]rune(c.Message)); n > 500 {
			t.Errorf("the agent is told %d characters of the phone's, want at most 500", n)
		}
		if n := len(h.Phones(h.person)[0].Capabilities); n > 256 {
			t.Errorf("%d capabilities are kept", n)
		}
	})
}

// TestRevokedScreenConfirmsNothing is I5 for a screen: once it is removed, no
// go is sent on its word, not even to a phone that comes back within the ten seconds.
func TestRevokedScreenConfirmsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		screen := h.pair("Pixel", false)
		screen.connect()
		rig := h.second(screen, "Rig")
		rig.noShow = true
		rig.connect()
		c := h.ask(alarm, func(a *Ask) { a.Phone = "Rig" })
		o := screen.offer()
		rig.disconnect()
		screen.confirm(o)
		_, inFlight, err := h.RevokePhone(t.Context(), h.person, "Pixel")
		if err != nil || inFlight != 1 {
			t.Errorf("revoke counted %d (%v), want the one that was confirmed", inFlight, err)
		}
		rig.connect()
		rig.none(wire.KindGo)
		pass(time.Minute)
		h.want(c.ID, nod.Unknown, "")
	})
}

// TestHelloWithStrangeHead: what a phone claims to have seen cannot stop the gateway.
func TestHelloWithStrangeHead(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		for _, size := range []int64{-1, 0, 1, -1 << 62, 1 << 62} {
			hello := wire.HelloBody{Phone: p.id, Nonce: "n", Range: wire.OwnRange(), Host: nod.HostSim, Screen: true, Head: &wire.Head{Person: h.person, Size: size}}
			if err := (phones{h.Gateway}).Hello(t.Context(), p, hello); err != nil {
				t.Errorf("a hello that saw %d entries: %v", size, err)
			}
		}
	})
}

// TestRecordsAreBounded: a phone in a loop does not fill the disk, and stopping
// is never refused.
func TestRecordsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		sign := func(kind string, n int) {
			t.Helper()
			record, err := wire.Sign(p.key, kind, wire.RecordBody{ID: nod.RecordID(fmt.Sprint(kind, n)), Phone: p.id})
			if err != nil {
				t.Fatal(err)
			}
			p.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
		}
		for n := range 200 {
			sign(wire.RecordResume, n)
		}
		sign(wire.RecordPause, 0)
		sign(wire.RecordPause, 1)
		if !h.People()[0].PausedAll {
			t.Error("the pause was refused")
		}
		if n := len(h.core.records); n > maxRecords+1 {
			t.Errorf("%d records in a moment, want at most %d", n, maxRecords+1)
		}
		pass(2 * time.Minute)
		sign(wire.RecordResume, 1000)
		if h.People()[0].PausedAll {
			t.Error("after a minute the phone is still not heard")
		}
	})
}

// TestDroppingInALoop: an agent that connects and drops in a loop is soon
// under its budget again, place or not.
func TestDroppingInALoop(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		cards := 0
		for range 100 {
			c := h.ask(alarm)
			if c.Final() {
				continue
			}
			cards++
			h.together(h.gone(c.ID))
		}
		if cards > floodAfter+1 {
			t.Errorf("%d cards in a moment", cards)
		}
	})
}

// TestPhonesAreExpectedBackAfterARestart: the restart cut their links, so they
// count as reachable for as long as after any lost link.
func TestPhonesAreExpectedBackAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		h.restart()
		c := h.ask(alarm, func(a *Ask) { a.Detached = true })
		if c.Final() {
			t.Fatalf("right after a restart: %s", c.Text)
		}
		p.connect()
		p.offer()
		h.restart()
		pass(LostGrace)
		if c := h.ask(timer); c.Why != nod.WhyNotReachable {
			t.Errorf("a minute after a restart without a phone: %s %s", c.Outcome, c.Why)
		}
	})
}

// TestNoScreen: a phone that acts is there, and none to decide on.
func TestNoScreen(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		rig := h.pair("Rig", false)
		rig.noShow = true
		rig.connect()
		if c := h.ask(alarm); c.Outcome != nod.Unavailable || c.Why != nod.WhyNoScreen {
			t.Errorf("%s %s: %s", c.Outcome, c.Why, c.Text)
		}
		rig.none(wire.KindOffer)
	})
}

// counter is an observer that counts.
type counter struct{ ended map[nod.Outcome]int }

func (c *counter) Ended(call nod.Call)                 { c.ended[call.Outcome]++ }
func (c *counter) Committed(time.Duration, int, error) {}
func (c *counter) Pushed(string, time.Duration)        {}

// TestEveryEndIsCountedOnce, those of a flood too.
func TestEveryEndIsCountedOnce(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		seen := &counter{ended: map[nod.Outcome]int{}}
		h.cfg.Observer = seen
		p := h.pair("Pixel", false)
		p.connect()
		for range 50 {
			h.ask(`{"action":"fly"}`)
		}
		c := h.ask(alarm)
		p.decide(p.offer(), nod.ChoiceDecline, "")
		h.handOver(h.want(c.ID, nod.Declined, ""))
		if seen.ended[nod.Refused] != 50 || seen.ended[nod.Declined] != 1 {
			t.Errorf("counted %v, want 50 refused and 1 declined", seen.ended)
		}
	})
}
