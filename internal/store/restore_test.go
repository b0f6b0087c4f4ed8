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
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

func publicKey(t testing.TB, l *ledger) wire.PublicKey {
	t.Helper()
	public, err := wire.ParsePublic(l.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// backedUp returns a ledger with something of everything, and a backup of it.
func backedUp(t *testing.T) (l *ledger, backup string) {
	t.Helper()
	l = newLedger(t, filepath.Join(t.TempDir(), "data"))
	l.agent.Paused, l.agent.Mode = false, nod.TrustedActions
	observer := storetest.Agent(l.person.ID)
	observer.Paused, observer.Mode, observer.Created = false, nod.ObserveOnly, 99
	other := storetest.Person("Bea")
	other.Created = 99
	b := l.offer(t, 3000)
	b.Agents = []nod.Agent{l.agent, observer}
	b.People = []nod.Person{other} // without a log so far
	b.Tokens = []store.Token{{Hash: []byte("h"), Agent: l.agent.ID, Created: 2}}
	for _, kind := range []string{"phone", "grant", "mode", "resume"} {
		b.Records = append(b.Records, storetest.Record(l.person.ID, kind))
	}
	b.Pairings = []store.Pairing{storetest.Pairing(l.person.ID)}
	l.phone.Revoked = 0
	b.Phones = []nod.Phone{l.phone}
	b.Subscriptions = []store.Subscription{storetest.Subscription(l.phone.ID)}
	l.commit(t, b)
	backup = filepath.Join(t.TempDir(), "backup.db")
	if err := l.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	return l, backup
}

func (l *ledger) close(t *testing.T) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func replaced(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "nod.db.replaced-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRestoreIsCareful(t *testing.T) {
	l, backup := backedUp(t)
	before := l.load(t)
	far := nod.Time(4_000_000_000_000) // the ledger was ahead of any clock
	l.commit(t, l.offer(t, far))
	lost := l.load(t)
	l.close(t)
	if err := store.Restore(t.Context(), l.dir, backup); err != nil {
		t.Fatal(err)
	}

	again := openDir(t, l.dir)
	got := again.load(t)
	for i := range before.Agents {
		before.Agents[i].Paused = true
		if before.Agents[i].Mode == nod.TrustedActions {
			before.Agents[i].Mode = nod.AskBeforeAction
		}
	}
	for i := range before.Phones {
		before.Phones[i].Epoch = int64(far)
	}
	var kept []store.Record
	for _, r := range before.Records {
		if r.Kind != "grant" && r.Kind != "mode" {
			kept = append(kept, r)
		}
	}
	if len(before.Subscriptions) != 1 {
		t.Errorf("%d phones could be woken before, want 1", len(before.Subscriptions))
	}
	before.Records, before.Pairings, before.Subscriptions = kept, nil, nil
	before.Meta[store.MetaSetBack] = "3000"
	before.Now = far
	if len(before.Heads) != 1 || len(got.Heads) != 2 {
		t.Errorf("%d logs became %d, want 2: each person is told", len(before.Heads), len(got.Heads))
	}
	before.Heads = got.Heads
	same(t, "the restored ledger", before, got)
	again.verify(t)
	entries, err := again.Entries(t.Context(), l.person.ID, 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	if last := entries[len(entries)-1]; last.Kind != spec.LogRestored || last.At != far || len(entries) != 3 {
		t.Errorf("the log ends with %+v after %d entries, want restored after 3", last, len(entries))
	}

	wantReplaced(t, l.dir, lost)
}

// wantReplaced checks that what a restore replaced is beside it, whole.
func wantReplaced(t *testing.T, dir string, want *store.State) {
	t.Helper()
	kept := replaced(t, dir)
	if len(kept) != 1 || mode(t, kept[0]) != 0o600 {
		t.Fatalf("the replaced ledger: %v", kept)
	}
	dir = t.TempDir()
	if err := os.Rename(kept[0], filepath.Join(dir, "nod.db")); err != nil {
		t.Fatal(err)
	}
	old, err := store.Open(t.Context(), store.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	state, err := old.Load(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the replaced ledger", want, state)
}

func TestRestoreOverNothingAndOverRuins(t *testing.T) {
	for name, ruin := range map[string]func(t *testing.T, path string) error{
		"nothing": func(t *testing.T, path string) error { return os.Remove(path) },
		"empty":   func(t *testing.T, path string) error { return os.Truncate(path, 0) },
		"cut":     func(t *testing.T, path string) error { return os.Truncate(path, 5000) },
		"garbage": func(t *testing.T, path string) error {
			return os.WriteFile(path, bytes.Repeat([]byte("x"), 9000), 0o600)
		},
		"garbage with a stale log": func(t *testing.T, path string) error {
			return errors.Join(
				os.WriteFile(path, bytes.Repeat([]byte("x"), 9000), 0o600),
				os.WriteFile(path+"-wal", bytes.Repeat([]byte("y"), 9000), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, backup := backedUp(t)
			l.close(t)
			path := filepath.Join(l.dir, "nod.db")
			if err := ruin(t, path); err != nil {
				t.Fatal(err)
			}
			ruins, _ := os.ReadFile(path)
			if err := store.Restore(t.Context(), l.dir, backup); err != nil {
				t.Fatal(err)
			}
			if kept := replaced(t, l.dir); len(ruins) > 0 {
				content, err := os.ReadFile(kept[len(kept)-1][:len(kept[0])])
				if err != nil || !bytes.Equal(content, ruins) && name != "cut" {
					t.Errorf("the ruins were not kept: %v, %v", kept, err)
				}
			}
			again := openDir(t, l.dir)
			again.person, again.agent = l.person, l.agent
			again.commit(t, again.offer(t, 4000))
			again.verify(t)
		})
	}
}

// unfit are the ways in which a restore must not happen.
var unfit = map[string]struct {
	spoil func(t *testing.T, l *ledger, backup string) error
	want  nod.Code
	is    error
}{
	"no file": {func(_ *testing.T, _ *ledger, backup string) error { return os.Remove(backup) }, nod.CodeNotFound, nil},
	"not a database": {func(_ *testing.T, _ *ledger, backup string) error {
		return os.WriteFile(backup, []byte(strings.Repeat("text ", 2000)), 0o600)
	}, nod.CodeStorage, store.ErrForeign},
	"another program's": {func(t *testing.T, _ *ledger, backup string) error {
		return change(backup, "PRAGMA application_id = 1")
	}, nod.CodeStorage, store.ErrForeign},
	"newer": {func(t *testing.T, _ *ledger, backup string) error {
		return change(backup, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (900, TRUE)")
	}, nod.CodeStorage, store.ErrNewer},
	"damaged": {func(_ *testing.T, _ *ledger, backup string) error {
		info, err := os.Stat(backup)
		if err != nil {
			return err
		}
		return os.Truncate(backup, info.Size()-4096)
	}, nod.CodeInvalid, nil},
	"edited log": {func(t *testing.T, _ *ledger, backup string) error {
		return change(backup, "UPDATE entries SET kind = 'declined' WHERE seq = 2")
	}, nod.CodeInvalid, nil},
	"shortened log": {func(t *testing.T, _ *ledger, backup string) error {
		return change(backup, "DELETE FROM entries WHERE seq = 2")
	}, nod.CodeInvalid, nil},
	"swapped head": {func(t *testing.T, l *ledger, backup string) error {
		return change(backup, "UPDATE heads SET signed = replace(signed, '\"sig\":\"', '\"sig\":\"AAAA')")
	}, nod.CodeInvalid, nil},
	"another gateway's": {func(t *testing.T, l *ledger, _ string) error {
		if err := os.Remove(filepath.Join(l.dir, "gateway.key")); err != nil {
			return err
		}
		other := t.TempDir()
		if _, err := store.LoadKey(other); err != nil {
			return err
		}
		return os.Rename(filepath.Join(other, "gateway.key"), filepath.Join(l.dir, "gateway.key"))
	}, nod.CodeInvalid, nil},
	"no key": {func(t *testing.T, l *ledger, _ string) error {
		return os.Remove(filepath.Join(l.dir, "gateway.key"))
	}, nod.CodeInvalid, nil},
	"foreign ledger in place": {func(t *testing.T, l *ledger, _ string) error {
		return change(filepath.Join(l.dir, "nod.db"), "PRAGMA application_id = 1")
	}, nod.CodeStorage, store.ErrForeign},
}

func TestRestoreRefuses(t *testing.T) {
	for name, c := range unfit {
		t.Run(name, func(t *testing.T) {
			l, backup := backedUp(t)
			l.close(t)
			if err := c.spoil(t, l, backup); err != nil {
				t.Fatal(err)
			}
			ledger := filepath.Join(l.dir, "nod.db")
			before, _ := os.ReadFile(ledger)
			err := store.Restore(t.Context(), l.dir, backup)
			wantError(t, err, c.want, c.is)
			if after, _ := os.ReadFile(ledger); !bytes.Equal(before, after) {
				t.Error("a restore that was refused changed the ledger")
			}
			if left, _ := filepath.Glob(ledger + ".re*"); len(left) != 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

func wantError(t *testing.T, err error, code nod.Code, is error) {
	t.Helper()
	var own *nod.Error
	if !errors.As(err, &own) || own.Code != code || own.Hint == "" || is != nil && !errors.Is(err, is) {
		t.Fatalf("got %v (%s, hint %q), want the code %s, a hint, and %v", err, nod.CodeOf(err), own.Hint, code, is)
	}
}

// change edits a database behind nod's back.
func change(path, text string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	_, err = db.Exec(text)
	return errors.Join(err, db.Close())
}

func TestRestoreWhileAGatewayRuns(t *testing.T) {
	l, backup := backedUp(t)
	err := store.Restore(t.Context(), l.dir, backup)
	if !errors.Is(err, store.ErrLocked) {
		t.Fatalf("got %v, want ErrLocked", err)
	}
	wantStorage(t, err, l.dir)
	l.commit(t, l.offer(t, 5000))
}

// TestSetBackIsSeen is promise I7: a phone that saw a later head notices.
func TestSetBackIsSeen(t *testing.T) {
	l, backup := backedUp(t)
	for i := range 4 {
		l.commit(t, l.offer(t, nod.Time(4000+i)))
	}
	seen, err := log.OpenHead(l.load(t).Heads[l.person.ID], publicKey(t, l))
	if err != nil {
		t.Fatal(err)
	}
	l.close(t)
	if err := store.Restore(t.Context(), l.dir, backup); err != nil {
		t.Fatal(err)
	}
	again := openDir(t, l.dir)
	again.person, again.agent = l.person, l.agent
	check := func() error {
		now, err := log.OpenHead(again.load(t).Heads[l.person.ID], publicKey(t, again))
		if err != nil {
			t.Fatal(err)
		}
		var proof []string
		if now.Size >= seen.Size {
			if proof, err = log.ConsistencyProof(seen.Size, now.Size, again.Hashes(t.Context(), l.person.ID)); err != nil {
				t.Fatal(err)
			}
		}
		return log.CheckConsistency(seen, now, proof)
	}
	if err := check(); !errors.Is(err, log.ErrOlder) {
		t.Errorf("right after the restore: %v, want ErrOlder", err)
	}
	for i := range 9 {
		again.commit(t, again.offer(t, nod.Time(6000+i)))
	}
	if err := check(); !errors.Is(err, log.ErrForked) {
		t.Errorf("when the log has grown again: %v, want ErrForked", err)
	}
}

func TestRestoreTwice(t *testing.T) {
	l, backup := backedUp(t)
	l.close(t)
	for range 2 {
		if err := store.Restore(context.Background(), l.dir, backup); err != nil {
			t.Fatal(err)
		}
	}
	if kept := replaced(t, l.dir); len(kept) != 2 {
		t.Errorf("two restores kept %v", kept)
	}
	if got := copies(t, l.dir); len(got) != 0 {
		t.Errorf("restores made the copies %v", got)
	}
	again := openDir(t, l.dir)
	again.verify(t)
	if got := fmt.Sprint(again.load(t).Meta[store.MetaSetBack]); got != "3000" {
		t.Errorf("set back to %s, want 3000", got)
	}
}

// TestRestoreOfAnOlderSchema brings the backup forward on the way; the backup
// itself stays as it is.
func TestRestoreOfAnOlderSchema(t *testing.T) {
	l, backup := backedUp(t)
	l.close(t)
	before, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	newer := schema(t, "00900_more.sql", "ALTER TABLE people ADD COLUMN nick TEXT;")
	if err := store.RestoreWith(t.Context(), l.dir, backup, newer); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(backup); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the backup was changed (%v)", err)
	}
	cfg, key := config(t, l.dir)
	s, err := store.OpenWith(t.Context(), cfg, newer)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	(&ledger{SQLite: s, dir: l.dir, key: key}).verify(t)
	if got := copies(t, l.dir); len(got) != 0 {
		t.Errorf("the restore made the copies %v", got)
	}
}

// TestRestoreGivesNothingBack: a phone or an agent that was removed after the
// backup was made stays removed, and a token that was replaced stays dead.
func TestRestoreGivesNothingBack(t *testing.T) {
	l, _ := backedUp(t)
	before := l.load(t)
	phone := before.Phones[0]
	phone.Revoked = 0
	kept := storetest.Phone(l.person.ID)
	kept.Revoked = 0
	agent := l.agent
	agent.Revoked = 0
	l.commit(t, &store.Batch{Now: 3001, Phones: []nod.Phone{phone, kept}, Agents: []nod.Agent{agent},
		Tokens: []store.Token{{Hash: []byte("leaked"), Agent: agent.ID, Created: 3}}})
	backup := filepath.Join(t.TempDir(), "later.db")
	if err := l.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}

	phone.Revoked, agent.Revoked = 4000, 4001
	l.commit(t, &store.Batch{Now: 4001, Phones: []nod.Phone{phone}, Agents: []nod.Agent{agent},
		Tokens: []store.Token{{Hash: []byte("new"), Agent: agent.ID, Created: 5}}})
	l.close(t)
	if err := store.Restore(t.Context(), l.dir, backup); err != nil {
		t.Fatal(err)
	}

	again := openDir(t, l.dir)
	got := again.load(t)
	for _, p := range got.Phones {
		if want := map[nod.PhoneID]nod.Time{phone.ID: 4000}[p.ID]; p.Revoked != want {
			t.Errorf("phone %s was removed at %d, want %d", p.ID, p.Revoked, want)
		}
	}
	for _, a := range got.Agents {
		if a.ID == agent.ID && a.Revoked != 4001 {
			t.Error("an agent that was removed may ask again")
		}
	}
	for _, k := range got.Tokens {
		if k.Agent == agent.ID && string(k.Hash) != "new" {
			t.Errorf("the token %q is good again", k.Hash)
		}
	}
	again.verify(t)
	entries, err := again.Entries(t.Context(), l.person.ID, 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range entries {
		if e.Kind == spec.LogPhoneRevoked || e.Kind == spec.LogAgentRevoked {
			said = append(said, e.Kind)
		}
	}
	if len(said) != 2 {
		t.Errorf("the log says %v, want one phone and one agent", said)
	}
}
