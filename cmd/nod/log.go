package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nod.dev/nod/client"
)

// logCmd is "nod log".
type logCmd struct {
	Show   logShowCmd   `cmd:"" default:"withargs" help:"Print the log."`
	Verify logVerifyCmd `cmd:"" help:"Check that nothing in the log was changed."`
}

type logShowCmd struct {
	ofPerson
	Follow bool `short:"f" help:"Go on printing what happens."`
	Mine   bool `help:"Speak as an agent, from anywhere: print what is about this agent and its calls."`
	Last   int  `short:"n" help:"How many entries, counted from the end; 0 for all." default:"40"`
}

// logWait is how long one question waits for something to happen.
const logWait = 45 * time.Second

// Run prints the log, oldest first.
func (c *logShowCmd) Run(p *program) error {
	if c.Mine {
		return c.mine(p)
	}
	names, err := p.names(c.Person)
	if err != nil {
		return err
	}
	q := client.LogQuery{Person: c.Person, From: -int64(c.Last), Limit: 1000}
	if c.Last == 0 {
		q.From = 1
	}
	for {
		page, err := p.console().Log(p.ctx, q)
		if p.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := p.printEntry(e, names); err != nil {
				return err
			}
		}
		q.From = page.Next
		switch {
		case len(page.Entries) > 0:
			q.Wait = 0
		case !c.Follow:
			return nil
		default:
			q.Wait = logWait
		}
	}
}

// names maps ids to what the person calls them.
func (p *program) names(person string) (map[string]string, error) {
	agents, err := p.console().Agents(p.ctx, person)
	if err != nil {
		return nil, err
	}
	phones, err := p.console().Phones(p.ctx, person)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, a := range agents {
		names[string(a.ID)] = a.Name
	}
	for _, ph := range phones {
		names[string(ph.ID)] = ph.Name
	}
	return names, nil
}

// printEntry prints one entry: as a line of JSON, or as a line for a person.
func (p *program) printEntry(e client.Entry, names map[string]string) error {
	if p.global.JSON {
		return json.NewEncoder(p.stdout).Encode(e)
	}
	name := func(id string) string {
		if n, ok := names[id]; ok {
			return n
		}
		return id
	}
	parts := []string{fmt.Sprintf("%6d", e.Seq), e.At.Local().Format("2006-01-02 15:04:05"), fmt.Sprintf("%-16s", e.Kind)}
	for _, id := range []string{string(e.Agent), string(e.Phone)} {
		if id != "" {
			parts = append(parts, name(id))
		}
	}
	for _, fact := range []string{"action", "verdict", "outcome", "why", "rule", "name", "count"} {
		if v := e.Facts[fact]; v != "" {
			parts = append(parts, v)
		}
	}
	_, err := fmt.Fprintln(p.stdout, strings.Join(parts, "  "))
	return err
}

type logVerifyCmd struct{ ofPerson }

// Run checks the whole log.
func (c *logVerifyCmd) Run(p *program) error {
	v, err := p.console().Verify(p.ctx, c.Person)
	if err != nil {
		return err
	}
	if p.global.JSON {
		if err := p.printJSON(v); err != nil {
			return err
		}
		return exitWith(verifyExit(v))
	}
	for _, problem := range v.Problems {
		fmt.Fprintln(p.stdout, problem)
	}
	if v.OK {
		fmt.Fprintf(p.stdout, "the log is whole: %d entries, %d signatures\n", v.Entries, v.Signatures)
	}
	return exitWith(verifyExit(v))
}

func verifyExit(v client.Verified) int {
	if v.OK {
		return exitDone
	}
	return exitFailed
}
