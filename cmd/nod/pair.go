package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"nod.dev/nod/client"
)

// pairCmd is "nod pair".
type pairCmd struct {
	ofPerson
	Recover bool `help:"For a lost phone: needs no yes on another one, pauses every agent, and tells the other phones."`
	NoWait  bool `name:"no-wait" help:"Print the link and end."`
}

// Run makes an invitation, shows it, and says which phone took it.
func (c *pairCmd) Run(p *program) error {
	pairing, err := p.console().Pair(p.ctx, c.Person, c.Recover)
	if err != nil {
		return err
	}
	if err := p.showPairing(pairing); err != nil {
		return err
	}
	if c.Recover {
		p.say("whoever opens it first needs no yes from another phone; every agent is then paused, and the other phones are told")
	}
	if c.NoWait {
		return nil
	}
	return c.follow(p, pairing)
}

// showPairing prints the link, and a code to scan where a phone could use it.
func (p *program) showPairing(pairing client.Pairing) error {
	if p.global.JSON {
		return p.printJSON(pairing)
	}
	if isTerminal(p.stderr) && !onlyHere(pairing.Link) {
		if err := printQR(p.stderr, pairing.Link); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(p.stdout, pairing.Link); err != nil {
		return err
	}
	p.say("open this link on the phone; it is good once, until %s", pairing.ExpiresAt.Local().Format("15:04"))
	for _, device := range devices(onlyHere(pairing.Link)) {
		if _, err := io.WriteString(p.stderr, device.steps()); err != nil {
			return err
		}
	}
	if onlyHere(pairing.Link) {
		p.hint("only a browser on this machine can open it; a phone needs an https address: %s", phoneAddressHint(pairing.Link))
	}
	return nil
}

// device is a kind of phone, and the steps that its own screen shows as well.
type device struct {
	name string
	do   []string
}

const wakeStep = "Turn on notifications, so that nod can wake it."

// devices are the kinds that can open a link: a browser here, or phones.
func devices(here bool) []device {
	if here {
		return []device{{"A browser on this computer", []string{"Open the link, give the computer a name, click Pair.", wakeStep}}}
	}
	return []device{
		{"Android", []string{"Open the link there, give the phone a name, tap Pair.", "Put nod on the home screen.", wakeStep}},
		{"iPhone, iPad", []string{
			"Open the link there and copy the code. Put nod on the Home Screen: Share, Add to Home Screen.",
			"Open nod from the Home Screen, paste the code, tap Pair.", wakeStep,
		}},
	}
}

func (d device) steps() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  %s\n", d.name)
	for i, step := range d.do {
		fmt.Fprintf(&b, "  %d of %d  %s\n", i+1, len(d.do), step)
	}
	return b.String()
}

// phoneAddressHint says how a real phone reaches a gateway that listens here.
func phoneAddressHint(link string) string {
	port := "7333"
	if u, err := url.Parse(link); err == nil && u.Port() != "" {
		port = u.Port()
	}
	return fmt.Sprintf(`run "tailscale serve %s" or a reverse proxy, then "nod serve --public-url https://..."`, port)
}

// onlyHere reports whether a link leads to the machine it is opened on.
func onlyHere(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1")
}

// follow waits until a phone has used the link, and says which.
func (c *pairCmd) follow(p *program, pairing client.Pairing) error {
	known := "open"
	for {
		s, err := p.console().Pairing(p.ctx, pairing.ID, known, 45*time.Second)
		if p.ctx.Err() != nil {
			until := pairing.ExpiresAt.Local().Format("15:04")
			if known == "waiting" {
				p.say("the phone still waits; it can be approved until %s", until)
			} else {
				p.say("the link stays good until %s", until)
			}
			return context.Canceled
		}
		if err != nil {
			return err
		}
		if s.State == known {
			continue
		}
		known = s.State
		switch s.State {
		case "approved":
			return p.paired(s)
		case "rejected":
			p.say("somebody said no to it on another phone")
			return exitWith(exitFailed)
		case "expired":
			p.say("nobody used the link in time")
			return exitWith(exitFailed)
		case "waiting":
			p.say("%s waits; open nod on a phone that is paired, compare the six digits, and approve it there", nameOf(s.Phone))
		}
	}
}

// paired names the phone, and the line that takes it back.
func (p *program) paired(s client.PairingState) error {
	if p.global.JSON {
		return p.printJSON(s)
	}
	p.say("%s is paired", nameOf(s.Phone))
	if s.Phone != nil {
		p.hint("if that is not yours: nod phones revoke %s", s.Phone.ID)
	}
	return nil
}

func nameOf(phone *client.Phone) string {
	if phone == nil {
		return "a phone"
	}
	return phone.Name
}
