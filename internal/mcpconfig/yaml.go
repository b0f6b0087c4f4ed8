package mcpconfig

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlText is YAML in its usual form, a key to a line. What is written with
// braces, or with anchors, is the person's to change.
type yamlText struct{}

func (y yamlText) whole(c Client, entry object) (string, error) {
	return y.block(c.wrap(entry), "", "\n"), nil
}

func (yamlText) parse(doc string) (map[string]any, error) {
	dec := yaml.NewDecoder(strings.NewReader(doc))
	var tree, more any
	if err := dec.Decode(&tree); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("it is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, byHand("it holds more than one YAML document")
	}
	switch tree := tree.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return tree, nil
	}
	return nil, byHand("it is YAML, and no table of settings")
}

// block writes a field in lines.
func (y yamlText) block(f field, indent, eol string) string {
	head := indent + yamlString(f.key) + ":"
	var b strings.Builder
	switch v := f.value.(type) {
	case object:
		b.WriteString(head + eol)
		for _, inner := range v {
			b.WriteString(y.block(inner, indent+"  ", eol))
		}
	case list:
		return y.block(field{key: f.key, value: []string(v)}, indent, eol)
	case []string:
		b.WriteString(head + eol)
		for _, s := range v {
			b.WriteString(indent + "  - " + yamlString(s) + eol)
		}
	default:
		b.WriteString(head + " " + yamlScalar(f.value) + eol)
	}
	return b.String()
}

var (
	plainYAML = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	wordsYAML = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)
)

func yamlString(s string) string {
	if plainYAML.MatchString(s) && !wordsYAML.MatchString(s) {
		return s
	}
	return quote(s)
}

func yamlScalar(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	}
	return yamlString(fmt.Sprint(v))
}

// lines is a text that is changed by its lines.
type lines struct {
	doc    string
	starts []int
	eol    string
	edits  []splice
}

func newLines(doc string) *lines {
	l := &lines{doc: doc, eol: newline(doc), starts: []int{0}}
	for i, c := range doc {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// at is where the line begins that has this number, from 1; the end past it.
func (l *lines) at(line int) int {
	if line > len(l.starts) {
		return len(l.doc)
	}
	return l.starts[line-1]
}

// offset is a node's place in the text. The parser counts columns in characters.
func (l *lines) offset(n *yaml.Node) int {
	at := l.at(n.Line)
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(l.doc[at:])
		at += size
	}
	return at
}

// insert puts text below a line.
func (l *lines) insert(line int, text string) {
	at := l.at(line + 1)
	if at == len(l.doc) && l.doc != "" && !strings.HasSuffix(l.doc, "\n") {
		text = l.eol + text
	}
	l.edits = append(l.edits, splice{at, at, text})
}

func (y yamlText) merge(doc string, c Client, entry object, gone []string) (string, error) {
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(doc), &file); err != nil {
		return "", err
	}
	l := newLines(doc)
	if len(file.Content) == 0 || isNothing(file.Content[0]) { // comments alone
		l.insert(len(l.starts), y.block(c.wrap(entry), "", l.eol))
		return apply(doc, l.edits), nil
	}
	at := file.Content[0]
	if !isBlock(at) {
		return "", byHand("it is written with braces")
	}
	f := c.wrap(entry)
	key, value := find(at, f.key)
	if key == nil {
		l.insert(len(l.starts), y.block(f, "", l.eol))
		return apply(doc, l.edits), nil
	}
	inner, _ := f.value.(object)
	if err := y.put(l, key, value, inner, gone, nil); err != nil {
		return "", err
	}
	return apply(doc, l.edits), nil
}

