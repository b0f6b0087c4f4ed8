package policy

import (
	"slices"
	"testing"
	"time"

	"nod.dev/nod"
	"pgregory.net/rapid"
)

const now = nod.Time(1_800_000_000_000)

// base is an action that nothing speaks against.
func base() Input {
	return Input{Now: now, Access: nod.AccessAsk, Kind: nod.Act, Risk: nod.Low,
		Confirm: nod.ConfirmPolicy, Mode: nod.AskBeforeAction}
}

func with(changes ...func(*Input)) Input {
	in := base()
	for _, change := range changes {
		change(&in)
	}
	return in
}

func read(in *Input)                    { in.Kind = nod.Read }
func private(in *Input)                 { in.Kind, in.Private = nod.Read, true }
func granted(in *Input)                 { in.Grant = "record_g" }
func always(in *Input)                  { in.Confirm = nod.ConfirmAlways }
func never(in *Input)                   { in.Confirm = nod.ConfirmNever }
func tainted(in *Input)                 { in.Tainted = true }
func egress(in *Input)                  { in.Egress = true }
func badge(in *Input)                   { in.Badges = []nod.Badge{nod.BadgeRepeat} }
func unattended(in *Input)              { in.Unattended = true }
func off(in *Input)                     { in.Access = nod.AccessOff }
func paused(in *Input)                  { in.AgentPaused = true }
func signedMode(in *Input)              { in.ModeBasis = "record_m" }
func fullBudget(in *Input)              { in.Budget = &Budget{OpenUntil: []nod.Time{now + 9, now + 5, now + 7}} }
func manyReads(in *Input)               { in.Budget = &Budget{Reads: slices.Repeat([]nod.Time{now - 1}, MaxReads)} }
func quiet(in *Input)                   { in.QuietUntil = now + 1000 }
func risk(r nod.Risk) func(*Input)      { return func(in *Input) { in.Risk = r } }
func mode(m nod.Mode) func(*Input)      { return func(in *Input) { in.Mode = m } }
func narrow(m ...nod.Mode) func(*Input) { return func(in *Input) { in.Narrow = m } }

type row struct {
	name  string
	in    Input
	want  nod.Answer
	rule  nod.Rule
	basis string
	until nod.Time
}

func allow(name string, rule nod.Rule, basis string, changes ...func(*Input)) row {
	return row{name: name, in: with(changes...), want: nod.Allow, rule: rule, basis: basis}
}

func asks(name string, rule nod.Rule, changes ...func(*Input)) row {
	return row{name: name, in: with(changes...), want: nod.Ask, rule: rule}
}

func deny(name string, rule nod.Rule, until nod.Time, changes ...func(*Input)) row {
	return row{name: name, in: with(changes...), want: nod.Deny, rule: rule, until: until}
}

