package main

import "fmt"

// peopleCmd is "nod people".
type peopleCmd struct {
	List peopleListCmd `cmd:"" default:"withargs" help:"List the people who decide."`
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
