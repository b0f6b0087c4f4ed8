package spec

import (
	"encoding/json"
	"maps"
	"slices"
)

// field checks that a field has what its form needs and nothing else.
func (v *validator) field(file, where string, f Field) {
	wrong := func(format string, args ...any) { v.add(file, where, format, args...) }
	switch f.Is {
	case FormTime, FormDate, FormBoolean, FormMoment:
	case FormInteger:
		if f.Min > f.Max {
			wrong("its min is above its max")
		}
	case FormEnum, FormDays, FormWeekdays:
		if len(v.Phone.Words(f)) == 0 {
			wrong("there is no enum %q", f.Enum)
		}
		for _, word := range twice(v.Phone.Words(f)) {
			wrong("its enum has %s twice", word)
		}
	case FormText, FormTexts, FormNumber, FormPlace, FormPlaces, FormURL, FormValues:
		if _, ok := v.Phone.Classes[f.Class]; !ok || f.MaxChars <= 0 {
			wrong("it needs a class and max_chars, so that a card can show it")
		}
	default:
		wrong("there is no form %q", f.Is)
	}
	lists := []Form{FormDays, FormWeekdays, FormTexts, FormPlaces, FormValues}
	if slices.Contains(lists, f.Is) != (f.MaxItems > 0) {
		wrong("a list needs max_items, and nothing else has it")
	}
	if (f.Is == FormValues) != (f.MaxKeyChars > 0) {
		wrong("values need max_key_chars, and nothing else has it")
	}
}

// toolFields checks what a tool reads, as field does, and what it requires.
func (v *validator) toolFields(t Tool) {
	wrong := func(format string, args ...any) { v.add("tools.json", t.Name, format, args...) }
	if t.Name == ToolPhoneAction {
		if t.Fields != nil || t.Required != nil {
			wrong("its fields are those of its actions")
		}
		return
	}
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
		if f.Name == "summary" {
			wrong("summary is the agent's own line of every tool, and no field")
		}
		v.field("tools.json", t.Name+"."+f.Name, f.Field)
		v.needAgent("form_"+string(f.Is), t.Name+"."+f.Name)
		if f.Default.Is && !v.couldBe(f) {
			wrong("the default of %s is not what the check would take", f.Name)
		}
	}
	for _, name := range twice(names) {
		wrong("it reads %s twice", name)
	}
	for _, group := range t.Required {
		if len(group) == 0 {
			wrong("a required group is empty")
		}
		for _, name := range group {
			if f, ok := t.Field(name); !ok {
				wrong("it requires %s and does not read it", name)
			} else if f.Default.Is {
				wrong("it requires %s, which has a default", name)
			}
		}
	}
}

// couldBe reports whether a default is one of the values that a call may give.
func (v *validator) couldBe(f ToolField) bool {
	if f.Default.Word != "" {
		return f.Is == FormEnum && slices.Contains(v.Phone.Words(f.Field), f.Default.Word)
	}
	return f.Is == FormInteger && f.Min <= f.Default.Int && f.Default.Int <= f.Max
}

// flatSchema is an input_schema, one level deep.
type flatSchema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

// property is one argument as an input_schema describes it.
type property struct {
	schema
	Items schema `json:"items"`
}

// phoneSchema checks that what phone_action tells a model and what the check
// does are the same: actions, fields, words and numbers.
func (v *validator) phoneSchema(t Tool) {
	wrong := func(format string, args ...any) { v.add("tools.json", t.Name, format, args...) }
	var top flatSchema
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
		v.agrees(t, name, f, p)
	}
	for _, name := range slices.Sorted(maps.Keys(v.Phone.Fields)) {
		if _, ok := top.Properties[name]; !ok {
			wrong("%s is not in the schema", name)
		}
	}
}

// toolSchema checks that what a tool tells a model and what the check does are
// the same: fields, what is required, words, numbers, limits and defaults.
func (v *validator) toolSchema(t Tool) {
	wrong := func(format string, args ...any) { v.add("tools.json", t.Name, format, args...) }
	var top flatSchema
	if json.Unmarshal(t.InputSchema, &top) != nil {
		return // schemaNode has said so
	}
	var required []string
	for _, group := range t.Required {
		if len(group) == 1 { // the flat schema cannot tell of one among several
			required = append(required, group[0])
		}
	}
	if !slices.Equal(required, top.Required) {
		wrong("the schema requires %q and the check %q", top.Required, required)
	}
	for _, name := range slices.Sorted(maps.Keys(top.Properties)) {
		f, ok := t.Field(name)
		if !ok {
			wrong("%s is in the schema, and the tool does not read it", name)
			continue
		}
		p := top.Properties[name]
		v.agrees(t, name, f.Field, p)
		v.atMost(t.Name+"."+name, p.Description, f.Field)
		v.saysDefault(t.Name+"."+name, p.Description, f.Default)
	}
	for _, f := range t.Fields {
		if _, ok := top.Properties[f.Name]; !ok {
			wrong("%s is not in the schema", f.Name)
		}
	}
}

// agrees checks one argument: its type, its words and its range.
func (v *validator) agrees(t Tool, name string, f Field, p property) {
	wrong := func(format string, args ...any) { v.add("tools.json", t.Name, format, args...) }
	words := p.Enum
	if f.Is == FormDays || f.Is == FormWeekdays {
		words = p.Items.Enum
	}
	if !slices.Equal(words, v.Phone.Words(f)) {
		wrong("the schema's words for %s are not those of the check", name)
	}
	if want := schemaTypes[f.Is]; p.Type != want {
		wrong("%s is %q in the schema and %q in the check", name, p.Type, want)
	}
	if f.Is == FormInteger && (p.Minimum == nil || p.Maximum == nil || *p.Minimum != f.Min || *p.Maximum != f.Max) {
		wrong("the schema's range of %s is not that of the check", name)
	}
}

// schemaTypes says how a form is written in a schema.
var schemaTypes = map[Form]string{
	FormText: "string", FormTime: "string", FormDate: "string", FormMoment: "string", FormNumber: "string", FormURL: "string", FormEnum: "string",
	FormInteger: "integer", FormBoolean: "boolean",
	FormDays: "array", FormWeekdays: "array", FormTexts: "array", FormPlaces: "array",
	FormPlace: "object", FormValues: "object",
}
