package host

import (
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Now is what the clocks of a phone say at one moment.
type Now struct {
	// Boot counts from the start of the device, and counts sleep.
	Boot time.Duration
	// Awake is the same without sleep. A host that cannot tell leaves both equal.
	Awake time.Duration
	// Wall is the time of day as the device believes it.
	Wall nod.Time
}

// sleptSince reports whether the device slept between then and n. The two
// clocks are read one after the other, so a small difference is no sleep.
func (n Now) sleptSince(then Now) bool {
	return (n.Boot-then.Boot)-(n.Awake-then.Awake) > 500*time.Millisecond
}

// EventKind says what happened to a phone.
type EventKind string

// What can happen to a phone.
const (
	Connected    EventKind = "connected"    // the link is open for one epoch; Welcome
	Disconnected EventKind = "disconnected" // the link is gone
	FrameIn      EventKind = "frame"        // the gateway sent something; Frame
	Drawn        EventKind = "drawn"        // the card is on the screen; Call
	Chosen       EventKind = "chosen"       // the person answered; Call, Choice, Reason
	Ended        EventKind = "ended"        // the driver is through; Call, Result
	SetBackSeen  EventKind = "set_back"     // the gateway's log is older than one seen before; Head
	Accepted     EventKind = "accepted"     // the person accepts that it was set back
	HeadSeen     EventKind = "head"         // a newer log head was checked; Head
	Pause        EventKind = "pause"        // the person pauses every agent
	Resume       EventKind = "resume"       // the person lets agents ask again
	Tick         EventKind = "tick"         // time passed
)

// EventKinds lists everything that can happen to a phone.
var EventKinds = []EventKind{
	Connected, Disconnected, FrameIn, Drawn, Chosen, Ended, SetBackSeen, Accepted, HeadSeen, Pause, Resume, Tick,
}

// Event is something that happened to a phone. Which fields a kind uses is
// said at the kind.
type Event struct {
	Kind    EventKind
	Welcome wire.WelcomeBody
	Frame   wire.Frame
	Call    nod.CallID
	Choice  nod.Choice
	Reason  string
	Result  Result
	Head    wire.Head
}

// Result is how a driver says that an action ended.
type Result struct {
	Status wire.ResultStatus
	// Started says whether anything was begun; a failure that is not started
	// lets the agent be told that nothing happened, so it must be certain.
	Started bool
	// Message is the phone's own sentence, at most 500 characters.
	Message string
	// App is the app that was opened, as the person knows it.
	App string
}

// Do says what an effect does.
type Do string

// What follows from a step, to be done strictly in order.
const (
	// WriteRecord must be durable before the next effect: Record.
	WriteRecord Do = "write"
	// SendFrame sends Frame if the link is open, and may be lost.
	SendFrame Do = "send"
	// DrawCard puts Card on the screen and is answered by Drawn, then Chosen.
	DrawCard Do = "draw"
	// HoldCard keeps the card's place with Confirm off: Call, Reason.
	HoldCard Do = "hold"
	// RemoveCard takes the card away: Call, Reason, By.
	RemoveCard Do = "remove"
	// ShowOutcome turns the card, or a quiet entry, into what the agent is told: Call, Result.
	ShowOutcome Do = "outcome"
	// CarryOut launches the action, once and for all: Call, Card. Answered by Ended.
	CarryOut Do = "carry_out"
	// Stop asks a launch that may not have begun to give up: Call.
	Stop Do = "stop"
	// AskSetBack asks the person to accept that the gateway was set back: Head.
	AskSetBack Do = "ask_set_back"
	// AskResume asks the person whether agents may ask again.
	AskResume Do = "ask_resume"
	// Leave ends the phone for good: it was removed.
	Leave Do = "leave"
	// Note tells the operator of something that was not acted upon: Call, Reason.
	Note Do = "note"
)

// Effect is one thing to do after a step.
type Effect struct {
	Do     Do
	Record Record
	Frame  wire.Frame
	Card   Card
	Call   nod.CallID
	Reason string
	// By names the screen that answered instead, with RemoveCard.
	By     string
	Result Result
	Head   wire.Head
}

// Card is an offer as a screen draws it: everything on it comes from the
// offer's own bytes.
type Card struct {
	Call  nod.CallID
	Offer wire.OfferBody
	// Digest is what a decision signs: base64url SHA-256 of the offer's bytes.
	Digest string
	// Left is how long the card may wait, from when it was handed over.
	Left time.Duration
	// Takes names the held card whose place this one takes, without a ring.
	Takes nod.CallID
	// Quiet is true for an entry that asks nothing: a standing decision was signed.
	Quiet bool
}

// Action returns what the card asks for.
func (c Card) Action() nod.Action {
	return nod.Action{Tool: c.Offer.Tool, Name: c.Offer.Action, Fields: c.Offer.Fields, Summary: c.Offer.Summary}
}
