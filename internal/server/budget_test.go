package server

import (
	"testing"
	"time"

	"nod.dev/nod"
)

func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		header   string
		agent    int
		client   string
		progress bool
		want     time.Duration
	}{
		{"", 0, "", false, 45 * time.Second},
		{"", 0, "Some Client", true, 45 * time.Second},
		{"", 0, "claude-code", true, 22 * time.Minute},
		{"", 0, "claude-code", false, 50 * time.Second},
		{"", 0, "Claude-Code", true, 22 * time.Minute},
		{"", 0, "opencode", true, 22 * time.Minute},
		{"", 0, "opencode", false, 50 * time.Second},
		{"", 0, "gemini-cli-mcp-client", false, 570 * time.Second},
		{"", 0, "codex-mcp-client", true, 280 * time.Second},
		{"", 0, "goose-desktop", false, 270 * time.Second},
		{"", 0, "Visual Studio Code", false, 240 * time.Second},
		{"", 0, "cursor-vscode", false, 50 * time.Second},
		{"", 0, "claude-ai", true, 45 * time.Second},
		{"", 90, "codex-mcp-client", true, 90 * time.Second},
		{"280", 90, "cursor", true, 280 * time.Second},
		{" 7 ", 0, "", false, 7 * time.Second},
		{"0", 0, "", false, 45 * time.Second},
		{"-3", 0, "", false, 45 * time.Second},
		{"soon", 0, "", false, 45 * time.Second},
		{"999999", 0, "", false, 22 * time.Minute},
	} {
		got := budget(tt.header, nod.Agent{WaitSeconds: tt.agent}, tt.client, tt.progress)
		if got != tt.want {
			t.Errorf("budget(%q, %d, %q, %v) = %v, want %v", tt.header, tt.agent, tt.client, tt.progress, got, tt.want)
		}
	}
}
