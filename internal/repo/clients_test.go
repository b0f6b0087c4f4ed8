package repo

import (
	"fmt"
	"strings"
	"testing"

	"nod.dev/nod/internal/mcpconfig"
)

// clientFiles is where each MCP client's configuration lies, on each system.
func clientFiles() string {
	var b strings.Builder
	b.WriteString("| client | its file | in a project | over HTTP |\n|---|---|---|---|\n")
	for _, c := range mcpconfig.Clients() {
		over := "yes"
		if !c.Can(mcpconfig.HTTP) {
			over = "no"
		}
		project := ""
		if file := c.Written(mcpconfig.Project, "linux"); file != "" {
			project = "`" + file + "`"
		}
		fmt.Fprintf(&b, "| %s: `%s` | %s | %s | %s |\n", c.Title, c.Name, ownFiles(c), project, over)
	}
	return b.String()
}

// ownFiles is the account's file of a client: once where it is the same on
// every system.
func ownFiles(c mcpconfig.Client) string {
	linux, mac, windows := c.Written(mcpconfig.Personal, "linux"), c.Written(mcpconfig.Personal, "darwin"), c.Written(mcpconfig.Personal, "windows")
	switch {
	case linux == "":
		return ""
	case linux == mac && linux == windows:
		return "`" + linux + "`"
	case linux == mac:
		return fmt.Sprintf("`%s`, Windows `%s`", linux, windows)
	}
	return fmt.Sprintf("Linux `%s`, macOS `%s`, Windows `%s`", linux, mac, windows)
}

// clientConfigs is what "nod mcp config" prints for each client.
func clientConfigs(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, c := range mcpconfig.Clients() {
		s, err := c.Snippet(mcpconfig.Request{URL: "HOST"})
		if err != nil {
			t.Fatal(err)
		}
		over := ""
		if s.Transport == mcpconfig.Pipes {
			over = ", on pipes"
		}
		fmt.Fprintf(&b, "%s%s:\n\n```%s\n%s```\n\n", c.Title, over, c.Language(), s.Text)
	}
	return b.String()
}
