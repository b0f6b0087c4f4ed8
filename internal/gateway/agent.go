package gateway

import (
	"fmt"
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

// Kinds of log entries about agents and people.
const (
	logAgentAdded   = "agent.added"
	logAgentChanged = "agent.changed"
	logAgentRotated = "agent.rotated"
	logAgentPaused  = "agent.paused"
	logAgentRevoked = "agent.revoked"
	logPersonAdded  = "person.added"
	logPersonChange = "person.changed"
	logPaused       = "paused"
	logResumed      = "resumed"
)

// AgentSpec is what an agent is added with.
type AgentSpec struct {
	Person nod.PersonID
	Name   string
	// Apps limits it to a list such as "calendar:read", "maps:act"; nil for the
	// default: acts may be asked for, private reads not.
	Apps []string
	// Phone binds it to one phone, by id or name; empty for any.
	Phone string
	// WaitSeconds bounds its inline wait; 0 for the client's own budget.
	WaitSeconds int
}

// AddAgent adds an agent that can ask, and returns its token, which is kept
// nowhere. The console may do this; only a phone lets anything happen unasked.
func (t *Turn) AddAgent(s AgentSpec) (nod.Agent, string, error) {
	a, err := t.newAgent(s)
	if err != nil {
		return nod.Agent{}, "", err
	}
	token, hash := auth.NewToken()
	t.batch.Tokens = append(t.batch.Tokens, store.Token{Hash: hash, Agent: a.ID, Created: t.now})
	return a, token, nil
}

// newAgent adds an agent that has no token.
func (t *Turn) newAgent(s AgentSpec) (nod.Agent, error) {
	if _, ok := t.person(s.Person); !ok {
		return nod.Agent{}, nod.Errorf(nod.CodeNotFound, "there is no such person", `list people with "nod people"`)
	}
	if err := t.freeName(s.Person, s.Name); err != nil {
		return nod.Agent{}, err
	}
	if err := validAgentWait(s.WaitSeconds); err != nil {
		return nod.Agent{}, err
	}
	access, err := ParseAccess(s.Apps, t.core.spec.Apps)
	if err != nil {
		return nod.Agent{}, err
	}
	a := nod.Agent{ID: nod.NewAgentID(), Person: s.Person, Name: s.Name, Created: t.now,
		Mode: nod.AskBeforeAction, Access: access, WaitSeconds: s.WaitSeconds}
	if s.Phone != "" {
		p, err := t.phoneNamed(s.Person, s.Phone)
		if err != nil {
			return nod.Agent{}, err
		}
		a.Phone = p.ID
	}
	t.agents[a.ID] = a
	t.logAgent(logAgentAdded, a, map[string]string{"apps": strings.Join(s.Apps, ",")})
	return a, nil
}

// freeName accepts a name that cards can show and that no other agent of the person has.
func (t *Turn) freeName(person nod.PersonID, name string) error {
	if err := auth.ValidName(name); err != nil {
		return err
	}
	taken := false
	t.eachAgent(person, func(a nod.Agent) {
		taken = taken || a.Revoked == 0 && strings.EqualFold(a.Name, name)
	})
	if taken {
		return nod.Errorf(nod.CodeConflict, fmt.Sprintf("there is an agent named %q already", name), "choose another name: it is how the card says who asks")
	}
	return nil
}

// ParseAccess reads a list such as "calendar:read", "maps:act". An empty list
// is the default access.
func ParseAccess(list, apps []string) (nod.Access, error) {
	if len(list) == 0 {
		return nod.Access{}, nil
	}
	access := nod.Access{Only: true, Switches: map[string]nod.AccessState{}}
	for _, entry := range list {
		app, kind, ok := strings.Cut(entry, ":")
		if !ok || !slices.Contains(apps, app) || kind != string(nod.Read) && kind != string(nod.Act) {
			return nod.Access{}, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%q is not an app with what may be asked of it", clip(entry, 60)),
				"write it like maps:act or calendar:read; the apps are "+strings.Join(apps, ", "))
		}
		access.Switches[entry] = nod.AccessAsk
	}
	return access, nil
}

