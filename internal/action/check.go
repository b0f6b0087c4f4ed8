package action

import (
	"strconv"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Check reads the arguments of a call to tool. It returns the action, or the
// text that refuses the call; the text is empty when the call passes.
func Check(s *spec.Spec, tool string, arguments []byte) (nod.Action, string) {
	t, ok := s.Tool(tool)
	if !ok {
		return nod.Action{}, s.Text(spec.TextUnknownTool, words{"tool": plain(tool)})
	}
	given, ok := parse(arguments)
	if !ok {
		return nod.Action{}, s.Text(spec.TextBadArguments, nil)
	}
	c := checker{spec: s}
	if t.Name != spec.ToolPhoneAction {
		return c.tool(t, given)
	}
	name, _ := given["action"].(string)
	return c.phoneAction(name, given)
}

// parse reads the arguments strictly. A call without any is a call with none.
func parse(arguments []byte) (map[string]any, bool) {
	if len(arguments) == 0 {
		return map[string]any{}, true
	}
	tree, err := wire.Parse(arguments)
	if err != nil {
		return nil, false
	}
	given, ok := tree.(map[string]any)
	return given, ok
}

// words are the values of a text's placeholders.
type words = map[string]string

// checker holds what every step needs.
type checker struct {
	spec *spec.Spec
	// offered is true for what a phone was offered, where coordinates are strings already.
	offered bool
}

// phoneAction takes seed 000's three steps and nod's fourth.
func (c *checker) phoneAction(name string, given map[string]any) (nod.Action, string) {
	a, ok := c.spec.Action(name)
	if !ok {
		return nod.Action{}, c.spec.Text(spec.TextUnknownAction, words{"actions": c.actionNames()})
	}
	fields := c.present(given, a.Fields)
	if text := c.missing(a.Name, a.Required, fields); text != "" {
		return nod.Action{}, text
	}
	for _, field := range c.spec.Phone.CheckOrder {
		v, ok := fields[field]
		if !ok {
			continue
		}
		good, ok := c.form(c.spec.Phone.Fields[field], v)
		if !ok {
			return nod.Action{}, c.bad(field)
		}
		fields[field] = good
	}
	action := nod.Action{Tool: spec.ToolPhoneAction, Name: a.Name, Fields: fields, Summary: c.summary(given, a.Name)}
	if text := c.limits(action, a.Fields, c.spec.Phone.Fields); text != "" {
		return nod.Action{}, text
	}
	return action, ""
}

// present keeps the named fields that are there, trimmed: not null, not an
// empty string, not an empty list or object. False and zero are there.
func (c *checker) present(given map[string]any, names []string) nod.Fields {
	kept := nod.Fields{}
	for _, name := range names {
		switch v := c.trim(given[name]).(type) {
		case nil:
		case string:
			if v != "" {
				kept[name] = v
			}
		case []any:
			if len(v) > 0 {
				kept[name] = v
			}
		case map[string]any:
			if len(v) > 0 {
				kept[name] = v
			}
		default:
			kept[name] = v
		}
	}
	return kept
}

// trim takes the trim set off both ends of every string, however deep.
func (c *checker) trim(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimFunc(v, c.spec.Phone.Trimmed)
	case []any:
		trimmed := make([]any, len(v))
		for i := range v {
			trimmed[i] = c.trim(v[i])
		}
		return trimmed
	case map[string]any:
		trimmed := make(map[string]any, len(v))
		for key := range v {
			trimmed[key] = c.trim(v[key])
		}
		return trimmed
	}
	return v
}

// missing names every required entry of which nothing is there, in order.
func (c *checker) missing(action string, required []spec.Group, fields nod.Fields) string {
	var absent []string
	for _, group := range required {
		there := false
		for _, field := range group {
			if _, ok := fields[field]; ok {
				there = true
			}
		}
		if !there {
			absent = append(absent, strings.Join(group, " or "))
		}
	}
	if absent == nil {
		return ""
	}
	return c.spec.Text(spec.TextMissing, words{"action": action, "fields": strings.Join(absent, " and ")})
}

// bad says what a field must be.
func (c *checker) bad(field string) string {
	return c.mustBe(field, c.spec.Text("what_"+field, nil))
}

func (c *checker) mustBe(field, what string) string {
	return c.spec.Text(spec.TextBad, words{"field": field, "what": what})
}

// summary is the agent's own line; where it gave none, the action's name.
func (c *checker) summary(given map[string]any, name string) string {
	if s, ok := c.trim(given["summary"]).(string); ok && s != "" {
		return s
	}
	return name
}

func (c *checker) actionNames() string {
	names := make([]string, len(c.spec.Phone.Actions))
	for i, a := range c.spec.Phone.Actions {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

// plainMax is how much of an unknown name is repeated to the agent.
const plainMax = 60

// plain makes a name that nobody knows safe to repeat: printable ASCII, short.
func plain(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range name {
		if n++; n > plainMax {
			b.WriteString("...")
			break
		}
		if r < ' ' || r > '~' || r == '"' {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func number(n int) string { return strconv.Itoa(n) }

func integer(n int64) string { return strconv.FormatInt(n, 10) }

func joined(list []string) string { return strings.Join(list, ", ") }
