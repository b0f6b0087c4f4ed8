package store_test

import (
	"testing"

	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
)

func TestSQLite(t *testing.T) {
	storetest.Test(t, func(t *testing.T, sign storetest.Signer) storetest.Engine {
		s, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Sign: sign})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
