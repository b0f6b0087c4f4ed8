package gateway

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// handOver is a door that wrote the result in full.
func (h *house) handOver(c nod.Call) {
	h.t.Helper()
	if err := h.HandedOver(h.t.Context(), h.agent, c.ID); err != nil {
		h.t.Fatal(err)
	}
}

func TestSameCallWhileOpen(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		p.offer()
		again := h.ask(`{"action":"alarm","time":"07:30","summary":"another line"}`)
		if again.ID != first.ID {
			t.Fatal("the same act while the first is open made a second call")
		}
		p.none(wire.KindOffer)
		// One of the two connections goes: the card stays for the other.
		if err := h.Gone(t.Context(), h.agent, first.ID); err != nil {
			t.Fatal(err)
		}
		if c := h.now(first.ID); c.Final() {
			t.Fatalf("the card went with the first connection: %s", c.Outcome)
		}
		if err := h.Gone(t.Context(), h.agent, first.ID); err != nil {
			t.Fatal(err)
		}
		h.want(first.ID, nod.Withdrawn, nod.WhyGone)
	})
}

func TestPlaceIsTaken(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		p.offer()
		if err := h.Gone(t.Context(), h.agent, first.ID); err != nil {
			t.Fatal(err)
		}
		pass(3 * time.Second)
		second := h.ask(alarm)
		if second.ID == first.ID || second.Final() {
			t.Fatalf("the retry is %+v", second)
		}
		if f := p.take(wire.KindOffer); f.Takes != first.ID {
			t.Errorf("the new card takes the place of %q, want %q", f.Takes, first.ID)
		}
		if err := h.Gone(t.Context(), h.agent, second.ID); err != nil {
			t.Fatal(err)
		}
		pass(11 * time.Second)
		h.ask(alarm)
		if f := p.take(wire.KindOffer); f.Takes != "" {
			t.Error("a place was taken after its ten seconds")
		}
	})
}

func TestUnheardResultIsReplayed(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		first := h.ask(alarm)
		o := p.offer()
		p.confirm(o)
		p.result(o, wire.ResultDone, true, "")
		h.want(first.ID, nod.Done, "")

		again := h.ask(alarm)
		if again.ID != first.ID || again.Outcome != nod.Done {
			t.Fatalf("a result that was never handed over is not answered from the ledger: %+v", again)
		}
		if !slices.Contains(h.entries(first.ID), logReplayed) {
			t.Error("the replay is not in the log")
		}
		h.handOver(again)
		third := h.ask(alarm)
		if third.ID == first.ID {
			t.Fatal("a result that was handed over is answered again")
		}
		o = p.offer()
		if !slices.Contains(o.Badges, nod.BadgeRepeat) || o.Repeat == nil || o.Repeat.Outcome != nod.Done {
			t.Errorf("the repeat is not marked: %+v %+v", o.Badges, o.Repeat)
		}
		if err := h.Gone(t.Context(), h.agent, third.ID); err != nil {
			t.Fatal(err)
		}
		pass(11 * time.Minute)
		p.connect()
		h.ask(alarm)
		if o := p.offer(); o.Repeat != nil {
			t.Error("a repeat is marked after ten minutes")
		}
	})
}

func TestIdempotencyKey(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		key := func(a *Ask) { a.Key = "k1" }
		first := h.ask(alarm, key)
		o := p.offer()
		p.decide(o, nod.ChoiceDecline, "")
		h.handOver(h.want(first.ID, nod.Declined, ""))
		if again := h.ask(alarm, key); again.ID != first.ID {
			t.Error("the same key made another call")
		}
		_, err := h.Open(t.Context(), Ask{Agent: h.agent, Tool: "phone_action", Arguments: []byte(timer), Key: "k1"})
		if nod.CodeOf(err) != nod.CodeConflict {
			t.Errorf("the same key for another call = %v, want a conflict", err)
		}
	})
}

