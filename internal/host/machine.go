package host

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Times of design section 3. The phone's own waits are measured by its boot
// clock; only the go is judged by the wall clock as well.
const (
	// GoWindow is how long after a decision its go may be acted upon.
	GoWindow = 10 * time.Second
	// GoGrace is how long after an offer's end a host that acts for another screen waits for go.
	GoGrace = 10 * time.Second
	// resendFirst and resendMost bound how often an unanswered frame is repeated on a live link.
	resendFirst = 3 * time.Second
	resendMost  = time.Minute
	// maxOpen bounds how many offers a phone holds at once.
	maxOpen = 64
)

// State is where a call stands on a phone.
type State string

// The states of a call on a phone.
const (
	Absent   State = ""         // never offered here
	Received State = "received" // journaled; waits for the person, or for go
	Held     State = "held"     // withdrawn, its card's place kept for a moment
	Decided  State = "decided"  // confirmed or standing here; waits for go
	Declined State = "declined" // declined here; repeated until acked
	Armed    State = "armed"    // it counts as started
	Finished State = "finished" // its result is repeated until acked
	Over     State = "over"     // a tombstone, kept for ever
)

// States lists the states of a call on a phone.
var States = []State{Absent, Received, Held, Decided, Declined, Armed, Finished, Over}

// Self is what a machine knows of its own phone. Nothing in it does I/O.
type Self struct {
	Phone nod.PhoneID
	// Signer signs decisions and results with the phone's key.
	Signer wire.Signer
	// Gateway is the key pinned when the phone was paired.
	Gateway wire.PublicKey
	// Spec is the phone's own copy of the contract.
	Spec *spec.Spec
	// Screen is true when the phone can show a card.
	Screen bool
	// Assurance says how well a tap is known to be the person's; native when empty.
	Assurance nod.Assurance
	// ParseKey reads another screen's key; [wire.ParsePublic] when nil.
	ParseKey func([]byte) (wire.PublicKey, error)
	// Recheck checks an offer against Spec; [action.Recheck] when nil.
	Recheck func(wire.OfferBody) error
	// Picks reports whether a capability is the system's own picker here. May be nil.
	Picks func(capability string) bool
	// LooksUp reports whether an action's card says what only a look at the phone
	// tells. It must depend on the action alone. May be nil.
	LooksUp func(nod.Action) bool
	// Cannot returns why the phone cannot do an action, before a card is drawn;
	// see [Checker]. May be nil.
	Cannot func(nod.Action) (nod.Why, string)
}

// Machine is a phone as a pure state machine: what it remembers of every call,
// and what follows from what happens. It is not safe for concurrent use.
type Machine struct {
	self Self
	// now is the moment of the step under way, out its effects so far.
	now Now
	out []Effect

	calls map[nod.CallID]*entry
	// tombs are the calls that are over, for ever; true where one provably never launched.
	tombs map[nod.CallID]bool
	// linked is true while a link is open, for the epoch given.
	linked bool
	epoch  int64
	// records are the phone records that the gateway showed, phones the keys
	// among them that count.
	records []wire.Signed
	phones  map[nod.PhoneID]wire.PublicKey
	root    *Record
	// head is the newest log head seen; setBack the older one that came since.
	head    *wire.Head
	setBack *wire.Head
	// outbox are records signed here, oldest first, until each is acked.
	outbox       []wire.Signed
	outboxResend resend
	revoked      bool
}

// entry is what a machine remembers of a call that is not over.
type entry struct {
	state  State
	body   string // the offer's exact bytes
	offer  wire.OfferBody
	digest string
	ttl    time.Duration
	at     nod.Time // received, by the wall clock
	// live is true once the offer came in this life of the program: only then
	// is the deadline known by the boot clock, and only then may a go count.
	live     bool
	deadline time.Duration // by the boot clock
	keep     time.Duration // until when a held card keeps its place
	card     bool          // a card was handed to the screen
	drawn    bool          // and is on it
	looking  bool          // what the card says beside the offer is being looked up
	looked   bool          // and was found
	rows     []Row         // to be this
	takes    nod.CallID    // the held card whose place this one will take
	answered bool          // nobody is asked here any more
	decision *wire.Signed
	decided  Now
	result   *wire.Signed
	text     string // what goes beside the result, and its salt
	salt     string
	resend   resend
}

// resend is when to repeat a frame that nobody answered.
type resend struct {
	at   time.Duration
	wait time.Duration
}

func (r *resend) start(now Now) { *r = resend{now.Boot + resendFirst, resendFirst} }

func (r *resend) due(now Now) bool { return r.wait > 0 && now.Boot >= r.at }

func (r *resend) again(now Now) {
	r.wait = min(2*r.wait, resendMost)
	r.at = now.Boot + r.wait
}

// NewMachine returns the machine of a phone that remembers nothing.
func NewMachine(self Self) *Machine {
	if self.Assurance == "" {
		self.Assurance = nod.AssuranceNative
	}
	if self.ParseKey == nil {
		self.ParseKey = wire.ParsePublic
	}
	if self.Recheck == nil {
		self.Recheck = func(o wire.OfferBody) error { return action.Recheck(self.Spec, o) }
	}
	return &Machine{
		self:   self,
		calls:  map[nod.CallID]*entry{},
		tombs:  map[nod.CallID]bool{},
		phones: map[nod.PhoneID]wire.PublicKey{},
	}
}

