package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
)

// restoreAndExit is the child of TestKilledWhileRestoring.
func restoreAndExit(dir, backup string) int {
	if err := store.Restore(context.Background(), dir, backup); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestKilledWhileRestoring kills restores at random moments. The folder then
// holds a whole ledger, the old one or the restored one, and nothing in
// between; the next restore works.
func TestKilledWhileRestoring(t *testing.T) {
	l, backup := backedUp(t)
	l.commit(t, l.offer(t, 7000))
	size := l.verify(t)[l.person.ID]
	l.close(t)
	restored, old := 0, 0
	for range few(15, 3) {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), crashDir+"="+l.dir, crashBackup+"="+backup)
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(rand.IntN(40_000))*time.Microsecond, func() { child.Process.Kill() })
		child.Wait()
		if child.ProcessState.ExitCode() == 1 {
			t.Fatal("the restore failed")
		}
		after := openDir(t, l.dir)
		got := after.verify(t)[l.person.ID]
		state := after.load(t)
		after.close(t)
		switch setBack := state.Meta[store.MetaSetBack]; {
		case setBack == "3000" && got == size && len(state.Calls) == 1: // the backup, and the entry that says so
			restored++
		case setBack == "" && got == size && len(state.Calls) == 2 && restored == 0:
			old++
		default:
			t.Fatalf("a log of %d entries, %d calls, set back to %q: neither the old ledger nor the restored one", got, len(state.Calls), setBack)
		}
	}
	if err := store.Restore(t.Context(), l.dir, backup); err != nil {
		t.Fatal(err)
	}
	t.Logf("after a kill it was the old ledger %d times, the restored one %d times", old, restored)
}

// TestStaleLogNeverMeetsTheRestoredLedger restores while another program reads
// the old ledger, so that its write-ahead log cannot be folded in. SQLite
// would play that log into whatever file it finds beside it.
func TestStaleLogNeverMeetsTheRestoredLedger(t *testing.T) {
	l, backup := backedUp(t)
	path := filepath.Join(l.dir, "nod.db")
	other, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	reading, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Rollback()
	var n int
	if err := reading.QueryRow("SELECT count(*) FROM calls").Scan(&n); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		l.commit(t, l.bigBatch(t, nod.Time(4000+i)))
	}
	size := l.verify(t)[l.person.ID]
	l.close(t)
	if err := store.Restore(t.Context(), l.dir, backup); err != nil {
		t.Fatal(err)
	}
	again := openDir(t, l.dir)
	if got := again.verify(t)[l.person.ID]; got != 3 {
		t.Errorf("the restored log has %d entries, want 3", got)
	}
	again.close(t)

	// The old ledger and its log were kept together: nothing of it is lost.
	kept := replaced(t, l.dir)
	if len(kept) != 3 {
		t.Fatalf("kept: %v, want the database and its two side files", kept)
	}
	for _, f := range kept {
		_, suffix, _ := strings.Cut(filepath.Base(f), "Z")
		if err := os.Rename(f, path+suffix); err != nil {
			t.Fatal(err)
		}
	}
	if got := openDir(t, l.dir).verify(t)[l.person.ID]; got != size {
		t.Errorf("the log of the kept ledger has %d entries, want %d", got, size)
	}
}
