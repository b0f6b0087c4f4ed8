package mcpconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonText is JSON, with the comments and the commas at the end that several
// clients allow.
type jsonText struct{}

func (jsonText) whole(c Client, entry object) (string, error) {
	var top object
	if x := c.extra; x != nil {
		top = append(top, field{key: x.list, value: []object{x.value}})
	}
	top = append(top, c.wrap(entry))
	return layout{eol: "\n", unit: "  "}.value(top) + "\n", nil
}

func (jsonText) parse(doc string) (map[string]any, error) {
	if depth(doc) > maxDepth {
		return nil, byHand("it is nested more than %d levels deep", maxDepth)
	}
	root, err := hujson.Parse([]byte(doc))
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	v, err := decode(root)
	if err != nil {
		return nil, err
	}
	tree, ok := v.(map[string]any)
	if !ok {
		return nil, byHand("it is JSON, and no object")
	}
	return tree, nil
}

// maxDepth bounds how deep a file is nested. The parser's stack grows with it, up
// to where the program is ended; the other formats' parsers have this same bound.
const maxDepth = 10_000

// depth is how deep a text of JSON is nested. Braces in strings and comments
// are none.
func depth(doc string) int {
	now, most := 0, 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '{', '[':
			now++
			most = max(most, now)
		case '}', ']':
			now--
		case '"':
			i = stringEnd(doc, i+1)
		case '/':
			if strings.HasPrefix(doc[i:], "//") {
				i = lineEnd(doc, i) - 1
			} else if end := strings.Index(doc[min(i+2, len(doc)):], "*/"); strings.HasPrefix(doc[i:], "/*") && end >= 0 {
				i += 2 + end + 1
			}
		}
	}
	return most
}

// stringEnd is where the string's last quote is whose text begins at from.
func stringEnd(doc string, from int) int {
	for i := from; i < len(doc); i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(doc)
}

// decode reads a value as plain JSON.
func decode(v hujson.Value) (any, error) {
	v = v.Clone()
	v.Standardize()
	dec := json.NewDecoder(bytes.NewReader(v.Pack()))
	dec.UseNumber()
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return numbers(out), nil
}

// numbers makes whole numbers int64, so that none loses a digit.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		return v
	case map[string]any:
		for k, e := range v {
			v[k] = numbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbers(e)
		}
	}
	return v
}

func (jsonText) merge(doc string, c Client, entry object, gone []string) (string, error) {
	root, err := hujson.Parse([]byte(doc))
	if err != nil {
		return "", err
	}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		return "", byHand("it is JSON, and no object")
	}
	l := layout{eol: newline(doc), unit: unitOf(top)}
	if c.extra != nil {
		if err := l.addItem(top, c.extra); err != nil {
			return "", err
		}
	}
	at := top
	for _, key := range c.path {
		m, err := member(at, key)
		if err != nil {
			return "", err
		}
		if m == nil {
			if err := l.add(at, key, object{}); err != nil {
				return "", err
			}
			m = &at.Members[len(at.Members)-1]
		}
		in := l.of(at)
		if at, ok = m.Value.Value.(*hujson.Object); !ok {
			return "", byHand("%s in it is no table of settings", key)
		}
		l = in
	}
	if err := l.set(at, object{{key: Name, value: entry}}); err != nil {
		return "", err
	}
	m, err := member(at, Name)
	if err != nil {
		return "", err
	}
	if o, ok := m.Value.Value.(*hujson.Object); ok {
		for _, key := range gone {
			drop(o, key)
		}
	}
	return string(root.Pack()), nil
}

// member finds a key; nil for none. A key that is there twice is a file that
// programs read in different ways.
func member(o *hujson.Object, key string) (*hujson.ObjectMember, error) {
	var found *hujson.ObjectMember
	for i := range o.Members {
		name, ok := o.Members[i].Name.Value.(hujson.Literal)
		if !ok || name.String() != key {
			continue
		}
		if found != nil {
			return nil, byHand("%s is in it twice", key)
		}
		found = &o.Members[i]
	}
	return found, nil
}

// set puts fields into an object, as far as they are not there.
func (l layout) set(o *hujson.Object, fields object) error {
	for _, f := range fields {
		m, err := member(o, f.key)
		if err != nil {
			return err
		}
		if m == nil {
			if err := l.add(o, f.key, f.value); err != nil {
				return err
			}
			continue
		}
		have, err := decode(m.Value)
		if err != nil {
			return err
		}
		want := f.value
		sub, isObject := want.(object)
		inner, hasObject := m.Value.Value.(*hujson.Object)
		switch {
		case isObject && hasObject:
			if err := l.of(o).set(inner, sub); err != nil {
				return err
			}
			continue
		case f.keep || satisfied(have, want):
			continue
		}
		if need, ok := want.(list); ok {
			want = union(have, need)
		}
		if m.Value.Value, err = l.of(o).parsed(want); err != nil {
			return err
		}
	}
	return nil
}