// findAgent finds an agent of any person by id or name.
func (t *Turn) findAgent(person nod.PersonID, word string) (nod.Agent, error) {
	if a, ok := t.agent(nod.AgentID(word)); ok && a.Person == person && a.Revoked == 0 {
		return a, nil
	}
	var found *nod.Agent
	t.eachAgent(person, func(a nod.Agent) {
		if a.Revoked == 0 && strings.EqualFold(a.Name, word) {
			found = &a
		}
	})
	if found == nil {
		return nod.Agent{}, nod.Errorf(nod.CodeNotFound, fmt.Sprintf("there is no agent %q", clip(word, 60)), `list them with "nod agents"`)
	}
	return *found, nil
}

// RotateAgent gives an agent a new token; the old one is dead when it returns.
func (t *Turn) RotateAgent(person nod.PersonID, word string) (nod.Agent, string, error) {
	a, err := t.findAgent(person, word)
	if err != nil {
		return nod.Agent{}, "", err
	}
	if test, _ := newest(t.testAgents, t.core.testAgents, person); a.ID == test {
		return nod.Agent{}, "", nod.Errorf(nod.CodeConflict, "this agent has no token: phones test themselves with it", `add another one with "nod agents add"`)
	}
	token, hash := auth.NewToken()
	t.batch.Tokens = append(t.batch.Tokens, store.Token{Hash: hash, Agent: a.ID, Created: t.now})
	t.logAgent(logAgentRotated, a, nil)
	return a, token, nil
}

// RenameAgent changes how cards name an agent.
func (t *Turn) RenameAgent(person nod.PersonID, word, name string) (nod.Agent, error) {
	a, err := t.findAgent(person, word)
	if err != nil {
		return nod.Agent{}, err
	}
	if err := t.freeName(person, name); err != nil && !strings.EqualFold(a.Name, name) {
		return nod.Agent{}, err
	}
	a.Name = name
	t.agents[a.ID] = a
	t.logAgent(logAgentChanged, a, nil)
	return a, nil
}

// validAgentWait accepts how long one answer to an agent may take, in seconds; 0
// for what its client is known to bear.
func validAgentWait(seconds int) error {
	if seconds < 0 || seconds > MaxWaitSeconds {
		return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("an agent cannot wait %d seconds for one answer", seconds),
			fmt.Sprintf("choose from 1 to %d, or 0 for what its client is known to bear", MaxWaitSeconds))
	}
	return nil
}

// SetAgentWait sets how long one answer to an agent may take, in seconds. It
// lets nothing happen and keeps nothing from happening, so it is no right: the
// console may set it longer or shorter.
func (t *Turn) SetAgentWait(person nod.PersonID, word string, seconds int) (nod.Agent, error) {
	a, err := t.findAgent(person, word)
	if err == nil {
		err = validAgentWait(seconds)
	}
	if err != nil || a.WaitSeconds == seconds {
		return a, err
	}
	a.WaitSeconds = seconds
	t.agents[a.ID] = a
	t.logAgent(logAgentChanged, a, map[string]string{"wait_seconds": fmt.Sprint(seconds)})
	return a, nil
}

// PauseAgent stops an agent until a phone resumes it. It returns how many of
// its actions are being carried out at this moment.
func (t *Turn) PauseAgent(person nod.PersonID, word string) (nod.Agent, int, error) {
	a, err := t.findAgent(person, word)
	if err != nil {
		return nod.Agent{}, 0, err
	}
	inFlight := t.pauseAgent(a, "person")
	a, _ = t.agent(a.ID)
	return a, inFlight, nil
}

func (t *Turn) pauseAgent(a nod.Agent, why string) int {
	a.Paused = true
	t.agents[a.ID] = a
	t.narrow(func() {
		a := t.core.agents[a.ID]
		a.Paused = true
		t.core.agents[a.ID] = a
	}, func(t *Turn) { t.pauseAgent(a, why) })
	t.logAgent(logAgentPaused, a, map[string]string{"why": why})
	return t.stopCalls(func(c nod.Call) bool { return c.Agent == a.ID }, call.Event{Kind: call.SwitchOff, Why: nod.WhyPaused})
}

// RevokeAgent removes an agent for good: its token is dead, what waits is
// withdrawn, and no go is sent for it any more. It returns the calls whose go
// was sent before, which may still be carried out.
func (t *Turn) RevokeAgent(person nod.PersonID, word string) (nod.Agent, []nod.CallID, error) {
	a, err := t.findAgent(person, word)
	if err != nil {
		return nod.Agent{}, nil, err
	}
	return a, t.revokeAgent(a), nil
}

