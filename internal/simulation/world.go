package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// epoch is the ledger time at which every life begins.
const epoch = nod.Time(1_800_000_000_000)

// Options say what a life is made of.
type Options struct {
	Seed  uint64
	Calls int
	// RealKeys signs with P-256 instead of a keyed hash.
	RealKeys bool
	// Calm is a life without faults.
	Calm bool
	// Bug is planted round the shipped code; zero for none.
	Bug Bug
}

// Report is what a life came to.
type Report struct {
	Calls     int
	Outcomes  map[nod.Outcome]int
	Faults    map[string]int
	Violation string
}

// World is one life under way.
type World struct {
	opt    Options
	rng    *rand.Rand
	queue  queue
	oracle *Oracle
	faults map[string]int

	gate   *gate
	screen *phone // shows cards and acts
	rig    *phone // acts, and shows its cards on the other
	asked  int
	healed bool
	ids    int
}

// Play plays one life to its end.
func Play(opt Options) Report {
	w := &World{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x6e6f64)), oracle: newOracle(), faults: map[string]int{}}
	w.gate = newGate(w)
	w.screen = newPhone(w, "phone_screen", true, 1)
	w.rig = newPhone(w, "phone_rig", false, 2)
	w.gate.furnish()
	w.screen.subscribe()
	w.gate.start()
	w.screen.start()
	w.rig.start()
	w.agents()
	w.run()
	r := Report{Calls: w.asked, Outcomes: map[nod.Outcome]int{}, Faults: w.faults, Violation: w.oracle.Violation}
	for _, c := range w.gate.disk.calls {
		r.Outcomes[c.Outcome]++
	}
	return r
}

// run plays until everybody has asked, heals all trouble, and gives every call
// the time to end.
func (w *World) run() {
	end := time.Duration(0)
	for w.oracle.Violation == "" {
		do, ok := w.queue.next()
		if !ok {
			break
		}
		do()
		if w.asked >= w.opt.Calls && !w.healed {
			w.healed = true
			end = w.queue.now + 20*time.Minute
		}
		if w.healed && w.queue.now > end {
			w.oracle.healed(w.gate.disk.calls)
			break
		}
	}
}

// chance is true with probability p, and counts the fault. Once healed, or in a
// calm life, no fault happens.
func (w *World) chance(name string, p float64) bool {
	if w.opt.Calm || w.healed || w.rng.Float64() >= p {
		return false
	}
	w.faults[name]++
	return true
}

// upTo is a random time below d.
func (w *World) upTo(d time.Duration) time.Duration { return time.Duration(w.rng.Int64N(int64(d))) }

// often is true with probability p: something that people and agents do.
func (w *World) often(p float64) bool { return w.rng.Float64() < p }

// now is ledger time.
func (w *World) now() nod.Time { return epoch.Add(w.queue.now) }

func (w *World) nonce() string {
	w.ids++
	return wire.Encode64(fmt.Appendf(nil, "%016d", w.ids))
}

// callID numbers the calls, so that the same life has the same order in it.
func (w *World) callID() nod.CallID {
	w.ids++
	return nod.CallID(fmt.Sprintf("call_%016d", w.ids))
}

// act is a random action, or something to be read. There are few, so that agents
// repeat themselves.
func (w *World) act() (tool string, arguments []byte) {
	switch w.rng.IntN(9) {
	case 0:
		return spec.ToolPhoneNow, []byte("{}")
	case 1, 2:
		return spec.ToolCalendarList, fmt.Appendf(nil, `{"query":"%d"}`, w.rng.IntN(20))
	}
	return spec.ToolPhoneAction, w.phoneAction()
}

func (w *World) phoneAction() []byte {
	switch w.rng.IntN(4) {
	case 0:
		return fmt.Appendf(nil, `{"action":"alarm","time":"%02d:%02d"}`, w.rng.IntN(24), w.rng.IntN(60))
	case 1:
		return fmt.Appendf(nil, `{"action":"timer","seconds":%d}`, 1+w.rng.IntN(1000))
	case 2:
		return fmt.Appendf(nil, `{"action":"dial","number":"+35191000%04d"}`, w.rng.IntN(10000))
	}
	return []byte(`{"action":"torch","on":true}`)
}

// may is what agents may ask for.
var may = []string{"clock:act", "clock:read", "dialer:act", "torch:act", "calendar:read"}
