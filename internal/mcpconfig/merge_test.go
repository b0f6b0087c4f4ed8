package mcpconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// asked reads the first line of a row: client, transport, how the token comes.
func asked(t *testing.T, line string) (Client, Request) {
	t.Helper()
	words := strings.Fields(line)
	c, err := Find(words[0])
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Transport: Transport(words[1]), URL: "http://localhost:7333"}
	for _, k := range tokens {
		if k.name == words[2] {
			r.Token = k.token
		}
	}
	return c, r
}

// Each row is a file of a person's and what becomes of it, or why it is left
// alone. What came out is left as it is by a second run.
func TestMerge(t *testing.T) {
	rows, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(rows) == 0 {
		t.Fatal("there are no rows")
	}
	for _, path := range rows {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, r := asked(t, string(a.Comment))
			got, err := c.Merge(inRow(a.Files[0].Name, a.Files[0].Data), r)
			if want := a.Files[1]; want.Name == "refused" {
				if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(string(want.Data))) {
					t.Errorf("got %v and\n%s", err, got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				a.Files[1].Data = []byte(strings.TrimSuffix(strings.ReplaceAll(got, "\r\n", "\n"), "\n") + "\n")
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(a.Files[1].Data); strings.TrimSuffix(strings.ReplaceAll(got, "\r", ""), "\n") != strings.TrimSuffix(want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if again, err := c.Merge(got, r); err != nil || again != got {
				t.Errorf("a second run: %v\n%s", err, again)
			}
		})
	}
}

// What a file of another encoding holds is not known, so it is left alone.
func TestMergeOfNoUTF8(t *testing.T) {
	for _, doc := range []string{"{\"a\xff\": {}}", "\xff\xfe{\x00}\x00"} {
		if got, err := named(t, "cursor").Merge(doc, byVariable); err == nil || !strings.Contains(err.Error(), "it is not UTF-8") {
			t.Errorf("got %v and\n%s", err, got)
		}
	}
}

// inRow is a file as its name in the row says: a row itself has plain lines.
func inRow(name string, data []byte) string {
	switch text := string(data); {
	case strings.Contains(name, "CRLF"):
		return strings.ReplaceAll(text, "\n", "\r\n")
	case strings.Contains(name, "no newline"):
		return strings.TrimSuffix(text, "\n")
	default:
		return text
	}
}
