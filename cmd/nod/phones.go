package main

import (
	"time"

	"nod.dev/nod/client"
)

// phonesCmd is "nod phones".
type phonesCmd struct {
	List   phonesListCmd   `cmd:"" default:"withargs" help:"List the phones."`
	Rename phonesRenameCmd `cmd:"" help:"Change what a phone is called."`
	Revoke phonesRevokeCmd `cmd:"" help:"Remove a phone for good."`
}

type phonesListCmd struct{ ofPerson }

// Run lists the phones.
func (c *phonesListCmd) Run(p *program) error {
	list, err := p.console().Phones(p.ctx, c.Person)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(map[string]any{"phones": list})
	}
	if len(list) == 0 {
		p.say("no phone is paired")
		p.hint(`pair one with "nod pair%s"`, c.flag())
		return nil
	}
	rows := [][]string{{"NAME", "KIND", "NOW", "SEEN", "ID"}}
	for _, ph := range list {
		rows = append(rows, []string{ph.Name, string(ph.Host), presence(ph), ago(ph.SeenAt, time.Now()), string(ph.ID)})
	}
	return p.table(rows)
}

// presence says whether a phone can be asked, in a cell of a table.
func presence(ph client.Phone) string {
	switch {
	case !ph.Approved:
		return "waits for a yes on another phone"
	case ph.Connected:
		return "connected"
	case ph.Reach == "push":
		return "woken by push"
	case ph.Reachable:
		return "reachable"
	}
	return "not connected"
}

type phonesRenameCmd struct {
	ofPerson
	Phone string `arg:"" help:"The phone, by name or id."`
	Name  string `arg:"" help:"Its new name."`
}

// Run renames a phone.
func (c *phonesRenameCmd) Run(p *program) error {
	ph, err := p.console().RenamePhone(p.ctx, c.Person, c.Phone, c.Name)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(ph)
	}
	p.say("it is called %s now", ph.Name)
	return nil
}

type phonesRevokeCmd struct {
	ofPerson
	Phone string `arg:"" help:"The phone, by name or id."`
}

// Run revokes a phone.
func (c *phonesRevokeCmd) Run(p *program) error {
	s, err := p.console().RevokePhone(p.ctx, c.Person, c.Phone)
	if err != nil {
		return p.actsAlready(err)
	}
	return p.stopped(s, c.Phone+" is removed; nothing it signs counts any more")
}
