package gateway

import (
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/policy"
)

// judge gathers all that bears on an action, for the policy to decide.
func (t *Turn) judge(agent nod.Agent, phone nod.Phone, ask Ask, c class, row nod.Call) policy.Input {
	person, _ := t.person(agent.Person)
	in := policy.Input{
		Now:          t.now,
		AgentRevoked: agent.Revoked != 0,
		PhoneRevoked: phone.Revoked != 0,
		AgentPaused:  agent.Paused,
		PausedAll:    person.PausedAll,
		SetBack:      t.core.wentBack(agent.Person),
		Access:       agent.Access.State(c.app, c.kind, c.private),
		Kind:         c.kind,
		Risk:         c.risk,
		Private:      c.private,
		Egress:       c.egress,
		Confirm:      t.confirm(phone, c),
		Unattended:   c.kind == nod.Read && !c.person,
		Tainted:      len(agent.Tainted(t.now)) > 0,
		Mode:         agent.Mode,
		Badges:       slices.Clone(c.badges),
	}
	if ask.Mode != "" {
		in.Narrow = []nod.Mode{ask.Mode}
	}
	if p, ok := t.placeFor(row.ActDigest); !ok || p.taken != "" {
		in.Budget = t.budget(agent, row.Action)
	}
	if _, repeats := t.before(row); repeats && (c.kind == nod.Act || in.Confirm != nod.ConfirmNever) {
		in.Badges = append(in.Badges, nod.BadgeRepeat)
	}
	return in
}

// confirm is the rule about asking for an action on a phone. Where the system's
// own picker is the consent, it takes the place of the card.
func (t *Turn) confirm(phone nod.Phone, c class) nod.Confirm {
	picks := slices.ContainsFunc(phone.Capabilities, func(capability nod.Capability) bool {
		return capability.ID == c.capability && capability.Picker
	})
	if picks && c.capability != "" && c.kind == nod.Read && c.confirm == nod.ConfirmPolicy {
		return nod.ConfirmNever
	}
	return c.confirm
}

// budget counts what an agent has used of the person's attention, and what all
// of the person's agents have at this moment.
func (t *Turn) budget(agent nod.Agent, action string) *policy.Budget {
	var b policy.Budget
	t.eachOpenOf(agent.Person, func(c nod.Call) {
		if c.State.Open() && t.bothers(c) {
			b.PersonUntil = append(b.PersonUntil, c.Deadline)
		}
	})
	t.eachCallOf(agent.ID, func(c nod.Call) {
		if c.Offered == 0 {
			return
		}
		if !t.bothers(c) {
			if t.now.Sub(c.Offered) < policy.CardWindow {
				b.Reads = append(b.Reads, c.Offered)
			}
			return
		}
		if c.State.Open() {
			b.OpenUntil = append(b.OpenUntil, c.Deadline)
		}
		if t.now.Sub(c.Offered) < policy.CardWindow {
			b.Cards = append(b.Cards, c.Offered)
		}
		if c.Outcome == nod.Declined && c.Action == action {
			b.Declines = append(b.Declines, c.Ended)
		}
	})
	slices.Sort(b.Cards)
	slices.Sort(b.Reads)
	slices.Sort(b.Declines)
	return &b
}

// bothers reports whether a call that was offered used some of the person's
// attention: by a card, or by what it does or needs of them without one.
func (t *Turn) bothers(c nod.Call) bool {
	tool, _ := t.core.spec.Tool(c.Tool)
	return c.Verdict.Answer == nod.Ask || c.Verdict.Answer == nod.Allow && (c.Kind == nod.Act || tool.WaitsSeconds > 0)
}

// declined pauses an agent whom the person turned down again and again.
func (t *Turn) declined(c nod.Call) {
	var declines []nod.Time
	t.eachCallOf(c.Agent, func(other nod.Call) {
		if other.Outcome == nod.Declined {
			declines = append(declines, other.Ended)
		}
	})
	slices.Sort(declines)
	agent, ok := t.agent(c.Agent)
	if ok && !agent.Paused && policy.Pauses(declines, t.now) {
		t.pauseAgent(agent, "declines")
	}
}

// repeatWindow is how long an act counts as "the same as before", and how long
// a result that was not handed over is answered from the ledger.
const repeatWindow = 10 * time.Minute
