package main

import (
	"errors"
	"path/filepath"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
)

// phoneCmd is "nod phone".
type phoneCmd struct {
	Sim      bool   `help:"A phone in memory with a scripted person." required:""`
	Link     string `arg:"" optional:"" help:"A pairing link, the first time."`
	Folder   string `help:"Where the phone keeps its key and its journal; without it, in the data folder." type:"path" placeholder:"FOLDER"`
	Name     string `help:"What the phone is called." default:"Simulated phone"`
	Person   string `help:"What the person does with each card: confirm, decline, decline:REASON, ignore, slow:DURATION; steps with commas, one action's own as ACTION=STEP." default:"confirm"`
	System   string `help:"How the phone's system answers: PERMISSION=granted, allow, deny, ignore or slow:DURATION; background, notifications=off, tap=REACTION, locked; words with commas." placeholder:"WORDS"`
	Faults   string `help:"What breaks on cue." placeholder:"FAULTS"`
	NoScreen bool   `name:"no-screen" help:"A phone that shows no cards and acts for another screen."`
}

// Run is the phone until it is told to stop or removed.
func (c *phoneCmd) Run(p *program) error {
	script, err := sim.ParseScript(c.Person)
	if err != nil {
		return usage(err)
	}
	faults, err := sim.ParseFaults(c.Faults)
	if err != nil {
		return usage(err)
	}
	system, err := sim.ParseSystem(c.System)
	if err != nil {
		return usage(err)
	}
	if c.Folder == "" {
		c.Folder = filepath.Join(p.global.Data, "phone-sim")
	}
	identity, err := c.identity(p)
	if err != nil {
		return err
	}
	journal, err := host.OpenFile(c.Folder)
	if err != nil {
		return err
	}
	defer journal.Close()
	config := host.Config{
		Identity: identity, Driver: sim.New(sim.Config{System: system}), Journal: journal,
		Logger: p.logger("text"), Version: programVersion(),
		OnLink: func(up bool) {
			if up {
				p.say("%s is connected to %s", identity.Name, identity.Gateway)
			}
		},
	}
	if !c.NoScreen {
		person := sim.NewPerson(script)
		person.Tell = func(line string) { p.say("phone: %s", line) }
		config.UI = person
	}
	if err := sim.Run(p.ctx, config, faults); err != nil && p.ctx.Err() == nil {
		return err
	}
	return nil
}

// identity is the phone that lives in the folder, or becomes the one that the
// link invites.
func (c *phoneCmd) identity(p *program) (*host.Identity, error) {
	identity, err := host.LoadIdentity(c.Folder)
	switch {
	case err == nil && c.Link != "":
		return nil, nod.Errorf(nod.CodeConflict, "there is a phone in "+c.Folder+" already", "leave the link out to run it, or name another --folder")
	case err == nil:
		return identity, nil
	case c.Link == "" || nod.CodeOf(err) != nod.CodeNotFound:
		return nil, err
	}
	identity, err = host.Pair(p.ctx, c.Link, c.Name, nod.HostSim, c.Folder, host.WithDigits(func(digits string) {
		p.say("approve this phone on one that is paired; both show %s", digits)
	}))
	if err != nil && errors.Is(err, p.ctx.Err()) && p.ctx.Err() != nil {
		return nil, p.ctx.Err()
	}
	return identity, err
}
