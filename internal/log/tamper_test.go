package log_test

import (
	"crypto/rand"
	"errors"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// harm is one way to tamper with a log. It returns the entries that must be
// reported, and false where the log has nothing of the kind to tamper with.
type harm struct {
	name string
	do   func(b *book, r *mathrand.Rand) ([]int64, bool)
	// exact: nothing but those entries may be reported.
	exact bool
	how   []log.How
}

func flip[S ~[]byte | ~string](s S, r *mathrand.Rand) S {
	b := append([]byte(nil), s...)
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	return S(b)
}

// column tampers with one column of one entry.
func column(name string, how log.How, change func(e *log.Entry, r *mathrand.Rand) bool) harm {
	return harm{name, func(b *book, r *mathrand.Rand) ([]int64, bool) {
		e := &b.entries[r.IntN(len(b.entries))]
		seq := e.Seq
		ok := change(e, r)
		return []int64{seq}, ok
	}, true, []log.How{how}}
}

var columns = []harm{
	column("person", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.Person = flip(e.Person, r); return true }),
	column("at", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.At ^= 1 << r.IntN(64); return true }),
	column("kind", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.Kind = flip(e.Kind, r); return true }),
	column("call", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.Call = flip(e.Call, r); return true }),
	column("agent", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.Agent = flip(e.Agent, r); return true }),
	column("phone", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.Phone = flip(e.Phone, r); return true }),
	column("a fact", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool {
		e.Facts = maps.Clone(e.Facts)
		e.Facts["outcome"] = flip(e.Facts["outcome"], r)
		return true
	}),
	column("the name of a fact", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool {
		e.Facts = maps.Clone(e.Facts)
		delete(e.Facts, "rule")
		e.Facts[flip("rule", r)] = "always"
		return true
	}),
	column("no facts", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.Facts = nil; return true }),
	column("no agent", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool { e.Agent = ""; return true }),
	column("payload", log.BadPayload, func(e *log.Entry, r *mathrand.Rand) bool {
		if len(e.Payload) == 0 {
			return false
		}
		e.Payload = flip(e.Payload, r)
		return true
	}),
	column("salt", log.BadPayload, func(e *log.Entry, r *mathrand.Rand) bool {
		if len(e.Salt) == 0 {
			return false
		}
		e.Salt = flip(e.Salt, r)
		return true
	}),
	column("a byte moved from payload to salt", log.BadPayload, func(e *log.Entry, r *mathrand.Rand) bool {
		if len(e.Salt) == 0 {
			return false
		}
		e.Salt, e.Payload = append(slices.Clone(e.Salt), e.Payload[0]), e.Payload[1:]
		return true
	}),
	column("payload erased, salt kept", log.BadPayload, func(e *log.Entry, r *mathrand.Rand) bool {
		e.Payload = nil
		return len(e.Salt) > 0
	}),
	column("a payload where there was none", log.BadPayload, func(e *log.Entry, r *mathrand.Rand) bool {
		e.Payload, e.Salt = []byte("x"), make([]byte, log.SaltSize)
		return true
	}),
	column("payload hash", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool {
		if !e.Erased() {
			return false
		}
		e.PayloadHash = flip(e.PayloadHash, r)
		return true
	}),
	column("a payload of one's own, sealed", log.Edited, func(e *log.Entry, r *mathrand.Rand) bool {
		e.Payload = []byte("never said")
		return log.Seal(e, rand.Reader) == nil
	}),
}

