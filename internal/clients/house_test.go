package clients

import (
	"os"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/nodserve"
	"nod.dev/nod/internal/wire"
)

var must, until = nodserve.Must, nodserve.Until

// TestMain removes what was built.
func TestMain(m *testing.M) {
	code := run(m)
	nodserve.Remove()
	os.Exit(code)
}

// house is a gateway that runs as people run it, with a phone whose person
// follows a script, and one agent.
type house struct {
	*nodserve.House
	agent  nod.AgentID
	token  string
	client *client.Client // speaks as the agent
	screen *screen
}

// newHouse starts one. It ends with the test.
func newHouse(t *testing.T, person string, agent client.AgentRequest) *house {
	t.Helper()
	script, err := sim.ParseScript(person)
	must(t, err)
	h := &house{screen: &screen{person: sim.NewPerson(script), cards: map[nod.CallID]*card{}}}
	h.House = nodserve.New(t, h.screen)
	added, err := h.Console.AddAgent(t.Context(), agent)
	must(t, err)
	h.agent, h.token = added.Agent.ID, added.Token
	h.client, err = client.New(client.Config{URL: h.URL, Token: h.token})
	must(t, err)
	return h
}

// card is one card on the screen, and when what became of it.
type card struct {
	call    nod.CallID
	takes   nod.CallID // whose place it took
	drawn   time.Time
	held    time.Time // Confirm was switched off
	ended   time.Time // it turned into what became of it, or went away
	why     string    // the reason it went away for
	confirm func()    // taps Confirm, late or not
}

// screen is what a scripted person looks at, with the times of it all.
type screen struct {
	person *sim.Person

	mu    sync.Mutex
	cards map[nod.CallID]*card // guarded by mu
	order []nod.CallID         // guarded by mu
}

var _ host.UI = (*screen)(nil)

// Draw implements [host.UI].
func (s *screen) Draw(c host.Card, on *host.Screen) {
	s.note(c.Call, func(k *card) {
		if k.drawn.IsZero() {
			k.drawn = time.Now()
		}
		k.takes = c.Takes
		k.confirm = func() { on.Confirm(c.Call) }
	})
	s.person.Draw(c, on)
}

// Hold implements [host.UI].
func (s *screen) Hold(call nod.CallID, reason string) {
	s.note(call, func(k *card) { k.held = time.Now() })
	s.person.Hold(call, reason)
}

// Remove implements [host.UI].
func (s *screen) Remove(call nod.CallID, reason, by string) {
	s.note(call, func(k *card) { k.ended, k.why = time.Now(), reason })
	s.person.Remove(call, reason, by)
}

// Outcome implements [host.UI].
func (s *screen) Outcome(call nod.CallID, r host.Result) {
	s.note(call, func(k *card) { k.ended = time.Now() })
	s.person.Outcome(call, r)
}

// SetBack implements [host.UI]: no gateway here ever is.
func (s *screen) SetBack(head wire.Head, on *host.Screen) { s.person.SetBack(head, on) }

func (s *screen) note(call nod.CallID, change func(*card)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.cards[call]
	if k == nil {
		k = &card{call: call}
		s.cards[call] = k
		s.order = append(s.order, call)
	}
	change(k)
}

// all returns the cards so far, in the order in which they were drawn.
func (s *screen) all() []card {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []card
	for _, call := range s.order {
		list = append(list, *s.cards[call])
	}
	return list
}

// TestHouse has the house itself tried: a card is drawn, and removed when its
// call is taken back; the next one is carried out.
func TestHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "ignore,confirm", client.AgentRequest{Name: "Laptop"})
	request := client.Request{Tool: "phone_action", Arguments: []byte(torch), Detached: true}
	call, err := h.client.Open(t.Context(), request)
	must(t, err)
	until(t, "the card", 5*time.Second, func() bool { return len(h.screen.all()) == 1 })
	_, err = h.client.Cancel(t.Context(), call.ID)
	must(t, err)
	until(t, "the card is gone", 5*time.Second, func() bool { return !h.screen.all()[0].ended.IsZero() })
	h.screen.all()[0].confirm()
	call, err = h.client.Do(t.Context(), request)
	must(t, err)
	if call.Outcome != nod.Done || h.Phone.Count() != 1 || !h.Phone.State().Torch {
		t.Errorf("outcome = %q, %d acts, the torch is on: %v; want done, 1, true", call.Outcome, h.Phone.Count(), h.Phone.State().Torch)
	}
}

// torch is the act that the runs ask for.
const torch = `{"action": "torch", "on": true}`
