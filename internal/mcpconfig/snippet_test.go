package mcpconfig

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod.dev/nod"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is another; run go test ./internal/mcpconfig -update and look at what changed.\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// systems are those that files are told for.
var systems = []System{
	{OS: "linux", Home: "/ana", Folder: "/src/app", Getenv: func(string) string { return "" }},
	{OS: "darwin", Home: "/ana", Folder: "/src/app", Getenv: func(string) string { return "" }},
	{OS: "windows", Home: "/ana", Folder: "/src/app", Getenv: func(string) string { return "" }},
}

// tokens are the ways a token gets in.
var tokens = []struct {
	name  string
	token Token
}{
	{"variable", Token{}},
	{"file", Token{File: "/ana/.config/nod/token"}},
	{"itself", Token{Value: "nod_a_SECRET"}},
}

// Each client, by each transport, at each place: where the file lies on each
// system, the file, and what the person is told.
func TestSnippets(t *testing.T) {
	for _, c := range Clients() {
		for _, transport := range []Transport{HTTP, Pipes} {
			for _, where := range []Where{Personal, Project} {
				if !c.Can(transport) || !c.Has(where) && (c.Has(Personal) || c.Has(Project)) {
					continue
				}
				name := fmt.Sprintf("%s-%s-%s.golden", c.Name, transport, where)
				t.Run(name, func(t *testing.T) { golden(t, name, page(t, c, transport, where)) })
			}
		}
	}
}

// page is all that is said of one client, for one transport and place.
func page(t *testing.T, c Client, transport Transport, where Where) string {
	t.Helper()
	var b strings.Builder
	for _, s := range systems {
		if file := c.File(where, s); file != "" {
			fmt.Fprintf(&b, "%s: %s\n", s.OS, filepath.ToSlash(file))
		}
	}
	for _, k := range tokens {
		fmt.Fprintf(&b, "\n-- token: %s --\n", k.name)
		s, err := c.Snippet(Request{Transport: transport, Where: where, URL: "https://nod.example.org", Token: k.token})
		if err != nil {
			if nod.CodeOf(err) != nod.CodeInvalid {
				t.Errorf("%s: %v", k.name, err)
			}
			fmt.Fprintf(&b, "%v\n", err)
			continue
		}
		if s.Transport != transport || s.Where != where || s.Secret != strings.Contains(s.Text, "nod_a_SECRET") || s.Open != strings.Contains(s.Text, `TOKEN"`) && !strings.Contains(s.Text, `NOD_TOKEN"`) {
			t.Errorf("%s: what it says of itself is not so: %+v", k.name, s)
		}
		b.WriteString(s.Text)
		for _, n := range s.Notes {
			fmt.Fprintf(&b, "# %s\n", n)
		}
	}
	return b.String()
}

// A snippet is a file that its own merge leaves as it is, and the same as what
// a merge makes of nothing.
func TestSnippetIsWhatIsWritten(t *testing.T) {
	each(func(c Client, r Request) {
		s, err := c.Snippet(r)
		if err != nil {
			return
		}
		for _, doc := range []string{"", " \n", s.Text, bom + s.Text} {
			want := strings.TrimPrefix(doc, bom)
			if strings.TrimSpace(doc) == "" {
				want = s.Text
			}
			got, err := c.Merge(doc, r)
			if err != nil || strings.TrimPrefix(got, bom) != want {
				t.Errorf("%s %s: %v\n%s", c.Name, r.Transport, err, got)
			}
		}
	})
}

// each calls f for every request there is.
func each(f func(Client, Request)) {
	for _, c := range Clients() {
		for _, transport := range []Transport{HTTP, Pipes} {
			for _, k := range tokens {
				if c.Can(transport) {
					f(c, Request{Transport: transport, URL: "http://localhost:7333", Token: k.token})
				}
			}
		}
	}
}

