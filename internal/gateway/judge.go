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
		Confirm:      c.confirm,
		Mode:         agent.Mode,
		Badges:       slices.Clone(c.badges),
	}
	if ask.Mode != "" {
		in.Narrow = []nod.Mode{ask.Mode}
	}
	if p, ok := t.placeFor(row.ActDigest); !ok || p.taken != "" {
		in.Budget = t.budget(agent, row.Action)
	}
	if _, repeats := t.before(row); repeats {
		in.Badges = append(in.Badges, nod.BadgeRepeat)
	}
	return in
}

// budget counts what an agent has used of the person's attention, and what all
// of the person's agents have at this moment.
func (t *Turn) budget(agent nod.Agent, action string) *policy.Budget {
	var b policy.Budget
	t.eachOpenOf(agent.Person, func(c nod.Call) {
		if c.State.Open() && c.Verdict.Answer == nod.Ask {
			b.PersonUntil = append(b.PersonUntil, c.Deadline)
		}
	})
	t.eachCallOf(agent.ID, func(c nod.Call) {
		if c.Offered == 0 || c.Verdict.Answer != nod.Ask {
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
	slices.Sort(b.Declines)
	return &b
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
