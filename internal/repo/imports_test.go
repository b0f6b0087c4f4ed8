package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "nod.dev/nod"

// unit is a package as the go command sees it.
type unit struct {
	ImportPath, Dir, Name, Doc string

	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports                            []string
}

// short is the import path inside the module: "internal/link", "" for the root.
func (u unit) short() string {
	return strings.TrimPrefix(strings.TrimPrefix(u.ImportPath, module), "/")
}

// units lists the packages of the module.
func units(t *testing.T) []unit {
	t.Helper()
	list, err := listUnits()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return list
}

var listUnits = sync.OnceValues(func() ([]unit, error) {
	cmd := exec.Command("go", "list", "-e", "-json", module+"/...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var list []unit
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var u unit
		if err := dec.Decode(&u); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, u)
	}
})

// rule is an import rule of the design's section 2. A pattern is an import path
// inside the module, "x/..." for x and all below it, "std" for the standard
// library, or a whole path of another module.
type rule struct {
	from   string   // whose imports are judged
	only   []string // all that it may import; nil for anything
	never  []string // what it may not import
	except []string // packages that the rule does not bind
	why    string
}

var importRules = []rule{
	{from: ".", only: []string{"std"}, why: "the vocabulary must cost nothing to whoever imports it"},
	{from: "spec", only: []string{"std", "."}, why: "the contract is data; whoever reads it gets nothing else"},
	{from: "internal/wire", only: []string{"std", ".", "spec"}, why: "gateway and hosts share it, so it belongs to neither"},
	{from: "internal/action", only: []string{"std", ".", "spec", "internal/wire"}, why: "the check is pure, and runs on both sides"},
	{from: "internal/policy", only: []string{"std", ".", "spec", "internal/wire"}, why: "a verdict follows from its arguments alone"},
	{from: "internal/call", only: []string{"std", ".", "spec", "internal/wire"}, why: "the state machine is pure, so that it can be simulated"},
	{from: "internal/log", only: []string{"std", ".", "spec", "internal/wire", "golang.org/x/mod/sumdb/tlog", "golang.org/x/mod/sumdb/note"}, why: "a log is verified without the program that wrote it"},
	{from: "internal/fence", only: []string{"std", ".", "spec"}, why: "what stands between a model and what others wrote is judged by itself"},
	{from: "internal/mcphttp", only: []string{"std", ".", "internal/wire", "internal/mcptask", "github.com/modelcontextprotocol/go-sdk/auth", "github.com/modelcontextprotocol/go-sdk/mcp"}, why: "the conformance suite judges it with tools of its own, so it knows none of nod's"},
	{from: "internal/mcptask", only: []string{"std", "github.com/modelcontextprotocol/go-sdk/jsonrpc", "github.com/modelcontextprotocol/go-sdk/mcp"}, why: "it speaks a protocol over any ledger, and knows none"},
	{from: "internal/host/...", never: []string{"internal/gateway", "internal/server", "internal/store/...", "internal/link"}, why: "the phone's side must not reach behind the wire"},
	{from: "...", never: []string{"internal/link", "internal/push"}, except: []string{"internal/gateway"}, why: "nothing but the gateway reaches a phone"},
	{from: "internal/server", never: []string{"internal/store/..."}, why: "every door goes through the gateway, none round it"},
	{from: "...", never: []string{"internal/server"}, except: []string{"cmd/nod", "nodtest"}, why: "the doors are the outermost layer"},
	{from: "internal/mcpconfig", only: []string{"std", ".", "github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2", "github.com/pelletier/go-toml/v2/unstable", "go.yaml.in/yaml/v3"}, why: "it edits other programs' files, and needs nothing of nod for that"},
	{from: "...", never: []string{"cmd/..."}, why: "commands are wiring, and are imported by nobody"},
	{from: "...", never: []string{"internal/clients", "internal/pipe", "internal/push/pushtest", "internal/mcptask/tasktest", "internal/nodserve", "internal/store/storetest", "nodtest", "pgregory.net/rapid", "github.com/google/go-cmp/cmp", "go.uber.org/goleak"}, except: []string{"internal/store/storetest", "nodtest"}, why: "what tests need is not part of the program"},
	{from: "client", never: []string{"internal/gateway", "internal/server", "internal/store/...", "internal/host/..."}, why: "the client knows the HTTP API and nothing behind it"},
}

func TestImports(t *testing.T) {
	all := units(t)
	for _, r := range importRules {
		bound := false
		for _, u := range all {
			if !matches(r.from, u.ImportPath) || slices.Contains(r.except, u.short()) {
				continue
			}
			bound = true
			for _, path := range u.Imports {
				if r.only != nil && !matchesAny(r.only, path) || matchesAny(r.never, path) {
					t.Errorf("%s imports %s: %s", u.ImportPath, path, r.why)
				}
			}
		}
		if !bound && r.from != "..." {
			t.Errorf("the rule about %q binds no package", r.from)
		}
	}
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, path) })
}

func matches(pattern, path string) bool {
	within, ours := strings.CutPrefix(path, module)
	ours = ours && (within == "" || within[0] == '/')
	switch {
	case pattern == "std":
		first, _, _ := strings.Cut(path, "/")
		return !strings.Contains(first, ".")
	case pattern == ".":
		return path == module
	case !ours:
		return pattern == path
	case pattern == "...":
		return true
	}
	within = strings.TrimPrefix(within, "/")
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return within == tree || strings.HasPrefix(within, tree+"/")
	}
	return within == pattern
}

// TestPure keeps input, output, clocks and chance out of the packages that are
// pure: only then can a call be replayed, and a simulation be believed.
func TestPure(t *testing.T) {
	pure := []string{"", "spec", "internal/wire", "internal/action", "internal/policy", "internal/call", "internal/log", "internal/fence"}
	packages := []string{"os", "os/exec", "net", "net/http", "log", "log/slog", "database/sql", "syscall", "testing"}
	chance := []string{"crypto/rand", "math/rand", "math/rand/v2"}
	mayDraw := []string{"", "internal/wire"} // ids, keys and signatures
	calls := map[string][]string{
		"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
		"fmt":  {"Print", "Println", "Printf", "Scan", "Scanln", "Scanf"},
	}
	for _, u := range units(t) {
		if !slices.Contains(pure, u.short()) {
			continue
		}
		for _, path := range u.Imports {
			if slices.Contains(packages, path) {
				t.Errorf("%s imports %s, and is to be pure", u.ImportPath, path)
			}
			if slices.Contains(chance, path) && !slices.Contains(mayDraw, u.short()) {
				t.Errorf("%s imports %s, and is to give the same for the same", u.ImportPath, path)
			}
		}
		for _, f := range parse(t, u, u.GoFiles) {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil && slices.Contains(calls[x.Name], sel.Sel.Name) {
						t.Errorf("%s: %s.%s in a package that is to be pure", f.at(n), x.Name, sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// source is one parsed file.
type source struct {
	name   string // below the module's folder
	set    *token.FileSet
	syntax *ast.File
}

func (s source) at(n ast.Node) string {
	return s.name + ":" + strconv.Itoa(s.set.Position(n.Pos()).Line)
}

func parse(t *testing.T, u unit, files []string) []source {
	t.Helper()
	var list []source
	for _, name := range files {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(u.Dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, source{path.Join(u.short(), name), set, f})
	}
	return list
}
