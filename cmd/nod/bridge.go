package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// The bridge is how a call is written on a command line: words that name a tool,
// then its arguments as NAME=VALUE (seed 001).

// toolbox holds the tools that words can name, each with its arguments.
type toolbox map[string]toolArguments

// toolArguments are a tool's arguments, as its schema declares them.
type toolArguments struct {
	Properties map[string]argumentSchema `json:"properties"`
	Required   []string                  `json:"required"`
}

// argumentSchema is the part of an argument's schema that decides how a value
// is read.
type argumentSchema struct {
	Type  any             `json:"type"` // a name; what is anything else is read as JSON or text
	Items *argumentSchema `json:"items"`
	Enum  []string        `json:"enum"`
	About string          `json:"description"`
}

// contractTools are the tools of this program's own contract.
func contractTools() toolbox {
	tools := toolbox{}
	for _, t := range spec.Get().Tools {
		for _, name := range append([]string{t.Name}, t.Aliases...) {
			tools.add(name, t.InputSchema)
		}
	}
	return tools
}

func (b toolbox) add(name string, schema json.RawMessage) {
	var a toolArguments
	if json.Unmarshal(schema, &a) == nil {
		b[name] = a
	}
}

// parse reads the words of a call. Those before the first with "=" name the
// tool: "calendar list", "calendar-list" and "calendar.list" are calendar_list.
func (b toolbox) parse(words []string) (tool string, arguments map[string]json.RawMessage, err error) {
	first := slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, "=") })
	if first < 0 {
		first = len(words)
	}
	tool, err = b.name(words[:first])
	if err != nil {
		return "", nil, err
	}
	arguments = map[string]json.RawMessage{}
	for _, w := range words[first:] {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" {
			return "", nil, b.notPair(tool, w)
		}
		key = strings.ReplaceAll(key, "-", "_")
		as, known := b[tool].Properties[key]
		switch _, twice := arguments[key]; {
		case !known:
			return "", nil, b.noArgument(tool, key)
		case twice:
			return "", nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%s is there twice", key), "a list is one value: to='[\"a\",\"b\"]'")
		case !utf8.ValidString(value):
			return "", nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the value of %s is not text in UTF-8", key), "it would arrive as another text than this")
		}
		arguments[key] = as.read(value)
	}
	return tool, arguments, nil
}

// toolName makes one name of several words.
func toolName(words []string) string {
	return strings.NewReplacer("-", "_", ".", "_").Replace(strings.Join(words, "_"))
}

// name finds the tool that words name.
func (b toolbox) name(words []string) (string, error) {
	if len(words) == 0 {
		return "", nod.Errorf(nod.CodeInvalid, "the call names no tool", `write it like "nod call alarm set hour=7 minute=30"; "nod tools" lists the tools`)
	}
	name := toolName(words)
	if _, ok := b[name]; ok {
		return name, nil
	}
	for n := len(words) - 1; n > 0; n-- { // a tool, and then an argument without its name
		if tool := toolName(words[:n]); b.has(tool) {
			return "", b.notPair(tool, words[n])
		}
	}
	return "", &unknownTool{nod.Errorf(nod.CodeInvalid, fmt.Sprintf("there is no tool %q", name),
		"there are, the nearest first: "+strings.Join(nearest(name, b), ", "))}
}

func (b toolbox) has(tool string) bool { _, ok := b[tool]; return ok }

// unknownTool says that this program knows no such tool, or no such argument of
// it. A newer gateway may.
type unknownTool struct{ said error }

// Error implements error.
func (u *unknownTool) Error() string { return u.said.Error() }

// Unwrap returns the cause.
func (u *unknownTool) Unwrap() error { return u.said }

func (b toolbox) notPair(tool, word string) error {
	hint := "a value with spaces needs quotes: message='wake up'"
	switch of := b[tool]; {
	case len(of.Properties) == 0:
		hint = tool + " takes no arguments"
	case len(of.Required) == 1:
		hint = fmt.Sprintf("write it like %s=%s", of.Required[0], quoteArg(word))
	}
	return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%q is not NAME=VALUE", word), hint)
}

// noArgument refuses a name that the tool does not read: the gateway would drop
// it, and a slip would ask for something else than was meant.
func (b toolbox) noArgument(tool, key string) error {
	names := nearest(key, b[tool].Properties)
	hint := tool + " takes no arguments"
	if len(names) > 0 {
		hint = fmt.Sprintf("it takes, the nearest first: %s; \"nod tools %s\" explains them", strings.Join(names, ", "), tool)
	}
	return &unknownTool{nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%s has no argument %q", tool, key), hint)}
}

// nearest lists names, those first that are most like name.
func nearest[V any](name string, of map[string]V) []string {
	var names []string
	for n := range of {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(name, a), distance(name, b)), strings.Compare(a, b))
	})
	return names
}

// distance is how many letters have to be put in, left out or changed to make b
// of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

// read makes a value of what stands behind "=": JSON, or else text. What the
// contract wants as text stays text, whatever it looks like: a phone number is
// no number. A list may be written with commas, a whole number with zeros
// before it.
func (s argumentSchema) read(value string) json.RawMessage {
	raw := json.RawMessage(value)
	valid := json.Valid(raw)
	switch s.Type {
	case "string":
		if valid && strings.HasPrefix(strings.TrimSpace(value), `"`) {
			return raw
		}
		return jsonText(value)
	case "integer":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && !strings.HasPrefix(value, "+") {
			return json.RawMessage(strconv.FormatInt(n, 10))
		}
	case "array":
		if s.Items != nil && s.Items.Type != any("object") && !(valid && strings.HasPrefix(strings.TrimSpace(value), "[")) {
			return s.Items.readList(value)
		}
	}
	if valid {
		return raw
	}
	return jsonText(value)
}

// readList reads values with commas between them.
func (s argumentSchema) readList(value string) json.RawMessage {
	list := []json.RawMessage{}
	if value != "" {
		for item := range strings.SplitSeq(value, ",") {
			item = strings.TrimSpace(item)
			as := s
			if _, err := strconv.ParseUint(item, 10, 32); err == nil && len(s.Enum) > 0 && !slices.Contains(s.Enum, item) {
				as = argumentSchema{Type: "integer"} // a day by its number is none of the words
			}
			list = append(list, as.read(item))
		}
	}
	raw, _ := json.Marshal(list) // of valid parts
	return raw
}

// jsonText is text in UTF-8 as JSON.
func jsonText(value string) json.RawMessage {
	raw, _ := json.Marshal(value)
	return raw
}
