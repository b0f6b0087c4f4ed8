package repo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nod.dev/nod/spec"
)

// described is what of spec/openapi.json the pages show.
type described struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Parameters map[string]struct{ Name, In string }
		Responses  map[string]struct {
			Description string
			Content     map[string]struct {
				Schema struct {
					Properties struct {
						Error struct {
							Properties struct{ Code struct{ Const string } }
						}
					}
				}
			}
		}
	}
}

type describedRoute struct {
	Summary    string
	Parameters []reference
	Responses  map[string]reference
}

type reference struct {
	Ref string `json:"$ref"`
}

// name is the last part of a reference.
func (r reference) name() string { return r.Ref[strings.LastIndexByte(r.Ref, '/')+1:] }

func openAPI(t *testing.T) described {
	t.Helper()
	var d described
	if err := json.Unmarshal(spec.OpenAPI(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// routes calls f for each route, in the order of the document.
func (d described) routes(t *testing.T, f func(method, path string, r describedRoute)) {
	t.Helper()
	at := func(path string) int { return strings.Index(string(spec.OpenAPI()), `"`+path+`": {`) }
	paths := slices.SortedFunc(maps.Keys(d.Paths), func(a, b string) int { return cmp.Compare(at(a), at(b)) })
	for _, path := range paths {
		for _, method := range []string{"post", "get"} {
			raw, ok := d.Paths[path][method]
			if !ok {
				continue
			}
			var r describedRoute
			if err := json.Unmarshal(raw, &r); err != nil {
				t.Fatal(err)
			}
			f(strings.ToUpper(method), path, r)
		}
	}
}

// routeTable is what can be asked of the HTTP API.
func routeTable(t *testing.T) string {
	d := openAPI(t)
	var b strings.Builder
	b.WriteString("| request | does | reads |\n|---|---|---|\n")
	d.routes(t, func(method, path string, r describedRoute) {
		var reads []string
		for _, ref := range r.Parameters {
			switch p := d.Components.Parameters[ref.name()]; p.In {
			case "query":
				reads = append(reads, "`?"+p.Name+"=`")
			case "header":
				reads = append(reads, "`"+p.Name+"`")
			}
		}
		fmt.Fprintf(&b, "| `%s %s` | %s | %s |\n", method, strings.ReplaceAll(path, "{id}", "ID"), r.Summary, strings.Join(reads, ", "))
	})
	return b.String()
}

// errorTable is every error code with its status.
func errorTable(t *testing.T) string {
	d := openAPI(t)
	rows := map[string]string{"405": "| `method_not_allowed` | 405 | The address takes another method; the header `Allow` lists which. |\n"}
	d.routes(t, func(_, _ string, r describedRoute) {
		for status, ref := range r.Responses {
			if of, ok := d.Components.Responses[ref.name()]; ok {
				rows[status] = fmt.Sprintf("| `%s` | %s | %s |\n", of.Content["application/json"].Schema.Properties.Error.Properties.Code.Const, status, of.Description)
			}
		}
	})
	var b strings.Builder
	b.WriteString("| code | status | means |\n|---|---|---|\n")
	for _, status := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString(rows[status])
	}
	return b.String()
}

// TestDocConsole wants a row for each route of the console's socket, and a route
// for each row.
func TestDocConsole(t *testing.T) {
	var rows, routes []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z]+ /console/[^`]+)` \\| \\S").FindAllStringSubmatch(pages(t)["docs/operate.md"], -1) {
		rows = append(rows, m[1])
	}
	for _, m := range regexp.MustCompile(`mux\.Handle(?:Func)?\("([A-Z]+ /console/[^"]+)"`).FindAllStringSubmatch(string(read(t, "../server/console.go")), -1) {
		route := regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(m[1], func(s string) string { return strings.ToUpper(strings.Trim(s, "{}")) })
		routes = append(routes, route)
	}
	slices.Sort(rows)
	slices.Sort(routes)
	if len(routes) == 0 || !slices.Equal(rows, routes) {
		t.Errorf("docs/operate.md has\n%s\nthe console has\n%s", strings.Join(rows, "\n"), strings.Join(routes, "\n"))
	}
}
