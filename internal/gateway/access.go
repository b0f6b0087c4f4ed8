package gateway

import (
	"maps"
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// setAccess changes what an agent may ask for as a phone signed it: more of it, or
// less. What it may not ask for any more ends what of that waits.
func (t *Turn) setAccess(by nod.Phone, r wire.RecordBody) error {
	a, err := t.signedFor(by.Person, r.Agent)
	if err != nil {
		return err
	}
	if len(r.Switches) == 0 || len(r.Switches) > 2*len(t.core.spec.Apps) {
		return nod.Errorf(nod.CodeInvalid, "an access record says what is switched on or off", "")
	}
	var on, off []string
	for _, app := range slices.Sorted(maps.Keys(r.Switches)) {
		if _, err := ParseAccess([]string{app}, t.core.spec.Apps); err != nil {
			return err
		}
		switch r.Switches[app] {
		case nod.AccessAsk:
			on = append(on, app)
		case nod.AccessOff:
			off = append(off, app)
		default:
			return nod.Errorf(nod.CodeInvalid, "a switch is "+string(nod.AccessAsk)+" or "+string(nod.AccessOff), "")
		}
	}
	if len(off) > 0 {
		t.switchOff(a, off)
		a, _ = t.agent(a.ID)
	}
	if len(on) > 0 {
		t.switchOn(a, on)
	}
	return nil
}

// switchOn lets an agent ask for apps. Only what a phone signed leads here.
func (t *Turn) switchOn(a nod.Agent, apps []string) {
	a.Access = switched(a.Access, apps, nod.AccessAsk)
	t.agents[a.ID] = a
	t.logAgent(logAgentChanged, a, map[string]string{"on": strings.Join(apps, ",")})
}

// narrows reports whether switches take something from an agent that it has.
func narrows(a nod.Access, switches map[string]nod.AccessState) bool {
	for app, state := range switches {
		if state == nod.AccessOff && a.Switches[app] != nod.AccessOff {
			return true
		}
	}
	return false
}
