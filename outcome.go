package nod

// Outcome is how a call ended. The zero value means that it has not.
type Outcome string

// The outcomes of design section 3. Each is a value, never an error: an error
// means that nod itself is broken.
const (
	Done        Outcome = "done"        // the phone's own API or app confirmed it
	Opened      Outcome = "opened"      // another app was handed the thing; the person finishes there
	Answered    Outcome = "answered"    // an ask card was filled in
	Declined    Outcome = "declined"    // the person said no
	Expired     Outcome = "expired"     // shown; nobody answered in time
	Unseen      Outcome = "unseen"      // sent; no sign that it was ever shown
	Withdrawn   Outcome = "withdrawn"   // taken back before the decision
	Denied      Outcome = "denied"      // the policy said no
	Refused     Outcome = "refused"     // the call itself was wrong
	Unavailable Outcome = "unavailable" // no phone can be reached
	Failed      Outcome = "failed"      // the phone could not
	Unknown     Outcome = "unknown"     // decided, and then no word of how it ended
)

// Outcomes lists every outcome, in the design's order.
var Outcomes = []Outcome{
	Done, Opened, Answered, Declined, Expired, Unseen, Withdrawn, Denied, Refused, Unavailable, Failed, Unknown,
}

// State is where a call stands on its way to an outcome.
type State string

// The states of design section 3. A call with an outcome is Closed.
const (
	Received  State = "received"  // in the ledger, not yet judged
	Offered   State = "offered"   // its offer may have been sent
	Delivered State = "delivered" // a phone has the offer
	Shown     State = "shown"     // a card was on a screen
	Decided   State = "decided"   // confirmed or standing, committed; go is due
	Working   State = "working"   // go was sent
	Closed    State = "closed"    // it has its outcome
)

// Open reports whether a decision can still be made in this state.
func (s State) Open() bool { return s == Offered || s == Delivered || s == Shown }

// Why says what ended a call, where the outcome alone does not: the key of the
// sentence in spec/texts.json that an agent is told.
type Why string

// Reasons for an ending. They are part of the ledger and the log.
const (
	WhyNone         Why = ""
	WhyCancelled    Why = "cancelled"     // the agent took it back
	WhyGone         Why = "gone"          // the agent's connection went away
	WhyAgentRemoved Why = "agent_removed" // the agent was revoked
	WhyPhoneRemoved Why = "phone_removed" // the acting phone was revoked
	WhyRestart      Why = "restart"       // the gateway restarted before the decision
	WhyPaused       Why = "paused"        // the agent or all agents were paused meanwhile
	WhyAccessOff    Why = "access_off"    // the access was switched off meanwhile
	WhyNoPhone      Why = "no_phone"      // no phone is paired
	WhyNotReachable Why = "not_reachable" // a phone is paired and cannot be reached
	WhyNoScreen     Why = "no_screen"     // the acting phone shows no cards, and no phone that does can be reached
	WhyCannot       Why = "cannot"        // the phone declares that it cannot do this
	WhyNotPossible  Why = "not_possible"  // the phone tried and could not
	WhyNothingRead  Why = "nothing_read"  // a read that did not come, or not as it was signed for
)

// Reasons that a phone gives for a failed result, beside its outcome.
const (
	WhyNotAllowed     Why = "not_allowed"     // the phone's system, or the person in it, said no
	WhyNobodyAnswered Why = "nobody_answered" // the system asked, and nobody answered
	WhyBackground     Why = "background"      // nod is not on the screen, and nothing can ask there
	WhyNotPicked      Why = "not_picked"      // the picker was left without a choice
	WhyLocked         Why = "locked"          // the phone is locked
	WhyNoSuchTime     Why = "no_such_time"    // the phone's clocks skip that hour
	WhyTwoSuchTimes   Why = "two_such_times"  // the phone's clocks pass that hour twice
	WhyNotFound       Why = "not_found"       // nothing is called so, or has that id
	WhyMoreThanOne    Why = "more_than_one"   // several are called so
)

// PhoneWhys lists the reasons that a phone may give for a failed result.
var PhoneWhys = []Why{
	WhyNotAllowed, WhyNobodyAnswered, WhyBackground, WhyNotPicked, WhyLocked,
	WhyNoSuchTime, WhyTwoSuchTimes, WhyNotFound, WhyMoreThanOne,
}

// Choice is what a decision says.
type Choice string

// The choices of design section 3.
const (
	ChoiceConfirm  Choice = "confirm"
	ChoiceDecline  Choice = "decline"
	ChoiceStanding Choice = "standing"
)

// Assurance says how well a decision is known to be the person's
// (design section 4, "Trust is stated").
type Assurance string

// Assurances. "+uv" is a fresh passkey or biometric.
const (
	AssuranceWeb      Assurance = "web"
	AssuranceWebUV    Assurance = "web+uv"
	AssuranceNative   Assurance = "native"
	AssuranceNativeUV Assurance = "native+uv"
)