func TestOrder(t *testing.T) {
	rows := []row{
		deny("a revoked agent before all", nod.RuleAgentRevoked, 0, func(in *Input) { in.AgentRevoked, in.PhoneRevoked = true, true }, paused, off),
		deny("a revoked phone", nod.RulePhoneRevoked, 0, func(in *Input) { in.PhoneRevoked = true }, paused),
		deny("set back before pause", nod.RuleSetBack, 0, func(in *Input) { in.SetBack, in.PausedAll = true, true }),
		deny("all paused", nod.RulePausedAll, 0, func(in *Input) { in.PausedAll = true }, paused),
		deny("paused beats always", nod.RulePaused, 0, paused, always),
		deny("paused beats never", nod.RulePaused, 0, paused, never),
		deny("access off beats budget", nod.RuleAccessOff, 0, off, fullBudget),
		deny("access off beats always", nod.RuleAccessOff, 0, off, always),
		deny("access that nobody set", nod.RuleAccessOff, 0, func(in *Input) { in.Access = "" }),
		deny("budget beats always", nod.RuleOpenCards, now+5, fullBudget, always),
		deny("budget beats quiet hours", nod.RuleOpenCards, now+5, fullBudget, quiet),
		deny("quiet hours beat always", nod.RuleQuietHours, now+1000, quiet, always),
		asks("quiet hours that are over", nod.RuleDefault, func(in *Input) { in.QuietUntil = now }),
		asks("always beats observe_only", nod.RuleAlways, always, mode(nod.ObserveOnly)),
		asks("always beats a grant", nod.RuleAlways, always, granted),
		asks("always beats trusted_actions", nod.RuleAlways, always, mode(nod.TrustedActions), signedMode),
		deny("observe_only beats never", nod.RuleObserveOnly, 0, never, mode(nod.ObserveOnly)),
		asks("a badge beats never where something is done", nod.RuleBadge, never, badge),
		allow("never beats a badge where something is read", nod.RuleNever, BasisSpec, never, badge, private),
		allow("never in strict", nod.RuleNever, BasisSpec, never, mode(nod.Strict)),
		deny("budget beats never", nod.RuleOpenCards, now+5, fullBudget, never),
		deny("budget beats never where the person picks", nod.RuleOpenCards, now+5, fullBudget, never, private),
		deny("quiet hours beat never", nod.RuleQuietHours, now+1000, quiet, never),
		allow("what bothers nobody is free of budgets", nod.RuleNever, BasisSpec, fullBudget, quiet, never, read, unattended),
		allow("and so is a read that is not private", nod.RuleMode, BasisSpec, fullBudget, read, unattended),
		deny("but for their own", nod.RuleCardRate, now-1+nod.Time(CardWindow.Milliseconds()), manyReads, never, read, unattended),
		allow("who reads the clock a lot may still ask", nod.RuleMode, BasisSpec, manyReads, read),
		deny("but not where it is asked", nod.RuleOpenCards, now+5, fullBudget, private, unattended),
		deny("nor where it is stopped", nod.RulePaused, 0, paused, never, read, unattended),
		asks("high risk beats a grant", nod.RuleHighRisk, risk(nod.High), granted),
		asks("a badge beats a grant", nod.RuleBadge, badge, granted),
		asks("a badge beats trusted_actions", nod.RuleBadge, badge, mode(nod.TrustedActions), signedMode),
		asks("taint on an act that sends", nod.RuleBadge, tainted, egress, granted),
		allow("taint on an act that does not", nod.RuleGrant, "record_g", tainted, granted),
		allow("taint on a read", nod.RuleMode, BasisSpec, tainted, egress, read),
		asks("strict: no grant counts", nod.RuleStrict, granted, mode(nod.Strict)),
		allow("a live grant", nod.RuleGrant, "record_g", granted),
		asks("an unknown mode allows nothing", nod.RuleDefault, mode("yolo"), granted, read),
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { check(t, r) })
	}
}