// Step takes the machine through one event and returns what follows, to be
// done in order. After a WriteRecord that failed the machine must be thrown
// away and restored from the journal: its memory is ahead of the disk.
func (m *Machine) Step(now Now, ev Event) []Effect {
	m.now, m.out = now, nil
	switch ev.Kind {
	case Connected:
		m.connected(ev.Welcome)
	case Disconnected:
		m.linked = false
	case FrameIn:
		m.frame(ev.Frame)
	case LookedUp:
		m.lookedUp(ev.Call, ev.Rows, ev.Result)
	case Drawn:
		m.drawnCard(ev.Call)
	case Chosen:
		m.chosen(ev)
	case Ended:
		m.ended(ev.Call, ev.Result)
	case SetBackSeen:
		m.wasSetBack(ev.Head)
	case Accepted:
		m.accepted()
	case HeadSeen:
		m.headSeen(ev.Head)
	case Switch:
		m.say(wire.RecordAccess, wire.RecordBody{Agent: ev.Agent, Switches: ev.Switches})
	case Pause:
		m.say(wire.RecordPause, wire.RecordBody{})
	case Resume:
		m.say(wire.RecordResume, wire.RecordBody{})
	case Tick:
	}
	m.expire()
	return m.out
}

// frame sorts what the gateway sent. A kind that is not known is ignored, so
// that a newer gateway may send more.
func (m *Machine) frame(f wire.Frame) {
	switch f.Kind {
	case wire.KindOffer:
		m.offered(f)
	case wire.KindGo:
		m.goNow(f)
	case wire.KindDisarm:
		m.disarm(f)
	case wire.KindWithdraw:
		m.withdraw(f)
	case wire.KindAck:
		m.acked(f)
	case wire.KindRecords:
		m.record(f)
	case wire.KindRevoked:
		m.wasRevoked(f)
	}
}

func (m *Machine) do(e Effect) { m.out = append(m.out, e) }

func (m *Machine) write(r Record) {
	r.At = m.now.Wall
	m.do(Effect{Do: WriteRecord, Record: r})
}

func (m *Machine) send(f wire.Frame) {
	if m.linked {
		m.do(Effect{Do: SendFrame, Frame: f})
	}
}

func (m *Machine) note(call nod.CallID, why string) {
	m.do(Effect{Do: Note, Call: call, Reason: why})
}

// State returns where a call stands.
func (m *Machine) State(call nod.CallID) State {
	if e, ok := m.calls[call]; ok {
		return e.state
	}
	if _, ok := m.tombs[call]; ok {
		return Over
	}
	return Absent
}

// Head returns the newest log head that the phone has seen, or nil.
func (m *Machine) Head() *wire.Head { return m.head }

// SetBack returns the older head that came since, or nil; while it is there no
// offers are taken.
func (m *Machine) SetBack() *wire.Head { return m.setBack }

// Accepting reports whether the person accepted a gateway that was set back,
// and the gateway has not said that it heard so.
func (m *Machine) Accepting() bool {
	for _, signed := range m.outbox {
		var body wire.RecordBody
		if signed.Kind == wire.RecordResume && open(signed, &body) == nil && body.SetBack != nil {
			return true
		}
	}
	return false
}

// Revoked reports whether the phone was removed.
func (m *Machine) Revoked() bool { return m.revoked }

// sorted returns the calls in a fixed order, so that equal histories have equal effects.
func (m *Machine) sorted() []nod.CallID {
	ids := slices.Collect(maps.Keys(m.calls))
	slices.SortFunc(ids, func(a, b nod.CallID) int {
		return cmp.Or(cmp.Compare(m.calls[a].at, m.calls[b].at), cmp.Compare(a, b))
	})
	return ids
}

// open counts the offers that wait for an answer.
func (m *Machine) open() int {
	n := 0
	for _, e := range m.calls {
		if e.state == Received || e.state == Held {
			n++
		}
	}
	return n
}

// over leaves a tombstone: nothing more will be done or said about the call.
func (m *Machine) over(call nod.CallID, e *entry, reason, by string) {
	if e.card {
		m.do(Effect{Do: RemoveCard, Call: call, Reason: reason, By: by})
	}
	m.stopLooking(call, e)
	never := e.state != Finished
	delete(m.calls, call)
	m.tombs[call] = never
	m.write(Record{Kind: RecOver, Call: call, Reason: reason, Never: never})
	if e.text != "" {
		m.do(Effect{Do: Shorten, Call: call})
	}
}

// tool is what this phone's own contract says of the call's tool.
func (m *Machine) tool(e *entry) spec.Tool {
	t, _ := m.self.Spec.Tool(e.offer.Tool)
	return t
}

// reads reports whether a call only reads: what it found counts once it was
// handed out, which this phone does not do, so it never ends unknown.
func (m *Machine) reads(e *entry) bool { return m.tool(e).Kind == nod.Read }
