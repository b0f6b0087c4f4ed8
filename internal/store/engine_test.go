package store_test

import (
	"errors"
	"flag"
	"math"
	"os"
	"reflect"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
	"nod.dev/nod/internal/wire"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if backup := os.Getenv(crashBackup); backup != "" {
			os.Exit(restoreAndExit(dir, backup))
		}
		os.Exit(commitUntilKilled(dir))
	}
	flag.Parse()
	if err := flag.Set("rapid.checks", strconv.Itoa(few(60, 10))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestSQLite(t *testing.T) {
	storetest.Test(t, func(t *testing.T, sign storetest.Signer) storetest.Engine {
		s, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Sign: sign})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// few returns how often to do something: seldom with the race detector, which
// makes the engine ten times slower, and in a short run.
func few(often, seldom int) int {
	if race || testing.Short() {
		return seldom
	}
	return often
}

// ledger is an open store with its key and one person.
type ledger struct {
	*store.SQLite
	dir    string
	key    *wire.Key
	person nod.Person
	agent  nod.Agent
	phone  nod.Phone
}

// config is what a gateway opens the folder with.
func config(t testing.TB, dir string) (store.Config, *wire.Key) {
	t.Helper()
	key, err := store.LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store.Config{Dir: dir, Sign: func(h wire.Head) (wire.Signed, error) { return log.SignHead(key, h) }}, key
}

func openDir(t testing.TB, dir string) *ledger {
	t.Helper()
	cfg, key := config(t, dir)
	s, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &ledger{SQLite: s, dir: dir, key: key}
}

// newLedger opens a fresh folder and commits a person, an agent and a phone.
func newLedger(t testing.TB, dir string) *ledger {
	t.Helper()
	l := openDir(t, dir)
	l.person = storetest.Person("Ann")
	l.agent = storetest.Agent(l.person.ID)
	l.phone = storetest.Phone(l.person.ID)
	l.commit(t, &store.Batch{
		Now: 1, People: []nod.Person{l.person}, Agents: []nod.Agent{l.agent}, Phones: []nod.Phone{l.phone},
		Entries: []log.Entry{storetest.Entry(t, l.person.ID, 1)},
	})
	return l
}

func (l *ledger) commit(t testing.TB, b *store.Batch) {
	t.Helper()
	if _, err := l.Commit(t.Context(), b); err != nil {
		t.Fatalf("Commit: %v", err)
	}
}

// offer is a batch as the gateway makes them: a call and its log entry.
func (l *ledger) offer(t testing.TB, now nod.Time) *store.Batch {
	t.Helper()
	return &store.Batch{
		Now: now, Calls: []nod.Call{storetest.OpenCall(l.agent)},
		Entries: []log.Entry{storetest.Entry(t, l.person.ID, now)},
	}
}

func (l *ledger) load(t testing.TB) *store.State {
	t.Helper()
	state, err := l.Load(t.Context(), 0)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return state
}

// verify checks every log whole and returns their sizes.
func (l *ledger) verify(t testing.TB) map[nod.PersonID]int64 {
	t.Helper()
	public, err := wire.ParsePublic(l.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	sizes := make(map[nod.PersonID]int64)
	for person, head := range l.load(t).Heads {
		report, err := log.Verify(l.Log(t.Context(), person, math.MaxInt64), log.Evidence{
			Head: head, Gateway: public, Hashes: l.Hashes(t.Context(), person),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range report.Findings {
			t.Errorf("the log of %s: %s", person, finding)
		}
		sizes[person] = report.Size
	}
	return sizes
}

// wantStorage checks that err is trouble with the folder, names it, and says
// what to do.
func wantStorage(t testing.TB, err error, dir string) {
	t.Helper()
	var own *nod.Error
	if !errors.As(err, &own) || own.Code != nod.CodeStorage {
		t.Fatalf("got %v, want an error with the code storage", err)
	}
	if !contains(own.Message, dir) || own.Hint == "" {
		t.Fatalf("%q (hint %q) does not name %s and say what to do", own.Message, own.Hint, dir)
	}
}

// same checks that two states are equal. A Diff that finds nothing is slow.
func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}

// TestMemoryIsBounded keeps of a long log only what the next append needs.
func TestMemoryIsBounded(t *testing.T) {
	l := newLedger(t, t.TempDir())
	for i := range 10 {
		b := &store.Batch{Now: nod.Time(i)}
		for range 100 {
			b.Entries = append(b.Entries, storetest.Entry(t, l.person.ID, b.Now))
		}
		l.commit(t, b)
	}
	if n := l.EdgeSize(l.person.ID); n > 10 { // one for each bit of 1001
		t.Errorf("%d hashes of a log of 1001 entries are in memory", n)
	}
}

// TestUsedSecretIsGone: what proved a pairing cannot be read back.
func TestUsedSecretIsGone(t *testing.T) {
	l := newLedger(t, t.TempDir())
	p := storetest.Pairing(l.person.ID)
	p.Used, p.Phone = 60, l.phone.ID
	l.commit(t, &store.Batch{Pairings: []store.Pairing{p}})
	var secrets int
	if err := l.Readers().QueryRow("SELECT count(secret) FROM pairings").Scan(&secrets); err != nil || secrets != 0 {
		t.Errorf("%d secrets are in the ledger (%v), want none", secrets, err)
	}
}

// TestInBubble opens, uses and closes a store under a fake clock, as the
// gateway's tests do: no goroutine may stay, and none may keep time going.
func TestInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(t, t.TempDir())
		for i := range 5 {
			l.commit(t, l.offer(t, nod.Time(10+i)))
		}
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
