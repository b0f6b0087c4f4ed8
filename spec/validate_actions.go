package spec

import (
	"encoding/json"
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
		v.field(name, p.Fields[name])
		v.needAgent("what_"+name, name)
	}
}

// field checks that a field has what its form needs and nothing else.
func (v *validator) field(name string, f Field) {
	wrong := func(format string, args ...any) { v.add("actions.json", name, format, args...) }
	switch f.Is {
	case FormTime, FormDate:
	case FormBoolean:
		v.needPerson("card."+name+".true", name)
		v.needPerson("card."+name+".false", name)
	case FormInteger:
		if f.Min > f.Max {
			wrong("its min is above its max")
		}
	case FormEnum, FormDays:
		if len(v.Phone.Enums[f.Enum]) == 0 {
			wrong("there is no enum %q", f.Enum)
		}
		for _, word := range twice(v.Phone.Enums[f.Enum]) {
			wrong("its enum has %s twice", word)
		}
		if f.Is == FormEnum {
			for _, word := range v.Phone.Enums[f.Enum] {
				v.needPerson("card."+f.Enum+"."+word, name)
			}
		}
	case FormText, FormTexts, FormNumber, FormPlace, FormPlaces, FormURL, FormValues:
		if _, ok := v.Phone.Classes[f.Class]; !ok || f.MaxChars <= 0 {
			wrong("it needs a class and max_chars, so that a card can show it")
		}
	default:
		wrong("there is no form %q", f.Is)
	}
	lists := []Form{FormDays, FormTexts, FormPlaces, FormValues}
	if slices.Contains(lists, f.Is) != (f.MaxItems > 0) {
		wrong("a list needs max_items, and nothing else has it")
	}
	if (f.Is == FormValues) != (f.MaxKeyChars > 0) {
		wrong("values need max_key_chars, and nothing else has it")
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

// phoneSchema checks that what phone_action tells a model and what the check
// does are the same: actions, fields, words and numbers.
func (v *validator) phoneSchema(t Tool) {
	wrong := func(format string, args ...any) { v.add("tools.json", t.Name, format, args...) }
	var top struct {
		Properties map[string]struct {
			schema
			Items schema `json:"items"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.InputSchema, &top) != nil {
		return // schemaNode has said so
	}
	var names []string
	for _, a := range v.Phone.Actions {
		names = append(names, a.Name)
	}
	descriptions := map[string]string{}
	for name, p := range top.Properties {
		descriptions[name] = p.Description
	}
	v.words(descriptions)
	if !slices.Equal(top.Properties["action"].Enum, names) {
		wrong("the enum of action is not the list of actions, in order")
	}
	for name, p := range top.Properties {
		f, ok := v.Phone.Fields[name]
		if !ok {
			if name != "action" && name != "summary" {
				wrong("%s is in the schema and no action reads it", name)
			}
			continue
		}
		words := p.Enum
		if f.Is == FormDays {
			words = p.Items.Enum
		}
		if !slices.Equal(words, v.Phone.Enums[f.Enum]) {
			wrong("the schema's words for %s are not those of the check", name)
		}
		if want := schemaTypes[f.Is]; p.Type != want {
			wrong("%s is %q in the schema and %q in the check", name, p.Type, want)
		}
		if f.Is == FormInteger && (p.Minimum == nil || p.Maximum == nil || *p.Minimum != f.Min || *p.Maximum != f.Max) {
			wrong("the schema's range of %s is not that of the check", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Phone.Fields)) {
		if _, ok := top.Properties[name]; !ok {
			wrong("%s is not in the schema", name)
		}
	}
}

// schemaTypes says how a form is written in a schema.
var schemaTypes = map[Form]string{
	FormText: "string", FormTime: "string", FormDate: "string", FormNumber: "string", FormURL: "string", FormEnum: "string",
	FormInteger: "integer", FormBoolean: "boolean", FormDays: "array", FormTexts: "array", FormPlaces: "array",
	FormPlace: "object", FormValues: "object",
}
