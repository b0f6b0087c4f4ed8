package host

import "nod.dev/nod"

// Screen takes what the person does. Its methods may be called from any
// goroutine, also from within a [UI] method.
type Screen struct{ h *host }

// Drawn says that the card is on the screen.
func (s *Screen) Drawn(call nod.CallID) { s.tell(Event{Kind: Drawn, Call: call}) }

// Confirm is the person's yes.
func (s *Screen) Confirm(call nod.CallID) {
	s.tell(Event{Kind: Chosen, Call: call, Choice: nod.ChoiceConfirm})
}

// Decline is the person's no, with their own words or without.
func (s *Screen) Decline(call nod.CallID, reason string) {
	s.tell(Event{Kind: Chosen, Call: call, Choice: nod.ChoiceDecline, Reason: reason})
}

// PauseAll stops every agent of the person.
func (s *Screen) PauseAll() { s.tell(Event{Kind: Pause}) }

// ResumeAll lets the person's agents ask again.
func (s *Screen) ResumeAll() { s.tell(Event{Kind: Resume}) }

// SetAccess changes what an agent may ask for: "calendar:read" to ask or off.
// What it does not name stays as it is.
func (s *Screen) SetAccess(agent nod.AgentID, switches map[string]nod.AccessState) {
	s.tell(Event{Kind: Switch, Agent: agent, Switches: switches})
}

// AcceptSetBack accepts that the gateway was set back, and lets agents ask again.
func (s *Screen) AcceptSetBack() { s.tell(Event{Kind: Accepted}) }

func (s *Screen) tell(ev Event) { s.h.post(func() { s.h.step(ev) }) }
