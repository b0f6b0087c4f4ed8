// Package call is the life of one call as a pure state machine.
//
// [Step] takes a ledger row, what happened and when, and returns the row as it
// is now with the effects that follow. It reads no clock, does no I/O and keeps
// nothing: the gateway commits the row together with the log entries among the
// effects, and lets the other effects leave only after that. So every promise
// about a single call can be read here and is tested here, state by state:
//
//   - a passed deadline is final, and so is every outcome;
//   - the first valid decision wins, and nothing but a decision leads to a go;
//   - a call that may have happened is never said not to have;
//   - a read has happened when what it read is released, and not before: it never
//     ends unknown, and whoever stops it drops what it read.
//
// The states and outcomes are those of the design's section 3.
package call

import (
	"slices"
	"time"

	"nod.dev/nod"
)

// Times of design section 3, steps 5 and 6.
const (
	// GoWindow is how long after a decision its go may be sent.
	GoWindow = 10 * time.Second
	// KeepPlace is how long a phone keeps the place of a card whose agent's connection dropped.
	KeepPlace = 10 * time.Second
)

// Kind says what happened to a call.
type Kind string

// What can happen to a call.
const (
	Refuse      Kind = "refuse"      // the check refused it; Text
	Deny        Kind = "deny"        // the policy denied it; Verdict
	Unavailable Kind = "unavailable" // no phone can be reached; Why
	Cannot      Kind = "cannot"      // the phone declares that it cannot; Message
	Offer       Kind = "offer"       // it is to be offered; Offer, Digest, Verdict, Deadline
	Delivered   Kind = "delivered"   // a phone has the offer; Phone
	Shown       Kind = "shown"       // a card is on a screen; Phone
	Decide      Kind = "decide"      // a valid signed decision; Phone, Choice, Signed, Message, Work, Upload
	GoSent      Kind = "go_sent"     // the go was handed to the acting phone's link
	Result      Kind = "result"      // a valid signed result; Phone, Status, Started, Why, Message, Signed, Data
	Withdraw    Kind = "withdraw"    // taken back; Why, Keep
	SwitchOff   Kind = "switch_off"  // paused, or access off, meanwhile; Why
	Connected   Kind = "connected"   // a phone's link came up; Phone
	Restarted   Kind = "restarted"   // the gateway started again with this row
	SetBack     Kind = "set_back"    // the ledger was restored from a copy that holds this row as open
	Tick        Kind = "tick"        // time passed
	Detach      Kind = "detach"      // the agent's connection no longer decides over it
	HandedOver  Kind = "handed_over" // the final result was written to the agent in full
	Release     Kind = "release"     // what the result brought may leave for the agent
	Pushed      Kind = "pushed"      // a wake-up for it came so far; Phone, Push
)

// Kinds lists everything that can happen to a call.
var Kinds = []Kind{
	Refuse, Deny, Unavailable, Cannot, Offer, Delivered, Shown, Decide, GoSent, Result,
	Withdraw, SwitchOff, Connected, Restarted, SetBack, Tick, Detach, HandedOver, Release, Pushed,
}

// Status is how a host says that an action ended.
type Status string

// The statuses of a result. A word that is none of them is StatusFailed, and
// one that says nothing of the end is StatusUnknown (seed 000 section 3).
const (
	StatusDone    Status = "done"
	StatusOpened  Status = "opened"
	StatusFailed  Status = "failed"
	StatusUnknown Status = "unknown"
)

// Event is something that happened to a call. Which fields a kind uses is said
// at the kind.
type Event struct {
	Kind     Kind
	Phone    nod.PhoneID
	Why      nod.Why
	Text     string
	Message  string
	Verdict  nod.Verdict
	Offer    []byte
	Digest   []byte
	Deadline nod.Time
	Choice   nod.Choice
	Status   Status
	Started  bool
	Signed   []byte
	// Data is true when what the result names came with it, whole.
	Data bool
	// Upload is the hash of the token by which the acting phone sends files.
	Upload []byte
	// Work is how long the host may take, from the decision on.
	Work time.Duration
	// Keep holds the card's place on the screen after a withdrawal.
	Keep time.Duration
	// Push is how far a wake-up came.
	Push nod.Push
}

// Do says what an effect does.
type Do string

