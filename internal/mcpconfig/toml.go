package mcpconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlText is TOML. nod's entry is a table with a header of its own; one that is
// written in another way is the person's to change.
type tomlText struct{}

func (t tomlText) whole(c Client, entry object) (string, error) { return t.table(c, entry, "\n"), nil }

func (tomlText) parse(doc string) (map[string]any, error) {
	tree := map[string]any{}
	if err := toml.Unmarshal([]byte(doc), &tree); err != nil {
		return nil, fmt.Errorf("it is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return tree, nil
}

// table writes the entry as a table.
func (tomlText) table(c Client, entry object, eol string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]%s", strings.Join(append(slices.Clone(c.path), Name), "."), eol)
	for _, f := range entry {
		fmt.Fprintf(&b, "%s = %s%s", f.key, tomlValue(f.value), eol)
	}
	return b.String()
}

// tomlValue writes a value: but for an object, as JSON does in one line.
func tomlValue(v any) string {
	o, ok := v.(object)
	if !ok {
		return layout{}.value(v)
	}
	parts := make([]string, len(o))
	for i, f := range o {
		parts[i] = quote(f.key) + " = " + tomlValue(f.value)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// expression is a line of the file: a table's header, or a key with its value,
// which may go on over more lines.
type expression struct {
	header   bool
	keys     []string
	from, to int // of a value: key and value; of a header: its line
	value    int // where the value begins
}

// expressions lists all of the file.
func expressions(doc string) ([]expression, error) {
	var found []expression
	var p unstable.Parser
	p.Reset([]byte(doc))
	for p.NextExpression() {
		n := p.Expression()
		var e expression
		end := 0
		for it := n.Key(); it.Next(); {
			k := it.Node()
			if len(e.keys) == 0 {
				e.from = int(k.Raw.Offset)
			}
			e.keys = append(e.keys, string(k.Data))
			end = int(k.Raw.Offset + k.Raw.Length)
		}
		if n.Kind == unstable.KeyValue {
			e.to = int(n.Raw.Offset + n.Raw.Length)
			e.value = end + strings.IndexByte(doc[end:], '=') + 1
			e.value += len(doc[e.value:]) - len(strings.TrimLeft(doc[e.value:], " \t"))
		} else {
			e.header = true
			e.from, e.to = lineStart(doc, e.from), lineEnd(doc, end)
		}
		found = append(found, e)
	}
	return found, p.Error()
}

// lineStart is where the line of a place begins.
func lineStart(doc string, at int) int { return strings.LastIndexByte(doc[:at], '\n') + 1 }

// lineEnd is where the next line begins.
func lineEnd(doc string, at int) int {
	if i := strings.IndexByte(doc[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(doc)
}

func (t tomlText) merge(doc string, c Client, entry object, gone []string) (string, error) {
	all, err := expressions(doc)
	if err != nil {
		return "", err
	}
	tree, err := t.parse(doc)
	if err != nil {
		return "", err
	}
	path := append(slices.Clone(c.path), Name)
	at := slices.IndexFunc(all, func(e expression) bool { return e.header && slices.Equal(e.keys, path) })
	eol := newline(doc)
	if at < 0 {
		if c.entryOf(tree) != nil {
			return "", byHand("nod is in it already, in a form that nod does not change")
		}
		for !strings.HasSuffix(doc, eol+eol) {
			doc += eol
		}
		return doc + t.table(c, entry, eol), nil
	}
	body := all[at+1:]
	if i := slices.IndexFunc(body, func(e expression) bool { return e.header }); i >= 0 {
		body = body[:i]
	}
	return t.change(doc, all[at], body, c.entryOf(tree), entry, gone)
}

// change makes the table at head say what is wanted.
func (tomlText) change(doc string, head expression, body []expression, have map[string]any, entry object, gone []string) (string, error) {
	byKey := map[string]expression{}
	end := head.to
	for _, e := range body {
		if len(e.keys) == 1 {
			byKey[e.keys[0]] = e
		}
		end = lineEnd(doc, e.to)
	}
	eol := newline(doc)
	var splices []splice
	added := ""
	for _, f := range entry {
		value, there := have[f.key]
		e, plain := byKey[f.key]
		_, isObject := f.value.(object)
		switch {
		case !there:
			added += f.key + " = " + tomlValue(f.value) + eol
		case f.keep || satisfied(value, f.value):
		case !plain || isObject:
			return "", byHand("%s is in nod's entry already, in a form that nod does not change", f.key)
		default:
			want := f.value
			if need, ok := want.(list); ok {
				want = union(value, need)
			}
			splices = append(splices, splice{e.value, e.to, tomlValue(want)})
		}
	}
	if added != "" && end == len(doc) && !strings.HasSuffix(doc, "\n") {
		added = eol + added
	}
	for _, key := range slices.Sorted(maps.Keys(have)) {
		if !slices.Contains(gone, key) {
			continue
		}
		e, plain := byKey[key]
		if !plain {
			return "", byHand("%s is in nod's entry, in a form that nod does not change", key)
		}
		splices = append(splices, splice{lineStart(doc, e.from), lineEnd(doc, e.to), ""})
	}
	return apply(doc, append(splices, splice{end, end, added})), nil
}
