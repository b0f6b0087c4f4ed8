package log_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

const person = nod.PersonID("person_P")

// book is a log as a store keeps it.
type book struct {
	entries []log.Entry
	hashes  log.Memory
	key     *wire.Key
	public  wire.PublicKey
	head    wire.Signed
}

func newKey(t testing.TB) (*wire.Key, wire.PublicKey) {
	t.Helper()
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public, err := wire.ParsePublic(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return key, public
}

// write makes a log of n entries; every third has a payload, every ninth one that was erased.
func write(t testing.TB, n int) *book {
	t.Helper()
	b := &book{}
	b.key, b.public = newKey(t)
	for i := range n {
		e := log.Entry{
			Person: person, Kind: "call_received", At: nod.Time(1790000000000 + int64(i)*7),
			Call: nod.CallID(fmt.Sprintf("call_%d", i)), Agent: "agent_A", Phone: "phone_H",
			Facts: map[string]string{"outcome": "done", "rule": "always"},
		}
		if i%3 == 0 {
			e.Payload = fmt.Appendf(nil, `{"fields":{"to":"+35191%07d"}}`, i)
		}
		b.append(t, e)
		if i%9 == 0 {
			log.Erase(&b.entries[i])
		}
	}
	b.sign(t)
	return b
}

func (b *book) append(t testing.TB, e log.Entry) {
	t.Helper()
	if err := log.Seal(&e, rand.Reader); err != nil {
		t.Fatal(err)
	}
	size := int64(len(b.entries))
	e.Seq = size + 1
	hashes, err := log.Append(size, e.Leaf(), b.hashes)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b.hashes)) != log.FirstIndex(size) {
		t.Fatalf("%d hashes stored before entry %d, want %d", len(b.hashes), e.Seq, log.FirstIndex(size))
	}
	b.hashes = append(b.hashes, hashes...)
	b.entries = append(b.entries, e)
}

