package call

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite testdata/states.txt from what Step does; read the difference")

const (
	t0    = nod.Time(1_800_000_000_000)
	actor = nod.PhoneID("phone_actor")
	other = nod.PhoneID("phone_other")
)

// startRows are one call in each state, as the table names them.
func startRows() []nod.Call {
	row := nod.Call{ID: "call_1", Kind: nod.Act, Phone: actor, Version: 7, Received: t0, Attached: true,
		Verdict: nod.Verdict{Answer: nod.Ask, Rule: nod.RuleAlways}}
	received := row
	received.State = nod.Received

	row.Offered, row.Deadline, row.Offer = t0, t0.Add(2*time.Minute), []byte("offer")
	offered, delivered, shown := row, row, row
	offered.State, delivered.State, shown.State = nod.Offered, nod.Delivered, nod.Shown

	row.Decided, row.DecidedBy, row.Due = t0, actor, t0.Add(100*time.Second)
	decided, working := row, row
	decided.State, working.State = nod.Decided, nod.Working

	row.Ended, row.State = t0, nod.Closed
	declined, unknown, expired := row, row, row
	declined.Outcome = nod.Declined
	unknown.Outcome = nod.Unknown
	expired.Outcome, expired.DecidedBy = nod.Expired, ""
	reading, read := working, declined
	reading.Kind, read.Kind = nod.Read, nod.Read
	read.Outcome, read.Data = nod.Done, true
	return []nod.Call{received, offered, delivered, shown, decided, working, declined, unknown, expired, reading, read}
}

// happenings are every kind of event, with the variants that matter.
func happenings() []struct {
	name string
	ev   Event
	at   time.Duration
} {
	type h = struct {
		name string
		ev   Event
		at   time.Duration
	}
	decide := func(p nod.PhoneID, c nod.Choice) Event {
		return Event{Kind: Decide, Phone: p, Choice: c, Signed: []byte("signed"), Work: 20 * time.Second}
	}
	result := func(s Status, started bool) Event {
		return Event{Kind: Result, Phone: actor, Status: s, Started: started, Signed: []byte("signed")}
	}
	return []h{
		{"refuse", Event{Kind: Refuse, Text: "No."}, 0},
		{"deny", Event{Kind: Deny, Verdict: nod.Verdict{Answer: nod.Deny, Rule: nod.RulePaused}}, 0},
		{"unavailable", Event{Kind: Unavailable, Why: nod.WhyNoPhone}, 0},
		{"cannot", Event{Kind: Cannot, Message: "no clock app"}, 0},
		{"offer", Event{Kind: Offer, Offer: []byte("o"), Digest: []byte("d"), Deadline: t0.Add(time.Minute), Verdict: nod.Verdict{Answer: nod.Ask}}, 0},
		{"delivered", Event{Kind: Delivered, Phone: actor}, 0},
		{"shown", Event{Kind: Shown, Phone: actor}, 0},
		{"confirm", decide(actor, nod.ChoiceConfirm), 0},
		{"confirm-other-screen", decide(other, nod.ChoiceConfirm), 0},
		{"confirm-after-10s", decide(actor, nod.ChoiceConfirm), 10 * time.Second},
		{"confirm-after-deadline", decide(actor, nod.ChoiceConfirm), 2 * time.Minute},
		{"standing-unasked", decide(actor, nod.ChoiceStanding), 0},
		{"decline", decide(actor, nod.ChoiceDecline), 0},
		{"decline-other-screen", decide(other, nod.ChoiceDecline), 0},
		{"go-sent", Event{Kind: GoSent}, 0},
		{"result-done", result(StatusDone, true), 0},
		{"result-opened", result(StatusOpened, true), 0},
		{"result-failed-started", result(StatusFailed, true), 0},
		{"result-failed-not-started", result(StatusFailed, false), 0},
		{"result-unknown", result(StatusUnknown, true), 0},
		{"result-with-data", Event{Kind: Result, Phone: actor, Status: StatusDone, Started: true, Data: true, Signed: []byte("signed")}, 0},
		{"result-not-allowed", Event{Kind: Result, Phone: actor, Status: StatusFailed, Why: nod.WhyNotAllowed, Signed: []byte("signed")}, 0},
		{"result-strange-why", Event{Kind: Result, Phone: actor, Status: StatusFailed, Why: "paused", Signed: []byte("signed")}, 0},
		{"result-other-phone", Event{Kind: Result, Phone: other, Status: StatusDone}, 0},
		{"result-strange-word", result("finished", true), 0},
		{"withdraw", Event{Kind: Withdraw, Why: nod.WhyCancelled}, 0},
		{"withdraw-keep", Event{Kind: Withdraw, Why: nod.WhyGone, Keep: KeepPlace}, 0},
		{"switch-off", Event{Kind: SwitchOff, Why: nod.WhyPaused}, 0},
		{"connected", Event{Kind: Connected, Phone: actor}, 0},
		{"connected-other", Event{Kind: Connected, Phone: other}, 0},
		{"restarted", Event{Kind: Restarted}, 0},
		{"set-back", Event{Kind: SetBack}, 0},
		{"tick", Event{Kind: Tick}, time.Second},
		{"tick-late", Event{Kind: Tick}, 2 * time.Minute},
		{"detach", Event{Kind: Detach}, 0},
		{"handed-over", Event{Kind: HandedOver}, 0},
		{"release", Event{Kind: Release}, 0},
		{"push-failed", Event{Kind: Pushed, Phone: actor, Push: nod.PushFailed}, 0},
		{"push-accepted", Event{Kind: Pushed, Phone: actor, Push: nod.PushAccepted}, 0},
		{"push-shown", Event{Kind: Pushed, Phone: other, Push: nod.PushShown}, 0},
	}
}

