package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
)

// How long a tool call may wait inline before it answers STILL WAITING.
const (
	// defaultBudget fits under the commonest cut of clients, 60 seconds.
	defaultBudget = 45 * time.Second
	// maxBudget is for a client that waits as long as it hears progress: the
	// longest card, and what a phone may take after it.
	maxBudget = gateway.MaxWaitSeconds*time.Second + 2*time.Minute
	// noProgress is for a client that waits only while it hears progress, and
	// sent no token to be told any.
	noProgress = 50 * time.Second
)

// waitHeader lets an agent's set-up say how many seconds it waits: over MCP for
// one answer, over HTTP for the person.
const waitHeader = "Nod-Wait"

// headerWait reads the header, for every door alike: a whole number of seconds
// from 1, 0 without one. More than the longest wait is that. What it cannot mean
// is refused: a set-up that is not in force would be found out by a call that is
// cut off.
func headerWait(h http.Header) (time.Duration, error) {
	values := h.Values(waitHeader)
	if len(values) == 0 {
		return 0, nil
	}
	n, err := strconv.ParseUint(strings.TrimSpace(values[0]), 10, 31)
	if len(values) > 1 || err != nil || n == 0 {
		return 0, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the header %s says %q", waitHeader, clip(strings.Join(values, ", "), 40)),
			"give one whole number of seconds, from 1 on, or leave it out")
	}
	return min(time.Duration(n)*time.Second, maxBudget), nil
}

// budgets holds what is known of clients, by the start of the name they give
// themselves, in small letters and without what is neither letter nor digit. A
// name picks a time and never a right, so that it can be false does not matter.
// Where progress is true the time holds only with a progress token. The times
// were measured with the clients, or are what their users report.
var budgets = []struct {
	name     string
	wait     time.Duration
	progress bool
}{
	{"claudecode", maxBudget, true},
	{"opencode", maxBudget, true},
	{"geminiclimcpclient", 570 * time.Second, false},
	{"codexmcpclient", 280 * time.Second, false},
	{"goose", 270 * time.Second, false},
	{"visualstudiocode", 240 * time.Second, false},
	{"vscode", 240 * time.Second, false},
	{"cursor", 50 * time.Second, false},
}

// budget says how long a tool call may wait inline: as the header says, else as
// the agent is set, else as its client is known to bear.
func budget(header time.Duration, agent nod.Agent, client string, progress bool) time.Duration {
	if header > 0 {
		return header
	}
	if agent.WaitSeconds > 0 {
		return time.Duration(agent.WaitSeconds) * time.Second
	}
	name := plainName(client)
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

// plainName is a client's name without what spellings of it differ in.
func plainName(client string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, client)
}
