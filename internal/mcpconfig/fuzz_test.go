package mcpconfig

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"
)

// FuzzMerge puts nod into any text whatever: it is refused, or nothing of it is
// lost, it parses, and a second run changes nothing.
func FuzzMerge(f *testing.F) {
	rows, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(rows) == 0 {
		f.Fatal("there are no rows")
	}
	for _, path := range rows {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for i := range clients {
			f.Add(inRow(a.Files[0].Name, a.Files[0].Data), uint(i), false, uint(0))
			f.Add(inRow(a.Files[0].Name, a.Files[0].Data), uint(i), true, uint(1))
		}
	}
	f.Fuzz(func(t *testing.T, doc string, client uint, pipes bool, token uint) {
		c := clients[client%uint(len(clients))]
		r := Request{URL: "http://localhost:7333", Token: tokens[token%uint(len(tokens))].token}
		if pipes {
			r.Transport = Pipes
		}
		got, err := c.Merge(doc, r)
		if err != nil {
			return
		}
		if lost := lostBytes(c, doc, got); lost != "" {
			t.Errorf("%s lost %q:\n%s\nbecame\n%s", c.Name, lost, doc, got)
		}
		if again, err := c.Merge(got, r); err != nil || again != got {
			t.Errorf("%s, a second run: %v\n%s\nbecame\n%s", c.Name, err, got, again)
		}
	})
}

// lostBytes looks for text that was there and is no more, where nod was not in
// it before: all of it has to be there still, in its order. Blanks may move, and
// the braces of an empty section may go.
func lostBytes(c Client, doc, got string) string {
	tree, err := c.format.parse(strings.TrimPrefix(doc, bom))
	if err != nil || c.entryOf(tree) != nil {
		return ""
	}
	rest := got
	for i, r := range doc {
		if unicode.IsSpace(r) || c.format == yamlFormat && (r == '{' || r == '}') {
			continue
		}
		at := strings.IndexRune(rest, r)
		if at < 0 {
			return doc[i:]
		}
		rest = rest[at:]
		rest = rest[len(string([]rune(rest)[:1])):]
	}
	return ""
}

// A file of any keys and depth, with comments and commas wherever they may be,
// keeps each of them.
func TestNothingOfThePersonsIsLost(t *testing.T) {
	key := rapid.StringMatching(`[a-z$ ]{1,6}|mcpServers|nod|url|"é`)
	var value func(depth int) *rapid.Generator[string]
	object := func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			blank := rapid.SampledFrom([]string{"", " ", "\n  ", "\t", "// a\n", "/* b */", "\r\n"})
			var b strings.Builder
			b.WriteString("{" + blank.Draw(t, "open"))
			keys := rapid.SliceOfNDistinct(key, 0, 4, rapid.ID[string]).Draw(t, "keys")
			for i, k := range keys {
				b.WriteString(quote(k) + blank.Draw(t, "name") + ":" + value(depth+1).Draw(t, "value") + blank.Draw(t, "value end"))
				if i < len(keys)-1 || rapid.Bool().Draw(t, "comma") {
					b.WriteString("," + blank.Draw(t, "next"))
				}
			}
			b.WriteString(blank.Draw(t, "close") + "}")
			return b.String()
		})
	}
	value = func(depth int) *rapid.Generator[string] {
		if depth > 3 {
			return rapid.SampledFrom([]string{"1", "12345678901234567890", "1.50", `"x"`, "true", "null", "[]"})
		}
		return rapid.OneOf(object(depth), rapid.SampledFrom([]string{"1.0e5", `"y"`, "[{\"id\": 1}]"}))
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := object(0).Draw(t, "doc")
		c := rapid.SampledFrom(clients).Filter(func(c Client) bool { return c.format == jsonFormat }).Draw(t, "client")
		r := Request{URL: "http://localhost:7333", Token: rapid.SampledFrom(tokens).Draw(t, "token").token}
		got, err := c.Merge(doc, r)
		if err != nil {
			return
		}
		if lost := lostBytes(c, doc, got); lost != "" {
			t.Fatalf("%s lost %q:\n%s\nbecame\n%s", c.Name, lost, doc, got)
		}
		before, err1 := c.format.parse(doc)
		after, err2 := c.format.parse(got)
		if err1 != nil || err2 != nil || !same(c.without(before), c.without(after)) {
			t.Fatalf("%s: %v %v\n%s\nbecame\n%s", c.Name, err1, err2, doc, got)
		}
		if again, err := c.Merge(got, r); err != nil || again != got {
			t.Fatalf("%s, a second run: %v\n%s\nbecame\n%s", c.Name, err, got, again)
		}
	})
}
