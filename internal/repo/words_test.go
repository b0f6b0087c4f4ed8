package repo

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// notOurWords are the words of the design's section 1, right column, that no
// exported name may hold, and the word to use. Those that mean something else as
// well (a log's payload, an HTTP status, a system permission) are left to readers.
var notOurWords = map[string]string{
	"bot": "agent", "caller": "agent", "model": "agent",
	"invocation": "call",
	"task":       "action", "operation": "action",
	"node": "phone", "endpoint": "phone",
	"connector": "host", "bridge": "host",
	"viewer": "screen",
	"user":   "person", "owner": "person", "human": "person",
	"prompt": "card", "dialog": "card",
	"scope":     "access",
	"allowlist": "grant", "whitelist": "grant", "blacklist": "access",
	"tier": "risk", "sensitive": "risk high",
	"channel": "link", "tunnel": "link",
	"audit": "log",
}

// allowedWords are the names that mean something else by such a word.
var allowedWords = map[string]string{
	"TextLimitUser": "the user name inside a URL",
	"Task":          "what the Tasks extension of MCP calls a call that goes on without its connection",
}

// vague are names that a package must not have: they say nothing of its subject.
var vague = []string{"util", "utils", "common", "helper", "helpers", "types", "models", "pkg", "base", "misc", "shared", "lib", "core"}

func TestPackageNames(t *testing.T) {
	for _, u := range units(t) {
		for _, name := range []string{u.Name, path.Base(u.ImportPath)} {
			if slices.Contains(vague, name) {
				t.Errorf("%s: a package is named after its subject, not %q", u.ImportPath, name)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for _, u := range units(t) {
		for _, f := range parse(t, u, u.GoFiles) {
			for _, id := range exported(f.syntax) {
				if allowedWords[id.Name] != "" {
					continue
				}
				for _, word := range split(id.Name) {
					if use, bad := notOurWords[word]; bad {
						t.Errorf("%s: %s: nod says %s, not %s", f.at(id), id.Name, use, word)
					}
				}
			}
		}
	}
}

// exported lists the names that a file gives to others: those at the top, methods,
// and fields of exported structs.
func exported(f *ast.File) []*ast.Ident {
	var ids []*ast.Ident
	add := func(id *ast.Ident) {
		if id.IsExported() {
			ids = append(ids, id)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id)
					}
				case *ast.TypeSpec:
					add(s.Name)
					if st, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
						for _, field := range st.Fields.List {
							for _, id := range field.Names {
								add(id)
							}
						}
					}
				}
			}
		}
	}
	return ids
}

// split takes a name apart at its capitals, in small letters: "PhoneBody" is
// phone and body, "HTTPServer" http and server.
func split(name string) []string {
	var words []string
	var word []rune
	runes := []rune(name)
	for i, r := range runes {
		starts := unicode.IsUpper(r) && (i == 0 || !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if (starts || r == '_') && len(word) > 0 {
			words, word = append(words, strings.ToLower(string(word))), nil
		}
		if r != '_' {
			word = append(word, r)
		}
	}
	return append(words, strings.ToLower(string(word)))
}

func TestSplit(t *testing.T) {
	for name, want := range map[string][]string{
		"PhoneBody": {"phone", "body"}, "HTTPServer": {"http", "server"}, "NewID": {"new", "id"}, "A": {"a"}, "Is_It": {"is", "it"},
	} {
		if got := split(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestPackageComments(t *testing.T) {
	for _, u := range units(t) {
		if u.Doc == "" && len(u.GoFiles) > 0 {
			t.Errorf("%s has no package comment", u.ImportPath)
		}
	}
}

// TestDocComments wants a comment on everything that others can name.
func TestDocComments(t *testing.T) {
	for _, u := range units(t) {
		for _, f := range parse(t, u, u.GoFiles) {
			for _, d := range f.syntax.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Doc == nil && d.Name.IsExported() && receiverExported(d) {
						t.Errorf("%s: %s has no comment", f.at(d), d.Name.Name)
					}
				case *ast.GenDecl:
					undocumented(t, f, d)
				}
			}
		}
	}
}

func undocumented(t *testing.T, f source, d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				t.Errorf("%s: %s has no comment", f.at(s), s.Name.Name)
			}
		case *ast.ValueSpec:
			if d.Doc == nil && s.Doc == nil && s.Comment == nil && slices.ContainsFunc(s.Names, func(id *ast.Ident) bool { return id.IsExported() }) {
				t.Errorf("%s: %s has no comment", f.at(s), s.Names[0].Name)
			}
		}
	}
}

// receiverExported reports whether a method belongs to a type that others see.
func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// TestSleep keeps real waiting out: tests that sleep do so under the fake clock
// of testing/synctest, and the program waits on events.
func TestSleep(t *testing.T) {
	mayWait := []string{"internal/host/sim"} // a person who takes time
	for _, u := range units(t) {
		for _, f := range parse(t, u, slices.Concat(u.GoFiles, u.TestGoFiles, u.XTestGoFiles)) {
			if slices.Contains(mayWait, u.short()) || importsPackage(f.syntax, "testing/synctest") {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != "Sleep" {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" {
					t.Errorf("%s: time.Sleep outside testing/synctest", f.at(n))
				}
				return true
			})
		}
	}
}

func importsPackage(f *ast.File, path string) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+path+`"` })
}

// TestFunctionLength keeps functions to what a reader can hold at once.
func TestFunctionLength(t *testing.T) {
	const most = 80
	for _, u := range units(t) {
		for _, f := range parse(t, u, u.GoFiles) {
			for _, d := range f.syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := lines(f.set, fn); n > most {
					t.Errorf("%s: %s has %d lines, more than %d", f.at(fn), fn.Name.Name, n, most)
				}
			}
		}
	}
}

func lines(set *token.FileSet, n ast.Node) int {
	return set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
}
