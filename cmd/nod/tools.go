package main

import "strings"

// toolsCmd is "nod tools".
type toolsCmd struct{}

// Run lists what the agent may ask for.
func (c *toolsCmd) Run(p *program) error {
	agent, err := p.agent()
	if err != nil {
		return err
	}
	list, err := agent.Tools(p.ctx)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(map[string]any{"tools": list})
	}
	rows := [][]string{{"TOOL", "KIND", "WHAT"}}
	for _, t := range list {
		what, _, _ := strings.Cut(t.Description, "\n")
		rows = append(rows, []string{t.Name, string(t.Kind), what})
	}
	return p.table(rows)
}
