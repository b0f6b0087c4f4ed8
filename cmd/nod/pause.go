package main

import (
	"fmt"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// pauseCmd is "nod pause".
type pauseCmd struct {
	ofPerson
	Agent string `arg:"" optional:"" help:"Only this agent, by name or id."`
}

// Run stops every agent, or one.
func (c *pauseCmd) Run(p *program) error {
	if c.Agent != "" {
		return (&agentsPauseCmd{ofPerson: c.ofPerson, Agent: c.Agent}).Run(p)
	}
	s, err := p.console().PauseAll(p.ctx, c.Person)
	if err != nil {
		return p.actsAlready(err)
	}
	return p.stopped(s, "all agents are paused; they are resumed on the phone")
}

// resumeCmd is "nod resume".
type resumeCmd struct {
	ofPerson
	Agent string `arg:"" optional:"" help:"The agent that is meant, by name or id; which ones go on is chosen on the phone."`
}

// Run asks on the phone to let agents go on.
func (c *resumeCmd) Run(p *program) error { return p.askToResume(c.Person, c.Agent) }

// askToResume sends the question to the phones: nothing at the console may
// widen what can happen. Which agents go on is chosen there.
func (p *program) askToResume(person, agent string) error {
	if agent != "" {
		agents, err := p.console().Agents(p.ctx, person)
		if err != nil {
			return err
		}
		if !contains(agents, named(agent)) {
			return nod.Errorf(nod.CodeNotFound, fmt.Sprintf("there is no agent %q", agent), `list them with "nod agents"`)
		}
	}
	r, err := p.console().Resume(p.ctx, person)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(r)
	}
	if len(r.Asked) == 0 {
		p.say("agents are resumed on a phone, and none is connected")
		p.hint("open nod on the phone: %s", r.Page)
		return nil
	}
	p.say("asked on %s; nothing is resumed until somebody says yes there", strings.Join(r.Asked, ", "))
	return nil
}

// revokeCmd is "nod revoke": an agent or a phone, whichever has that name.
type revokeCmd struct {
	ofPerson
	Name string `arg:"" help:"An agent or a phone, by name or id."`
	Wait bool   `help:"For an agent: return once what was let go before has ended."`
}

// Run revokes what has the name. A name that both have is not guessed at.
func (c *revokeCmd) Run(p *program) error {
	agents, err := p.console().Agents(p.ctx, c.Person)
	if err != nil {
		return err
	}
	phones, err := p.console().Phones(p.ctx, c.Person)
	if err != nil {
		return err
	}
	agent := contains(agents, named(c.Name))
	phone := contains(phones, func(ph client.Phone) bool { return string(ph.ID) == c.Name || strings.EqualFold(ph.Name, c.Name) })
	switch {
	case agent && phone:
		return nod.Errorf(nod.CodeConflict, "an agent and a phone are both called "+c.Name,
			`say which: "nod agents revoke" or "nod phones revoke"`)
	case agent:
		return (&agentsRevokeCmd{ofPerson: c.ofPerson, Agent: c.Name, Wait: c.Wait}).Run(p)
	case phone:
		return (&phonesRevokeCmd{ofPerson: c.ofPerson, Phone: c.Name}).Run(p)
	}
	return nod.Errorf(nod.CodeNotFound, "there is no agent and no phone called "+c.Name, `list them with "nod agents" and "nod phones"`)
}

// named finds the agent that a word means.
func named(word string) func(client.Agent) bool {
	return func(a client.Agent) bool { return string(a.ID) == word || strings.EqualFold(a.Name, word) }
}

func contains[T any](list []T, is func(T) bool) bool {
	for _, v := range list {
		if is(v) {
			return true
		}
	}
	return false
}
