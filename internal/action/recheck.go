package action

import (
	"reflect"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Recheck is what a phone does with an offer before it draws anything: is this
// exactly what the check could have made of a call? The fields are put through
// the same steps, and what comes out must be what went in, so an unknown field,
// a string that is not trimmed or a coordinate that is written otherwise is
// refused. So is an offer that plays down what it asks for: a smaller risk, a
// missing warning, or no question where the tool always asks.
func Recheck(s *spec.Spec, offer wire.OfferBody) error {
	t, ok := s.Tool(offer.Tool)
	if !ok || t.Name != offer.Tool || t.Gateway {
		return refuse("it names no tool that a phone carries out")
	}
	given := make(map[string]any, len(offer.Fields)+1)
	for name, v := range offer.Fields {
		given[name] = v
	}
	given["summary"] = offer.Summary
	c := checker{spec: s, offered: true}
	var made nod.Action
	var text string
	if t.Name == spec.ToolPhoneAction {
		made, text = c.phoneAction(offer.Action, given)
	} else {
		made, text = c.tool(t, given)
	}
	switch {
	case text != "":
		return refuse(text)
	case made.Name != offer.Action || made.Summary != offer.Summary || !sameFields(made.Fields, offer.Fields):
		return refuse("it is not written as the check writes it")
	case rank(offer.Risk) < rank(Risk(s, made)):
		return refuse("it plays down the risk")
	case t.Confirm == nod.ConfirmAlways && offer.Verdict != nod.Ask:
		return refuse("this tool always asks")
	case offer.Verdict != nod.Ask && offer.Verdict != nod.Allow:
		return refuse("it is neither asked nor allowed")
	}
	for _, b := range Badges(s, made) {
		if !slices.Contains(offer.Badges, b) {
			return refuse("it leaves out a warning: " + string(b))
		}
	}
	return nil
}

func refuse(why string) error {
	return nod.Errorf(nod.CodeInvalid, "This offer cannot be shown: "+why,
		"The gateway and this phone may be of different versions; bring both up to date.")
}

// sameFields compares values as they are: the same type, the same content.
func sameFields(a, b nod.Fields) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}
