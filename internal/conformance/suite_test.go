package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const suiteDir = "node_modules/@modelcontextprotocol/conformance/"

// check is one thing that the suite looked at.
type check struct {
	ID           string
	Status       string // SUCCESS, FAILURE, WARNING, SKIPPED or INFO
	Description  string
	ErrorMessage string
	Details      json.RawMessage
}

// scenarioFolder is "server-SCENARIO-TIME".
var scenarioFolder = regexp.MustCompile(`^server-(.+?)-\d{4}-\d{2}-\d{2}T`)

// suite runs the conformance suite. It returns what was found, by scenario, and
// how the suite itself judges it: its exit.
func suite(t *testing.T, url string, args ...string) (found map[string][]check, exit int) {
	t.Helper()
	out := t.TempDir()
	cmd := node(t, append([]string{suiteDir + "dist/index.js", "server", "--url", url, "-o", out}, args...)...)
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	found = map[string][]check{}
	files, err := filepath.Glob(filepath.Join(out, "*", "checks.json"))
	must(t, err)
	for _, file := range files {
		name := scenarioFolder.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if name == nil {
			t.Fatalf("the suite wrote %s, whose folder names no scenario", file)
		}
		b, err := os.ReadFile(file)
		must(t, err)
		var checks []check
		must(t, json.Unmarshal(b, &checks))
		found[name[1]] = checks
	}
	if len(found) == 0 {
		t.Fatalf("%v found nothing:\n%s", cmd.Args, said)
	}
	return found, cmd.ProcessState.ExitCode()
}

// TestRequirements holds the fixtures, on nod's own stack, against all that a
// revision requires, and what the suite has besides.
func TestRequirements(t *testing.T) {
	// A stream that broke off is not gone on with; a server may do that, and none
	// has to (MCP 2025-11-25, "Resumability"). A call that waits has an id of its
	// own instead, and call_status.
	const notDone = "server-sse-polling"
	for revision, scored := range map[string]int{"2025-11-25": 30, "2026-07-28": 37} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			required := required(t, revision)
			if len(required) != scored {
				t.Errorf("%d scenarios are required, want %d: %v", len(required), scored, required)
			}
			found, exit := suite(t, startFixtures(t), "--requirements", revision)
			if exit != 0 {
				t.Errorf("the suite exits with %d", exit)
			}
			for _, name := range required {
				if found[name] == nil {
					t.Errorf("%s is required and did not run", name)
				}
			}
			delete(found, notDone)
			for name, checks := range found {
				t.Run(name, func(t *testing.T) { judge(t, checks, nil) })
			}
		})
	}
}

// TestOlder holds the fixtures against what the suite has for a revision that
// clients still begin with: Codex and Gemini CLI speak it.
func TestOlder(t *testing.T) {
	t.Parallel()
	found, exit := suite(t, startFixtures(t), "--suite", "all", "--spec-version", "2025-06-18")
	if exit != 0 || len(found) != 27 {
		t.Errorf("the suite exits with %d after %d scenarios", exit, len(found))
	}
	for name, checks := range found {
		t.Run(name, func(t *testing.T) { judge(t, checks, nil) })
	}
}

// required lists the server scenarios that a revision requires, as the suite has
// them in a file.
func required(t *testing.T, revision string) (names []string) {
	t.Helper()
	b, err := os.ReadFile(suiteDir + "requirements/" + revision + ".yaml")
	if os.IsNotExist(err) {
		nodeProgram(t) // skips, or else the file ought to be there
	}
	must(t, err)
	_, list, _ := bytes.Cut(b, []byte("\nserver:\n"))
	for line := range strings.Lines(string(list)) {
		name, is := strings.CutPrefix(line, "  - ")
		if !is {
			break
		}
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// judge fails the test for each check that did not end well, a warning included,
// but for those that cannot: each of those must in fact not have.
func judge(t *testing.T, checks []check, cannot []string) {
	t.Helper()
	passed, skipped, met := 0, "", map[string]bool{}
	for _, c := range checks {
		switch {
		case c.Status == "SUCCESS":
			passed++
		case c.Status == "SKIPPED":
			skipped = c.Description
		case c.Status == "INFO":
		case slices.Contains(cannot, c.ID):
			met[c.ID] = true
		default:
			t.Errorf("%s %s: %s: %s\n%.2000s", c.Status, c.ID, c.Description, c.ErrorMessage, c.Details)
		}
	}
	for _, id := range cannot {
		if !met[id] {
			t.Errorf("%s is expected not to pass here, and passed, or did not run", id)
		}
	}
	if passed == 0 && skipped != "" {
		first, _, _ := strings.Cut(skipped, ".")
		t.Skip("the suite does not run it: " + first)
	}
	if passed == 0 {
		t.Error("nothing passed")
	}
}
