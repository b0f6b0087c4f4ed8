package host

import (
	"fmt"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host/device"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
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
	LookedUp     EventKind = "looked_up"    // what a card says beside the offer is known, or is not; Call, Rows, Result
	Drawn        EventKind = "drawn"        // the card is on the screen; Call
	Chosen       EventKind = "chosen"       // the person answered; Call, Choice, Reason
	Ended        EventKind = "ended"        // the driver is through; Call, Result
	SetBackSeen  EventKind = "set_back"     // the gateway's log is older than one seen before; Head
	Accepted     EventKind = "accepted"     // the person accepts that it was set back
	HeadSeen     EventKind = "head"         // a newer log head was checked; Head
	Switch       EventKind = "switch"       // the person changes what an agent may ask for; Agent, Switches
	Pause        EventKind = "pause"        // the person pauses every agent
	Resume       EventKind = "resume"       // the person lets agents ask again
	Tick         EventKind = "tick"         // time passed
)

// EventKinds lists everything that can happen to a phone.
var EventKinds = []EventKind{
	Connected, Disconnected, FrameIn, LookedUp, Drawn, Chosen, Ended, SetBackSeen, Accepted, HeadSeen, Switch, Pause, Resume, Tick,
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
	Rows    []Row
	Head    wire.Head

	Agent    nod.AgentID
	Switches map[string]nod.AccessState
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
	// Why says of a failure what was in the way: one of [nod.PhoneWhys], or empty.
	Why nod.Why
	// Data is what was read, or what an act gives back: a JSON object that
	// travels, as package device writes them. It is nobody's but the agent's.
	Data string
	// Blobs are files that go with it. The host sends them before the result.
	Blobs []device.Blob

	// Salt hides Data behind its hash: [wire.SaltSize] bytes of chance, which
	// whoever runs the machine draws.
	Salt []byte
}

// Failed is the result of what was not begun, for a reason that the contract
// has words for.
func Failed(why nod.Why) Result { return Result{Status: wire.ResultFailed, Why: why} }

// Row is something that the phone looked up for a card, which the offer's bytes
// cannot hold: who a name is here, which event an id is.
type Row struct {
	// Field is what was looked up, and Given what the agent wrote there.
	Field, Given string
	// Name is what it is called on this phone: "Ana Silva", "Dentist".
	Name string
	// Label tells more of it: "mobile", "2026-09-24T18:30".
	Label string
	// Value is what is carried out in the place of Given; empty where Given stays.
	Value string
	// Repeats is true for an event of a series: what is done is done to all of it.
	Repeats bool
}

// Do says what an effect does.
type Do string

// What follows from a step, to be done strictly in order.
const (
	// WriteRecord must be durable before the next effect: Record.
	WriteRecord Do = "write"
	// SendFrame sends Frame if the link is open, and may be lost.
	SendFrame Do = "send"
	// LookUp has the driver look up what the card must say: Call, Card. Answered by LookedUp.
	LookUp Do = "look_up"
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
	// Stop asks a launch that may not have begun, or a look-up, to give up: Call.
	Stop Do = "stop"
	// AskSetBack asks the person to accept that the gateway was set back: Head.
	AskSetBack Do = "ask_set_back"
	// AskResume asks the person whether agents may ask again.
	AskResume Do = "ask_resume"
	// Shorten has the journal forget what a call read: it has arrived.
	Shorten Do = "shorten"
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
// offer's own bytes, but for the rows that the phone looked up itself.
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
	// Rows are what the phone looked up. What is carried out is what they say.
	Rows []Row

	// upload is the token by which blobs may be sent.
	upload string
}

// Action returns what the card asks for.
func (c Card) Action() nod.Action {
	return nod.Action{Tool: c.Offer.Tool, Name: c.Offer.Action, Fields: c.Offer.Fields, Summary: c.Offer.Summary}
}

// Row finds what was looked up for a value of a field.
func (c Card) Row(field, given string) (Row, bool) {
	for _, r := range c.Rows {
		if r.Field == field && r.Given == given {
			return r, true
		}
	}
	return Row{}, false
}

// Rings is when the alarm that the card asks for will ring next after now, by
// now's own clock; false on a card that asks for none. A screen says the day:
// "tomorrow" in an agent's words may be today.
func (c Card) Rings(now time.Time) (time.Time, bool) {
	f := c.Offer.Fields
	var days []string
	given, _ := f["days"].([]any)
	for _, d := range given {
		if day, ok := d.(string); ok {
			days = append(days, day)
		}
	}
	switch c.Offer.Action {
	case "alarm":
		at, err := time.Parse("15:04", fmt.Sprint(f["time"]))
		return device.NextRing(at.Hour(), at.Minute(), days, now), err == nil
	case spec.ToolAlarmSet:
		hour, ok := f["hour"].(int64)
		minute, also := f["minute"].(int64)
		return device.NextRing(int(hour), int(minute), days, now), ok && also
	}
	return time.Time{}, false
}