var rowsAndHashes = []harm{
	{"seq", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		e := &b.entries[r.IntN(len(b.entries))]
		was := e.Seq
		e.Seq ^= 1 << r.IntN(64)
		return []int64{was, e.Seq}, true
	}, false, []log.How{log.Missing, log.Extra}},
	{"delete", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		at := r.IntN(len(b.entries))
		seq := b.entries[at].Seq
		b.entries = slices.Delete(b.entries, at, at+1)
		return []int64{seq}, true
	}, true, []log.How{log.Missing}},
	{"swap rows", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		i, j := pair(b, r)
		b.entries[i], b.entries[j] = b.entries[j], b.entries[i]
		if j-i <= 1 { // of two neighbours it is enough to move one
			return []int64{b.entries[i].Seq}, true
		}
		return []int64{int64(i) + 1, int64(j) + 1}, j-i > 2 // of three, moving any two will do
	}, true, []log.How{log.Reordered}},
	{"swap what rows say", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		i, j := pair(b, r)
		b.entries[i], b.entries[j] = b.entries[j], b.entries[i]
		b.entries[i].Seq, b.entries[j].Seq = int64(i)+1, int64(j)+1
		return []int64{int64(i) + 1, int64(j) + 1}, true
	}, true, []log.How{log.Edited}},
	{"truncate", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		at := r.IntN(len(b.entries))
		var gone []int64
		for _, e := range b.entries[at:] {
			gone = append(gone, e.Seq)
		}
		b.entries = b.entries[:at]
		return gone, true
	}, true, []log.How{log.Missing}},
	{"append", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		e := b.entries[r.IntN(len(b.entries))]
		e.Seq = int64(len(b.entries)) + 1
		b.entries = append(b.entries, e)
		return []int64{e.Seq}, true
	}, true, []log.How{log.Extra}},
	{"twice", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		e := b.entries[r.IntN(len(b.entries))]
		b.entries = slices.Insert(b.entries, int(e.Seq), e)
		return []int64{e.Seq}, true
	}, true, []log.How{log.Extra}},
	{"a stored hash", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		at := r.IntN(len(b.hashes))
		b.hashes[at][r.IntN(32)] ^= 1 << r.IntN(8)
		return under(int64(at)), true
	}, true, []log.How{log.BadHash}},
	{"an entry and its leaf hash", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		e := &b.entries[r.IntN(len(b.entries))]
		e.Facts = map[string]string{"outcome": "declined"}
		b.hashes[tlog.StoredHashIndex(0, e.Seq-1)] = tlog.RecordHash(e.Leaf())
		return []int64{e.Seq}, true
	}, false, []log.How{log.Edited}},
	{"an entry and every hash over it", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		e := &b.entries[r.IntN(len(b.entries))]
		e.Facts = map[string]string{"outcome": "declined"}
		b.rehash()
		return []int64{e.Seq}, true
	}, false, []log.How{log.Edited}},
	{"an entry and a hash elsewhere", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		e := &b.entries[r.IntN(len(b.entries))]
		e.Facts = map[string]string{"outcome": "declined"}
		at := r.IntN(len(b.hashes))
		b.hashes[at][0] ^= 1
		return []int64{e.Seq}, true
	}, false, []log.How{log.Edited}},
	{"the head's body", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		b.head.Body = flip(b.head.Body, r)
		return []int64{0}, true
	}, true, []log.How{log.BadHead}},
	{"the head's signature", func(b *book, r *mathrand.Rand) ([]int64, bool) {
		b.head.Sig = flip(b.head.Sig, r)
		return []int64{0}, true
	}, true, []log.How{log.BadHead}},
}

func pair(b *book, r *mathrand.Rand) (int, int) {
	for {
		i, j := r.IntN(len(b.entries)), r.IntN(len(b.entries))
		if i < j {
			return i, j
		}
	}
}

// under lists the entries under a stored hash.
func under(index int64) []int64 {
	level, n := tlog.SplitStoredHashIndex(index)
	var seqs []int64
	for seq := n<<level + 1; seq <= (n+1)<<level; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}

// rehash computes the stored hashes anew, as someone would who can write the
// whole database and has no key.
func (b *book) rehash() {
	b.hashes = nil
	for i, e := range b.entries {
		hashes, err := log.Append(int64(i), e.Leaf(), b.hashes)
		if err != nil {
			panic(err)
		}
		b.hashes = append(b.hashes, hashes...)
	}
}

func TestEveryTamperingIsReported(t *testing.T) {
	clean := write(t, 300)
	r, _ := seeded(t)
	harms := slices.Concat(columns, rowsAndHashes)
	counts := map[string]int{}
	for done := 0; done < 1000; {
		h := harms[r.IntN(len(harms))]
		if done < len(harms) {
			h = harms[done] // each one at least once
		}
		b := clean.copy()
		touched, ok := h.do(b, r)
		if !ok {
			continue
		}
		done++
		counts[h.name]++
		report := verify(t, b.entries, b.evidence(clean.headAt(t, 120), clean.headAt(t, 300)))
		if why := judge(report, h, touched); why != "" {
			t.Fatalf("%s of %v: %s: %v", h.name, touched, why, report.Findings)
		}
	}
	for _, h := range harms {
		if counts[h.name] == 0 {
			t.Errorf("%s was never tried", h.name)
		}
	}
}

// judge says what is wrong with a report on a tampering; "" when it is right.
func judge(report log.Report, h harm, touched []int64) string {
	if report.OK() {
		return "not reported"
	}
	for _, seq := range touched {
		if !slices.ContainsFunc(report.Findings, func(f log.Finding) bool {
			return f.Seq <= seq && seq <= f.Until && slices.Contains(h.how, f.How)
		}) {
			return "an entry is not reported for what it is"
		}
	}
	if !h.exact {
		return ""
	}
	for _, f := range report.Findings {
		if f.How == log.Unextended {
			continue
		}
		for seq := f.Seq; seq <= f.Until; seq++ {
			if !slices.Contains(touched, seq) {
				return "an entry is reported that is right"
			}
		}
	}
	return ""
}