// union is what a list holds, and what it has to hold.
func union(have any, need list) []string {
	var out []string
	if l, ok := have.([]any); ok {
		for _, e := range l {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
	}
	for _, n := range need {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// parsed is a value as the file's tree holds it.
func (l layout) parsed(v any) (hujson.ValueTrimmed, error) {
	p, err := hujson.Parse([]byte(l.value(v)))
	if err != nil {
		return nil, fmt.Errorf("writing nod's entry: %w", err)
	}
	return p.Value, nil
}

// add appends a member, after any comment that stands at the object's end.
func (l layout) add(o *hujson.Object, key string, v any) error {
	in := l.of(o)
	value, err := in.parsed(v)
	if err != nil {
		return err
	}
	name := hujson.Value{BeforeExtra: before(o.AfterExtra, in, len(o.Members) > 0), Value: hujson.String(key)}
	m := hujson.ObjectMember{Name: name, Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value}}
	if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // a comma ended the last one, and ends this one
	}
	o.Members = append(o.Members, m)
	o.AfterExtra = after(o.AfterExtra, in, l)
	return nil
}

// before is what stands between the last member and a new one: the comments that
// stood after it, and a new line.
func before(end hujson.Extra, in layout, more bool) hujson.Extra {
	comments := strings.TrimRight(string(end), " \t\r\n")
	switch {
	case in.eol != "":
		return hujson.Extra(comments + in.line())
	case strings.Contains(comments, "//"):
		return hujson.Extra(comments + "\n")
	case more:
		return hujson.Extra(comments + " ")
	}
	return hujson.Extra(comments)
}

// after is what then stands before the closing brace.
func after(end hujson.Extra, in, outer layout) hujson.Extra {
	if in.eol != "" {
		return hujson.Extra(outer.line())
	}
	return end[len(strings.TrimRight(string(end), " \t\r\n")):]
}

// of is the layout of an object's members: as the first of them is written.
func (l layout) of(o *hujson.Object) layout {
	in := l.in()
	if len(o.Members) == 0 {
		return in
	}
	extra := string(o.Members[0].Name.BeforeExtra)
	i := strings.LastIndexByte(extra, '\n')
	if i < 0 {
		return layout{}
	}
	if indent := extra[i+1:]; strings.Trim(indent, " \t") == "" {
		in.indent = indent
	}
	return in
}

// unitOf is how far the file's first line is in.
func unitOf(o *hujson.Object) string {
	if unit := (layout{eol: "\n", unit: "  "}).of(o).indent; unit != "" {
		return unit
	}
	return "  "
}

// drop takes a member out; comments above it stay.
func drop(o *hujson.Object, key string) {
	for i := range o.Members {
		if name, ok := o.Members[i].Name.Value.(hujson.Literal); !ok || name.String() != key {
			continue
		}
		comment := o.Members[i].Name.BeforeExtra
		last := i == len(o.Members)-1
		hadComma := o.Members[i].Value.AfterExtra != nil
		o.Members = slices.Delete(o.Members, i, i+1)
		hasComment := strings.Contains(string(comment), "/")
		comment = hujson.Extra(strings.TrimRight(string(comment), " \t\r\n"))
		switch {
		case !last && hasComment:
			o.Members[i].Name.BeforeExtra = append(slices.Clone(comment), o.Members[i].Name.BeforeExtra...)
		case last && hasComment:
			o.AfterExtra = append(slices.Clone(comment), o.AfterExtra...)
		}
		if n := len(o.Members); last && n > 0 && !hadComma {
			rest := o.Members[n-1].Value.AfterExtra
			o.AfterExtra = append(slices.Clone(rest), o.AfterExtra...)
			o.Members[n-1].Value.AfterExtra = nil
		}
		return
	}
}

// addItem puts the item into its list, first, if it is not there.
func (l layout) addItem(top *hujson.Object, x *item) error {
	m, err := member(top, x.list)
	if err != nil {
		return err
	}
	if m == nil {
		if err := l.add(top, x.list, []string{}); err != nil {
			return err
		}
		m = &top.Members[len(top.Members)-1]
	}
	a, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return byHand("%s in it is no list", x.list)
	}
	for _, e := range a.Elements {
		if v, err := decode(e); err == nil && x.is(v) {
			return nil
		}
	}
	outer := l.of(top)
	in := outer.in()
	if outer.eol == "" {
		in = layout{}
	}
	value, err := in.parsed(x.value)
	if err != nil {
		return err
	}
	first := hujson.Value{BeforeExtra: hujson.Extra(in.line()), Value: value}
	if len(a.Elements) == 0 {
		first.BeforeExtra = before(a.AfterExtra, in, false)
		a.AfterExtra = after(a.AfterExtra, in, outer)
	}
	a.Elements = append([]hujson.ArrayElement{first}, a.Elements...)
	return nil
}