func (b *book) headAt(t testing.TB, size int) wire.Head {
	t.Helper()
	h, err := log.HeadOf(person, int64(size), nod.Time(size), b.hashes)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (b *book) sign(t testing.TB) {
	t.Helper()
	var err error
	if b.head, err = log.SignHead(b.key, b.headAt(t, len(b.entries))); err != nil {
		t.Fatal(err)
	}
}

// copy returns a log that can be tampered with.
func (b *book) copy() *book {
	c := *b
	c.hashes = slices.Clone(b.hashes)
	c.entries = slices.Clone(b.entries)
	return &c
}

func (b *book) evidence(witnesses ...wire.Head) log.Evidence {
	return log.Evidence{Head: b.head, Gateway: b.public, Hashes: b.hashes, Witnesses: witnesses}
}

func each(entries []log.Entry) iter.Seq2[log.Entry, error] {
	return func(yield func(log.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func verify(t testing.TB, entries []log.Entry, ev log.Evidence) log.Report {
	t.Helper()
	report, err := log.Verify(each(entries), ev)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestVerifyTakesEveryLength(t *testing.T) {
	for n := range 70 {
		b := write(t, n)
		var witnesses []wire.Head
		for size := 0; size <= n; size += 5 {
			witnesses = append(witnesses, b.headAt(t, size))
		}
		report := verify(t, b.entries, b.evidence(witnesses...))
		if !report.OK() || report.Witnesses != len(witnesses) || report.Size != int64(n) {
			t.Fatalf("%d entries: %+v", n, report)
		}
		payloads, erased := int64(0), int64(0)
		for _, e := range b.entries {
			if len(e.Payload) > 0 {
				payloads++
			}
			if e.Erased() {
				erased++
			}
		}
		if report.Payloads != payloads || report.Erased != erased {
			t.Fatalf("%d entries: counts %d and %d, want %d and %d", n, report.Payloads, report.Erased, payloads, erased)
		}
	}
}

func TestSeal(t *testing.T) {
	e := log.Entry{Person: person, Payload: []byte("private")}
	if err := log.Seal(&e, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if len(e.Salt) != log.SaltSize || len(e.PayloadHash) != 32 || strings.Contains(string(e.Leaf()), "private") {
		t.Fatalf("sealed as %+v, leaf %s", e, e.Leaf())
	}
	again := log.Entry{Person: person, Payload: []byte("private")}
	if err := log.Seal(&again, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if string(again.PayloadHash) == string(e.PayloadHash) {
		t.Error("two entries with one payload show that they have it")
	}
	leaf := string(e.Leaf())
	log.Erase(&e)
	if string(e.Leaf()) != leaf || !e.Erased() || e.Salt != nil || e.Payload != nil {
		t.Error("erasing changes the leaf or leaves something behind")
	}
	none := log.Entry{Person: person, Salt: []byte("x")}
	if err := log.Seal(&none, rand.Reader); err != nil || none.Salt != nil || none.PayloadHash != nil {
		t.Errorf("no payload: %+v, %v", none, err)
	}
}

func TestSealRefuses(t *testing.T) {
	bad := log.Entry{Person: person, Facts: map[string]string{"why": "\xff"}}
	if err := log.Seal(&bad, rand.Reader); nod.CodeOf(err) != nod.CodeInvalid {
		t.Errorf("bad UTF-8: %v", err)
	}
	if bad.Leaf() != nil {
		t.Error("it has a leaf")
	}
	if _, err := log.Append(0, bad.Leaf(), log.Memory(nil)); err == nil {
		t.Error("an entry without a leaf was appended")
	}
	for _, random := range []io.Reader{nil, strings.NewReader("short")} {
		if err := log.Seal(&log.Entry{Payload: []byte("x")}, random); nod.CodeOf(err) != nod.CodeInternal {
			t.Errorf("sealed without random bytes: %v", err)
		}
	}
}

func TestVerifyStopsWhereEntriesCannotBeRead(t *testing.T) {
	b := write(t, 3)
	failing := func(yield func(log.Entry, error) bool) {
		_ = yield(b.entries[0], nil) && yield(log.Entry{}, os.ErrPermission)
	}
	if _, err := log.Verify(failing, b.evidence()); err == nil || !strings.Contains(err.Error(), "after the first 1") {
		t.Errorf("got %v", err)
	}
}

// A head may claim any size; checking it must not cost that much memory.
func TestVerifyOfAnEnormousHead(t *testing.T) {
	b := write(t, 3)
	h := b.headAt(t, 3)
	h.Size = 1 << 50
	b.head, _ = log.SignHead(b.key, h)
	report := verify(t, b.entries, b.evidence())
	if report.OK() || report.Findings[0].How != log.Missing {
		t.Errorf("got %+v", report)
	}
}

type vectorFile struct {
	Entries []struct {
		Entry    json.RawMessage
		Leaf     string
		LeafHash string `json:"leaf_hash"`
	}
	Roots          []string
	Inclusion      []proofRow
	NotInclusion   []proofRow `json:"not_inclusion"`
	Consistency    []proofRow
	NotConsistency []proofRow `json:"not_consistency"`
}

type proofRow struct {
	Name                     string
	Size, Seq, Before, After int64
	Proof                    []string
}

// vectorEntry is an entry as spec/vectors/log.json writes it.
type vectorEntry struct {
	Person      nod.PersonID      `json:"person"`
	Seq         int64             `json:"seq"`
	At          nod.Time          `json:"at"`
	Kind        string            `json:"kind"`
	Call        nod.CallID        `json:"call"`
	Agent       nod.AgentID       `json:"agent"`
	Phone       nod.PhoneID       `json:"phone"`
	Facts       map[string]string `json:"facts"`
	Salt        []byte            `json:"salt"`
	Payload     string            `json:"payload"`
	PayloadHash []byte            `json:"payload_hash"`
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "spec", "vectors", "log.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file vectorFile
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	b := &book{}
	var heads []wire.Head
	head := func(size int) {
		h := b.headAt(t, size)
		if h.Root != file.Roots[size] {
			t.Errorf("root %d is %s, want %s", size, h.Root, file.Roots[size])
		}
		heads = append(heads, h)
	}
	head(0)
	for i, row := range file.Entries {
		var x vectorEntry
		if err := wire.Decode(row.Entry, &x); err != nil {
			t.Fatal(err)
		}
		e := log.Entry{
			Person: x.Person, Seq: x.Seq, At: x.At, Kind: x.Kind, Call: x.Call, Agent: x.Agent, Phone: x.Phone,
			Facts: x.Facts, Salt: x.Salt, Payload: []byte(x.Payload), PayloadHash: x.PayloadHash,
		}
		leaf := tlog.RecordHash(e.Leaf())
		if string(e.Leaf()) != row.Leaf || wire.Encode64(leaf[:]) != row.LeafHash {
			t.Fatalf("leaf %d\ngot  %s\nwant %s", e.Seq, e.Leaf(), row.Leaf)
		}
		if len(e.Payload) > 0 {
			sealed := e
			if err := log.Seal(&sealed, nil); err != nil || string(sealed.PayloadHash) != string(e.PayloadHash) {
				t.Errorf("payload hash of %d: %v", e.Seq, err)
			}
		}
		hashes, err := log.Append(int64(i), e.Leaf(), b.hashes)
		if err != nil {
			t.Fatal(err)
		}
		b.hashes = append(b.hashes, hashes...)
		b.entries = append(b.entries, e)
		head(i + 1)
	}
	checkProofs(t, b, heads, file)
}

func checkProofs(t *testing.T, b *book, heads []wire.Head, file vectorFile) {
	t.Helper()
	leaf := func(seq int64) []byte { return b.entries[min(max(seq, 1), int64(len(b.entries)))-1].Leaf() }
	for _, row := range file.Inclusion {
		got, err := log.InclusionProof(row.Size, row.Seq, b.hashes)
		if err != nil || !slices.Equal(got, row.Proof) {
			t.Errorf("inclusion of %d in %d: %v, %v", row.Seq, row.Size, got, err)
		}
		if err := log.CheckInclusion(heads[row.Size], row.Seq, leaf(row.Seq), row.Proof); err != nil {
			t.Error(err)
		}
	}
	for _, row := range file.NotInclusion {
		if log.CheckInclusion(heads[row.Size], row.Seq, leaf(row.Seq), row.Proof) == nil {
			t.Errorf("inclusion holds: %s", row.Name)
		}
	}
	for _, row := range file.Consistency {
		got, err := log.ConsistencyProof(row.Before, row.After, b.hashes)
		if err != nil || !slices.Equal(got, row.Proof) {
			t.Errorf("consistency of %d and %d: %v, %v", row.Before, row.After, got, err)
		}
		if err := log.CheckConsistency(heads[row.Before], heads[row.After], row.Proof); err != nil {
			t.Error(err)
		}
	}
	for _, row := range file.NotConsistency {
		if log.CheckConsistency(heads[row.Before], heads[row.After], row.Proof) == nil {
			t.Errorf("consistency holds: %s", row.Name)
		}
	}
}

// seeded returns a source that a failing test can be run with again.
func seeded(t testing.TB) (*mathrand.Rand, uint64) {
	seed := mathrand.Uint64()
	t.Logf("seed %d", seed)
	return mathrand.New(mathrand.NewPCG(seed, 0)), seed
}