func TestBudgets(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		for _, args := range []string{alarm, timer, torch} {
			if c := h.ask(args); c.Final() {
				t.Fatalf("%s ended: %s", args, c.Text)
			}
		}
		c := h.ask(dial)
		if c.Outcome != nod.Denied || c.Verdict.Rule != nod.RuleOpenCards {
			t.Fatalf("a fourth card: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		if c := h.ask(alarm); c.Final() {
			t.Error("the same call as an open one must attach, not be over budget")
		}
		// A retry takes the place of its card and needs no budget.
		open := h.OpenCalls(h.agent)
		if err := h.Gone(t.Context(), h.agent, open[1].ID); err != nil {
			t.Fatal(err)
		}
		h.ask(dial)
		if c := h.ask(timer); c.Final() {
			t.Errorf("the retry of a dropped card is %s by %s", c.Outcome, c.Verdict.Rule)
		}
	})
}

func TestDeclinesCoolDownAndPause(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		decline := func(args string) {
			t.Helper()
			c := h.ask(args)
			if c.Final() {
				t.Fatalf("%s: %s", args, c.Text)
			}
			p.decide(p.offer(), nod.ChoiceDecline, "")
			h.handOver(h.want(c.ID, nod.Declined, ""))
			pass(time.Second)
		}
		decline(alarm)
		decline(`{"action":"alarm","time":"08:00"}`)
		c := h.ask(`{"action":"alarm","time":"09:00"}`)
		if c.Verdict.Rule != nod.RuleCoolDown || !strings.Contains(c.Text, "UTC") {
			t.Fatalf("after two declines of a kind: %s by %s, %q", c.Outcome, c.Verdict.Rule, c.Text)
		}
		decline(timer)
		decline(torch)
		decline(dial)
		if c := h.ask(`{"action":"media","command":"play"}`); c.Verdict.Rule != nod.RulePaused {
			t.Fatalf("after five declines in an hour: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		if a := h.Agents(h.person)[0]; !a.Paused {
			t.Error("the agent is not paused")
		}
	})
}

func TestFloodIsOneEntry(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		for range 100 {
			if c := h.ask(`{"action":"fly"}`); c.Outcome != nod.Refused || c.Text == "" {
				t.Fatalf("%+v", c)
			}
		}
		h.ledger.fill(true)
		pass(2 * time.Minute)
		h.ledger.fill(false)
		pass(2 * time.Minute)
		entries, err := h.Log(t.Context(), h.person, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var refused int
		var count string
		for _, e := range entries {
			switch e.Kind {
			case "call.refused":
				refused++
			case logFlood:
				count += e.Facts["count"]
			}
		}
		if refused != floodAfter || count != "80" {
			t.Errorf("%d refusals and a flood of %q, want %d and 80", refused, count, floodAfter)
		}
	})
}

// TestOneAgentsCallsAreInvisibleToAnother is I9.
func TestOneAgentsCallsAreInvisibleToAnother(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(alarm)
		other := h.addAgent("Other")
		if _, err := h.Call(t.Context(), other.ID, c.ID); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("Call = %v", err)
		}
		if _, err := h.Cancel(t.Context(), other.ID, c.ID); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("Cancel = %v", err)
		}
		if _, _, err := h.Watch(t.Context(), other.ID, c.ID); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("Watch = %v", err)
		}
		if err := h.Gone(t.Context(), other.ID, c.ID); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("Gone = %v", err)
		}
		if len(h.OpenCalls(other.ID)) != 0 {
			t.Error("it lists another agent's calls")
		}
		h.want(c.ID, "", "")
	})
}

// TestRetryDoesNotWaitForAPhoneThatIsAway: a kept place or an old result on a
// phone that is gone does not hold up what another phone can do now.
func TestRetryDoesNotWaitForAPhoneThatIsAway(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		pixel := h.pair("Pixel", false)
		pixel.connect()
		tablet := h.second(pixel, "Tablet")
		pass(time.Second)
		tablet.connect()
		first := h.ask(alarm)
		if first.Phone != tablet.id {
			t.Fatal("the phone that was proven last is not asked")
		}
		tablet.disconnect()
		pass(61 * time.Second)
		if err := h.Gone(t.Context(), h.agent, first.ID); err != nil {
			t.Fatal(err)
		}
		if c := h.ask(alarm); c.Phone != pixel.id || c.Final() {
			t.Errorf("the retry went to %s: %s %s", c.Phone, c.Outcome, c.Why)
		}
	})
}
