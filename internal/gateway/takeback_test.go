package gateway

import (
	"fmt"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// What taking back means, by why and by where the call stands.
func TestTakeBack(t *testing.T) {
	for _, tt := range []struct {
		why      nod.Why
		detached bool
		outcome  nod.Outcome
		keep     int64 // milliseconds for which its place is kept
	}{
		{nod.WhyCancelled, false, nod.Withdrawn, 0},
		{nod.WhyGone, false, nod.Withdrawn, 10_000},
		{nod.WhyRestart, false, nod.Withdrawn, 0},
		{nod.WhyCancelled, true, "", 0},
		{nod.WhyGone, true, "", 0},
		{nod.WhyRestart, true, "", 0},
	} {
		bubble(t, func(t *testing.T, h *house) {
			p := h.pair("Pixel", false)
			p.connect()
			c := h.ask(alarm, func(a *Ask) { a.Detached = tt.detached })
			p.offer()
			for range 2 { // the second time changes nothing
				now, err := h.TakeBack(t.Context(), h.agent, c.ID, tt.why, 1)
				if err != nil || now.Outcome != tt.outcome {
					t.Fatalf("%s, detached %v: %s, %v", tt.why, tt.detached, now.Outcome, err)
				}
			}
			if tt.outcome == "" {
				h.want(c.ID, "", "")
				p.none(wire.KindWithdraw)
				return
			}
			h.want(c.ID, tt.outcome, tt.why)
			var body wire.CallBody
			if err := wire.Decode([]byte(p.take(wire.KindWithdraw).Body), &body); err != nil || body.Reason != string(tt.why) || body.KeepMS != tt.keep {
				t.Errorf("%s: withdrawn with %+v, %v", tt.why, body, err)
			}
			p.none(wire.KindWithdraw)
		})
	}
}

// A connection that asks for the same before the one that goes has left keeps the
// call: nobody but the last of them takes it back.
func TestTakeBackWhileAnotherComes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		opened  int   // how often it was asked for
		leaving []int // how many connections each taking back is for
		open    bool
	}{
		{"one of one", 1, []int{1}, false},
		{"one of two", 2, []int{1}, true},
		{"one of two, then the other", 2, []int{1, 1}, false},
		{"both of two at once", 2, []int{2}, false},
		{"two of three", 3, []int{2}, true},
		{"one each of three", 3, []int{1, 1}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *house) {
				p := h.pair("Pixel", false)
				p.connect()
				var c nod.Call
				for range tt.opened {
					c = h.ask(alarm)
				}
				p.offer()
				for _, n := range tt.leaving {
					if _, err := h.TakeBack(t.Context(), h.agent, c.ID, nod.WhyGone, n); err != nil {
						t.Fatal(err)
					}
				}
				if tt.open {
					h.want(c.ID, "", "")
					p.none(wire.KindWithdraw)
					return
				}
				h.want(c.ID, nod.Withdrawn, nod.WhyGone)
			})
		})
	}
}

// After the decision a cancel, be it by a closed stream, stops a phone that has
// not begun; the end of the gateway stops nothing that a person decided.
func TestTakeBackDecided(t *testing.T) {
	for why, disarms := range map[nod.Why]bool{nod.WhyCancelled: true, nod.WhyGone: true, nod.WhyRestart: false} {
		bubble(t, func(t *testing.T, h *house) {
			p := h.pair("Pixel", false)
			p.connect()
			c := h.ask(alarm)
			o := p.offer()
			p.confirm(o)
			p.take(wire.KindGo)
			if now, err := h.TakeBack(t.Context(), h.agent, c.ID, why, 1); err != nil || now.Final() {
				t.Fatalf("%s: %+v, %v", why, now.Outcome, err)
			}
			if _, got := p.find(wire.KindDisarm); got != disarms {
				t.Errorf("%s: disarmed %v, want %v", why, got, disarms)
			}
			p.result(o, wire.ResultDone, true, "")
			h.want(c.ID, nod.Done, "")
		})
	}
}

// An app that is switched off ends what of it waits, and only that; it acts also
// when the disk is full, and is in the ledger as soon as it can be.
func TestSwitchOff(t *testing.T) {
	for _, full := range []bool{false, true} {
		bubble(t, func(t *testing.T, h *house) {
			p := h.pair("Pixel", false)
			p.connect()
			off, stays := h.ask(alarm), h.ask(torch)
			confirmed := h.ask(timer)
			p.offer()
			p.offer()
			p.confirm(p.offer())
			h.ledger.fill(full)
			_, inFlight, err := h.SwitchOff(t.Context(), h.person, "Laptop", []string{"clock:act"})
			if (err != nil) != full || !full && inFlight != 1 {
				t.Fatalf("full %v: %d in flight, %v", full, inFlight, err)
			}
			h.ledger.fill(false)
			pass(retryWrite)
			h.want(off.ID, nod.Denied, nod.WhyAccessOff)
			h.want(stays.ID, "", "")
			h.want(confirmed.ID, "", "")
			if c := h.ask(alarm); c.Outcome != nod.Denied || c.Verdict.Rule != nod.RuleAccessOff || !strings.Contains(c.Text, "the clock app") {
				t.Errorf("asked again: %s by %s, %q", c.Outcome, c.Verdict.Rule, c.Text)
			}
			h.restart()
			if c := h.ask(alarm); c.Verdict.Rule != nod.RuleAccessOff {
				t.Errorf("after a restart: %s by %s", c.Outcome, c.Verdict.Rule)
			}
		})
	}
	bubble(t, func(t *testing.T, h *house) {
		for _, apps := range [][]string{nil, {"clock"}, {"moon:act"}, {"clock:act", "clock:write"}} {
			if _, _, err := h.SwitchOff(t.Context(), h.person, "Laptop", apps); nod.CodeOf(err) != nod.CodeInvalid {
				t.Errorf("%q: %v, want it to be invalid", apps, err)
			}
		}
		if _, _, err := h.SwitchOff(t.Context(), h.person, "Nobody", []string{"clock:act"}); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("nobody's: %v", err)
		}
	})
}

// What an agent wants to give up is read before its turn comes: nobody waits while
// a long list of what is not there is gone through.
func TestSwitchOffSelfIsReadFirst(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		var words []string
		for i := range 10_000 {
			words = append(words, fmt.Sprint(i))
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.SwitchOffSelf(t.Context(), h.agent, words); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("without anybody whose turn it is: %v", err)
		}
	})
}

// How long an answer may take is set at the console, within bounds.
func TestSetAgentWait(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		for seconds, valid := range map[int]bool{-1: false, 0: true, 1: true, 1200: true, 1201: false} {
			a, err := h.SetAgentWait(t.Context(), h.person, "laptop", seconds)
			if valid && (err != nil || a.WaitSeconds != seconds) || !valid && nod.CodeOf(err) != nod.CodeInvalid {
				t.Errorf("%d: %d, %v", seconds, a.WaitSeconds, err)
			}
			_, _, err = h.AddAgent(t.Context(), AgentSpec{Person: h.person, Name: "Other " + string(rune('A'+seconds%7+7)), WaitSeconds: seconds})
			if (err == nil) != valid {
				t.Errorf("added with %d: %v", seconds, err)
			}
		}
		if _, err := h.SetAgentWait(t.Context(), h.person, "Laptop", 77); err != nil {
			t.Fatal(err)
		}
		h.restart()
		for _, a := range h.Agents(h.person) {
			if a.ID == h.agent && a.WaitSeconds != 77 {
				t.Errorf("after a restart it waits %d s", a.WaitSeconds)
			}
		}
	})
}
