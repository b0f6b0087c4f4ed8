package nod

import (
	"slices"
	"time"
)

// Person is somebody who decides.
type Person struct {
	ID      PersonID
	Name    string
	Created Time
	// PausedAll stops every agent of the person.
	PausedAll bool
	// WaitSeconds is how long a card waits for an answer, 120 to 1200.
	WaitSeconds int
	// Removed is when the person was removed; 0 while not.
	Removed Time
}

// Agent is a program that asks, as the person named it.
type Agent struct {
	ID      AgentID
	Person  PersonID
	Name    string
	Created Time
	// Mode is how much the agent may do unasked.
	Mode Mode
	// Access holds what the agent may ask for; see [Access].
	Access Access
	// Phone binds the agent to one phone; empty for any of the person's.
	Phone PhoneID
	// WaitSeconds bounds an inline wait for this agent; 0 for the client's budget.
	WaitSeconds int
	// Paused is true while the person has paused it, or five declines in an hour did.
	Paused bool
	// Revoked is when the agent was removed for good; 0 while not.
	Revoked Time
	// LastUsed is when its token was last used; 0 for never. To the minute.
	LastUsed Time
	// Taint holds the apps whose private data the agent was given, and when last.
	Taint map[string]Time
}

// TaintTime is how long private data counts that an agent was given.
const TaintTime = 24 * time.Hour

// Tainted lists the apps whose private data the agent was given lately, in order.
func (a Agent) Tainted(now Time) []string {
	var apps []string
	for app, at := range a.Taint {
		if now.Sub(at) < TaintTime {
			apps = append(apps, app)
		}
	}
	slices.Sort(apps)
	return apps
}

// Access says what an agent may ask for: a default per kind, and switches per
// app and kind that win over it.
type Access struct {
	// Switches maps "app:act" or "app:read" to off or ask.
	Switches map[string]AccessState `json:"switches,omitempty"`
	// Only is true when the agent was added with a list: what is not listed is off.
	Only bool `json:"only,omitempty"`
}

// State returns whether the agent may ask for kind in app. Acts ask unless
// switched off; private reads are off unless switched on (design section 11).
func (a Access) State(app string, kind Kind, private bool) AccessState {
	if s, ok := a.Switches[app+":"+string(kind)]; ok {
		return s
	}
	if a.Only || (kind == Read && private) {
		return AccessOff
	}
	return AccessAsk
}

// Host is the software on a phone.
type Host string

// The hosts of design section 9.
const (
	HostWeb     Host = "web"
	HostSim     Host = "sim"
	HostTermux  Host = "termux"
	HostADB     Host = "adb"
	HostAndroid Host = "android"
)

// CapabilityState is what a host can do with a capability here and now.
type CapabilityState string

// Capability states (design section 9).
const (
	Ready           CapabilityState = "ready"
	NeedsPermission CapabilityState = "needs_permission"
	Unsupported     CapabilityState = "unsupported"
)

// Capability is one thing that a host declares, with the reason where it is not ready.
type Capability struct {
	ID     string          `json:"id"`
	State  CapabilityState `json:"state"`
	Reason string          `json:"reason,omitempty"`
	// Picker is true where the system's own picker is the consent: the person
	// chooses there what is read, so no card asks before it.
	Picker bool `json:"picker,omitempty"`
}

// Phone is a paired device.
type Phone struct {
	ID      PhoneID
	Person  PersonID
	Name    string
	Host    Host
	Key     []byte // public key, SEC 1 uncompressed P-256, 65 bytes
	Created Time
	// Record is the signed phone record that made it count (design section 6), as JSON of a wire.Signed.
	Record []byte
	// Approved is false while a second phone waits for the first one's yes.
	Approved bool
	Revoked  Time
	// Epoch is the number of the newest hello.
	Epoch int64
	// Screen is true when the phone can show a card.
	Screen bool
	// Capabilities as last declared.
	Capabilities []Capability
	AppVersion   string
	Zone         string // IANA name: "Europe/Lisbon"
	Locale       string // BCP 47: "pt-PT"
	// Seen is when the phone last proved that it is there.
	Seen Time
}

