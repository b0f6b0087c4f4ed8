package main

import (
	"context"
	"errors"

	"nod.dev/nod/client"
)

// mine prints the agent's own part of the log. What follows it hears of by the
// events of its calls.
func (c *logShowCmd) mine(p *program) error {
	agent, err := p.agent()
	if err != nil {
		return err
	}
	me, err := agent.Me(p.ctx)
	if err != nil {
		return err
	}
	names := map[string]string{string(me.ID): me.Name}
	phones, err := agent.Phones(p.ctx)
	if err != nil {
		return err
	}
	for _, ph := range phones {
		names[string(ph.ID)] = ph.Name
	}
	q := client.LogQuery{Limit: min(c.Last, maxMine)}
	if c.Last == 0 {
		q = client.LogQuery{From: 1, Limit: maxMine}
	}
	if q, err = p.printMine(agent, q, names); err != nil || !c.Follow {
		return err
	}
	for _, err := range agent.Events(p.ctx, "") {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err == nil {
			q, err = p.printMine(agent, q, names)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxMine is how many entries one page of an agent's log holds.
const maxMine = 100

// printMine prints what there is of an agent's log, and returns where it goes on.
func (p *program) printMine(agent *client.Client, q client.LogQuery, names map[string]string) (client.LogQuery, error) {
	for {
		page, err := agent.Log(p.ctx, q)
		if err != nil {
			return q, err
		}
		for _, e := range page.Entries {
			if err := p.printEntry(e, names); err != nil {
				return q, err
			}
		}
		if q = (client.LogQuery{From: page.Next, Limit: maxMine}); len(page.Entries) == 0 {
			return q, nil
		}
	}
}
