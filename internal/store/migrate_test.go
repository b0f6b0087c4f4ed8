package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"nod.dev/nod/internal/store"
)

// schema returns the real migrations and one more.
func schema(t *testing.T, name, sql string) fs.FS {
	t.Helper()
	real, err := fs.ReadDir(store.Migrations, ".")
	if err != nil {
		t.Fatal(err)
	}
	all := fstest.MapFS{}
	for _, f := range real {
		data, err := fs.ReadFile(store.Migrations, f.Name())
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = &fstest.MapFile{Data: data}
	}
	all[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	return all
}

// before is the name of the copy that is made before the step after the newest.
func before(t *testing.T) string {
	t.Helper()
	real, err := fs.ReadDir(store.Migrations, ".")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("nod.db.before-v%d", len(real)+1)
}

func copies(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "nod.db.before-*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return found
}

func TestMigrationCopiesFirst(t *testing.T) {
	dir := t.TempDir()
	l := newLedger(t, dir)
	want := l.load(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	openDir(t, dir).Close()
	if got := copies(t, dir); len(got) != 0 {
		t.Fatalf("starts without a migration made the copies %v", got)
	}

	cfg, key := config(t, dir)
	s, err := store.OpenWith(t.Context(), cfg, schema(t, "00900_more.sql", "ALTER TABLE people ADD COLUMN nick TEXT;\nDELETE FROM phones;"))
	if err != nil {
		t.Fatal(err)
	}
	migrated := &ledger{SQLite: s, dir: dir, key: key}
	if len(migrated.load(t).Phones) != 0 {
		t.Error("the migration did not run")
	}
	migrated.verify(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, "copies", []string{before(t)}, copies(t, dir))

	// This nod refuses what the newer one left ...
	_, err = store.Open(t.Context(), cfg)
	if !errors.Is(err, store.ErrNewer) {
		t.Fatalf("got %v, want ErrNewer", err)
	}
	wantStorage(t, err, dir)
	// ... and the copy is the way back.
	copied := filepath.Join(dir, before(t))
	if mode(t, copied) != 0o600 {
		t.Errorf("the copy has mode %04o", mode(t, copied))
	}
	if err := os.Rename(copied, filepath.Join(dir, "nod.db")); err != nil {
		t.Fatal(err)
	}
	same(t, "the copy", want, openDir(t, dir).load(t))
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	l := newLedger(t, dir)
	want := l.load(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cfg, _ := config(t, dir)
	broken := schema(t, "00900_broken.sql", "DELETE FROM meta;\nALTER TABLE nowhere ADD COLUMN x TEXT;")
	for range 3 { // as a service manager does it
		_, err := store.OpenWith(t.Context(), cfg, broken)
		if err == nil || errors.Is(err, store.ErrLocked) {
			t.Fatalf("a migration that cannot work: %v", err)
		}
	}
	same(t, "copies", []string{before(t)}, copies(t, dir))
	same(t, "the ledger", want, openDir(t, dir).load(t))
}
