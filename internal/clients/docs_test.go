package clients

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestDocsNameTheVersions holds the page that says what the clients do to the
// versions that are installed for it.
func TestDocsNameTheVersions(t *testing.T) {
	page, err := os.ReadFile("../../docs/conformance.md")
	must(t, err)
	b, err := os.ReadFile("package.json")
	must(t, err)
	var needs struct {
		OptionalDependencies map[string]string `json:"optionalDependencies"`
	}
	must(t, json.Unmarshal(b, &needs))
	for npm, name := range map[string]string{
		"@anthropic-ai/claude-code-linux-x64": "Claude Code",
		"@google/gemini-cli":                  "Gemini CLI",
		"@openai/codex-linux-x64":             "Codex",
		"opencode-linux-x64":                  "OpenCode",
	} {
		version := strings.TrimSuffix(strings.TrimPrefix(needs.OptionalDependencies[npm], "npm:@openai/codex@"), "-linux-x64")
		if row := "| " + name + " " + version + " |"; version == "" || !strings.Contains(string(page), row) {
			t.Errorf("docs/conformance.md has no row %q", row)
		}
	}
}
