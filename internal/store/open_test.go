package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestOnlyTheOwnerCanRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	l := newLedger(t, dir)
	if got := mode(t, dir); got != 0o700 {
		t.Errorf("the folder has mode %04o, want 0700", got)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 { // database, -wal, -shm, lock, key
		t.Errorf("only %d files are there while it is open", len(files))
	}
	for _, f := range files {
		if got := mode(t, filepath.Join(dir, f.Name())); got != 0o600 {
			t.Errorf("%s has mode %04o, want 0600", f.Name(), got)
		}
	}
	// What somebody widened is narrowed again.
	if err := errors.Join(l.Close(), os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, "nod.db"), 0o644)); err != nil {
		t.Fatal(err)
	}
	openDir(t, dir)
	if mode(t, dir) != 0o700 || mode(t, filepath.Join(dir, "nod.db")) != 0o600 {
		t.Error("a wide mode was not narrowed")
	}
}

func TestForeignFolderIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(t.Context(), store.Config{Dir: dir})
	wantStorage(t, err, dir)
	if got := mode(t, dir); got != 0o755 {
		t.Errorf("the mode of a folder that is not nod's became %04o", got)
	}
	if _, err := store.Open(t.Context(), store.Config{}); nod.CodeOf(err) != nod.CodeInvalid {
		t.Errorf("no folder at all: %v", err)
	}
}

func TestSecondGatewayIsRefused(t *testing.T) {
	dir := t.TempDir()
	l := newLedger(t, dir)
	_, err := store.Open(t.Context(), store.Config{Dir: dir})
	if !errors.Is(err, store.ErrLocked) || !contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("got %v, want ErrLocked that names process %d", err, os.Getpid())
	}
	wantStorage(t, err, dir)
	l.commit(t, l.offer(t, 2)) // the first one goes on
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	openDir(t, dir)
}

func TestForeignFilesAreRefused(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"text": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("not a database\n", 99)), 0o600)
		},
		"another program's": func(path string) error {
			db, err := sql.Open("sqlite", "file:"+path)
			if err != nil {
				return err
			}
			_, err = db.Exec("CREATE TABLE birds (name TEXT)")
			return errors.Join(err, db.Close())
		},
		"another application's": func(path string) error {
			db, err := sql.Open("sqlite", "file:"+path)
			if err != nil {
				return err
			}
			_, err = db.Exec("PRAGMA application_id = 77")
			return errors.Join(err, db.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "nod.db")
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			_, err := store.Open(t.Context(), store.Config{Dir: dir})
			if !errors.Is(err, store.ErrForeign) {
				t.Fatalf("got %v, want ErrForeign", err)
			}
			wantStorage(t, err, dir)
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
			_, err = store.Open(t.Context(), store.Config{Dir: dir})
			if errors.Is(err, store.ErrLocked) {
				t.Error("the folder stayed locked after a refusal")
			}
		})
	}
}

// TestInterruptedFirstStart starts on what a first start killed early leaves.
func TestInterruptedFirstStart(t *testing.T) {
	for name, content := range map[string]string{
		"empty file":  "",
		"marked file": "PRAGMA application_id = 0x6e6f6431",
		"header only": "PRAGMA user_version = 0; VACUUM",
		"write-ahead": "PRAGMA application_id = 0x6e6f6431; PRAGMA journal_mode = WAL",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "nod.db")
			db, err := sql.Open("sqlite", "file:"+path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.Exec(content)
			if err := errors.Join(err, db.Close(), os.WriteFile(filepath.Join(dir, "x"), nil, 0o600), os.Chmod(dir, 0o700)); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(t.Context(), store.Config{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestHotJournal starts on what a process leaves that was killed while it
// wrote its very first page: a rollback journal that has to be played back.
func TestHotJournal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nod.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=cache_spill(1)&_pragma=cache_size(1)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, text := range []string{
		"PRAGMA application_id = 0x6e6f6431", "CREATE TABLE x (y BLOB)", "BEGIN",
		"INSERT INTO x SELECT randomblob(9000) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9))",
	} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	half, err1 := os.ReadFile(path)
	journal, err2 := os.ReadFile(path + "-journal")
	if err := errors.Join(err1, err2, db.Close()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, half, 0o600), os.WriteFile(path+"-journal", journal, 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestPragmas(t *testing.T) {
	l := newLedger(t, t.TempDir())
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "trusted_schema": "0",
		"busy_timeout": "5000", "secure_delete": "1", "application_id": fmt.Sprint(0x6e6f6431),
	} {
		var got string
		if err := l.Writer().QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", pragma, got, err, want)
		}
	}
	if _, err := l.Readers().Exec("DELETE FROM meta"); err == nil {
		t.Error("a reading connection can write")
	}
}

func TestReopenedLedgerIsTheSame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "häuser & co? 100%25 #1")
	l := newLedger(t, dir)
	for i := range 9 {
		l.commit(t, l.offer(t, nod.Time(100+i)))
	}
	want := l.load(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", "nod.db-*")); len(left) != 0 {
		t.Errorf("Close left %v", left)
	}
	again := openDir(t, dir)
	again.agent, again.person = l.agent, l.person
	same(t, "after a restart", want, again.load(t))
	again.commit(t, again.offer(t, 1)) // earlier than the last: time stays
	if got := again.load(t).Now; got != 108 {
		t.Errorf("Now is %d after a restart and a commit at 1, want 108", got)
	}
	if size := again.verify(t)[l.person.ID]; size != 11 {
		t.Errorf("the log has %d entries, want 11", size)
	}
}

func TestReadsWithoutSigner(t *testing.T) {
	dir := t.TempDir()
	l := newLedger(t, dir)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(context.Background(), store.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Head(t.Context(), l.person.ID); err != nil {
		t.Error(err)
	}
	if _, err := s.Commit(t.Context(), l.offer(t, 5)); nod.CodeOf(err) != nod.CodeInternal {
		t.Errorf("an append without a signer: %v", err)
	}
	if s.Dir() != dir {
		t.Errorf("Dir is %s", s.Dir())
	}
}