// The client's own variables, and a file with another ending that is there.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "opencode.jsonc"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		client, variable, value string
		where                   Where
		want                    string
	}{
		{"claude-code", "CLAUDE_CONFIG_DIR", "/x/claude", Personal, "/x/claude/.claude.json"},
		{"codex", "CODEX_HOME", "/x/codex", Personal, "/x/codex/config.toml"},
		{"gemini", "GEMINI_CLI_HOME", "/x", Personal, "/x/.gemini/settings.json"},
		{"goose", "XDG_CONFIG_HOME", "/x/config", Personal, "/x/config/goose/config.yaml"},
		{"goose", "XDG_CONFIG_HOME", "not/absolute", Personal, "/ana/.config/goose/config.yaml"},
		{"opencode", "", "", Project, filepath.Join(dir, "opencode.jsonc")},
		{"claude-desktop", "", "", Project, ""},
		{"librechat", "", "", Personal, ""},
		{"generic", "", "", Personal, ""},
	} {
		c, err := Find(row.client)
		if err != nil {
			t.Fatal(err)
		}
		s := System{OS: "linux", Home: "/ana", Folder: dir, Getenv: func(name string) string {
			if name == row.variable {
				return row.value
			}
			return ""
		}}
		if got := c.File(row.where, s); got != row.want {
			t.Errorf("%s %s: %s, want %s", row.client, row.where, got, row.want)
		}
	}
}

// A variable of another name is the client's own. One that reads none, asks for
// the token, or hands variables to programs under their own names alone, says so.
func TestTokenVariable(t *testing.T) {
	each(func(c Client, r Request) {
		r.Token = Token{Variable: "NOD_OTHER"}
		s, err := c.Snippet(r)
		alone := r.Transport == Pipes && (c.Name == codex || c.Name == goose)
		if none := c.variable == nil || c.extra != nil; (alone || none) != (err != nil) {
			t.Errorf("%s %s: %v", c.Name, r.Transport, err)
		}
		if err == nil && !strings.Contains(s.Text, "NOD_OTHER") {
			t.Errorf("%s %s does not name it:\n%s", c.Name, r.Transport, s.Text)
		}
	})
	c := named(t, "cursor")
	for _, name := range []string{"A-B", "1A", "A B", "${A}"} {
		if _, err := c.Snippet(Request{URL: "https://nod.lan", Token: Token{Variable: name}}); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("%q is taken for a variable: %v", name, err)
		}
	}
}

// What the person has to be warned of is said.
func TestWarnings(t *testing.T) {
	secret := Token{Value: "nod_a_SECRET"}
	for _, row := range []struct {
		request Request
		want    string
		said    bool
	}{
		{Request{URL: "http://nod.lan:7333"}, "over plain http", true},
		{Request{URL: "http://192.168.1.4:7333", Transport: Pipes}, "over plain http", true},
		{Request{URL: "http://127.0.0.1:7333"}, "over plain http", false},
		{Request{URL: "http://[::1]:7333"}, "over plain http", false},
		{Request{URL: "http://localhost:7333"}, "over plain http", false},
		{Request{URL: "https://nod.lan"}, "over plain http", false},
		{Request{URL: "https://nod.lan", Where: Project, Token: secret}, "keep this file to yourself", true},
		{Request{URL: "https://nod.lan", Token: secret}, "keep this file to yourself", false},
		{Request{URL: "https://nod.lan", Token: secret}, "whoever can read it can ask as this agent", true},
	} {
		s, err := named(t, "cursor").Snippet(row.request)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.Join(s.Notes, "\n"), row.want) != row.said {
			t.Errorf("%+v: %q", row.request, s.Notes)
		}
	}
}

func TestFind(t *testing.T) {
	if _, err := Find("emacs"); nod.CodeOf(err) != nod.CodeInvalid || !strings.Contains(err.Error(), "emacs") {
		t.Errorf("got %v", err)
	}
}
