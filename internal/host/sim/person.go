package sim

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// Answer is what a scripted person does with one card.
type Answer struct {
	Choice nod.Choice // empty: they ignore it
	Reason string     // with a decline
	After  time.Duration
}

// Script is what a person does, card after card.
type Script struct {
	// Steps answer cards in turn; the last answers all that follow.
	Steps []Answer
	// Actions answer the cards of one action in turn, before Steps are asked.
	Actions map[string][]Answer
}

// ParseScript reads a script: steps with commas between them. A step is
//
//	confirm | decline[:REASON] | ignore | slow:DURATION
//
// where slow confirms after a while. A step for one action alone has its name
// before it: "dial=decline:not now".
func ParseScript(text string) (Script, error) {
	s := Script{Actions: map[string][]Answer{}}
	for step := range strings.SplitSeq(text, ",") {
		step = strings.TrimSpace(step)
		if step == "" {
			continue
		}
		action, rest, ok := strings.Cut(step, "=")
		if !ok || strings.ContainsAny(action, ": ") {
			action, rest = "", step
		}
		if action != "" && !knows(action) {
			return s, scriptError(step, "there is no action "+action)
		}
		a, err := parseAnswer(rest)
		if err != nil {
			return s, err
		}
		if action == "" {
			s.Steps = append(s.Steps, a)
		} else {
			s.Actions[action] = append(s.Actions[action], a)
		}
	}
	return s, nil
}

// knows reports whether the phone can be asked for an action.
func knows(action string) bool {
	_, acts := handlers[action]
	_, does := tools[action]
	return acts || does
}

// line is a row of a card as somebody would read it out.
func line(r host.Row) string {
	text := "On this phone " + r.Given + " is " + strings.Join(strings.Fields(r.Name+" "+r.Label+" "+r.Value), " ") + "."
	if r.Repeats {
		text += " It is a whole series."
	}
	return text
}

func parseAnswer(step string) (Answer, error) {
	word, rest, given := strings.Cut(step, ":")
	switch {
	case word == "confirm" && !given:
		return Answer{Choice: nod.ChoiceConfirm}, nil
	case word == "decline":
		return Answer{Choice: nod.ChoiceDecline, Reason: strings.TrimSpace(rest)}, nil
	case word == "ignore" && !given:
		return Answer{}, nil
	case word == "slow" && given:
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return Answer{}, scriptError(step, rest+" is no time, as 2s is")
		}
		return Answer{Choice: nod.ChoiceConfirm, After: d}, nil
	}
	return Answer{}, scriptError(step, "a step is confirm, decline, decline:REASON, ignore or slow:DURATION")
}

func scriptError(step, why string) error {
	return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the step %q of the person's script is wrong: %s", step, why),
		"for example: confirm,decline:not now,ignore,slow:2s,dial=decline")
}

// Person answers cards by a script. It is a [host.UI]: a screen nobody sees.
// Without any steps it ignores every card.
type Person struct {
	// AcceptSetBack makes the person accept a gateway that was set back.
	AcceptSetBack bool
	// Resume makes the person let agents ask again when the console wants it.
	Resume bool
	// Tell is given a line for each thing that a screen would show; may be nil.
	Tell func(line string)

	mu     sync.Mutex
	script Script
	// shown are the cards that are on the screen, with what stops their answer.
	shown map[nod.CallID]*time.Timer
	// given are the answers so far: a card that is drawn again gets the same.
	given map[nod.CallID]Answer
	seen  []host.Card
	ended map[nod.CallID]host.Result
	gone  map[nod.CallID]string
}

var (
	_ host.UI      = (*Person)(nil)
	_ host.Resumer = (*Person)(nil)
)

// NewPerson returns a person with a script.
func NewPerson(s Script) *Person {
	return &Person{
		script: s,
		shown:  map[nod.CallID]*time.Timer{},
		given:  map[nod.CallID]Answer{},
		ended:  map[nod.CallID]host.Result{},
		gone:   map[nod.CallID]string{},
	}
}

// next takes the next step of a queue; its last one stays.
func next(queue *[]Answer) (Answer, bool) {
	if len(*queue) == 0 {
		return Answer{}, false
	}
	a := (*queue)[0]
	if len(*queue) > 1 {
		*queue = (*queue)[1:]
	}
	return a, true
}

// answer is what the person does with a card.
func (p *Person) answer(card host.Card) Answer {
	if a, ok := p.given[card.Call]; ok {
		return a
	}
	a := p.step(card.Offer.Action)
	p.given[card.Call] = a
	return a
}

// step takes the next step for an action.
func (p *Person) step(action string) Answer {
	if queue := p.script.Actions[action]; len(queue) > 0 {
		a, _ := next(&queue)
		p.script.Actions[action] = queue
		return a
	}
	a, _ := next(&p.script.Steps)
	return a
}

// Draw looks at a card and answers it, at once or later.
func (p *Person) Draw(card host.Card, s *host.Screen) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, card)
	p.forget(card.Call)
	p.forget(card.Takes)
	if card.Quiet {
		p.tell(card.Offer.AgentName + " does " + card.Offer.Action + ", as allowed.")
		return
	}
	p.tell(card.Offer.AgentName + " asks for " + card.Offer.Action + ".")
	for _, r := range card.Rows {
		p.tell(line(r))
	}
	s.Drawn(card.Call)
	a := p.answer(card)
	var act func()
	switch a.Choice {
	case nod.ChoiceConfirm:
		act = func() { s.Confirm(card.Call) }
	case nod.ChoiceDecline:
		act = func() { s.Decline(card.Call, a.Reason) }
	default:
		return
	}
	if a.After <= 0 {
		act()
		return
	}
	p.shown[card.Call] = time.AfterFunc(a.After, act)
}

// Hold stops a slow answer: Confirm is off.
func (p *Person) Hold(call nod.CallID, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(call)
	p.tell("The card waits with Confirm off: " + reason + ".")
}

// Remove takes the card away.
func (p *Person) Remove(call nod.CallID, reason, by string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(call)
	p.gone[call] = reason
	if by != "" {
		reason += " on " + by
	}
	p.tell("The card is gone: " + reason + ".")
}

// Outcome notes what the card turned into.
func (p *Person) Outcome(call nod.CallID, r host.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(call)
	p.ended[call] = r
	p.tell(strings.TrimSpace("It ended: " + string(r.Status) + ". " + r.Message))
}

// SetBack accepts a gateway that was set back, if the person does that.
func (p *Person) SetBack(head wire.Head, s *host.Screen) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell("nod was set back to " + head.At.UTC().Format("2 January 2006, 15:04 MST") + ".")
	if p.AcceptSetBack {
		s.AcceptSetBack()
	}
}

// AskResume lets agents ask again, if the person does that.
func (p *Person) AskResume(s *host.Screen) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell("The console asks whether agents may ask again.")
	if p.Resume {
		s.ResumeAll()
	}
}

func (p *Person) forget(call nod.CallID) {
	if t, ok := p.shown[call]; ok {
		t.Stop()
		delete(p.shown, call)
	}
}

func (p *Person) tell(line string) {
	if p.Tell != nil {
		p.Tell(line)
	}
}

// Cards returns every card that was drawn, in order.
func (p *Person) Cards() []host.Card {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]host.Card(nil), p.seen...)
}

// Ended returns what a card turned into, if it did.
func (p *Person) Ended(call nod.CallID) (host.Result, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.ended[call]
	return r, ok
}

// Gone returns why a card went away, if it did.
func (p *Person) Gone(call nod.CallID) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	reason, ok := p.gone[call]
	return reason, ok
}