func TestEveryBitOfAnEntry(t *testing.T) {
	b := write(t, 8)
	const at = 3
	leaf := b.entries[at].Leaf()
	for _, column := range []func(e *log.Entry) *string{
		func(e *log.Entry) *string { return (*string)(&e.Person) },
		func(e *log.Entry) *string { return &e.Kind },
		func(e *log.Entry) *string { return (*string)(&e.Call) },
		func(e *log.Entry) *string { return (*string)(&e.Agent) },
		func(e *log.Entry) *string { return (*string)(&e.Phone) },
	} {
		e := b.entries[at]
		text := *column(&e)
		for bit := range len(text) * 8 {
			changed := []byte(text)
			changed[bit/8] ^= 1 << (bit % 8)
			*column(&e) = string(changed)
			if slices.Equal(e.Leaf(), leaf) {
				t.Fatalf("bit %d of %q does not change the leaf", bit, text)
			}
		}
	}
	for bit := range 64 {
		e := b.entries[at]
		e.At ^= 1 << bit
		if slices.Equal(e.Leaf(), leaf) {
			t.Fatalf("bit %d of at does not change the leaf", bit)
		}
	}
}

// With the key, whoever owns the gateway can sign any log; only who saw the old one can tell.
func TestAWitnessCatchesTheGateway(t *testing.T) {
	clean := write(t, 100)
	seen := []wire.Head{clean.headAt(t, 40), clean.headAt(t, 80)}

	rewritten := clean.copy()
	rewritten.entries[60].Facts = map[string]string{"outcome": "declined"}
	rewritten.rehash()
	rewritten.sign(t)
	report := verify(t, rewritten.entries, rewritten.evidence(seen...))
	want := []log.Finding{{Seq: 41, Until: 80, How: log.Unextended, Detail: "a witness saw other entries among the first 80"}}
	if !slices.Equal(report.Findings, want) || report.Witnesses != 1 {
		t.Errorf("rewritten: %v", report.Findings)
	}
	if report := verify(t, rewritten.entries, rewritten.evidence()); !report.OK() {
		t.Errorf("without a witness nothing can show it, but: %v", report.Findings)
	}

	cut := clean.copy()
	cut.entries = cut.entries[:70]
	cut.rehash()
	cut.sign(t)
	report = verify(t, cut.entries, cut.evidence(seen...))
	if len(report.Findings) != 1 || report.Findings[0].Seq != 71 || report.Findings[0].Until != 80 || report.Findings[0].How != log.Unextended {
		t.Errorf("cut: %v", report.Findings)
	}

	other := clean.headAt(t, 40)
	other.Person = "person_Q"
	if report := verify(t, clean.entries, clean.evidence(other)); report.OK() {
		t.Error("a witness of another log is taken")
	}
}

// Without stored hashes the entry cannot be named, and that it is wrong is still found.
func TestEntriesAlone(t *testing.T) {
	clean := write(t, 50)
	b := clean.copy()
	ev := b.evidence(clean.headAt(t, 30))
	ev.Hashes = nil
	if report := verify(t, b.entries, ev); !report.OK() {
		t.Fatal(report.Findings)
	}
	b.entries[44].Kind = "other"
	report := verify(t, b.entries, ev)
	if len(report.Findings) != 1 || report.Findings[0].How != log.BadRoot || report.Findings[0].Seq != 31 || report.Findings[0].Until != 50 {
		t.Errorf("got %v", report.Findings)
	}
}

// One lost row of hashes must not hide what the others show.
func TestLostHashes(t *testing.T) {
	b := write(t, 100)
	b.entries[10].Kind = "other"
	lost := tlog.StoredHashIndex(0, 70)
	ev := b.evidence()
	ev.Hashes = tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		if slices.Contains(indexes, lost) {
			return nil, errors.New("no such row")
		}
		return b.hashes.ReadHashes(indexes)
	})
	report := verify(t, b.entries, ev)
	if len(report.Findings) != 2 || report.Findings[0].Seq != 11 || report.Findings[0].How != log.Edited ||
		report.Findings[1].Seq != 71 || report.Findings[1].How != log.BadHash {
		t.Errorf("got %v", report.Findings)
	}
}

func TestErasingIsNoTampering(t *testing.T) {
	b := write(t, 60)
	for i := range b.entries {
		log.Erase(&b.entries[i])
	}
	if report := verify(t, b.entries, b.evidence(b.headAt(t, 33))); !report.OK() || report.Erased != 20 || report.Payloads != 0 {
		t.Errorf("got %+v", report)
	}
}

func TestFindingsReadWell(t *testing.T) {
	for _, row := range []struct {
		f    log.Finding
		want string
	}{
		{log.Finding{How: log.BadHead, Detail: "x"}, "the log: head: x"},
		{log.Finding{Seq: 4, Until: 4, How: log.Edited, Detail: "x"}, "entry 4: edited: x"},
		{log.Finding{Seq: 4, Until: 9, How: log.Missing, Detail: "x"}, "entries 4 to 9: missing: x"},
	} {
		if got := row.f.String(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