// put makes the mapping below key say what is wanted. Of the entry's own keys,
// wherever it comes, those in gone are taken out; here, those in out.
func (y yamlText) put(l *lines, key, value *yaml.Node, want object, gone, out []string) error {
	merged, _ := find(value, "<<") // what comes by it can be what the person set
	if value.Anchor != "" || value.Alias != nil || merged != nil {
		return byHand("%s in it is written with an anchor", key.Value)
	}
	indent := strings.Repeat(" ", key.Column+1)
	switch {
	case isEmptyBraces(l, value):
		at := l.offset(value)
		l.edits = append(l.edits, splice{at, at + strings.IndexByte(l.doc[at:], '}') + 1, ""})
	case isNothing(value) && value.Value == "":
	case isBlock(value) && len(value.Content) > 0:
		indent = strings.Repeat(" ", value.Content[0].Column-1)
	default:
		return byHand("%s in it is written with braces, or is no table of settings", key.Value)
	}
	for _, f := range want {
		k, v := find(value, f.key)
		if k == nil {
			l.insert(key.Line, y.block(f, indent, l.eol))
			continue
		}
		var err error
		if inner, ok := f.value.(object); ok {
			var below []string
			if f.key == Name {
				below = gone
			}
			err = y.put(l, k, v, inner, nil, below)
		} else {
			err = y.value(l, k, v, f)
		}
		if err != nil {
			return err
		}
	}
	return y.drop(l, value, out)
}

// value changes one value.
func (y yamlText) value(l *lines, key, value *yaml.Node, f field) error {
	var have any
	if err := value.Decode(&have); err != nil {
		return err
	}
	if f.keep || satisfied(have, f.value) {
		return nil
	}
	if need, ok := f.value.(list); ok && value.Kind == yaml.SequenceNode && value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0 {
		indent := strings.Repeat(" ", max(0, l.dash(value)))
		for _, n := range need {
			if !slices.Contains(union(have, nil), n) {
				l.insert(key.Line, indent+"- "+yamlString(n)+l.eol)
			}
		}
		return nil
	}
	if sequence, ok := f.value.([]string); ok && value.Kind == yaml.SequenceNode {
		return y.sequence(l, key, value, field{key: f.key, value: sequence})
	}
	from := l.offset(value)
	to, ok := l.scalarEnd(value, from)
	if !ok {
		return byHand("%s in it is written in a form that nod does not change", f.key)
	}
	l.edits = append(l.edits, splice{from, to, yamlScalar(f.value)})
	return nil
}

// dash is how far in a list's first dash is.
func (l *lines) dash(list *yaml.Node) int {
	line := l.doc[l.at(list.Content[0].Line):]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// sequence replaces a list that nod owns, the program's arguments.
func (y yamlText) sequence(l *lines, key, value *yaml.Node, f field) error {
	last := lastLine(value)
	if last < key.Line {
		return byHand("%s in it is written in a form that nod does not change", f.key)
	}
	from := l.at(key.Line)
	indent := l.doc[from:l.offset(key)]
	if strings.Trim(indent, " ") != "" {
		return byHand("%s in it is written in a form that nod does not change", f.key)
	}
	l.edits = append(l.edits, splice{from, l.at(last + 1), y.block(f, indent, l.eol)})
	return nil
}

// drop takes keys out, with the lines of their values.
func (y yamlText) drop(l *lines, mapping *yaml.Node, gone []string) error {
	for _, name := range gone {
		key, value := find(mapping, name)
		if key == nil {
			continue
		}
		from := l.at(key.Line)
		if strings.Trim(l.doc[from:l.offset(key)], " ") != "" {
			return byHand("%s in it is written in a form that nod does not change", name)
		}
		l.edits = append(l.edits, splice{from, l.at(max(key.Line, lastLine(value)) + 1), ""})
	}
	return nil
}

// lastLine is the last line in which something of the node begins.
func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// scalarEnd is where a value of one line ends.
func (l *lines) scalarEnd(n *yaml.Node, from int) (int, bool) {
	if n.Kind != yaml.ScalarNode || n.Anchor != "" {
		return 0, false
	}
	rest := l.doc[from:lineEnd(l.doc, from)]
	switch n.Style {
	case 0:
		return from + len(n.Value), n.Value != "" && strings.HasPrefix(rest, n.Value)
	case yaml.DoubleQuotedStyle:
		if m := regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`).FindString(rest); m != "" {
			return from + len(m), true
		}
	case yaml.SingleQuotedStyle:
		if m := regexp.MustCompile(`^'(?:[^']|'')*'`).FindString(rest); m != "" {
			return from + len(m), true
		}
	}
	return 0, false
}

// find returns a mapping's key and its value; nil for none.
func find(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if mapping.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

func isBlock(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0
}

func isNothing(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func isEmptyBraces(l *lines, n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 && len(n.Content) == 0 &&
		regexp.MustCompile(`^\{[ \t]*\}`).MatchString(l.doc[l.offset(n):])
}
