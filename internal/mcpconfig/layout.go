package mcpconfig

import (
	"strconv"
	"strings"
)

// layout is how objects are laid out: in lines, or, with no eol, in one.
type layout struct {
	eol    string
	indent string // of the line that the value begins in
	unit   string // of one step in
}

// in is the layout one step further in.
func (l layout) in() layout { l.indent += l.unit; return l }

// line begins a line of the layout.
func (l layout) line() string {
	if l.eol == "" {
		return ""
	}
	return l.eol + l.indent
}

// comma separates elements.
func (l layout) comma() string {
	if l.eol == "" {
		return ", "
	}
	return "," + l.line()
}

// value writes a value as JSON.
func (l layout) value(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case list:
		return l.value([]string(v))
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case []object:
		parts := make([]string, len(v))
		for i, o := range v {
			parts[i] = l.in().value(o)
		}
		return "[" + l.in().line() + strings.Join(parts, l.in().comma()) + l.line() + "]"
	case object:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = quote(f.key) + ": " + l.in().value(f.value)
		}
		return "{" + l.in().line() + strings.Join(parts, l.in().comma()) + l.line() + "}"
	}
	return "null"
}
