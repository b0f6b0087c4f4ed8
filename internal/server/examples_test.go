package server_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nod.dev/nod/nodtest"
)

// snippets are the programs that docs/http.md shows, in one language.
func snippets(t *testing.T, language string) (list []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		list = append(list, m[1])
	}
	return list
}

// program makes a snippet ready to be run for an agent.
func program(t *testing.T, n *nodtest.Nod, name, text, token string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	with := map[string]string{".py": "python3", ".mjs": "node", ".sh": "sh"}[filepath.Ext(name)]
	for _, tool := range []string{with, "curl"}[:1+strings.Count(name, "curl")] {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s to run what docs/http.md shows", tool)
		}
	}
	cmd := exec.CommandContext(t.Context(), with, path)
	cmd.Env = append(os.Environ(), "NOD_URL="+n.URL, "NOD_TOKEN="+token)
	cmd.Stderr = t.Output()
	return cmd
}

// What the page shows does what the page says, when pasted.
func TestExamples(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	js := snippets(t, "js")
	if len(js) != 2 || len(snippets(t, "python")) != 1 || len(snippets(t, "sh")) != 2 { // the second is in TestAttachmentRoute
		t.Fatal("docs/http.md shows other programs than these tests know")
	}
	for _, tt := range []struct{ name, text, has string }{
		{"curl.sh", snippets(t, "sh")[0], `"outcome":"done"`},
		{"ask.py", snippets(t, "python")[0], "done\nThe phone did it."},
		{"ask.mjs", js[0], "done\nThe phone did it."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := program(t, n, tt.name, tt.text, n.Token).Output()
			if err != nil || !strings.Contains(string(out), tt.has) {
				t.Errorf("it printed %q, %v; want %q", out, err, tt.has)
			}
		})
	}
	for _, tt := range []struct{ name, text string }{{"refused.py", snippets(t, "python")[0]}, {"refused.mjs", js[0]}} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := program(t, n, tt.name, tt.text, "nod_a_WRONG")
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "unauthorized: this token is not known; make one with") {
				t.Errorf("with a wrong token: %v, %s", err, said.String())
			}
		})
	}
	t.Run("events.mjs", func(t *testing.T) {
		cmd := program(t, n, "events.mjs", js[1], n.Token)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait() //nolint:errcheck // it is killed
		defer cmd.Process.Kill()
		var heard []string
		for lines := bufio.NewScanner(out); lines.Scan(); {
			heard = append(heard, strings.Join(strings.Fields(lines.Text()), " "))
			if len(heard) == 1 {
				if _, err := n.Client.Do(t.Context(), nodtest.Ask(torchOn)); err != nil {
					t.Fatal(err)
				}
			}
			if strings.HasSuffix(lines.Text(), "done") {
				break
			}
		}
		if !slices.Contains(heard, "snapshot") || !slices.Contains(heard, "call torch done") {
			t.Errorf("heard %q", heard)
		}
	})
}