// Call is a row of the ledger: what an agent sent and what became of it.
type Call struct {
	ID     CallID
	Person PersonID
	Agent  AgentID
	Phone  PhoneID // the acting phone; empty when none was chosen
	// Version rises by one with each change; the store writes a row only over the version before.
	Version int64

	Tool   string
	Action string
	// Kind says whether it reads or acts; a read never ends unknown.
	Kind Kind
	// App is the contract's app, under which access is switched.
	App string
	// Key is the agent's own idempotency key; empty for none.
	Key string

	Offer     []byte // the exact bytes offered; nil when nothing was
	Digest    []byte // SHA-256 of Offer
	ActDigest []byte // SHA-256 of the act, see design section 3, "Repeats"
	Verdict   Verdict

	State   State
	Outcome Outcome
	Why     Why
	// Text is what the agent is told, complete.
	Text string
	// Message is the phone's own sentence, at most 500 characters, part of Text.
	Message string
	// Started says whether the phone began to carry it out; meaningful for failed.
	Started bool
	// Supplement is what a late result said after the outcome unknown.
	Supplement string

	// Decision is the committed decision as JSON of a wire.Signed; nil before.
	Decision []byte
	// DecidedBy is the screen whose decision was committed.
	DecidedBy PhoneID
	// Result is the signed result as JSON of a wire.Signed; nil before.
	Result []byte

	Received Time
	Offered  Time
	// Deadline is when the open call expires.
	Deadline Time
	Decided  Time
	// Due is when the result is due, once decided.
	Due   Time
	Ended Time

	// Data is true when the result came with data: what the phone read, or what an
	// act gave back. It is not in the ledger; one function hands it out (see
	// gateway.Release), and it is erased soon after.
	Data bool
	// Released is when the data was first handed to the agent; 0 while not.
	Released Time
	// Upload is the SHA-256 of the token by which the acting phone sends blobs for
	// this call; nil where it may send none.
	Upload []byte

	// GoOver is true for a decided call for which no go is sent any more: it was
	// stopped, or decided before this process started. It is not stored; recovery
	// sets it.
	GoOver bool

	// Push is how far a wake-up for the call is known to have come.
	Push Push
	// Pushed lists the phones whose push service accepted one, as it or the phone said.
	Pushed []PhoneID

	// Attached is true while the agent's connection decides over it (design section 3, "Restart").
	Attached bool
	// HandedOver is true once the final result was written to the agent in full.
	HandedOver bool
}

// Final reports whether the call has its outcome.
func (c Call) Final() bool { return c.State == Closed }

// Push is how far a wake-up came that was sent for a call: a message by way of
// the push service of a phone's browser. None of it is a sign of the card.
type Push string

// The stages of a wake-up. A later one includes those before it, but for failed.
const (
	PushNone     Push = ""         // none was needed
	PushFailed   Push = "failed"   // none could be sent
	PushAccepted Push = "accepted" // a push service took it over; the phone may never get it
	PushReceived Push = "received" // the phone's browser got it
	PushShown    Push = "shown"    // a notification was shown; the card was not
)

// pushes lists the stages, the furthest last.
var pushes = []Push{PushNone, PushFailed, PushAccepted, PushReceived, PushShown}

// Beyond reports whether p is further than q.
func (p Push) Beyond(q Push) bool { return slices.Index(pushes, p) > slices.Index(pushes, q) }

// PushLast is what became of the last wake-up that was sent to a phone.
type PushLast struct {
	At Time `json:"at,omitempty"` // 0 when none was sent
	// Status is accepted, gone, refused or failed; Detail says why not accepted.
	Status     string `json:"status,omitempty"`
	Detail     string `json:"detail,omitempty"`
	ReceivedAt Time   `json:"received_at,omitempty"`
	ShownAt    Time   `json:"shown_at,omitempty"`
}
