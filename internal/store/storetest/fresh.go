package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// empty is the file of a ledger in which nothing has happened. Making its tables
// is most of what opening a new one takes.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "nodledger")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(context.Background(), store.Config{Dir: dir, Sign: func(wire.Head) (wire.Signed, error) { return wire.Signed{}, nil }})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, store.DatabaseName))
})

// Fresh puts an empty ledger into dir, for a test that opens one there and is not
// about how it is made.
func Fresh(t testing.TB, dir string) {
	t.Helper()
	b, err := empty()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, store.DatabaseName), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
