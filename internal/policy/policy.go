// Package policy decides what happens to an action: allow, ask or deny, and
// which rule said so.
//
// It is one pure function over everything that bears on the question. There is
// no clock and no store behind it: whoever asks brings the facts. The order of
// the rules is that of the design's section 7, and [Decide] reads in that order
// from top to bottom. Deny beats ask and ask beats allow; what is not known is
// asked or denied, never allowed.
package policy

import "nod.dev/nod"

// Input is all that bears on one action. The zero value of a field is the one
// that allows least where that matters, except for the marks of somebody's
// having stopped something, which are false until somebody did.
type Input struct {
	Now nod.Time

	// Who is stopped.
	AgentRevoked bool
	PhoneRevoked bool
	AgentPaused  bool
	PausedAll    bool
	// SetBack is true when the gateway was restored from a copy and no phone has accepted it.
	SetBack bool

	// Access is whether this agent may ask for this app and kind on this phone at all.
	Access nod.AccessState

	// What is asked, from the contract.
	Kind    nod.Kind
	Risk    nod.Risk
	Private bool
	// Egress is true when the act can carry data away.
	Egress  bool
	Confirm nod.Confirm
	// Unattended is true when it does nothing and needs nobody: where it is
	// allowed, no quiet hours stand against it, and no budget but its own.
	Unattended bool

	// Mode is the agent's; Narrow are those of the session and the call, which
	// can only make the verdict stricter.
	Mode   nod.Mode
	Narrow []nod.Mode
	// ModeBasis is the id of the signed record that set Mode; without one a mode allows no act.
	ModeBasis string

	// Grant is the id of a live grant for exactly this agent, phone, app and kind; empty for none.
	Grant string

	// Tainted is true while the agent has been given private data.
	Tainted bool
	// Badges are those of the action itself, and of its being a repeat.
	Badges []nod.Badge

	// Budget is what this agent has used; nil when the call is free of it
	// because it takes the place of a card that is already there.
	Budget *Budget
	// QuietUntil is when the person's quiet hours end; 0 outside them.
	QuietUntil nod.Time
}

// Decide gives the verdict on one action: the strictest of those under the
// agent's mode and under each narrower one that the session or call brings.
func Decide(in Input) nod.Verdict {
	in.Badges = badges(in)
	verdict := decide(in)
	for _, mode := range in.Narrow {
		in.Mode = mode
		if other := decide(in); stricter(other.Answer, verdict.Answer) {
			verdict = other
		}
	}
	verdict.Badges = in.Badges
	return verdict
}

// decide is design section 7's order for one mode.
func decide(in Input) nod.Verdict {
	if rule, stopped := stop(in); stopped {
		return nod.Verdict{Answer: nod.Deny, Rule: rule}
	}
	if in.Access != nod.AccessAsk {
		return nod.Verdict{Answer: nod.Deny, Rule: nod.RuleAccessOff}
	}
	wanted := unlessTooMuch(in)
	if in.Unattended && wanted.Answer == nod.Allow {
		if until := in.Budget.readsUntil(in.Now); until != 0 {
			return nod.Verdict{Answer: nod.Deny, Rule: nod.RuleCardRate, Until: until}
		}
		return wanted
	}
	if in.Budget != nil {
		if rule, until, over := in.Budget.over(in.Now); over {
			return nod.Verdict{Answer: nod.Deny, Rule: rule, Until: until}
		}
	}
	if in.QuietUntil > in.Now {
		return nod.Verdict{Answer: nod.Deny, Rule: nod.RuleQuietHours, Until: in.QuietUntil}
	}
	return wanted
}

// unlessTooMuch is the verdict where nobody is stopped and the person's attention
// is not used up.
func unlessTooMuch(in Input) nod.Verdict {
	switch {
	case in.Confirm == nod.ConfirmAlways:
		// Seed 000: no mode refuses it, nothing remembers an answer.
		return ask(nod.RuleAlways)
	case in.Mode == nod.ObserveOnly && in.Kind != nod.Read:
		return nod.Verdict{Answer: nod.Deny, Rule: nod.RuleObserveOnly}
	case in.Confirm == nod.ConfirmNever && (in.Kind == nod.Read || len(in.Badges) == 0):
		// A badge asks, also of an act that its phone would do unasked. A read that
		// is never confirmed is not private, or the person picks what is read.
		return nod.Verdict{Answer: nod.Allow, Rule: nod.RuleNever, Basis: BasisSpec}
	case in.Risk == nod.High:
		return ask(nod.RuleHighRisk)
	case len(in.Badges) > 0:
		return ask(nod.RuleBadge)
	case in.Grant != "" && in.Mode != nod.Strict && in.Mode.Known():
		return nod.Verdict{Answer: nod.Allow, Rule: nod.RuleGrant, Basis: in.Grant}
	}
	return byMode(in)
}

// BasisSpec is the basis of what the phone's own spec allows without a card.
const BasisSpec = "spec"

// byMode is the table of design section 7 where nothing before it applied.
func byMode(in Input) nod.Verdict {
	plainRead := in.Kind == nod.Read && !in.Private
	smallAct := in.Kind == nod.Act && (in.Risk == nod.Low || in.Risk == nod.Medium)
	switch {
	case !in.Mode.Known():
		return ask(nod.RuleDefault)
	case plainRead:
		return nod.Verdict{Answer: nod.Allow, Rule: nod.RuleMode, Basis: BasisSpec}
	case in.Mode == nod.TrustedActions && smallAct && in.ModeBasis != "":
		return nod.Verdict{Answer: nod.Allow, Rule: nod.RuleMode, Basis: in.ModeBasis}
	case in.Mode == nod.Strict:
		return ask(nod.RuleStrict)
	}
	return ask(nod.RuleDefault)
}

func ask(rule nod.Rule) nod.Verdict { return nod.Verdict{Answer: nod.Ask, Rule: rule} }

// stop returns the rule of whoever stopped this agent or phone.
func stop(in Input) (nod.Rule, bool) {
	switch {
	case in.AgentRevoked:
		return nod.RuleAgentRevoked, true
	case in.PhoneRevoked:
		return nod.RulePhoneRevoked, true
	case in.SetBack:
		return nod.RuleSetBack, true
	case in.PausedAll:
		return nod.RulePausedAll, true
	case in.AgentPaused:
		return nod.RulePaused, true
	}
	return "", false
}

// badges adds taint to the action's own badges: after private data was given
// to the agent, what it sends out deserves a second look (seed 001).
func badges(in Input) []nod.Badge {
	if !in.Tainted || !in.Egress || in.Kind != nod.Act {
		return in.Badges
	}
	return append([]nod.Badge{nod.BadgeTaint}, in.Badges...)
}

var strictness = map[nod.Answer]int{nod.Allow: 0, nod.Ask: 1, nod.Deny: 2}

func stricter(a, b nod.Answer) bool { return strictness[a] > strictness[b] }
