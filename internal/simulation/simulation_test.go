package simulation

import (
	"flag"
	"runtime"
	"sync"
	"testing"
)

var (
	seed  = flag.Uint64("seed", 0, "play the life of this seed alone")
	calls = flag.Int("calls", 100_000, "how many calls to play in all")
)

// lifeCalls is how many calls one life has: enough to get into trouble, short
// enough to be read when it does.
const lifeCalls = 250

// lives plays lives with the seeds from first on until all calls are made, on
// every core, and adds up what they came to.
func lives(t *testing.T, first uint64, total int, opt Options) Report {
	t.Helper()
	sum := Report{Outcomes: map[outcome]int{}, Faults: map[string]int{}}
	var mu sync.Mutex
	var group sync.WaitGroup
	seeds := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for s := range seeds {
				o := opt
				o.Seed, o.Calls = s, lifeCalls
				r := Play(o)
				mu.Lock()
				sum.add(r)
				if r.Violation != "" && sum.Violation == "" {
					sum.Violation = r.Violation
					t.Logf("seed %d: %s (replay: -run %s -seed %d)", s, r.Violation, t.Name(), s)
				}
				mu.Unlock()
			}
		})
	}
	for s := range uint64((total + lifeCalls - 1) / lifeCalls) {
		seeds <- first + s
	}
	close(seeds)
	group.Wait()
	return sum
}

// TestSimulation is the promises I1 to I5 and I11 over many lives.
func TestSimulation(t *testing.T) {
	first, total := uint64(1), *calls
	if *seed != 0 {
		first, total = *seed, 1
	}
	r := lives(t, first, total, Options{})
	if r.Violation != "" {
		t.Fatal(r.Violation)
	}
	t.Logf("%d calls, outcomes %v, faults %v", r.Calls, r.Outcomes, r.Faults)
	if *seed != 0 {
		return
	}
	for _, o := range endings {
		if r.Outcomes[o] == 0 {
			t.Errorf("no call ended %s: the lives are too quiet to prove anything", o)
		}
	}
	if len(r.Faults) < 10 {
		t.Errorf("only the faults %v happened", r.Faults)
	}
}

// TestSimulationWithRealKeys plays fewer calls with P-256.
func TestSimulationWithRealKeys(t *testing.T) {
	if r := lives(t, 1_000_000, 2_000, Options{RealKeys: true}); r.Violation != "" {
		t.Fatal(r.Violation)
	}
}

// TestSameSeedSameLife: a failure can only be replayed if nothing else plays a part.
func TestSameSeedSameLife(t *testing.T) {
	a, b := Play(Options{Seed: 7, Calls: 200}), Play(Options{Seed: 7, Calls: 200})
	for o, n := range a.Outcomes {
		if b.Outcomes[o] != n {
			t.Errorf("%d calls ended %s in one life and %d in the same", n, o, b.Outcomes[o])
		}
	}
}

// TestCalm: without faults nearly everything that is confirmed is carried out.
func TestCalm(t *testing.T) {
	r := Play(Options{Seed: 3, Calls: 500, Calm: true})
	if r.Violation != "" {
		t.Fatal(r.Violation)
	}
	if len(r.Faults) != 0 {
		t.Errorf("faults in a calm life: %v", r.Faults)
	}
}

// TestPlantedBugs: the oracle finds each mistake within a few lives.
func TestPlantedBugs(t *testing.T) {
	for _, bug := range Bugs {
		t.Run(string(bug), func(t *testing.T) {
			for s := range uint64(200) {
				if r := Play(Options{Seed: s + 1, Calls: lifeCalls, Bug: bug}); r.Violation != "" {
					t.Logf("found in life %d: %s", s+1, r.Violation)
					return
				}
			}
			t.Error("not found in 200 lives: the simulation would not notice this mistake")
		})
	}
}
