package action_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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

// Every action and every tool has a row that passes and, if it requires
// anything, one that does not; every field has a row in which it is carried and
// one in which it is bad.
func TestRowsReachEverything(t *testing.T) {
	reached := map[string]bool{}
	for _, rows := range readRows[checkRow](t, "check") {
		for _, row := range rows {
			if row.Action == nil {
				subject, _, _ := strings.Cut(row.Text, " ")
				reached["no "+subject] = true
				if row.Tool != spec.ToolPhoneAction {
					reached[row.Tool+" no "+subject] = true
				}
				continue
			}
			a := wantAction(t, row.Action)
			reached[a.Name] = true
			for field := range a.Fields {
				reached[a.Name+" "+field] = true
			}
		}
	}
	want := []string{}
	for _, a := range spec.Get().Phone.Actions {
		want = append(want, a.Name)
		if len(a.Required) > 0 {
			want = append(want, "no "+a.Name) // "dial needs number."
		}
		for _, field := range a.Fields {
			want = append(want, a.Name+" "+field, "no "+field) // "number must be ..."
		}
	}
	for _, tool := range spec.Get().Tools {
		if tool.Name == spec.ToolPhoneAction {
			continue
		}
		want = append(want, tool.Name)
		if len(tool.Required) > 0 {
			want = append(want, "no "+tool.Name)
		}
		for _, f := range tool.Fields {
			if f.Name != spec.FieldMinutes { // it becomes seconds
				want = append(want, tool.Name+" "+f.Name)
			}
			want = append(want, tool.Name+" no "+f.Name)
		}
	}
	for _, w := range want {
		if !reached[w] {
			t.Errorf("no row for: %s", w)
		}
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
