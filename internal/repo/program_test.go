package repo

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// program is nod as it is built here, for what it says of itself.
type program struct {
	path   string
	groups []string // "agents": a command with others below it
	leaves []string // "agents add"
}

func builtProgram(t *testing.T) *program {
	t.Helper()
	p := &program{path: filepath.Join(t.TempDir(), "nod")}
	if out, err := exec.Command("go", "build", "-o", p.path, "../../cmd/nod").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	_, list, _ := strings.Cut(p.help(t), "\nCommands:\n")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z]+)?)  +\S`).FindAllStringSubmatch(list, -1) {
		p.leaves = append(p.leaves, m[1])
		if group, _, ok := strings.Cut(m[1], " "); ok {
			p.groups = append(p.groups, group)
		}
	}
	if len(p.leaves) == 0 {
		t.Fatal("nod --help lists no command")
	}
	return p
}

// help is what a command says of itself.
func (p *program) help(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.Command(p.path, append(slices.Clone(command), "--help")...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("nod %s --help: %v", strings.Join(command, " "), err)
	}
	return string(out)
}

// command finds which command a line is about; nil for none. A group alone is
// what it does without one.
func (p *program) command(words []string) []string {
	switch {
	case strings.HasPrefix(words[0], "-"):
		return []string{}
	case len(words) > 1 && slices.Contains(p.leaves, words[0]+" "+words[1]):
		return words[:2]
	case slices.Contains(p.leaves, words[0]):
		return words[:1]
	case slices.Contains(p.groups, words[0]) && (len(words) == 1 || strings.HasPrefix(words[1], "-")):
		for _, list := range []string{"list", "show", "serve"} {
			if slices.Contains(p.leaves, words[0]+" "+list) {
				return []string{words[0], list}
			}
		}
	}
	return nil
}
