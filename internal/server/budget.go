package server

import (
	"strconv"
	"strings"
	"time"

	"nod.dev/nod"
)

// How long a tool call may wait inline before it answers STILL WAITING.
const (
	// defaultBudget fits under the commonest cut of clients, 60 seconds.
	defaultBudget = 45 * time.Second
	// maxBudget bounds what a header or a setting may ask for: the longest card.
	maxBudget = 20*time.Minute + 2*time.Minute
	// noProgress is for a client that waits only while it hears progress, and
	// sent no token to be told any.
	noProgress = 50 * time.Second
)

// waitHeader lets an agent's set-up say how many seconds its client waits.
const waitHeader = "Nod-Wait"

// budgets holds what is known of clients, by the start of the name they give
// themselves. A name picks a time and never a right, so that it can be false
// does not matter. Where progress is true the time holds only with a progress
// token.
var budgets = []struct {
	name     string
	wait     time.Duration
	progress bool
}{
	{"claude-code", maxBudget, true},
	{"opencode", maxBudget, true},
	{"gemini-cli-mcp-client", 570 * time.Second, false},
	{"codex-mcp-client", 280 * time.Second, false},
	{"goose", 270 * time.Second, false},
	{"visual studio code", 240 * time.Second, false},
	{"vscode", 240 * time.Second, false},
	{"cursor", 50 * time.Second, false},
}

// budget says how long a tool call may wait inline: as the header says, else as
// the agent is set, else as its client is known to bear.
func budget(header string, agent nod.Agent, client string, progress bool) time.Duration {
	if s, err := strconv.Atoi(strings.TrimSpace(header)); err == nil && s > 0 {
		return min(time.Duration(s)*time.Second, maxBudget)
	}
	if agent.WaitSeconds > 0 {
		return min(time.Duration(agent.WaitSeconds)*time.Second, maxBudget)
	}
	name := strings.ToLower(client)
	for _, b := range budgets {
		if !strings.HasPrefix(name, b.name) {
			continue
		}
		if b.progress && !progress {
			return noProgress
		}
		return b.wait
	}
	return defaultBudget
}
