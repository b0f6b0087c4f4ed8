package main

import (
	"fmt"
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/spec"
)

// toolView is a tool as this agent has it: what the gateway lists, what a call
// of it needs, and what each phone says of it.
type toolView struct {
	client.Tool
	// Listed is true where the gateway offers it to this agent.
	Listed  bool           `json:"listed"`
	Private bool           `json:"private"`
	Verdict client.Verdict `json:"verdict,omitzero"`
	// Permission is what the phone's system asks its person for, once.
	Permission spec.Permission `json:"permission,omitempty"`
	Phones     []phoneView     `json:"phones,omitempty"`

	contract spec.Tool
	on, off  []string // apps of phone_action
}

// phoneView is what one phone says of a tool.
type phoneView struct {
	Phone  nod.PhoneID         `json:"phone"`
	Name   string              `json:"name"`
	State  nod.CapabilityState `json:"state,omitempty"` // empty when the phone has not said
	Reason string              `json:"reason,omitempty"`
	Picker bool                `json:"picker,omitempty"`
	// Actions is how many actions of phone_action are ready there.
	Actions int `json:"actions,omitempty"`
}

// toolViews are the tools of the contract and of the gateway's list.
func toolViews(me client.Agent, listed []client.Tool, phones []client.Phone) []toolView {
	phones = slices.DeleteFunc(slices.Clone(phones), func(ph client.Phone) bool {
		return !ph.Approved || me.Phone != "" && ph.ID != me.Phone
	})
	var views []toolView
	for _, t := range spec.Get().Tools {
		v := toolView{
			Tool:    client.Tool{Name: t.Name, Title: t.Title, Description: t.Description, Kind: t.Kind, Risk: t.Risk, InputSchema: t.InputSchema},
			Private: t.Private, Permission: t.Permission, contract: t,
		}
		if i := slices.IndexFunc(listed, func(l client.Tool) bool { return l.Name == t.Name }); i >= 0 {
			v.Listed, v.Tool = true, listed[i]
		}
		if t.Gateway {
			v.Verdict = client.Verdict{Answer: nod.Allow, Rule: nod.RuleNever}
		} else {
			v.judge(me)
			for _, ph := range phones {
				v.Phones = append(v.Phones, v.onPhone(ph))
			}
		}
		views = append(views, v)
	}
	for _, l := range listed { // a newer gateway's
		if !slices.ContainsFunc(views, func(v toolView) bool { return v.Name == l.Name }) {
			views = append(views, toolView{Tool: l, Listed: true})
		}
	}
	return views
}

// judge says what a call of the tool needs, by the rules that the gateway has.
func (v *toolView) judge(me client.Agent) {
	access := nod.Access{Switches: me.Access, Only: me.Only}
	state := access.State(v.contract.App, v.contract.Kind, v.contract.Private)
	if v.contract.App == "" { // each action has its own
		state = nod.AccessOff
		for _, a := range spec.Get().Phone.Actions {
			if access.State(a.App, nod.Act, false) == nod.AccessAsk {
				state = nod.AccessAsk
				v.on = append(v.on, a.App)
			} else {
				v.off = append(v.off, a.App)
			}
		}
		v.on, v.off = unique(v.on), unique(v.off)
	}
	verdict := policy.Decide(policy.Input{
		Access: state, Mode: me.Mode, Confirm: v.contract.Confirm,
		Kind: v.contract.Kind, Risk: v.contract.Risk, Private: v.contract.Private, Egress: v.contract.Egress,
	})
	v.Verdict = client.Verdict{Answer: verdict.Answer, Rule: verdict.Rule}
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// onPhone is what a phone says of the tool.
func (v *toolView) onPhone(ph client.Phone) phoneView {
	view := phoneView{Phone: ph.ID, Name: ph.Name}
	if v.contract.Capability != "" {
		c, ok := capability(ph, v.contract.Capability)
		switch {
		case ok:
			view.State, view.Reason, view.Picker = c.State, c.Reason, c.Picker
		case len(ph.Capabilities) > 0: // what it does not name, it does not offer
			view.State = nod.Unsupported
		}
		return view
	}
	for _, a := range spec.Get().Phone.Actions {
		c, ok := capability(ph, a.Capability)
		switch {
		case ok && c.State != nod.Unsupported:
			view.State = nod.Ready
			view.Actions++
		case ok && view.State == "":
			view.State = nod.Unsupported
		}
	}
	return view
}

func capability(ph client.Phone, id string) (nod.Capability, bool) {
	i := slices.IndexFunc(ph.Capabilities, func(c nod.Capability) bool { return c.ID == id })
	if i < 0 {
		return nod.Capability{}, false
	}
	return ph.Capabilities[i], true
}

// switchOn is where what is off is switched on.
const switchOn = "nod on the phone can switch it on, under Agents"

// needs says in a cell of a table what a call of the tool needs.
func (v *toolView) needs() string {
	switch {
	case v.contract.Name == "":
		return "as the gateway says"
	case v.contract.Gateway:
		return "nothing: nod answers it itself"
	case v.Verdict.Rule == nod.RuleAccessOff:
		return "off: " + switchOn
	case v.Verdict.Answer == nod.Deny:
		return "denied: this agent may only look"
	case v.Verdict.Answer == nod.Allow && v.Permission == spec.PermissionPicker:
		return "no card: they pick on the phone"
	case v.Verdict.Answer == nod.Allow:
		return "no card"
	case len(v.off) > len(v.on):
		return "a yes each time; only for " + strings.Join(v.on, ", ")
	case len(v.off) > 0:
		return "a yes each time; off for " + strings.Join(v.off, ", ")
	}
	return "a yes each time"
}

// phones says in a cell of a table what the phones say of the tool.
func (v *toolView) phones() string {
	if v.contract.Gateway || v.contract.Name == "" {
		return "-"
	}
	var parts []string
	for _, ph := range v.Phones {
		parts = append(parts, ph.Name+": "+v.stateWords(ph))
	}
	if len(parts) == 0 {
		return "no phone is paired"
	}
	return strings.Join(parts, "; ")
}

func (v *toolView) stateWords(ph phoneView) string {
	switch {
	case v.contract.Capability == "" && ph.State == nod.Ready:
		return fmt.Sprintf("%d of %d actions", ph.Actions, len(spec.Get().Phone.Actions))
	case ph.State == nod.Ready && ph.Picker:
		return "ready, they pick there and no card asks"
	case ph.State == nod.Ready:
		return "ready"
	case ph.State == nod.NeedsPermission && ph.Reason == "":
		return "asks its person first"
	case ph.State == nod.NeedsPermission:
		return "asks its person first: " + ph.Reason
	case ph.State == nod.Unsupported && ph.Reason != "":
		return "cannot: " + ph.Reason
	case ph.State == nod.Unsupported:
		return "cannot"
	}
	return "has not said"
}

// permission is what the phone's system asks for, in a cell of a table.
func (v *toolView) permission() string {
	switch v.Permission {
	case spec.PermissionNone:
		return "-"
	case spec.PermissionPicker:
		return "none: a picker"
	case spec.PermissionAlarm:
		return "alarms"
	}
	return string(v.Permission)
}