func describe(before, after nod.Call, effects []Effect) string {
	var b strings.Builder
	b.WriteString(string(after.State))
	if after.Outcome != "" {
		fmt.Fprintf(&b, "/%s", after.Outcome)
	}
	if after.Why != "" {
		fmt.Fprintf(&b, "/%s", after.Why)
	}
	if after.Supplement != before.Supplement {
		fmt.Fprintf(&b, "+%s", after.Supplement)
	}
	if after.Data != before.Data {
		b.WriteString(" with data")
	}
	if after.Released != before.Released {
		b.WriteString(" released")
	}
	if after.Push != before.Push {
		fmt.Fprintf(&b, " push %s", after.Push)
	}
	if after.Version == before.Version {
		b.WriteString(" (same)")
	}
	for _, e := range effects {
		fmt.Fprintf(&b, " | %s", e.Do)
		for _, word := range []string{e.LogKind, string(e.Phone), e.Reason, e.Of} {
			if word != "" {
				fmt.Fprintf(&b, " %s", strings.TrimPrefix(word, "phone_"))
			}
		}
		if e.Except != "" {
			fmt.Fprintf(&b, " except %s", strings.TrimPrefix(string(e.Except), "phone_"))
		}
		if e.Keep > 0 {
			fmt.Fprintf(&b, " keep %s", e.Keep)
		}
	}
	return b.String()
}

// TestStates pins what every event does in every state. The table is data so
// that it can be read as a whole; a change to it is a change to the promises.
func TestStates(t *testing.T) {
	var got strings.Builder
	for _, row := range startRows() {
		name := string(row.State)
		if row.Outcome != "" {
			name += "/" + string(row.Outcome)
		}
		if row.Kind == nod.Read {
			name += " read"
		}
		fmt.Fprintf(&got, "## %s\n", name)
		for _, h := range happenings() {
			after, effects := Step(row, h.ev, t0.Add(h.at))
			fmt.Fprintf(&got, "%-26s-> %s\n", h.name, describe(row, after, effects))
		}
		got.WriteString("\n")
	}
	const file = "testdata/states.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range max(len(wantLines), len(gotLines)) {
		var w, g string
		if i < len(wantLines) {
			w = wantLines[i]
		}
		if i < len(gotLines) {
			g = gotLines[i]
		}
		if w != g {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, g, w)
		}
	}
}

// How far a wake-up came only grows, whatever the order in which it is heard, and
// moves no state.
func TestPushOnlyGrows(t *testing.T) {
	stages := []nod.Push{nod.PushFailed, nod.PushAccepted, nod.PushReceived, nod.PushShown}
	for _, first := range stages {
		for _, then := range stages {
			row := startRows()[1]
			one, _ := Step(row, Event{Kind: Pushed, Phone: actor, Push: first}, t0)
			two, effects := Step(one, Event{Kind: Pushed, Phone: other, Push: then}, t0)
			want := first
			if then.Beyond(first) {
				want = then
			}
			if two.Push != want || two.State != nod.Offered || len(effects) != 0 {
				t.Errorf("%s and then %s is %s in %s with %v, want %s", first, then, two.Push, two.State, effects, want)
			}
			if n := len(two.Pushed); (first != nod.PushFailed) != slices.Contains(two.Pushed, actor) || (then != nod.PushFailed) != slices.Contains(two.Pushed, other) || n > 2 {
				t.Errorf("%s and then %s was sent to %v", first, then, two.Pushed)
			}
			if again, _ := Step(two, Event{Kind: Pushed, Phone: other, Push: then}, t0); again.Version != two.Version {
				t.Errorf("%s twice is written twice", then)
			}
		}
	}
}

