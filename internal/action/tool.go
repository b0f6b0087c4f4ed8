package action

import (
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// inputField is what a card shows of a tool's text input.
var inputField = spec.Field{Is: spec.FormText, Class: "line", MaxChars: 200, MaxItems: 10}

// tool checks the arguments of a tool that is one action, by its input_schema:
// what is missing, then what is not what it should be, then the limits.
// Arguments that the schema does not know are dropped.
func (c *checker) tool(t spec.Tool, given map[string]any) (nod.Action, string) {
	var names []string
	var required []spec.Group
	for _, in := range t.Inputs() {
		names = append(names, in.Name)
		if in.Required {
			required = append(required, spec.Group{in.Name})
		}
	}
	fields := c.present(given, names)
	if text := c.missing(t.Name, required, fields); text != "" {
		return nod.Action{}, text
	}
	for _, in := range t.Inputs() {
		if v, ok := fields[in.Name]; ok && !input(in, v) {
			return nod.Action{}, c.bad(in.Name)
		}
	}
	for _, name := range names {
		if what := c.fieldLimit(inputField, fields[name]); what != "" {
			return nod.Action{}, c.limit(name, what)
		}
	}
	return nod.Action{Tool: t.Name, Name: t.Name, Fields: fields, Summary: c.summary(given, t.Name)}, ""
}

// input checks one argument against its schema.
func input(in spec.Input, v any) bool {
	switch in.Type {
	case "string":
		s, ok := v.(string)
		return ok && (in.Enum == nil || slices.Contains(in.Enum, s))
	case "integer":
		n, ok := v.(int64)
		return ok && (in.Min == nil || *in.Min <= n) && (in.Max == nil || n <= *in.Max)
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "array":
		_, ok := each(v, filled)
		return ok
	}
	return false
}
