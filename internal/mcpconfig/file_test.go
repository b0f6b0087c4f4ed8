package mcpconfig

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nod.dev/nod"
)

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func permissions(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode(); got != want && runtime.GOOS != "windows" {
		t.Errorf("%s has mode %v, want %v", filepath.Base(path), got, want)
	}
}

var (
	byVariable = Request{Transport: HTTP, URL: "http://localhost:7333"}
	bySecret   = Request{Transport: HTTP, URL: "http://localhost:7333", Token: Token{Value: "nod_a_SECRET"}}
)

func named(t *testing.T, name string) Client {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A file that is not there is made, with its folder; a second run says so.
func TestWriteNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "mcp.json")
	for _, row := range []struct {
		request Request
		want    Written
		mode    os.FileMode
	}{
		{byVariable, Written{Path: path, Created: true, Changed: true}, 0o644},
		{byVariable, Written{Path: path}, 0o644},
		{bySecret, Written{Path: path, Changed: true, Backup: path + ".bak", Closed: true}, 0o600},
		{bySecret, Written{Path: path}, 0o600},
		{byVariable, Written{Path: path, Changed: true, Backup: path + ".bak"}, 0o600},
	} {
		got, err := named(t, "cursor").Write(path, row.request)
		if err != nil || got != row.want {
			t.Errorf("got %+v, %v, want %+v", got, err, row.want)
		}
		permissions(t, path, row.mode)
	}
	if text := content(t, path); strings.Contains(text, "SECRET") {
		t.Errorf("the token is still in it:\n%s", text)
	}
}

// A token in a file that others can read closes it, also where nothing else changes.
func TestWriteClosesWhatHoldsTheToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if _, err := named(t, "cursor").Write(path, bySecret); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := named(t, "cursor").Write(path, bySecret)
	if want := (Written{Path: path, Closed: true}); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	permissions(t, path, 0o600)
}

// A link stays one, and its file keeps its permissions; the old text is beside it.
func TestWriteBehindALink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "dotfiles", "config.toml"), filepath.Join(dir, "config.toml")
	write(t, file, "a = 1 # mine\n", 0o640)
	if err := os.Symlink(filepath.Join("dotfiles", "config.toml"), link); err != nil {
		t.Skip("no links here: ", err)
	}
	got, err := named(t, "codex").Write(link, byVariable)
	if want := (Written{Path: file, Changed: true, Backup: file + ".bak"}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	permissions(t, link, os.ModeSymlink|0o777)
	permissions(t, file, 0o640)
	permissions(t, file+".bak", 0o640)
	if text := content(t, file+".bak"); text != "a = 1 # mine\n" {
		t.Errorf("the copy is %q", text)
	}
	if text := content(t, file); !strings.HasPrefix(text, "a = 1 # mine\n") || !strings.Contains(text, "[mcp_servers.nod]") {
		t.Errorf("got\n%s", text)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "dotfiles", ".nod-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A link to a file that is not there yet is followed, too.
func TestWriteBehindALinkToNothing(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "mcp.json")
	if err := os.Symlink("kept/mcp.json", link); err != nil {
		t.Skip("no links here: ", err)
	}
	got, err := named(t, "cursor").Write(link, byVariable)
	if err != nil || got.Path != filepath.Join(dir, "kept", "mcp.json") || !got.Created {
		t.Errorf("got %+v, %v", got, err)
	}
	permissions(t, link, os.ModeSymlink|0o777)
}

// What cannot be changed without loss is left as it is, and said to be.
func TestWriteLeavesAlone(t *testing.T) {
	dir := t.TempDir()
	broken, folder := filepath.Join(dir, "broken.json"), filepath.Join(dir, "folder")
	write(t, broken, "{\"mcpServers\": {", 0o644)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{broken: "it is not JSON", folder: "is no file that nod would change"} {
		_, err := named(t, "cursor").Write(path, byVariable)
		if nod.CodeOf(err) != nod.CodeConflict || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text := content(t, broken); text != "{\"mcpServers\": {" {
		t.Errorf("it was changed: %s", text)
	}
	if exists(broken + ".bak") {
		t.Error("there is a copy of a file that was not changed")
	}
}

// A client that has to be given the token is not written to without one.
func TestWriteWithoutTheToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude_desktop_config.json")
	_, err := named(t, "claude-desktop").Write(path, Request{URL: "http://localhost:7333"})
	if nod.CodeOf(err) != nod.CodeInvalid || exists(path) {
		t.Errorf("got %v", err)
	}
}

// What a link says counts from where its folder really lies, which can be behind
// a link too, as programs for dotfiles make them; also where nothing is there yet.
func TestWriteBehindTwoLinks(t *testing.T) {
	for _, there := range []bool{true, false} {
		home, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(home, "dotfiles", "shared", "mcp.json")
		write(t, filepath.Join(home, "shared", "mcp.json"), "{}", 0o644) // where it would be by the letters
		write(t, filepath.Join(home, "dotfiles", "cursor", "other.json"), "{}", 0o644)
		if there {
			write(t, file, "{}", 0o644)
		}
		link := os.Symlink(filepath.Join("dotfiles", "cursor"), filepath.Join(home, ".cursor"))
		if err := errors.Join(link, os.Symlink(filepath.Join("..", "shared", "mcp.json"), filepath.Join(home, "dotfiles", "cursor", "mcp.json"))); err != nil {
			t.Skip("no links here: ", err)
		}
		got, err := named(t, "cursor").Write(filepath.Join(home, ".cursor", "mcp.json"), byVariable)
		if err != nil || got.Path != file || got.Created == there {
			t.Errorf("there %v: got %+v, %v, want %s", there, got, err, file)
		}
		if text := content(t, filepath.Join(home, "shared", "mcp.json")); text != "{}" {
			t.Errorf("there %v: a file that no link leads to is now\n%s", there, text)
		}
	}
}

// A file that its person has protected is not replaced, though its folder lets it be.
func TestWriteProtected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, "{}", 0o444)
	got, err := named(t, "cursor").Write(path, byVariable)
	if nod.CodeOf(err) != nod.CodeConflict || content(t, path) != "{}" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := os.Stat(path + ".bak"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a copy: %v", err)
	}
}