func TestEveryKindIsInTheTable(t *testing.T) {
	seen := map[Kind]bool{}
	for _, h := range happenings() {
		seen[h.ev.Kind] = true
	}
	for _, kind := range Kinds {
		if !seen[kind] {
			t.Errorf("no row for %q", kind)
		}
	}
}

// TestReadNeverUnknown: a read's effect is its release, which the gateway controls.
func TestReadNeverUnknown(t *testing.T) {
	for _, row := range startRows() {
		if row.State != nod.Decided && row.State != nod.Working {
			continue
		}
		row.Kind = nod.Read
		after, _ := Step(row, Event{Kind: Tick}, row.Due)
		if after.Outcome != nod.Failed || after.Started {
			t.Errorf("a read that is overdue from %s = %s, started %t; want failed, not started", row.State, after.Outcome, after.Started)
		}
	}
}

// TestStoppedReadIsOver: whoever stops a read under way ends it there, and what its
// phone still sends is acked and let go.
func TestStoppedReadIsOver(t *testing.T) {
	for _, stop := range []Event{{Kind: SwitchOff, Why: nod.WhyAccessOff}, {Kind: Withdraw, Why: nod.WhyCancelled}} {
		for _, row := range startRows() {
			if row.State != nod.Decided && row.State != nod.Working {
				continue
			}
			row.Kind = nod.Read
			after, effects := Step(row, stop, t0)
			if !after.Final() || after.Why != stop.Why || !has(effects, SendDisarm) {
				t.Errorf("%s of a read in %s: %s, %q, %v", stop.Kind, row.State, after.State, after.Why, effects)
			}
			late, effects := Step(after, Event{Kind: Result, Phone: actor, Status: StatusDone, Data: true}, t0)
			if late.Version != after.Version || len(effects) != 2 || effects[0].Do != SendDisarm || effects[1].Do != SendAck {
				t.Errorf("the result of a read that was stopped changes it, or is not told to be for nothing and then acked: %v", effects)
			}
		}
	}
}

// TestNoGoAfterRestart: a go that was not sent before a restart never is.
func TestNoGoAfterRestart(t *testing.T) {
	for _, row := range startRows() {
		if row.State != nod.Decided && row.State != nod.Working {
			continue
		}
		row, _ = Step(row, Event{Kind: Restarted}, t0)
		for _, ev := range []Event{{Kind: Connected, Phone: actor}, {Kind: Decide, Phone: actor, Choice: nod.ChoiceConfirm}} {
			if _, effects := Step(row, ev, t0); has(effects, SendGo) {
				t.Errorf("%s after a restart sent a go from %s", ev.Kind, row.State)
			}
		}
	}
}

// TestNoGoAfterStop is I5: a stop that came after the decision ends the go.
func TestNoGoAfterStop(t *testing.T) {
	for _, stop := range []Event{{Kind: SwitchOff, Why: nod.WhyPaused}, {Kind: Withdraw, Why: nod.WhyAgentRemoved}, {Kind: Withdraw, Why: nod.WhyCancelled}} {
		for _, row := range startRows() {
			if row.State != nod.Decided && row.State != nod.Working {
				continue
			}
			row, _ = Step(row, stop, t0)
			for _, ev := range []Event{{Kind: Connected, Phone: actor}, {Kind: Decide, Phone: actor, Choice: nod.ChoiceConfirm}} {
				if _, effects := Step(row, ev, t0); has(effects, SendGo) {
					t.Errorf("%s after %s sent a go from %s", ev.Kind, stop.Why, row.State)
				}
			}
		}
	}
}

// TestStrangeStatus: a word that nobody knows is failed, and may have begun.
func TestStrangeStatus(t *testing.T) {
	for _, row := range startRows() {
		if row.State != nod.Decided {
			continue
		}
		after, _ := Step(row, Event{Kind: Result, Phone: actor, Status: "finished"}, t0)
		if after.Outcome != nod.Failed || !after.Started {
			t.Errorf("got %s, started %t; want failed, started", after.Outcome, after.Started)
		}
	}
}

