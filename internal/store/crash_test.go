package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
	"nod.dev/nod/internal/wire"
)

// These are set for a child of the tests. It commits in crashDir until it is
// killed or, given a backup, restores it there.
const (
	crashDir    = "NOD_STORE_CRASH_DIR"
	crashBackup = "NOD_STORE_CRASH_BACKUP"
)

// The crash test's batches are numbered. Batch n opens three calls, closes
// those of batch n-1, and appends two entries to each of two logs; all of it
// carries n. So a batch that is half there can be seen.
const (
	crashCalls   = 3
	crashEntries = 2
	crashPersons = 2
)

// acked is what the child prints for every commit that was acknowledged.
type acked struct {
	Batch int
	Heads map[nod.PersonID]wire.Signed
}

// commitUntilKilled is the child. It returns only when something goes wrong.
func commitUntilKilled(dir string) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx := context.Background()
	key, err := store.LoadKey(dir)
	if err != nil {
		return fail(err)
	}
	s, err := store.Open(ctx, store.Config{
		Dir: dir, Sign: func(h wire.Head) (wire.Signed, error) { return log.SignHead(key, h) },
	})
	if err != nil {
		return fail(err)
	}
	state, err := s.Load(ctx, 1<<60)
	if err != nil {
		return fail(err)
	}
	c := &crasher{agents: state.Agents, open: state.Calls}
	if n := state.Meta["batch"]; n != "" {
		c.n, _ = strconv.Atoi(n)
	}
	for {
		b := c.next()
		heads, err := s.Commit(ctx, b)
		if err != nil {
			return fail(err)
		}
		line, err := json.Marshal(acked{c.n, heads})
		if err != nil {
			return fail(err)
		}
		os.Stdout.Write(append(line, '\n'))
	}
}

// crasher makes the batches.
type crasher struct {
	n      int
	agents []nod.Agent
	open   []nod.Call
}

func (c *crasher) next() *store.Batch {
	c.n++
	at := nod.Time(c.n)
	b := &store.Batch{Now: at, Meta: map[string]string{"batch": strconv.Itoa(c.n)}}
	if c.agents == nil {
		for i := range crashPersons {
			p := storetest.Person(fmt.Sprint("person ", i))
			c.agents = append(c.agents, storetest.Agent(p.ID))
			b.People = append(b.People, p)
		}
		b.Agents = c.agents
	}
	for _, call := range c.open {
		call.Version, call.State, call.Outcome, call.Ended = 2, nod.Closed, nod.Done, at
		b.Calls = append(b.Calls, call)
	}
	c.open = nil
	for range crashCalls {
		call := storetest.OpenCall(c.agents[c.n%crashPersons])
		call.Received, call.Text = at, strconv.Itoa(c.n)
		c.open = append(c.open, call)
	}
	b.Calls = append(b.Calls, c.open...)
	for range crashEntries {
		for _, a := range c.agents {
			e := log.Entry{Person: a.Person, At: at, Kind: "offered", Payload: fmt.Appendf(nil, `{"batch":%d}`, c.n)}
			e.Salt = make([]byte, log.SaltSize)
			if err := log.Seal(&e, nil); err != nil {
				panic(err)
			}
			b.Entries = append(b.Entries, e)
		}
	}
	return b
}

// TestKilled kills a committing process at random moments, also while it opens
// a fresh folder, and checks each time that what was acknowledged is there and
// that nothing is half there.
func TestKilled(t *testing.T) {
	rounds, freshRounds := few(22, 4), few(8, 2)
	dir := t.TempDir()
	total := 0
	for range rounds {
		last := runAndKill(t, dir, time.Duration(1+rand.IntN(40))*time.Millisecond, true)
		total = checkSurvivors(t, dir, last)
		if t.Failed() {
			t.FailNow()
		}
	}
	for range freshRounds {
		fresh := t.TempDir()
		last := runAndKill(t, fresh, time.Duration(rand.IntN(25_000))*time.Microsecond, false)
		checkSurvivors(t, fresh, last)
	}
	t.Logf("%d batches survived %d kills", total, rounds)
}

// runAndKill starts a child in dir and kills it some time after its first
// acknowledged commit, or after its start. It returns the last acknowledged
// commit; the zero value for none.
func runAndKill(t *testing.T, dir string, after time.Duration, afterFirst bool) (last acked) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { child.Process.Kill() }
	timer := time.AfterFunc(time.Minute, kill)
	if !afterFirst {
		timer.Reset(after)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a acked
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			break // the line that the kill cut off
		}
		if last.Batch == 0 && afterFirst {
			timer.Reset(after)
		}
		last = a
	}
	child.Wait()
	timer.Stop()
	if status := child.ProcessState; status.Exited() {
		t.Fatalf("the child ended by itself: %v", status)
	}
	return last
}

// checkSurvivors opens what a killed process left, and returns how many batches it holds.
func checkSurvivors(t *testing.T, dir string, last acked) int {
	t.Helper()
	l := openDir(t, dir)
	defer l.Close()
	state := l.load(t)
	n := 0
	if text := state.Meta["batch"]; text != "" {
		n, _ = strconv.Atoi(text)
	}
	// One commit may have been written and not yet acknowledged.
	if n != last.Batch && n != last.Batch+1 {
		t.Errorf("batch %d was acknowledged, and %d is the last one there", last.Batch, n)
	}
	if state.Now != nod.Time(n) {
		t.Errorf("the ledger time is %d after batch %d", state.Now, n)
	}
	calls := make(map[string]int)
	for _, c := range state.Calls {
		calls[c.Text]++
		if newest := c.Text == strconv.Itoa(n); newest == c.Final() || (c.Version == 2) != c.Final() {
			t.Errorf("a call of batch %s is %s at version %d; the last batch is %d", c.Text, c.State, c.Version, n)
		}
	}
	for i := 1; i <= n; i++ {
		if calls[strconv.Itoa(i)] != crashCalls {
			t.Errorf("batch %d of %d has %d calls", i, n, calls[strconv.Itoa(i)])
		}
	}
	if len(calls) != n {
		t.Errorf("the calls are of %d batches, want %d", len(calls), n)
	}
	for person, size := range l.verify(t) {
		if size != int64(n*crashEntries) {
			t.Errorf("the log of %s has %d entries after %d batches", person, size, n)
		}
	}
	checkWitness(t, l, state, last)
	return n
}

// checkWitness checks that every log extends the head that was acknowledged.
func checkWitness(t *testing.T, l *ledger, state *store.State, last acked) {
	t.Helper()
	public, err := wire.ParsePublic(l.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	for person, seen := range last.Heads {
		before, err1 := log.OpenHead(seen, public)
		after, err2 := log.OpenHead(state.Heads[person], public)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		proof, err := log.ConsistencyProof(before.Size, after.Size, l.Hashes(t.Context(), person))
		if err != nil {
			t.Fatal(err)
		}
		if err := log.CheckConsistency(before, after, proof); err != nil {
			t.Error(err)
		}
	}
}