// TestTable is every cell of design section 7's table, granted and not.
func TestTable(t *testing.T) {
	type cell struct {
		plain, granted nod.Answer
	}
	modes := nod.Modes // observe_only, strict, ask_before_action, trusted_actions
	columns := []struct {
		name    string
		changes []func(*Input)
		cells   [4]cell
	}{
		{"read, not private", []func(*Input){read}, [4]cell{{nod.Allow, nod.Allow}, {nod.Allow, nod.Allow}, {nod.Allow, nod.Allow}, {nod.Allow, nod.Allow}}},
		{"read, private", []func(*Input){private}, [4]cell{{nod.Ask, nod.Allow}, {nod.Ask, nod.Ask}, {nod.Ask, nod.Allow}, {nod.Ask, nod.Allow}}},
		{"act low", []func(*Input){risk(nod.Low)}, [4]cell{{nod.Deny, nod.Deny}, {nod.Ask, nod.Ask}, {nod.Ask, nod.Allow}, {nod.Allow, nod.Allow}}},
		{"act medium", []func(*Input){risk(nod.Medium)}, [4]cell{{nod.Deny, nod.Deny}, {nod.Ask, nod.Ask}, {nod.Ask, nod.Allow}, {nod.Allow, nod.Allow}}},
		{"act high", []func(*Input){risk(nod.High)}, [4]cell{{nod.Deny, nod.Deny}, {nod.Ask, nod.Ask}, {nod.Ask, nod.Ask}, {nod.Ask, nod.Ask}}},
	}
	for _, column := range columns {
		for i, m := range modes {
			changes := append([]func(*Input){mode(m), signedMode}, column.changes...)
			if got := Decide(with(changes...)); got.Answer != column.cells[i].plain {
				t.Errorf("%s in %s = %s (%s), want %s", column.name, m, got.Answer, got.Rule, column.cells[i].plain)
			}
			if got := Decide(with(append(changes, granted)...)); got.Answer != column.cells[i].granted {
				t.Errorf("%s in %s, granted = %s (%s), want %s", column.name, m, got.Answer, got.Rule, column.cells[i].granted)
			}
		}
	}
	if got := Decide(with(mode(nod.TrustedActions))); got.Answer != nod.Ask {
		t.Errorf("trusted_actions without a signed record = %s, want ask", got.Answer)
	}
}

func TestNarrow(t *testing.T) {
	rows := []row{
		deny("a call may bring observe_only", nod.RuleObserveOnly, 0, narrow(nod.ObserveOnly), granted),
		asks("a call may bring strict", nod.RuleStrict, narrow(nod.Strict), granted),
		asks("a call cannot widen", nod.RuleDefault, narrow(nod.TrustedActions), signedMode),
		deny("the strictest of several wins", nod.RuleObserveOnly, 0, narrow(nod.Strict, nod.ObserveOnly, nod.TrustedActions)),
		deny("a trusted agent narrowed", nod.RuleObserveOnly, 0, mode(nod.TrustedActions), signedMode, narrow(nod.ObserveOnly)),
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { check(t, r) })
	}
}

func check(t *testing.T, r row) {
	t.Helper()
	got := Decide(r.in)
	if got.Answer != r.want || got.Rule != r.rule || got.Basis != r.basis || got.Until != r.until {
		t.Errorf("Decide = %s by %s, basis %q, until %d; want %s by %s, basis %q, until %d",
			got.Answer, got.Rule, got.Basis, got.Until, r.want, r.rule, r.basis, r.until)
	}
}

func TestBudget(t *testing.T) {
	ago := func(d time.Duration) nod.Time { return now.Add(-d) }
	cards := func(n int, age time.Duration) (out []nod.Time) {
		for i := range n {
			out = append(out, ago(age)+nod.Time(i))
		}
		return out
	}
	rows := []struct {
		name   string
		budget Budget
		rule   nod.Rule
		until  nod.Time
	}{
		{"nothing used", Budget{}, "", 0},
		{"two open cards", Budget{OpenUntil: []nod.Time{now + 1, now + 2}}, "", 0},
		{"three open cards", Budget{OpenUntil: []nod.Time{now + 3, now + 1, now + 2}}, nod.RuleOpenCards, now + 1},
		{"47 open cards of all agents", Budget{PersonUntil: slices.Repeat([]nod.Time{now + 4}, 47)}, "", 0},
		{"48 open cards of all agents", Budget{PersonUntil: append(slices.Repeat([]nod.Time{now + 4}, 47), now+2)}, nod.RulePersonCards, now + 2},
		{"nine cards", Budget{Cards: cards(9, time.Minute)}, "", 0},
		{"ten cards", Budget{Cards: cards(10, time.Minute)}, nod.RuleCardRate, ago(time.Minute).Add(CardWindow)},
		{"eleven cards: room when the second is old", Budget{Cards: cards(11, time.Minute)}, nod.RuleCardRate, (ago(time.Minute) + 1).Add(CardWindow)},
		{"ten cards, all old", Budget{Cards: cards(10, 11*time.Minute)}, "", 0},
		{"one decline", Budget{Declines: []nod.Time{ago(time.Minute)}}, "", 0},
		{"two declines close together", Budget{Declines: []nod.Time{ago(3 * time.Minute), ago(time.Minute)}}, nod.RuleCoolDown, ago(time.Minute).Add(CoolDown)},
		{"two declines far apart", Budget{Declines: []nod.Time{ago(12 * time.Minute), ago(time.Minute)}}, "", 0},
		{"cooled down again", Budget{Declines: []nod.Time{ago(14 * time.Minute), ago(10 * time.Minute)}}, "", 0},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			in := base()
			in.Budget = &r.budget
			got := Decide(in)
			if r.rule == "" {
				if got.Answer == nod.Deny {
					t.Fatalf("denied by %s", got.Rule)
				}
				return
			}
			if got.Answer != nod.Deny || got.Rule != r.rule || got.Until != r.until {
				t.Errorf("%s by %s until %d, want deny by %s until %d", got.Answer, got.Rule, got.Until, r.rule, r.until)
			}
		})
	}
}

