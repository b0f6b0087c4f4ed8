package action_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// checkRow is one row of spec/testdata/check: a call, and either the text that
// refuses it or the action it becomes.
type checkRow struct {
	Name      string          `json:"name"`
	Tool      string          `json:"tool"`
	Arguments string          `json:"arguments"`
	Text      string          `json:"text"`
	Action    json.RawMessage `json:"action"`
}

// readRows reads the files of one folder of spec/testdata, by name.
func readRows[T any](t testing.TB, folder string) map[string][]T {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "spec", "testdata", folder, "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no rows in %s: %v", folder, err)
	}
	files := map[string][]T{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var rows []T
		if err := json.Unmarshal(data, &rows); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files[filepath.Base(name)] = rows
	}
	return files
}

func TestCheckRows(t *testing.T) {
	count := 0
	for file, rows := range readRows[checkRow](t, "check") {
		seen := map[string]bool{}
		for _, row := range rows {
			count++
			if seen[row.Name] {
				t.Errorf("%s: two rows are called %q", file, row.Name)
			}
			seen[row.Name] = true
			t.Run(file+"/"+row.Name, func(t *testing.T) { checkOne(t, row) })
		}
	}
	if count < 300 {
		t.Errorf("%d rows; the contract promises at least 300", count)
	}
}

func checkOne(t *testing.T, row checkRow) {
	got, text := action.Check(spec.Get(), row.Tool, []byte(row.Arguments))
	if text != row.Text {
		t.Fatalf("text\n got %q\nwant %q", text, row.Text)
	}
	if (row.Text == "") == (row.Action == nil) {
		t.Fatal("a row has either a text or an action")
	}
	if row.Action == nil {
		if diff := cmp.Diff(nod.Action{}, got); diff != "" {
			t.Errorf("a refused call has no action:\n%s", diff)
		}
		return
	}
	if diff := cmp.Diff(wantAction(t, row.Action), got); diff != "" {
		t.Errorf("action (-want +got):\n%s", diff)
	}
}

// wantAction reads a row's action with the types that the check gives: the same
// strict parser, so that 60 is an int64.
func wantAction(t testing.TB, raw json.RawMessage) nod.Action {
	t.Helper()
	tree, err := wire.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	m := tree.(map[string]any)
	return nod.Action{
		Tool: m["tool"].(string), Name: m["name"].(string),
		Fields: nod.Fields(m["fields"].(map[string]any)), Summary: m["summary"].(string),
	}
}
