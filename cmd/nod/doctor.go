package main

import (
	"fmt"
	"strings"

	"nod.dev/nod/internal/doctor"
)

// doctorCmd is "nod doctor".
type doctorCmd struct {
	Quiet bool `help:"Send no test notification to the phones."`
}

// Run makes every check, and ends with 1 when one failed.
func (c *doctorCmd) Run(p *program) error {
	config := doctor.Config{
		Data: p.global.Data, Console: p.console(), URL: knownAddress(p.global.Data), Version: programVersion(), Quiet: c.Quiet,
	}
	if !p.global.JSON {
		config.Each = p.printCheck
	}
	report := doctor.Run(p.ctx, config)
	if p.global.JSON {
		if err := p.printJSON(report); err != nil {
			return err
		}
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if !report.OK {
		return exitWith(exitFailed)
	}
	return nil
}

// printCheck writes a check as soon as it is made: the last ones take a while.
func (p *program) printCheck(c doctor.Check) {
	fmt.Fprintf(p.stdout, "%-8s %-12s %s (%d ms)\n", c.Level, c.Name, c.Says, c.MS)
	width := 0
	for _, s := range c.Steps {
		width = max(width, len([]rune(s.Name)))
	}
	for _, s := range c.Steps {
		mark := " "
		if s.Failed {
			mark = "!"
		}
		line := fmt.Sprintf("         %s %-*s  %s", mark, width, s.Name, s.Says)
		if s.MS > 0 {
			line += fmt.Sprintf(" (%d ms)", s.MS)
		}
		fmt.Fprintln(p.stdout, strings.TrimRight(line, " "))
	}
	if c.Hint != "" {
		fmt.Fprintf(p.stdout, "         -> %s\n", c.Hint)
	}
}