// What follows from a step. Log entries are committed with the row; everything
// else leaves after the commit.
const (
	Log          Do = "log"           // LogKind
	SendOffer    Do = "send_offer"    // to Phone, or to every screen and the acting phone when empty
	SendGo       Do = "send_go"       // to the acting phone
	SendDisarm   Do = "send_disarm"   // to the acting phone; Reason
	SendWithdraw Do = "send_withdraw" // to Phone, or to every screen but Except; Reason, Keep
	SendAck      Do = "send_ack"      // to Phone; Of
)

// Effect is one thing to do after a step.
type Effect struct {
	Do      Do
	LogKind string
	Phone   nod.PhoneID
	Except  nod.PhoneID
	Reason  string
	Keep    time.Duration
	Of      string
}

// Kinds of log entries about a call; spec/events.json lists them.
const (
	LogRefused      = "call.refused"
	LogDenied       = "call.denied"
	LogUnavailable  = "call.unavailable"
	LogOffered      = "call.offered"
	LogDelivered    = "call.delivered"
	LogShown        = "call.shown"
	LogDecided      = "call.decided"
	LogGo           = "call.go"
	LogEnded        = "call.ended"
	LogReleased     = "call.released"
	LogSupplemented = "call.supplemented"
)

// Step takes a call through one event at ledger time now. The row that it
// returns has a higher version exactly when it differs and must be stored.
func Step(c nod.Call, ev Event, now nod.Time) (nod.Call, []Effect) {
	s := step{call: c, now: now}
	switch {
	case ev.Kind == HandedOver:
		s.handedOver()
	case ev.Kind == Release:
		s.release()
	case ev.Kind == Detach:
		s.detach()
	case ev.Kind == SetBack:
		s.setBack()
	case ev.Kind == Pushed:
		s.pushed(ev)
	case c.State == nod.Received:
		s.received(ev)
	case c.State.Open():
		s.open(ev)
	case c.State == nod.Decided || c.State == nod.Working:
		s.decided(ev)
	case c.State == nod.Closed:
		s.closed(ev)
	}
	if s.changed {
		s.call.Version = c.Version + 1
	}
	return s.call, s.effects
}

// step is one step under way.
type step struct {
	call    nod.Call
	now     nod.Time
	effects []Effect
	changed bool
}

func (s *step) do(effects ...Effect) { s.effects = append(s.effects, effects...) }

func (s *step) log(kind string) { s.do(Effect{Do: Log, LogKind: kind}) }

func (s *step) enter(state nod.State) { s.call.State, s.changed = state, true }

// end gives the call its one outcome.
func (s *step) end(outcome nod.Outcome, why nod.Why, logKind string) {
	s.call.Outcome, s.call.Why, s.call.Ended = outcome, why, s.now
	s.enter(nod.Closed)
	s.log(logKind)
}

// setBack ends a call that a restored copy holds as open: since the copy was
// made it may have been decided and carried out, and nobody remembers.
func (s *step) setBack() {
	switch {
	case s.call.Final():
	case s.call.State == nod.Received || s.call.Kind == nod.Read:
		s.end(nod.Withdrawn, nod.WhyRestart, LogEnded)
	default:
		s.end(nod.Unknown, nod.WhyNone, LogEnded)
	}
}

// pushed keeps how far a wake-up came, as long as the agent can still be told.
// It moves no state: none of it is a sign of the card.
func (s *step) pushed(ev Event) {
	if !s.call.State.Open() {
		return
	}
	if ev.Push.Beyond(s.call.Push) {
		s.call.Push, s.changed = ev.Push, true
	}
	if ev.Push.Beyond(nod.PushFailed) && !slices.Contains(s.call.Pushed, ev.Phone) {
		s.call.Pushed, s.changed = append(slices.Clone(s.call.Pushed), ev.Phone), true
	}
}

func (s *step) handedOver() {
	if s.call.Final() && !s.call.HandedOver {
		s.call.HandedOver, s.changed = true, true
	}
}

// release lets what the result brought leave for the agent. The first time is in
// the log.
func (s *step) release() {
	if s.call.Data && s.call.Released == 0 {
		s.call.Released, s.changed = s.now, true
		s.log(LogReleased)
	}
}

func (s *step) detach() {
	if s.call.Attached {
		s.call.Attached, s.changed = false, true
	}
}
