package gateway

import (
	"context"
	"maps"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
)

// SwitchOff takes from an agent some of what it may ask for, each like
// "maps:act", and ends what of it waits. It returns how many of its actions are
// being carried out at this moment. It is the console's: only a phone widens.
func (t *Turn) SwitchOff(person nod.PersonID, word string, apps []string) (nod.Agent, int, error) {
	a, err := t.findAgent(person, word)
	if err != nil {
		return nod.Agent{}, 0, err
	}
	if len(apps) == 0 {
		return nod.Agent{}, 0, nod.Errorf(nod.CodeInvalid, "no app is named to be switched off", "write it like maps:act or calendar:read")
	}
	if _, err := ParseAccess(apps, t.core.spec.Apps); err != nil {
		return nod.Agent{}, 0, err
	}
	inFlight := t.switchOff(a, apps)
	a, _ = t.agent(a.ID)
	return a, inFlight, nil
}

func (t *Turn) switchOff(a nod.Agent, apps []string) int {
	a.Access = switched(a.Access, apps, nod.AccessOff)
	t.agents[a.ID] = a
	t.narrow(func() {
		a := t.core.agents[a.ID]
		a.Access = switched(a.Access, apps, nod.AccessOff)
		t.core.agents[a.ID] = a
	}, func(t *Turn) {
		if a, ok := t.agent(a.ID); ok {
			t.switchOff(a, apps)
		}
	})
	t.logAgent(logAgentChanged, a, map[string]string{"off": strings.Join(apps, ",")})
	return t.stopCalls(func(c nod.Call) bool {
		return c.Agent == a.ID && a.Access.Switches[c.App+":"+string(c.Kind)] == nod.AccessOff
	}, call.Event{Kind: call.SwitchOff, Why: nod.WhyAccessOff})
}

// switched is access with apps switched on or off.
func switched(access nod.Access, apps []string, to nod.AccessState) nod.Access {
	switches := maps.Clone(access.Switches)
	if switches == nil {
		switches = map[string]nod.AccessState{}
	}
	for _, app := range apps {
		switches[app] = to
	}
	access.Switches = switches
	return access
}

// SwitchOff takes from an agent some of what it may ask for, each like
// "maps:act", ends what of it waits, and counts its actions that are being
// carried out at this moment.
func (g *Gateway) SwitchOff(ctx context.Context, person nod.PersonID, word string, apps []string) (a nod.Agent, inFlight int, err error) {
	err = g.turn(ctx, func(t *Turn) (err error) { a, inFlight, err = t.SwitchOff(person, word, apps); return err })
	return a, inFlight, err
}
