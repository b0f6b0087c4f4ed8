package action

import (
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// Risk is how much harm a wrong Confirm to this action could do: the action's
// own risk from the contract, and high for a number that is a command to the
// network. What the contract does not know is high.
func Risk(s *spec.Spec, a nod.Action) nod.Risk {
	if serviceCode(a) {
		return nod.High
	}
	if a.Tool == spec.ToolPhoneAction {
		if known, ok := s.Action(a.Name); ok {
			return known.Risk
		}
		return nod.High
	}
	if t, ok := s.Tool(a.Tool); ok {
		return t.Risk
	}
	return nod.High
}

// rank orders the risks; a word that is none of them is the smallest.
func rank(r nod.Risk) int {
	return slices.Index([]nod.Risk{nod.Low, nod.Medium, nod.High}, r)
}

// Badges returns the warnings that follow from the action itself. Those that
// follow from what happened before, taint and repeat, are the gateway's.
func Badges(_ *spec.Spec, a nod.Action) []nod.Badge {
	var badges []nod.Badge
	if serviceCode(a) {
		badges = append(badges, nod.BadgeServiceCode)
	}
	if looksAlike(a) {
		badges = append(badges, nod.BadgeLookAlike)
	}
	return badges
}

// serviceCode reports whether a number is, or carries, a code for the network:
// *#06# shows a number, **21*...# forwards every call.
func serviceCode(a nod.Action) bool {
	n, _ := a.Fields[spec.FieldNumber].(string)
	return a.Name == spec.ActionDial && strings.ContainsAny(n, "*#")
}
