package main

import "fmt"

// peopleCmd is "nod people".
type peopleCmd struct {
	List peopleListCmd `cmd:"" default:"withargs" help:"List the people who decide."`
	Add  peopleAddCmd  `cmd:"" help:"Add somebody with phones and agents of their own."`
}

type peopleAddCmd struct {
	Name string `arg:"" help:"What they are called."`
}

// Run adds a person.
func (c *peopleAddCmd) Run(p *program) error {
	who, err := p.console().AddPerson(p.ctx, c.Name)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(who)
	}
	p.say("%s can decide now", who.Name)
	p.hint("pair a phone of theirs: nod pair --person %s", quoteArg(who.Name))
	return nil
}

type peopleListCmd struct{}

// Run lists the people.
func (c *peopleListCmd) Run(p *program) error {
	list, err := p.console().People(p.ctx)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(map[string]any{"people": list})
	}
	rows := [][]string{{"NAME", "A CARD WAITS", "NOW", "ID"}}
	for _, who := range list {
		now := "agents may ask"
		if who.Paused {
			now = "all agents paused"
		}
		rows = append(rows, []string{who.Name, fmt.Sprintf("%d s", who.WaitSeconds), now, string(who.ID)})
	}
	return p.table(rows)
}