func (t *Turn) revokeAgent(a nod.Agent) []nod.CallID {
	a.Revoked = t.now
	t.agents[a.ID] = a
	t.narrow(func() { t.core.agents[a.ID] = a }, func(t *Turn) { t.revokeAgent(a) })
	t.logAgent(logAgentRevoked, a, nil)
	var inFlight []nod.CallID
	t.eachOpen(func(c nod.Call) {
		if c.Agent == a.ID && !c.State.Open() && c.State != nod.Received && c.Kind != nod.Read { // a read ends here
			inFlight = append(inFlight, c.ID)
		}
	})
	t.stopCalls(func(c nod.Call) bool { return c.Agent == a.ID }, call.Event{Kind: call.Withdraw, Why: nod.WhyAgentRemoved})
	return inFlight
}

// stopCalls ends the open calls that match, and disarms those already decided.
// It returns how many of the latter there are.
func (t *Turn) stopCalls(match func(nod.Call) bool, ev call.Event) int {
	inFlight := 0
	t.eachOpen(func(c nod.Call) {
		if !match(c) {
			return
		}
		if after := t.step(c, ev); !after.Final() {
			inFlight++
		}
	})
	return inFlight
}

// PauseAll stops every agent of a person until a phone resumes them.
func (t *Turn) PauseAll(person nod.PersonID, by string) (int, error) {
	p, ok := t.person(person)
	if !ok {
		return 0, nod.Errorf(nod.CodeNotFound, "there is no such person", "")
	}
	p.PausedAll = true
	t.people[p.ID] = p
	t.narrow(func() {
		p := t.core.people[person]
		p.PausedAll = true
		t.core.people[person] = p
	}, func(t *Turn) { _, _ = t.PauseAll(person, by) })
	t.entry(log.Entry{Person: person, Kind: logPaused, Facts: map[string]string{"by": by}}, nil)
	return t.stopCalls(func(c nod.Call) bool { return c.Person == person }, call.Event{Kind: call.SwitchOff, Why: nod.WhyPaused}), nil
}

// AddPerson adds somebody who decides.
func (t *Turn) AddPerson(name string) (nod.Person, error) {
	if err := auth.ValidName(name); err != nil {
		return nod.Person{}, err
	}
	p := nod.Person{ID: nod.NewPersonID(), Name: name, Created: t.now, WaitSeconds: t.core.spec.Phone.WaitSeconds}
	t.people[p.ID] = p
	t.entry(log.Entry{Person: p.ID, Kind: logPersonAdded}, map[string]string{"name": name})
	return p, nil
}

// Waits of a card that a person can set, in seconds (design section 3, "Time").
const (
	MinWaitSeconds = 120
	MaxWaitSeconds = 1200
)

// SetWait sets how long a person's cards wait; by is the phone it was set on, if one.
func (t *Turn) SetWait(person nod.PersonID, by nod.PhoneID, seconds int) error {
	p, ok := t.person(person)
	switch {
	case !ok:
		return nod.Errorf(nod.CodeNotFound, "there is no such person", "")
	case seconds < MinWaitSeconds || seconds > MaxWaitSeconds:
		return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("a card cannot wait %d seconds", seconds), "choose from 2 to 20 minutes")
	case p.WaitSeconds == seconds:
		return nil
	case by != "" && t.often(by):
		return errOften
	}
	p.WaitSeconds = seconds
	t.people[p.ID] = p
	t.entry(log.Entry{Person: person, Kind: logPersonChange, Phone: by, Facts: map[string]string{"wait_seconds": fmt.Sprint(seconds)}}, nil)
	return nil
}

// used notes that an agent's token was used, to the minute.
func (t *Turn) used(a nod.Agent) {
	if minute := t.now - t.now%60_000; minute > a.LastUsed {
		a.LastUsed = max(minute, a.Created)
		t.agents[a.ID] = a
	}
}

func (t *Turn) logAgent(kind string, a nod.Agent, facts map[string]string) {
	t.entry(log.Entry{Person: a.Person, Kind: kind, Agent: a.ID, Facts: facts}, map[string]string{"name": a.Name})
}
