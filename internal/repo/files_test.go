package repo

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// files lists what git tracks or would add: everything but what .gitignore names.
func files(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("not a git work tree: %v", err)
	}
	list := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(list, func(name string) bool { return strings.Contains("/"+name, "/node_modules/") })
}

// sources are the files that people write.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	written := []string{".go", ".js", ".mjs", ".css", ".html", ".md", ".sh", ".sql", ".txtar", ".yml", ".yaml", ".json", ".mod", ".webmanifest", ""}
	found := map[string][]byte{}
	for _, name := range files(t) {
		if !slices.Contains(written, filepath.Ext(name)) || strings.Contains(name, "testdata/fuzz/") {
			continue
		}
		path := filepath.Join("../..", name)
		if matched, _ := filepath.Glob(path); len(matched) == 1 { // it may have been removed and not yet committed
			found[name] = read(t, path)
		}
	}
	return found
}

// TestFileLength keeps each file to one subject. What is generated or is data
// does not count.
func TestFileLength(t *testing.T) {
	const most = 700
	code := []string{".go", ".js", ".mjs", ".css", ".html", ".sh", ".sql"}
	for name, text := range sources(t) {
		generated := bytes.Contains(text[:min(len(text), 400)], []byte("generated")) && bytes.Contains(text[:min(len(text), 400)], []byte("DO NOT EDIT"))
		if n := bytes.Count(text, []byte("\n")); n > most && !generated && slices.Contains(code, filepath.Ext(name)) {
			t.Errorf("%s has %d lines, more than %d", name, n, most)
		}
	}
}

// unwanted are texts that no file may hold. They are written in two parts, so
// that this file does not hold them either.
var unwanted = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`), "what is not done is an issue, not a comment"},
	{regexp.MustCompile(`(^|[\s"'` + "`" + `(=])/(wo` + `rk|ro` + `ot|ho` + `me/[a-z]+)/`), "a path of one machine"},
	{regexp.MustCompile(`regis` + `try\.(npmjs|yarnpkg)\.|pro` + `xy\.golang\.org|go` + `proxy\.|py` + `pi\.org/simple|deb\.deb` + `ian\.org`), "a registry's host is the machine's to choose"},
	{regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>) `), "a merge that was not finished"},
}

func TestUnwanted(t *testing.T) {
	for name, text := range sources(t) {
		for _, u := range unwanted {
			if at := u.pattern.FindIndex(text); at != nil {
				line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
				t.Errorf("%s:%d: %q: %s", name, line, strings.TrimSpace(string(text[at[0]:at[1]])), u.why)
			}
		}
	}
}
