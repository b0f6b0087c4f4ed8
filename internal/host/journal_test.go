package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

func create(t *testing.T) (string, *File) {
	t.Helper()
	dir := t.TempDir()
	j, err := CreateFile(dir, me)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return dir, j
}

func records3() []Record {
	return []Record{
		{Kind: RecReceived, At: 1, Call: "call_1", Offer: `{"a":"\n"}`},
		{Kind: RecDecided, At: 2, Call: "call_1", Signed: &wire.Signed{Kind: "decision", Body: "{}", Sig: "s"}},
		{Kind: RecOver, At: 3, Call: "call_1", Reason: "acked", Never: true},
	}
}

func fill(t *testing.T, j Journal, records []Record) {
	t.Helper()
	for _, r := range records {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

// reopen reads a journal as the next start of the program does.
func reopen(t *testing.T, dir string) []Record {
	t.Helper()
	j, err := OpenFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	records, err := j.Records()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestFileKeeps(t *testing.T) {
	dir, j := create(t)
	fill(t, j, records3())
	j.Close()
	want := append([]Record{{Kind: RecPhone, Phone: me}}, records3()...)
	if diff := cmp.Diff(want, reopen(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, journalName))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the journal's mode is %v", info.Mode())
	}
}

// TestFileTorn cuts the file at every byte of the last record: what was before
// it is there, and the next record goes where the torn one was.
func TestFileTorn(t *testing.T) {
	dir, j := create(t)
	fill(t, j, records3())
	j.Close()
	path := filepath.Join(dir, journalName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.LastIndexByte(strings.TrimSuffix(string(whole), "\n"), '\n') + 1
	for at := last; at < len(whole); at++ {
		if err := os.WriteFile(path, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := OpenFile(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", at, err)
		}
		fill(t, j, []Record{{Kind: RecRevoked}})
		j.Close()
		got := reopen(t, dir)
		if len(got) != 4 || got[2].Kind != RecDecided || got[3].Kind != RecRevoked {
			t.Fatalf("cut at %d: %+v", at, got)
		}
	}
}

// TestFileTornInside holds that a last line which is whole but wrong is torn too:
// blocks of a write may reach the disk in any order.
func TestFileTornInside(t *testing.T) {
	dir, j := create(t)
	fill(t, j, records3())
	j.Close()
	damage(t, dir, -5)
	if got := reopen(t, dir); len(got) != 3 {
		t.Errorf("%d records", len(got))
	}
}

// TestFileDamaged holds that a phone that forgot something in the middle stops.
func TestFileDamaged(t *testing.T) {
	dir, j := create(t)
	fill(t, j, records3())
	j.Close()
	damage(t, dir, 12)
	if _, err := OpenFile(dir); nod.CodeOf(err) != nod.CodeStorage || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("opened with %v", err)
	}
}

// damage changes one byte, counted from the end when at is negative.
func damage(t *testing.T, dir string, at int) {
	t.Helper()
	path := filepath.Join(dir, journalName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at < 0 {
		at += len(data)
	}
	data[at] ^= 0x01
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFileReplace(t *testing.T) {
	dir, j := create(t)
	fill(t, j, records3())
	short := []Record{{Kind: RecPhone, Phone: me}, {Kind: RecOver, Call: "call_1"}}
	if err := j.Replace(short); err != nil {
		t.Fatal(err)
	}
	fill(t, j, []Record{{Kind: RecRevoked}})
	j.Close()
	if diff := cmp.Diff(append(short, Record{Kind: RecRevoked}), reopen(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, journalName+".new")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is left over: %v", err)
	}
}

// TestFileOneProgram holds that two programs cannot be one phone.
func TestFileOneProgram(t *testing.T) {
	dir, j := create(t)
	if _, err := OpenFile(dir); nod.CodeOf(err) != nod.CodeConflict {
		t.Errorf("the second opened it with %v", err)
	}
	j.Close()
	if err := j.Append(Record{Kind: RecRevoked}); nod.CodeOf(err) != nod.CodeStorage {
		t.Errorf("a closed journal took a record: %v", err)
	}
	reopen(t, dir)
}

// TestFileGone holds that a phone without its journal does not start with none.
func TestFileGone(t *testing.T) {
	if _, err := OpenFile(t.TempDir()); nod.CodeOf(err) != nod.CodeStorage {
		t.Errorf("opened with %v", err)
	}
}

// TestFileCannotWrite holds that a write that failed is final: nobody knows what
// the disk holds.
func TestFileCannotWrite(t *testing.T) {
	_, j := create(t)
	j.f.Close()
	first := j.Append(Record{Kind: RecRevoked})
	if nod.CodeOf(first) != nod.CodeStorage {
		t.Fatalf("the write: %v", first)
	}
	if again := j.Append(Record{Kind: RecRevoked}); again != first {
		t.Errorf("the next write: %v", again)
	}
}

func TestMemoryLoses(t *testing.T) {
	j := &Memory{}
	fill(t, j, records3()[:1])
	j.LoseFromNow()
	fill(t, j, records3()[1:])
	j.Recover()
	full := errors.New("full")
	j.Fail(full)
	if err := errors.Join(j.Append(Record{}), j.Replace(nil)); !errors.Is(err, full) {
		t.Errorf("a failing journal said %v", err)
	}
	j.Recover()
	if got, _ := j.Records(); len(got) != 1 {
		t.Errorf("%d records", len(got))
	}
}
