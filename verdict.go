package nod

import "slices"

// Answer is the policy's answer to an action.
type Answer string

// The three answers. Deny beats ask, ask beats allow.
const (
	Allow Answer = "allow"
	Ask   Answer = "ask"
	Deny  Answer = "deny"
)

// Rule names the rule that gave a verdict. It is in the offer, on the card, in
// the log, and picks the sentence of a denied outcome.
type Rule string

// The rules, in the order in which they are tried (design section 7).
const (
	RuleAgentRevoked Rule = "agent_revoked"
	RulePhoneRevoked Rule = "phone_revoked"
	RulePaused       Rule = "paused"
	RulePausedAll    Rule = "paused_all"
	RuleSetBack      Rule = "set_back" // the gateway went back in time; a phone must accept it first
	RuleAccessOff    Rule = "access_off"
	RuleOpenCards    Rule = "open_cards"
	RulePersonCards  Rule = "person_cards"
	RuleCardRate     Rule = "card_rate"
	RuleCoolDown     Rule = "cool_down"
	RuleQuietHours   Rule = "quiet_hours"
	RuleAlways       Rule = "always"
	RuleObserveOnly  Rule = "observe_only"
	RuleNever        Rule = "never"
	RuleHighRisk     Rule = "high_risk"
	RuleBadge        Rule = "badge"
	RuleStrict       Rule = "strict"
	RuleGrant        Rule = "grant"
	RuleMode         Rule = "mode"
	RuleDefault      Rule = "default"
)

// Verdict is what the policy says of one action.
type Verdict struct {
	Answer Answer
	Rule   Rule
	// Until is when a deny by budget, cool-down or quiet hours ends; 0 if it does not by itself.
	Until Time
	// Basis is the record behind an allow: a grant's id, a mode's id, or "spec".
	Basis string
	// Badges are why a card deserves a second look.
	Badges []Badge
}

// Badge is a warning on a card.
type Badge string

// Badges (design section 7). A badge always asks.
const (
	BadgeTaint       Badge = "taint"
	BadgeServiceCode Badge = "service_code"
	BadgeLookAlike   Badge = "look_alike"
	BadgeRepeat      Badge = "repeat"
)

// Mode is how much an agent may do unasked (seed 003, design section 7).
type Mode string

// The four modes.
const (
	ObserveOnly     Mode = "observe_only"
	Strict          Mode = "strict"
	AskBeforeAction Mode = "ask_before_action"
	TrustedActions  Mode = "trusted_actions"
)

// Modes lists the modes from the narrowest on.
var Modes = []Mode{ObserveOnly, Strict, AskBeforeAction, TrustedActions}

// Known reports whether m is one of the four modes. A word that is none of them
// allows nothing.
func (m Mode) Known() bool { return slices.Contains(Modes, m) }

// AccessState says what an agent may ask for.
type AccessState string

// Access is off or ask, never more (design section 1).
const (
	AccessOff AccessState = "off"
	AccessAsk AccessState = "ask"
)