// The copy of a file that held a token is closed as the file is.
func TestCopyIsNoWiderOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, `{"mcpServers": {"nod": {"headers": {"Authorization": "Bearer nod_a_OLD"}}}}`, 0o644)
	if got, err := named(t, "cursor").Write(path, bySecret); err != nil || !got.Closed {
		t.Fatalf("got %+v, %v", got, err)
	}
	permissions(t, path+".bak", 0o600)
}

// Nesting that would end the program is refused in words; braces in strings and
// comments are none.
func TestDepth(t *testing.T) {
	deep := strings.Repeat("[", 2_000_000)
	for _, row := range []struct {
		doc  string
		want int
	}{
		{`{"a": [{}]}`, 3},
		{`{"a": "[[[\"[[", /* [[ " */ "b": 1} // [[[ "`, 1},
		{`{"\\": [1]}`, 2},
		{`/*/ [[ */ {}`, 1},
		{`{"a`, 1}, {`/`, 0}, {`/*`, 0}, {`"\`, 0}, {``, 0},
		{deep, 2_000_000},
	} {
		if got := depth(row.doc); got != row.want {
			t.Errorf("%.40s: got %d, want %d", row.doc, got, row.want)
		}
	}
	for _, c := range Clients() {
		head := map[string]string{"toml": "a = ", "yaml": "a: "}[c.Language()]
		if _, err := c.Merge(head+deep, Request{URL: "http://localhost:7333"}); err == nil {
			t.Errorf("%s: a file that is nested without end was taken", c.Name)
		}
	}
}

// Another entry that leads to the same gateway is told, whatever it is called.
func TestTwin(t *testing.T) {
	for _, row := range []struct{ client, doc, want string }{
		{"cursor", "", ""},
		{"cursor", `{"mcpServers": {"phone": {"url": "http://localhost:7333/mcp"}}}`, "phone"},
		{"cursor", "\ufeff" + `{"mcpServers": {"Nod": {"url": "http://localhost:7333/mcp"}}}`, "Nod"},
		{"cursor", `{"mcpServers": {"phone": {"url": "http://localhost:7334/mcp"}, "b": 1, "nod": {}}}`, ""},
		{"gemini", `{"mcpServers": {"phone": {"httpUrl": "http://localhost:7333/mcp"}}}`, "phone"},
		{"codex", "[mcp_servers.phone]\nurl = 'http://localhost:7333/mcp'\n", "phone"},
		{"goose", "extensions:\n  phone:\n    uri: http://localhost:7333/mcp\n", "phone"},
	} {
		path := filepath.Join(t.TempDir(), "config")
		if row.doc != "" {
			write(t, path, row.doc, 0o644)
		}
		for range 2 {
			if got, err := named(t, row.client).Write(path, byVariable); err != nil || got.Twin != row.want {
				t.Errorf("%s %s: got %+v, %v, want %q", row.client, row.doc, got, err, row.want)
			}
		}
	}
}
