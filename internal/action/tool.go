package action

import (
	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// tool checks the arguments of a tool that is one action, in the order of
// [checker.phoneAction]: what is missing, then what is not what it should be,
// alone and together, then the limits. Arguments that it does not read are
// dropped.
func (c *checker) tool(t spec.Tool, given map[string]any) (nod.Action, string) {
	names := make([]string, len(t.Fields))
	shown := make(map[string]spec.Field, len(t.Fields))
	for i, f := range t.Fields {
		names[i], shown[f.Name] = f.Name, f.Field
	}
	fields := c.present(given, names)
	if text := c.missing(t.Name, t.Required, fields); text != "" {
		return nod.Action{}, text
	}
	for _, f := range t.Fields {
		v, ok := fields[f.Name]
		if !ok {
			continue
		}
		good, wrong := c.toolForm(f.Field, v)
		if wrong != "" {
			return nod.Action{}, c.mustBe(f.Name, wrong)
		}
		fields[f.Name] = good
	}
	if together := togethers[t.Name]; together != nil {
		if field, key := together(fields); key != "" {
			return nod.Action{}, c.mustBe(field, c.spec.Text(key, nil))
		}
	}
	a := nod.Action{Tool: t.Name, Name: t.Name, Fields: fields, Summary: c.summary(given, t.Name)}
	if text := c.limits(a, names, shown); text != "" {
		return nod.Action{}, text
	}
	return a, ""
}

// toolForm checks one value. It returns it as the action carries it, or what it
// must be.
func (c *checker) toolForm(f spec.Field, v any) (any, string) {
	switch f.Is {
	case spec.FormMoment:
		made, key := moment(v)
		if key != "" {
			return nil, c.spec.Text(key, nil)
		}
		return made, ""
	case spec.FormWeekdays:
		if days, ok := weekdays(c.spec.Phone.Words(f), v); ok {
			return days, ""
		}
	default:
		if good, ok := c.form(f, v); ok {
			return good, ""
		}
	}
	return nil, c.spec.Text("form_"+string(f.Is), words{
		"min": integer(f.Min), "max": integer(f.Max), "words": joined(c.spec.Phone.Words(f)),
	})
}
