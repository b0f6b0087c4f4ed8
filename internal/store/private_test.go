package store_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
)

const secret = "the secret of the phone"

// What phones read is in files of its owner alone, survives a restart, and is in no
// other file: not in the ledger's, not in a backup.
func TestPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	l := newLedger(t, dir)
	id := nod.NewCallID()
	for _, err := range []error{
		l.PutText(t.Context(), id, `{"text":"`+secret+`"}`, "salt"),
		l.PutBlob(t.Context(), id, 3, []byte(secret)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	l.commit(t, l.offer(t, 2))
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := l.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	l.close(t)
	var found []string
	for _, root := range []string{dir, filepath.Dir(backup)} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if got := mode(t, path); e.IsDir() && root == dir && got != 0o700 || !e.IsDir() && got != 0o600 {
				t.Errorf("%s has mode %04o", path, got)
			}
			if e.IsDir() {
				return nil
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(secret)) {
				found = append(found, filepath.Base(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(found, []string{"3", "text.json"}) {
		t.Errorf("it is in %v", found)
	}
	l = openDir(t, dir)
	if p, err := l.Private(t.Context(), id); err != nil || !contains(p.Text, secret) {
		t.Errorf("after a restart %+v, %v", p, err)
	}
	if data, err := l.Blob(t.Context(), id, 3); err != nil || string(data) != secret {
		t.Errorf("after a restart %q, %v", data, err)
	}
	if err := l.DropPrivate(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "private")); err != nil || len(left) != 0 {
		t.Errorf("dropped, and %v is left, %v", left, err)
	}
}

// A restore starts without what phones read: its ledger may not know of it any more.
func TestRestoreForgetsWhatWasRead(t *testing.T) {
	l, backup := backedUp(t)
	if err := l.PutText(t.Context(), nod.NewCallID(), "{}", "salt"); err != nil {
		t.Fatal(err)
	}
	kept, err := l.KeepAttachment(t.Context(), 1000, "photo.jpg", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	l.close(t)
	if err := store.Restore(t.Context(), l.dir, backup); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(l.dir, "private")); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(l.dir, kept)); err != nil {
		t.Errorf("and the person's own file is not: %v", err)
	}
}

// Files for the person go after thirty days, and the oldest first where they are
// more than there is room for. What is not nod's stays.
func TestAttachmentsAreSwept(t *testing.T) {
	l := newLedger(t, t.TempDir())
	now := nod.TimeOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	day := 24 * time.Hour
	var paths []string
	for i, age := range []time.Duration{40 * day, 31 * day, 30 * day, 29 * day, 0} {
		path, err := l.KeepAttachment(t.Context(), now.Add(-age), "photo.jpg", bytes.Repeat([]byte("x"), 100+i))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(l.Dir(), path))
	}
	own := filepath.Join(l.Dir(), "attachments", "notes.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	left := func() (n []int) {
		for i, path := range paths {
			if _, err := os.Lstat(path); err == nil {
				n = append(n, i)
			}
		}
		if _, err := os.Lstat(own); err != nil {
			t.Error("what is not nod's is gone")
		}
		return n
	}
	if err := l.SweepAttachments(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if got := left(); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("left are %v", got)
	}
	if _, err := os.Lstat(filepath.Dir(paths[0])); !os.IsNotExist(err) {
		t.Error("an empty day is left")
	}
	if err := l.SweepAttachmentsOver(t.Context(), now, 210); err != nil {
		t.Fatal(err)
	}
	if got := left(); !slices.Equal(got, []int{3, 4}) {
		t.Errorf("left of more than there is room for are %v", got)
	}
}
