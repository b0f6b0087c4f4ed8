package nodtest

import (
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/wire"
)

// Person looks at the phone's screen and answers its cards by a script.
type Person struct {
	t testing.TB

	mu     sync.Mutex
	now    *sim.Person                 // answers the cards that follow; guarded by mu
	cards  map[nod.CallID]*sim.Person  // who answered which; guarded by mu
	screen map[nod.CallID]*host.Screen // cards that are up; guarded by mu
	drawn  chan host.Card
	opened *host.Screen // guarded by mu
}

func newPerson(t testing.TB, script string) *Person {
	p := &Person{t: t, cards: map[nod.CallID]*sim.Person{}, screen: map[nod.CallID]*host.Screen{}, drawn: make(chan host.Card, 256)}
	p.Will(script)
	return p
}

// Will sets what the person does with the cards that follow: steps with commas
// between them, each "confirm", "decline", "decline:REASON", "ignore" or
// "slow:DURATION"; the last one goes on. A step for one action alone has its
// name before it, as in "dial=decline".
func (p *Person) Will(script string) {
	p.t.Helper()
	s, err := sim.ParseScript(script)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = sim.NewPerson(s)
}

// Card returns the next card that was drawn, once it is.
func (p *Person) Card() host.Card {
	p.t.Helper()
	select {
	case c := <-p.drawn:
		return c
	case <-time.After(10 * time.Second):
		p.t.Fatal("nodtest: no card was drawn")
		panic("unreachable")
	}
}

// Confirm taps Confirm on a card.
func (p *Person) Confirm(call nod.CallID) { p.tap(call, func(s *host.Screen) { s.Confirm(call) }) }

// Decline taps Decline on a card, with a reason or without.
func (p *Person) Decline(call nod.CallID, reason string) {
	p.tap(call, func(s *host.Screen) { s.Decline(call, reason) })
}

func (p *Person) tap(call nod.CallID, tap func(*host.Screen)) {
	p.t.Helper()
	p.mu.Lock()
	s := p.screen[call]
	p.mu.Unlock()
	if s == nil {
		p.t.Fatalf("nodtest: there is no card for %s", call)
	}
	tap(s)
}

// Gone returns why a card went away, once it has.
func (p *Person) Gone(call nod.CallID) string {
	p.t.Helper()
	for range 2000 {
		if who := p.of(call); who != nil {
			if why, ok := who.Gone(call); ok {
				return why
			}
		}
		<-time.After(5 * time.Millisecond)
	}
	p.t.Fatalf("nodtest: the card of %s did not go away", call)
	return ""
}

func (p *Person) of(call nod.CallID) *sim.Person {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cards[call]
}

// Open implements [host.Opener].
func (p *Person) Open(s *host.Screen) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = s
}

// SetAccess signs on the phone what an agent may ask for from now on; see
// [Nod.SetAccess].
func (p *Person) SetAccess(agent nod.AgentID, switches map[string]nod.AccessState) {
	p.t.Helper()
	p.mu.Lock()
	s := p.opened
	p.mu.Unlock()
	if s == nil {
		p.t.Fatal("nodtest: the phone does not run")
	}
	s.SetAccess(agent, switches)
}

// Draw implements [host.UI].
func (p *Person) Draw(card host.Card, s *host.Screen) {
	p.mu.Lock()
	who := p.cards[card.Call]
	if who == nil {
		who = p.now
		p.cards[card.Call] = who
	}
	p.screen[card.Call] = s
	p.mu.Unlock()
	who.Draw(card, s)
	select {
	case p.drawn <- card:
	default: // nobody looks
	}
}

// Hold implements [host.UI].
func (p *Person) Hold(call nod.CallID, reason string) {
	if who := p.of(call); who != nil {
		who.Hold(call, reason)
	}
}

// Remove implements [host.UI].
func (p *Person) Remove(call nod.CallID, reason, by string) {
	if who := p.of(call); who != nil {
		who.Remove(call, reason, by)
	}
}

// Outcome implements [host.UI].
func (p *Person) Outcome(call nod.CallID, r host.Result) {
	if who := p.of(call); who != nil {
		who.Outcome(call, r)
	}
}

// SetBack implements [host.UI].
func (p *Person) SetBack(head wire.Head, s *host.Screen) {
	p.mu.Lock()
	who := p.now
	p.mu.Unlock()
	who.SetBack(head, s)
}

var (
	_ host.UI     = (*Person)(nil)
	_ host.Opener = (*Person)(nil)
)