func TestPauses(t *testing.T) {
	five := []nod.Time{now - 5000, now - 4000, now - 3000, now - 2000, now - 1000}
	if !Pauses(five, now) {
		t.Error("five declines in an hour must pause")
	}
	if Pauses(five[1:], now) {
		t.Error("four must not")
	}
	if Pauses(five, now.Add(time.Hour)) {
		t.Error("nor five that are an hour old")
	}
}

func anyInput(t *rapid.T) Input {
	return Input{
		Now:          now,
		AgentRevoked: rapid.Bool().Draw(t, "agent revoked"), PhoneRevoked: rapid.Bool().Draw(t, "phone revoked"),
		AgentPaused: rapid.Bool().Draw(t, "paused"), PausedAll: rapid.Bool().Draw(t, "paused all"), SetBack: rapid.Bool().Draw(t, "set back"),
		Access:  rapid.SampledFrom([]nod.AccessState{nod.AccessOff, nod.AccessAsk}).Draw(t, "access"),
		Kind:    rapid.SampledFrom([]nod.Kind{nod.Read, nod.Act}).Draw(t, "kind"),
		Risk:    rapid.SampledFrom([]nod.Risk{nod.Low, nod.Medium, nod.High}).Draw(t, "risk"),
		Private: rapid.Bool().Draw(t, "private"), Egress: rapid.Bool().Draw(t, "egress"),
		Confirm:   rapid.SampledFrom([]nod.Confirm{nod.ConfirmPolicy, nod.ConfirmAlways, nod.ConfirmNever}).Draw(t, "confirm"),
		Mode:      rapid.SampledFrom(nod.Modes).Draw(t, "mode"),
		ModeBasis: rapid.SampledFrom([]string{"", "record_m"}).Draw(t, "basis"),
		Grant:     rapid.SampledFrom([]string{"", "record_g"}).Draw(t, "grant"),
		Tainted:   rapid.Bool().Draw(t, "tainted"),
	}
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		before := Decide(in)

		changed := in
		changed.Grant = "record_other"
		if before.Answer == nod.Deny && Decide(changed).Answer != nod.Deny {
			t.Fatal("a grant turned deny into something else")
		}
		changed = in
		changed.Tainted = true
		if stricter(before.Answer, Decide(changed).Answer) {
			t.Fatal("taint made the verdict less strict")
		}
		for _, m := range nod.Modes {
			changed = in
			changed.Narrow = []nod.Mode{m}
			if stricter(before.Answer, Decide(changed).Answer) {
				t.Fatalf("narrowing to %s made the verdict less strict", m)
			}
		}
		if before.Answer == nod.Allow && before.Basis == "" {
			t.Fatal("an allow without a basis: the phone could not check it")
		}
	})
}
