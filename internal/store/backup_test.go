package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
)

func TestBackupIsAWholeLedger(t *testing.T) {
	l := newLedger(t, t.TempDir())
	l.commit(t, l.offer(t, 2))
	want := l.load(t)
	path := filepath.Join(t.TempDir(), "it's a backup?.db")
	if err := l.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, path); got != 0o600 {
		t.Errorf("the backup has mode %04o, want 0600", got)
	}
	l.commit(t, l.offer(t, 3))
	err := l.Backup(t.Context(), path)
	if nod.CodeOf(err) != nod.CodeConflict || !contains(err.Error(), path) {
		t.Errorf("a second backup to the same file: %v", err)
	}

	// It opens as a ledger of its own.
	dir := t.TempDir()
	if err := os.Rename(path, filepath.Join(dir, "nod.db")); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	copied := &ledger{SQLite: s, dir: dir, key: l.key}
	defer s.Close()
	same(t, "the backup", want, copied.load(t))
	copied.verify(t)
}

func TestBackupThatCannotBeWritten(t *testing.T) {
	l := newLedger(t, t.TempDir())
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	err := l.Backup(t.Context(), filepath.Join(nowhere, "backup.db"))
	wantStorage(t, err, nowhere)
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Backup(t.Context(), path); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a backup of a closed store: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a backup that failed left a file")
	}
}

// TestReadsWhileCommitting reads, backs up and erases while commits go on.
// What is read is always whole.
func TestReadsWhileCommitting(t *testing.T) {
	l := newLedger(t, t.TempDir())
	commits := few(60, 15)
	done := make(chan struct{})
	var all sync.WaitGroup
	loop := func(step func(i int) error) {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if err := step(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	loop(func(int) error {
		state, err := l.Load(t.Context(), 0)
		if err != nil {
			return err
		}
		// Call and entry are of one batch: neither is seen without the other.
		if h, err := log.OpenHead(state.Heads[l.person.ID], publicKey(t, l)); err != nil || h.Size != int64(len(state.Calls))+1 {
			return errors.Join(err, errors.New("a half batch was read"))
		}
		return nil
	})
	loop(func(int) error {
		_, err := l.Calls(t.Context(), store.Query{Person: l.person.ID})
		return err
	})
	backups := t.TempDir()
	loop(func(i int) error {
		path := filepath.Join(backups, "one.db")
		return errors.Join(l.Backup(t.Context(), path), os.Remove(path))
	})
	loop(func(int) error {
		_, err := l.Erase(t.Context(), 1)
		return err
	})
	for i := range commits {
		l.commit(t, l.offer(t, nod.Time(2+i)))
	}
	close(done)
	all.Wait()
	if size := l.verify(t)[l.person.ID]; size != int64(commits)+1 {
		t.Errorf("the log has %d entries, want %d", size, commits+1)
	}
}

// TestErasedBytesAreGone looks for erased content in the files themselves.
func TestErasedBytesAreGone(t *testing.T) {
	l := newLedger(t, t.TempDir())
	secret := []byte("Travessa da Agua-de-Flor 41")
	call := storetest.Call(l.agent)
	call.Offer = bytes.Repeat(append(secret, ' '), 700) // on pages of its own too
	call.Text = string(secret)
	entry := storetest.Entry(t, l.person.ID, 50)
	entry.Payload = bytes.Clone(secret)
	l.commit(t, &store.Batch{Now: 2000, Calls: []nod.Call{call}, Entries: []log.Entry{entry}})
	if !l.onDisk(t, secret) {
		t.Fatal("the test would not see the content on the disk")
	}
	if n, err := l.Erase(t.Context(), 2000); err != nil || n != 3 {
		t.Fatalf("Erase: %d, %v; want 3 rows", n, err)
	}
	if l.onDisk(t, secret) {
		t.Error("erased content is still in a file")
	}
	// A change of an erased call that brings content back is erased again.
	call.Version = 2
	l.commit(t, &store.Batch{Now: 2001, Calls: []nod.Call{call}})
	if n, err := l.Erase(t.Context(), 2000); err != nil || n != 1 || l.onDisk(t, secret) {
		t.Errorf("the second Erase: %d, %v", n, err)
	}
}

// onDisk reports whether any file of the folder holds content.
func (l *ledger) onDisk(t *testing.T, content []byte) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(l.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, content) {
			return true
		}
	}
	return false
}

// TestWriteAheadLogStaysSmall commits much more than the log may hold.
func TestWriteAheadLogStaysSmall(t *testing.T) {
	l := newLedger(t, t.TempDir())
	for i := range few(120, 30) {
		l.commit(t, l.bigBatch(t, nod.Time(10+i))) // 0.4 MB each
	}
	info, err := os.Stat(filepath.Join(l.dir, "nod.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 40<<20 {
		t.Errorf("the write-ahead log has %d MiB", info.Size()>>20)
	}
}
