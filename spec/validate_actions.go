package spec

import (
	"maps"
	"slices"
)

// capabilities checks the capabilities, and that each is for something.
func (v *validator) capabilities() {
	used := map[string]bool{}
	for _, t := range v.Tools {
		used[t.Capability] = true
	}
	for _, a := range v.Phone.Actions {
		used[a.Capability] = true
	}
	var ids []string
	for _, c := range v.Capabilities {
		ids = append(ids, c.ID)
		if !capabilityID.MatchString(c.ID) {
			v.add("capabilities.json", c.ID, "an id is an app and a verb: clock.alarm")
		}
		if !isRisk(c.Risk) {
			v.add("capabilities.json", c.ID, "risk %q is none of low, medium, high", c.Risk)
		}
		if c.Description == "" {
			v.add("capabilities.json", c.ID, "it is not described")
		}
		if !used[c.ID] {
			v.add("capabilities.json", c.ID, "no tool and no action needs it")
		}
	}
	for _, id := range twice(ids) {
		v.add("capabilities.json", id, "it is there twice")
	}
}

// actions checks every action by itself and their names together.
func (v *validator) actions() {
	p := &v.Phone
	var names, capabilities []string
	for _, a := range p.Actions {
		names = append(names, a.Name)
		capabilities = append(capabilities, a.Capability)
		v.action(a)
	}
	for _, name := range twice(names) {
		v.add("actions.json", name, "it is there twice")
	}
	for _, id := range twice(capabilities) {
		v.add("actions.json", id, "two actions need the same capability, so a phone could not say which it can do")
	}
	if p.Capability == "" || p.WaitSeconds <= 0 || p.MessageMaxChars <= 0 || p.SummaryShown <= 0 {
		v.add("actions.json", "", "it needs a capability, wait_seconds, message_max_chars and summary_shown_chars")
	}
	if l := p.Limits; l.TotalBytes <= 0 || l.MarksInARow <= 0 || l.PlaceDigits <= 0 {
		v.add("actions.json", "limits", "each must be at least 1")
	}
}

func (v *validator) action(a Action) {
	wrong := func(format string, args ...any) { v.add("actions.json", a.Name, format, args...) }
	if !toolName.MatchString(a.Name) {
		wrong("it is no name: small letters, digits and _, at most 30")
	}
	if !slices.Contains(v.Apps, a.App) {
		wrong("app %q is not one of the apps", a.App)
	}
	if !isRisk(a.Risk) {
		wrong("risk %q is none of low, medium, high", a.Risk)
	}
	v.capabilityOf("actions.json", a.Name, a.Capability, a.Risk)
	for _, field := range twice(a.Fields) {
		wrong("it reads %s twice", field)
	}
	for _, field := range a.Fields {
		if _, ok := v.Phone.Fields[field]; !ok {
			wrong("it reads %s, which fields does not describe", field)
		}
		v.needPerson("card.field."+field, a.Name)
	}
	for _, group := range a.Required {
		if len(group) == 0 {
			wrong("a required group is empty")
		}
		for _, field := range group {
			if !a.Reads(field) {
				wrong("it requires %s and does not read it", field)
			}
		}
	}
	if a.Title != "card.title."+a.Name {
		wrong("its title must be card.title.%s", a.Name)
	}
	v.needPerson(a.Title, a.Name)
	v.needPerson("card.hint."+a.Name, a.Name)
	v.needAgent("left_"+a.Name, a.Name)
	v.needAgent("app_"+a.App, a.Name)
}

// fields checks the fields, the order in which they are checked, and that each
// of their words has a sentence.
func (v *validator) fields() {
	p := &v.Phone
	for _, field := range twice(p.CheckOrder) {
		v.add("actions.json", "check", "%s is there twice", field)
	}
	for _, field := range p.CheckOrder {
		if _, ok := p.Fields[field]; !ok {
			v.add("actions.json", "check", "%s is not one of the fields", field)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
		if !slices.Contains(p.CheckOrder, name) {
			v.add("actions.json", name, "it is never checked")
		}
		if !slices.ContainsFunc(p.Actions, func(a Action) bool { return a.Reads(name) }) {
			v.add("actions.json", name, "no action reads it")
		}
		f := p.Fields[name]
		v.field("actions.json", name, f)
		v.needAgent("what_"+name, name)
		switch f.Is {
		case FormBoolean:
			v.needPerson("card."+name+".true", name)
			v.needPerson("card."+name+".false", name)
		case FormEnum:
			for _, word := range p.Words(f) {
				v.needPerson("card."+f.Enum+"."+word, name)
			}
		case FormMoment, FormWeekdays:
			v.add("actions.json", name, "only tools have the form %s", f.Is)
		}
	}
}

// classes checks the character classes and the trim set.
func (v *validator) classes() {
	for _, name := range slices.Sorted(maps.Keys(v.Phone.Classes)) {
		seen := map[string]bool{}
		for at := name; at != ""; at = v.Phone.Classes[at].Also {
			if _, ok := v.Phone.Classes[at]; !ok || seen[at] {
				v.add("actions.json", "classes", "%s leads to %q, which is missing or goes in a circle", name, at)
				break
			}
			seen[at] = true
		}
	}
	if !v.Phone.Trimmed(' ') || !v.Phone.Trimmed('\n') {
		v.add("actions.json", "trim", "it must hold the space and the line feed")
	}
}
