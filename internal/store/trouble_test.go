package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
)

// trouble is something that happens to the disk under a running ledger.
type trouble struct {
	begin, end func()
	message    string // what the error says
}

// bigBatch needs more room than any file has left.
func (l *ledger) bigBatch(t testing.TB, now nod.Time) *store.Batch {
	t.Helper()
	b := l.offer(t, now)
	b.Calls[0].Offer = make([]byte, 400<<10)
	for range 8 {
		b.Entries = append(b.Entries, storetest.Entry(t, l.person.ID, now))
	}
	b.Meta = map[string]string{"half": "done"}
	return b
}

// through takes a ledger through trouble: what cannot be written is an error
// that names the folder and says what to do, nothing is half done, reading
// goes on, and the same engine works again afterwards.
func (l *ledger) through(t *testing.T, trouble trouble) {
	t.Helper()
	want := l.load(t)
	size := l.verify(t)[l.person.ID]
	trouble.begin()
	for i := range 3 {
		_, err := l.Commit(t.Context(), l.bigBatch(t, nod.Time(5000+i)))
		wantStorage(t, err, l.dir)
		if !contains(err.Error(), trouble.message) {
			t.Errorf("the error %q does not say %q", err, trouble.message)
		}
		same(t, "a commit that failed changed something", want, l.load(t))
	}
	trouble.end()
	l.commit(t, l.bigBatch(t, 5010))
	if got := l.verify(t)[l.person.ID]; got != size+9 {
		t.Errorf("the log has %d entries, want %d", got, size+9)
	}
	// What is on the disk is what the engine says.
	state := l.load(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, "after a restart", state, openDir(t, l.dir).load(t))
}

// TestFullDatabase fills the database up to a limit that SQLite itself keeps:
// a full disk that can be had everywhere.
func TestFullDatabase(t *testing.T) {
	l := newLedger(t, t.TempDir())
	limit := func(pages int) {
		if _, err := l.Writer().Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	l.through(t, trouble{
		begin:   func() { limit(1) }, // becomes what the file has now
		end:     func() { limit(1 << 30) },
		message: "the disk is full",
	})
}

// TestWriteError makes every write behind the first pages of a file fail, by
// the kernel's own limit on file sizes: an I/O error for root too.
func TestWriteError(t *testing.T) {
	l := newLedger(t, t.TempDir())
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := func(limit syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
	}
	ignoreFileSizeSignal(t)
	t.Cleanup(func() { limit(before) })
	l.through(t, trouble{
		begin:   func() { limit(syscall.Rlimit{Cur: 8192, Max: before.Max}) },
		end:     func() { limit(before) },
		message: "the disk answered with an error",
	})
}

// TestQueryOnly is a ledger that may be read and not written.
func TestQueryOnly(t *testing.T) {
	l := newLedger(t, t.TempDir())
	set := func(on int) {
		if _, err := l.Writer().Exec(fmt.Sprintf("PRAGMA query_only = %d", on)); err != nil {
			t.Fatal(err)
		}
	}
	l.through(t, trouble{func() { set(1) }, func() { set(0) }, "it cannot be written"})
}

// TestHeldByAnother is a second program that keeps the write lock.
func TestHeldByAnother(t *testing.T) {
	l := newLedger(t, t.TempDir())
	if _, err := l.Writer().Exec("PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	other, err := store.OpenOther(l.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	run := func(text string) {
		if _, err := other.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	l.through(t, trouble{func() { run("BEGIN IMMEDIATE") }, func() { run("ROLLBACK") }, "another program holds the file"})
}

// TestFolderCannotBeMade starts where no folder can be.
func TestFolderCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "nod")
	_, err := store.Open(t.Context(), store.Config{Dir: dir})
	wantStorage(t, err, dir)
	_, err = store.LoadKey(dir)
	wantStorage(t, err, dir)
}

// TestDamagedPages damages a ledger's pages and expects an error that points
// to the backup, from whoever meets them first.
func TestDamagedPages(t *testing.T) {
	dir := t.TempDir()
	l := newLedger(t, dir)
	for i := range 4 {
		l.commit(t, l.bigBatch(t, nod.Time(10+i)))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "nod.db")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, _ := f.Stat()
	for at := int64(8192); at < info.Size(); at += 4096 {
		if _, err := f.WriteAt([]byte("\xff\xff\xff\xffdamaged"), at); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	cfg, _ := config(t, dir)
	s, err := store.Open(t.Context(), cfg)
	if err == nil {
		defer s.Close()
		_, err = s.Load(t.Context(), 0)
	}
	wantStorage(t, err, dir)
	var own *nod.Error
	if errors.As(err, &own); !contains(own.Hint, "nod restore") {
		t.Errorf("the hint %q does not name nod restore", own.Hint)
	}
}

// TestLogBehindItsHead is a log that lost entries: nothing more is appended.
func TestLogBehindItsHead(t *testing.T) {
	l := newLedger(t, t.TempDir())
	l.commit(t, l.offer(t, 2))
	if _, err := l.Writer().Exec("UPDATE heads SET size = 1"); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := openDir(t, l.dir)
	_, err := again.Commit(t.Context(), &store.Batch{Entries: []log.Entry{storetest.Entry(t, l.person.ID, 3)}})
	wantStorage(t, err, l.dir)
}
