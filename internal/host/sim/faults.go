package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// ErrKilled is how a phone ends that a fault has killed. [Run] starts it again.
var ErrKilled = nod.Errorf(nod.CodeInternal, "a fault killed the phone", "")

// FaultKind says what breaks.
type FaultKind string

// What can break. The first four and the last two happen when a frame of a kind
// passes, in either direction; kill happens at a point of the journal.
const (
	Drop      FaultKind = "drop"      // the frame is lost
	Duplicate FaultKind = "duplicate" // it comes twice
	Delay     FaultKind = "delay"     // it comes later, and others overtake it
	Close     FaultKind = "close"     // the link is lost right after it
	Kill      FaultKind = "kill"      // the program dies: after the record is durable, or before
	Clock     FaultKind = "clock"     // the wall clock jumps
	Sleep     FaultKind = "sleep"     // the device sleeps
)

// Fault is one thing that breaks.
type Fault struct {
	Kind FaultKind
	// At is the kind of frame, or of record with kill.
	At string
	// Before makes kill come before the record is durable.
	Before bool
	// For is how long, or how far.
	For time.Duration
	// Nth says which one of them breaks: 1 is the first; 0 is every one.
	Nth int

	met int
}

// Faults break things on cue. One value goes with one phone over all its
// restarts, so that what was to happen once happens once.
type Faults struct {
	mu     sync.Mutex
	faults []*Fault
	// jump and slept are how far the clocks are off by now.
	jump, slept time.Duration
	// Tell is given a line for each fault that strikes; may be nil.
	Tell func(line string)
}

var frameKinds = []string{
	wire.KindHello, wire.KindDelivered, wire.KindShown, wire.KindDecision, wire.KindResult, wire.KindCapabilities,
	wire.KindRecords, wire.KindPresence, wire.KindBye, wire.KindChallenge, wire.KindWelcome, wire.KindOffer,
	wire.KindGo, wire.KindDisarm, wire.KindWithdraw, wire.KindAck, wire.KindRevoked, wire.KindReload, wire.KindBeat,
}

// ParseFaults reads faults with commas between them:
//
//	drop:FRAME  duplicate:FRAME  close:FRAME
//	delay:FRAME:DURATION  clock:FRAME:DURATION  sleep:FRAME:DURATION
//	kill:RECORD  kill:before-RECORD
//
// A fault strikes once, at the first of its kind; "@3" after it means the
// third, "@*" every one.
func ParseFaults(text string) (*Faults, error) {
	all := &Faults{}
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		f, err := parseFault(word)
		if err != nil {
			return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the fault %q is wrong: %v", word, err),
				"for example: drop:offer,delay:go:3s,close:decision,kill:armed,clock:decision:1h@2")
		}
		all.faults = append(all.faults, f)
	}
	return all, nil
}

func parseFault(word string) (*Fault, error) {
	f := &Fault{Nth: 1}
	word, nth, given := strings.Cut(word, "@")
	if given {
		n, err := strconv.Atoi(nth)
		if nth != "*" && (err != nil || n < 1) {
			return nil, fmt.Errorf("%q is neither a number nor *", nth)
		}
		f.Nth = n
	}
	parts := strings.Split(word, ":")
	if len(parts) < 2 {
		return nil, fmt.Errorf("it does not say where")
	}
	f.Kind, f.At = FaultKind(parts[0]), parts[1]
	want, known := 2, frameKinds
	switch f.Kind {
	case Drop, Duplicate, Close:
	case Delay, Clock, Sleep:
		want = 3
	case Kill:
		f.At, f.Before = strings.CutPrefix(f.At, "before-")
		known = recordKinds()
	default:
		return nil, fmt.Errorf("there is no fault %s", parts[0])
	}
	if !slices.Contains(known, f.At) {
		return nil, fmt.Errorf("there is no %s; there are %s", f.At, strings.Join(known, ", "))
	}
	if len(parts) != want {
		return nil, fmt.Errorf("%s takes %d words", f.Kind, want)
	}
	if want == 3 {
		d, err := time.ParseDuration(parts[2])
		if err != nil || (d < 0 && f.Kind != Clock) {
			return nil, fmt.Errorf("%s is no time, as 3s is", parts[2])
		}
		f.For = d
	}
	return f, nil
}

func recordKinds() []string {
	var kinds []string
	for _, k := range host.CallRecords {
		kinds = append(kinds, string(k))
	}
	return kinds
}

// strike returns the faults of the given kinds that happen now, where something
// of kind at passes.
func (f *Faults) strike(at string, kinds ...FaultKind) []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	var now []Fault
	for _, fault := range f.faults {
		if fault.At != at || !slices.Contains(kinds, fault.Kind) {
			continue
		}
		fault.met++
		if fault.Nth != 0 && fault.Nth != fault.met {
			continue
		}
		switch fault.Kind {
		case Clock:
			f.jump += fault.For
		case Sleep:
			f.slept += fault.For
		}
		if f.Tell != nil {
			f.Tell(fmt.Sprintf("fault: %s at %s", fault.Kind, at))
		}
		now = append(now, *fault)
	}
	return now
}

// Clock returns now with the faults of the clocks in it.
func (f *Faults) Clock(now func() host.Now) func() host.Now {
	return func() host.Now {
		n := now()
		f.mu.Lock()
		defer f.mu.Unlock()
		n.Boot += f.slept
		n.Wall = n.Wall.Add(f.slept + f.jump)
		return n
	}
}

// Journal returns j with the points of death in it.
func (f *Faults) Journal(j host.Journal) host.Journal { return &mortalJournal{j, f} }

type mortalJournal struct {
	host.Journal
	faults *Faults
}

func (j *mortalJournal) Append(r host.Record) error {
	struck := j.faults.strike(string(r.Kind), Kill)
	for _, fault := range struck {
		if fault.Before {
			return ErrKilled
		}
	}
	if err := j.Journal.Append(r); err != nil {
		return err
	}
	if len(struck) > 0 {
		return ErrKilled
	}
	return nil
}