// TestStrangeWhy: a phone has no other word for why it failed than those it may use,
// not even one of the gateway's own.
func TestStrangeWhy(t *testing.T) {
	for _, row := range startRows() {
		for _, why := range []nod.Why{"paused", nod.WhyNothingRead, nod.WhyAccessOff, "the person is Ana"} {
			after, _ := Step(row, Event{Kind: Result, Phone: actor, Status: StatusFailed, Why: why}, t0)
			if after.Why == why && row.Why != why {
				t.Errorf("%s %s: a phone made it fail with %q", row.State, row.Kind, why)
			}
		}
	}
}

func TestStandingUnderAllow(t *testing.T) {
	row := startRows()[1]
	row.Verdict = nod.Verdict{Answer: nod.Allow, Rule: nod.RuleNever, Basis: "spec"}
	after, effects := Step(row, Event{Kind: Decide, Phone: actor, Choice: nod.ChoiceStanding, Work: time.Second}, t0)
	if after.State != nod.Decided || !has(effects, SendGo) {
		t.Errorf("a standing decision under allow leads to %s with %v, want decided and a go", after.State, effects)
	}
}

func TestDetachedOutlivesRestart(t *testing.T) {
	for _, row := range startRows()[1:4] {
		row.Attached = false
		if after, _ := Step(row, Event{Kind: Restarted}, t0); after.State != row.State {
			t.Errorf("a detached call in %s became %s at a restart", row.State, after.State)
		}
	}
}

func has(effects []Effect, do Do) bool {
	for _, e := range effects {
		if e.Do == do {
			return true
		}
	}
	return false
}

func logs(effects []Effect, kind string) bool {
	return slices.ContainsFunc(effects, func(e Effect) bool { return e.Do == Log && e.LogKind == kind })
}

// TestAnyOrder drives calls through random events and checks what must hold whatever comes.
func TestAnyOrder(t *testing.T) {
	all := happenings()
	rapid.Check(t, func(t *rapid.T) {
		row, now := startRows()[1], t0
		row.Kind = rapid.SampledFrom([]nod.Kind{nod.Act, nod.Read}).Draw(t, "kind")
		var confirmed, stopped bool
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			h := rapid.SampledFrom(all).Draw(t, "event")
			now = now.Add(time.Duration(rapid.IntRange(0, 30_000).Draw(t, "ms")) * time.Millisecond)
			after, effects := Step(row, h.ev, now)
			switch {
			case row.Final() && (after.Outcome != row.Outcome || after.State != nod.Closed):
				t.Fatalf("%s turned the outcome %s into %s", h.name, row.Outcome, after.Outcome)
			case after.Version < row.Version || after.Version > row.Version+1:
				t.Fatalf("%s took the version from %d to %d", h.name, row.Version, after.Version)
			case (after.State == nod.Closed) != (after.Outcome != ""):
				t.Fatalf("%s left state %s with outcome %q", h.name, after.State, after.Outcome)
			}
			switch stopped = stopped || h.ev.Kind == Withdraw || h.ev.Kind == SwitchOff; {
			case after.Kind == nod.Read && (after.Outcome == nod.Unknown || after.Outcome == nod.Opened || after.Started):
				t.Fatalf("%s left a read %s, started %t", h.name, after.Outcome, after.Started)
			case after.Kind == nod.Read && (after.Outcome == nod.Done) != after.Data, after.Data && after.Outcome != nod.Done:
				t.Fatalf("%s left %s with data %t", h.name, after.Outcome, after.Data)
			case after.Kind == nod.Read && stopped && !after.Final():
				t.Fatalf("%s left a read going that was stopped", h.name)
			case after.Released != row.Released && (!row.Data || row.Released != 0 || !logs(effects, LogReleased)):
				t.Fatalf("%s released what was not there, twice, or without a word in the log", h.name)
			}
			confirmed = confirmed || after.State == nod.Decided
			if has(effects, SendGo) && (!confirmed || now >= row.Deadline && row.State.Open()) {
				t.Fatalf("%s sent a go without a decision in time", h.name)
			}
			if has(effects, SendGo) && now.Sub(after.Decided) >= GoWindow {
				t.Fatalf("%s sent a go %s after the decision", h.name, now.Sub(after.Decided))
			}
			row = after
		}
	})
}
