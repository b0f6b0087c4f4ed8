package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
)

// How long each client is let wait: every client that was measured or reported,
// in the spellings it may come in, with and without a progress token.
func TestBudget(t *testing.T) {
	const card = 22 * time.Minute // the longest card, and what a phone may take after it
	for _, tt := range []struct {
		client         string
		without, token time.Duration
	}{
		{"", 45 * time.Second, 45 * time.Second},
		{"Some Client", 45 * time.Second, 45 * time.Second},
		{"claude-ai", 45 * time.Second, 45 * time.Second},
		{"Claude Desktop", 45 * time.Second, 45 * time.Second},
		{"Anthropic/ClaudeAI", 45 * time.Second, 45 * time.Second},
		{"librechat", 45 * time.Second, 45 * time.Second},
		{"not-claude-code", 45 * time.Second, 45 * time.Second},
		{"claude-code", 50 * time.Second, card},
		{"Claude Code", 50 * time.Second, card},
		{"claude_code/2.1.332 (cli)", 50 * time.Second, card},
		{"CLAUDE-CODE 3.0.0-beta.1", 50 * time.Second, card},
		{"opencode", 50 * time.Second, card},
		{"OpenCode", 50 * time.Second, card},
		{"opencode/1.18.33", 50 * time.Second, card},
		{"gemini-cli-mcp-client", 570 * time.Second, 570 * time.Second},
		{"gemini-cli-mcp-client-nod", 570 * time.Second, 570 * time.Second},
		{"Gemini CLI MCP Client", 570 * time.Second, 570 * time.Second},
		{"codex-mcp-client", 280 * time.Second, 280 * time.Second},
		{" codex-mcp-client 0.171.0", 280 * time.Second, 280 * time.Second},
		{"goose", 270 * time.Second, 270 * time.Second},
		{"goose-desktop", 270 * time.Second, 270 * time.Second},
		{"Goose 2.1", 270 * time.Second, 270 * time.Second},
		{"Visual Studio Code", 240 * time.Second, 240 * time.Second},
		{"Visual Studio Code - Insiders", 240 * time.Second, 240 * time.Second},
		{"VSCode", 240 * time.Second, 240 * time.Second},
		{"vscode-copilot/0.33", 240 * time.Second, 240 * time.Second},
		{"cursor", 50 * time.Second, 50 * time.Second},
		{"cursor-vscode", 50 * time.Second, 50 * time.Second},
		{"Cursor 3.2 (macOS)", 50 * time.Second, 50 * time.Second},
	} {
		for token, want := range map[bool]time.Duration{false: tt.without, true: tt.token} {
			if got := budget(0, nod.Agent{}, tt.client, token); got != want {
				t.Errorf("%q, progress token %v: waits %v, want %v", tt.client, token, got, want)
			}
			if got := budget(0, nod.Agent{WaitSeconds: 90}, tt.client, token); got != 90*time.Second {
				t.Errorf("%q of an agent that is set to 90 s: waits %v", tt.client, got)
			}
			if got := budget(20*time.Second, nod.Agent{WaitSeconds: 90}, tt.client, token); got != 20*time.Second {
				t.Errorf("%q whose set-up says 20 s: waits %v", tt.client, got)
			}
		}
	}
}

// The header is read by one rule, whatever the door: what it cannot mean is refused.
func TestWaitHeader(t *testing.T) {
	for _, tt := range []struct {
		values []string
		want   time.Duration // 0 with values: refused
	}{
		{nil, 0},
		{[]string{"1"}, time.Second},
		{[]string{"280"}, 280 * time.Second},
		{[]string{" 7 "}, 7 * time.Second},
		{[]string{"007"}, 7 * time.Second},
		{[]string{"1320"}, 22 * time.Minute},
		{[]string{"1321"}, 22 * time.Minute},
		{[]string{"999999999"}, 22 * time.Minute},
		{[]string{""}, 0},
		{[]string{" "}, 0},
		{[]string{"0"}, 0},
		{[]string{"-3"}, 0},
		{[]string{"+3"}, 0},
		{[]string{"1.5"}, 0},
		{[]string{"1e3"}, 0},
		{[]string{"0x10"}, 0},
		{[]string{"60s"}, 0},
		{[]string{"1 0"}, 0},
		{[]string{"10, 20"}, 0},
		{[]string{"10", "20"}, 0},
		{[]string{"10", "10"}, 0},
		{[]string{"soon"}, 0},
		{[]string{"１０"}, 0},
		{[]string{strings.Repeat("9", 4000)}, 0},
	} {
		h := http.Header{}
		for _, v := range tt.values {
			h.Add("nod-wait", v)
		}
		got, err := headerWait(h)
		if refused := tt.want == 0 && tt.values != nil; got != tt.want || (err != nil) != refused {
			t.Errorf("%.40q: %v, %v, want %v, refused %v", tt.values, got, err, tt.want, refused)
		}
		if err != nil && (nod.CodeOf(err) != nod.CodeInvalid || len(err.Error()) > 200) {
			t.Errorf("%.40q is refused with %v", tt.values, err)
		}
	}
}
