package mcpconfig

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// format is how a client's file is written.
type format interface {
	// whole writes a file with nothing but the entry in it.
	whole(c Client, entry object) (string, error)
	// merge puts the entry into the file's text.
	merge(doc string, c Client, entry object, gone []string) (string, error)
	// parse reads the whole file into maps, slices and plain values.
	parse(doc string) (map[string]any, error)
}

// The formats.
var (
	jsonFormat format = jsonText{}
	tomlFormat format = tomlText{}
	yamlFormat format = yamlText{}
)

// errByHand is the cause of a refusal that a person has to settle by hand.
var errByHand = errors.New("it has to be changed by hand")

func byHand(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, errByHand)...)
}

// Merge returns doc with nod's entry in it: doc itself, byte for byte, where it
// says already what is wanted. An empty doc is a file that is not there yet. The
// error says why the file is better left alone.
func (c Client) Merge(doc string, r Request) (string, error) {
	s, entry, err := c.prepare(r)
	if err != nil {
		return "", err
	}
	c = s.client
	head := ""
	if strings.HasPrefix(doc, bom) {
		head, doc = bom, doc[len(bom):]
	}
	if strings.TrimSpace(doc) == "" {
		return c.format.whole(c, entry)
	}
	if !utf8.ValidString(doc) {
		return "", byHand("it is not UTF-8")
	}
	before, err := c.format.parse(doc)
	if err != nil {
		return "", err
	}
	if err := c.looksRight(before); err != nil {
		return "", err
	}
	gone, err := c.gone(before, s.Transport, entry)
	if err != nil {
		return "", err
	}
	if c.done(before, entry, gone) {
		return head + doc, nil
	}
	out, err := c.format.merge(doc, c, entry, gone)
	if err != nil {
		return "", err
	}
	after, err := c.format.parse(out)
	if err != nil {
		return "", fmt.Errorf("it would not parse with nod in it: %w", err)
	}
	if !c.done(after, entry, gone) || !c.nothingLost(before, after, entry, gone) {
		return "", byHand("nod's part cannot be put in without touching the rest")
	}
	return head + out, nil
}

// wrap puts the entry into the objects that stand round it.
func (c Client) wrap(entry object) field {
	f := field{key: Name, value: entry}
	for _, key := range slices.Backward(c.path) {
		f = field{key: key, value: object{f}}
	}
	return f
}

// bom begins files of some editors on Windows.
const bom = "\ufeff"

// quote writes a string so that JSON, TOML and YAML all read it.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// newline is how the file ends its lines.
func newline(doc string) string {
	if strings.Contains(doc, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// splice is a replacement in a text.
type splice struct {
	from, to int
	text     string
}

// apply makes all replacements, which must not overlap. Those at one place come
// in their order.
func apply(doc string, splices []splice) string {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var b strings.Builder
	at := 0
	for _, s := range splices {
		b.WriteString(doc[at:s.from])
		b.WriteString(s.text)
		at = s.to
	}
	b.WriteString(doc[at:])
	return b.String()
}
