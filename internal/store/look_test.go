package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
)

// Who looks at a data folder learns what is in it while a gateway holds it, and
// what a gateway would stumble over, and changes nothing.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	l := newLedger(t, dir)
	want := l.load(t)
	for _, when := range []string{"while it is open", "after it was closed"} {
		seen, err := store.Look(t.Context(), dir)
		if err != nil || seen.Calls != int64(len(want.Calls)) || seen.Bytes == 0 || seen.Free == 0 {
			t.Errorf("%s: %+v, %v", when, seen, err)
		}
		if when == "while it is open" {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".look-*")); len(left) != 0 {
		t.Errorf("it left %v", left)
	}
	same(t, "the ledger", want, openDir(t, dir).load(t))
}

func TestLookFindsTrouble(t *testing.T) {
	if _, err := store.Look(t.Context(), t.TempDir()); nod.CodeOf(err) != nod.CodeNotFound {
		t.Errorf("an empty folder: %v", err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "nod.db"), []byte("something else of some length, and no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Look(t.Context(), foreign); !errors.Is(err, store.ErrForeign) {
		t.Errorf("another program's file: %v", err)
	}
	newer := t.TempDir()
	newLedger(t, newer).Close()
	cfg, _ := config(t, newer)
	s, err := store.OpenWith(t.Context(), cfg, schema(t, "00900_more.sql", "ALTER TABLE people ADD COLUMN nick TEXT;"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := store.Look(t.Context(), newer); !errors.Is(err, store.ErrNewer) {
		t.Errorf("a newer nod's ledger: %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	closed := t.TempDir()
	newLedger(t, closed).Close()
	if err := os.Chmod(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700) //nolint:errcheck // so that it can be removed
	_, err = store.Look(t.Context(), closed)
	wantStorage(t, err, closed)
}
