package repo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// programTable lists what nod's MCP is held against, in the versions that the
// check installs.
func programTable(t *testing.T) string {
	t.Helper()
	var npm struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal(read(t, "../conformance/package.json"), &npm); err != nil {
		t.Fatal(err)
	}
	pip := regexp.MustCompile(`(?m)^mcp==(.+)$`).FindSubmatch(read(t, "../conformance/requirements.txt"))
	if pip == nil {
		t.Fatal("internal/conformance/requirements.txt names no version of mcp")
	}
	var b strings.Builder
	b.WriteString("| program | version | does |\n|---|---|---|\n")
	row := func(name, version, does string) { fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, version, does) }
	for _, p := range []struct{ name, does string }{
		{"@modelcontextprotocol/conformance", "all that revisions 2025-11-25 and 2026-07-28 require, on nod's HTTP stack, and what applies to nod itself"},
		{"@modelcontextprotocol/inspector", "lists the tools, `--strict` about their schemas, and calls one, in both eras, over HTTP and pipes"},
		{"@modelcontextprotocol/sdk", "the main job, in a session"},
		{"@modelcontextprotocol/client", "the main job, as `legacy`, as `auto` and pinned to 2026-07-28"},
		{"@modelcontextprotocol/ext-tasks", "the main job by tasks"},
	} {
		row(p.name, npm.DevDependencies[p.name], p.does)
		delete(npm.DevDependencies, p.name)
	}
	for name := range npm.DevDependencies {
		t.Errorf("docs/conformance.md does not say what %s does", name)
	}
	row("mcp", string(pip[1])+", Python", "the main job, as `legacy`, as `auto` and pinned to 2026-07-28")
	return b.String()
}
