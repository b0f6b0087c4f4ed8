package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"nod.dev/nod/internal/store"
)

func TestKeyIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "gateway.key")
	first, err := store.LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := store.LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Public(), again.Public()) {
		t.Error("a second start has another key")
	}
	if mode(t, path) != 0o600 || mode(t, dir) != 0o700 {
		t.Errorf("the key has mode %04o in a folder of mode %04o", mode(t, path), mode(t, dir))
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte("-----BEGIN PRIVATE KEY-----\n")) {
		t.Errorf("the key is not PKCS #8 in PEM: %q, %v", text[:20], err)
	}
}

// The push key stands beside the gateway's. One that was lost is made anew, even
// beside a ledger: phones subscribe again.
func TestPushKey(t *testing.T) {
	dir := t.TempDir()
	gateway, err := store.LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	newLedger(t, dir)
	path := filepath.Join(dir, "push.key")
	var seen [][]byte
	for range 2 {
		for range 2 {
			key, err := store.LoadPushKey(dir)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, key.Public())
		}
		if mode(t, path) != 0o600 {
			t.Errorf("the push key has mode %04o", mode(t, path))
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(seen[0], seen[1]) || !bytes.Equal(seen[2], seen[3]) || bytes.Equal(seen[0], seen[2]) || bytes.Equal(seen[0], gateway.Public()) {
		t.Error("the push key is not one key of its own, made once for each file")
	}
	if _, err := store.LoadPushKey(dir); err != nil {
		t.Fatal(err)
	}
	for _, spoil := range []func() error{
		func() error { return os.Chmod(path, 0o604) },
		func() error { return errors.Join(os.Chmod(path, 0o600), os.Truncate(path, 50)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		_, err := store.LoadPushKey(dir)
		wantStorage(t, err, dir)
	}
}

func TestKeyOfTwoFirstStarts(t *testing.T) {
	dir := t.TempDir()
	public := make([][]byte, 8)
	var all sync.WaitGroup
	for i := range public {
		all.Go(func() {
			if key, err := store.LoadKey(dir); err == nil {
				public[i] = key.Public()
			} else {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, p := range public {
		if !bytes.Equal(p, public[0]) {
			t.Fatal("two starts at once have two keys")
		}
	}
}

func TestKeyIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir, path string) error{
		"wide": func(_ *testing.T, _, path string) error { return os.Chmod(path, 0o640) },
		"torn": func(_ *testing.T, _, path string) error { return os.Truncate(path, 100) },
		"other": func(_ *testing.T, _, path string) error {
			return os.WriteFile(path, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600)
		},
		"lost": func(t *testing.T, dir, path string) error {
			newLedger(t, dir)
			return os.Remove(path)
		},
		"folder": func(_ *testing.T, _, path string) error {
			os.Remove(path)
			return os.Mkdir(path, 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := store.LoadKey(dir); err != nil {
				t.Fatal(err)
			}
			if err := spoil(t, dir, filepath.Join(dir, "gateway.key")); err != nil {
				t.Fatal(err)
			}
			_, err := store.LoadKey(dir)
			wantStorage(t, err, dir)
		})
	}
}
