package log

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod/internal/wire"
)

// Evidence is what a log is verified against.
type Evidence struct {
	// Head is the newest signed head, Gateway the key that must have signed it.
	Head    wire.Signed
	Gateway wire.PublicKey
	// Hashes are the stored hashes of the tree; nil where only the entries are
	// at hand. They are not trusted. They serve to say which entry was changed,
	// and not only that one was.
	Hashes Hashes
	// Witnesses are heads that others saw: each phone keeps its newest.
	Witnesses []wire.Head
}

// Verify reads a person's whole log and says of every entry that is wrong, how.
// The error is for entries that could not be read, never for wrong ones.
//
// Where stored hashes are at hand, a changed entry is named exactly: the signed
// root vouches for two hashes that hash to it, each of those for the two below,
// and so on down to the leaf. Where a change took the hashes along, the finding
// spans the entries among which it must be.
func Verify(entries iter.Seq2[Entry, error], ev Evidence) (Report, error) {
	v := verifier{evidence: ev, report: Report{Findings: []Finding{}}}
	v.openHead()
	if err := v.read(entries); err != nil {
		return Report{}, err
	}
	if v.place() {
		v.checkTree()
	}
	slices.SortStableFunc(v.report.Findings, func(a, b Finding) int { return cmp.Compare(a.Seq, b.Seq) })
	return v.report, nil
}

// line is what is kept of an entry while the log is read.
type line struct {
	seq  int64
	leaf tlog.Hash
}

type verifier struct {
	evidence Evidence
	report   Report

	root    tlog.Hash // the head's
	trusted bool      // the head is signed by the gateway

	lines  []line      // as they came
	size   int64       // how many entries there must be
	leaves []tlog.Hash // by seq-1
	have   []bool      // by seq-1: there was such an entry
}

func (v *verifier) found(seq, until int64, how How, format string, args ...any) {
	v.report.Findings = append(v.report.Findings, Finding{seq, until, how, fmt.Sprintf(format, args...)})
}

func (v *verifier) openHead() {
	h, err := OpenHead(v.evidence.Head, v.evidence.Gateway)
	if err != nil {
		v.found(0, 0, BadHead, "%v", err)
		return
	}
	v.trusted = true
	v.root, _ = decodeHash(h.Root)
	v.report.Person, v.report.Size, v.report.Root = h.Person, h.Size, h.Root
}

// read takes the leaf hash of every entry and checks its payload.
func (v *verifier) read(entries iter.Seq2[Entry, error]) error {
	for e, err := range entries {
		if err != nil {
			return fmt.Errorf("log: read the entry after the first %d: %w", len(v.lines), err)
		}
		v.lines = append(v.lines, line{e.Seq, tlog.RecordHash(e.Leaf())})
		switch problem := e.payloadProblem(); {
		case problem != "":
			v.found(e.Seq, e.Seq, BadPayload, "%s", problem)
		case len(e.Payload) > 0:
			v.report.Payloads++
		case e.Erased():
			v.report.Erased++
		}
	}
	return nil
}

// sparse is how many entries may be missing before Verify stops to work out
// what they hashed to; a head of any size costs no more memory than that.
const sparse = 1 << 20

// place gives every line its place by seq and reports what has none, or
// another. It returns false when too much is missing to go on.
func (v *verifier) place() bool {
	count := int64(len(v.lines))
	v.size = count
	if v.trusted {
		v.size = v.report.Size
	}
	if v.size > 2*count+sparse {
		v.found(1, v.size, Missing, "the head covers %d entries and only %d are there", v.size, count)
		return false
	}
	v.leaves, v.have = make([]tlog.Hash, v.size), make([]bool, v.size)
	seqs := make([]int64, 0, count)
	for _, l := range v.lines {
		switch at := l.seq - 1; {
		case at < 0 || at >= v.size:
			v.found(l.seq, l.seq, Extra, "an entry with the number %d; there are entries 1 to %d", l.seq, v.size)
		case v.have[at]:
			v.found(l.seq, l.seq, Extra, "a second entry with this number")
		default:
			v.have[at], v.leaves[at] = true, l.leaf
			seqs = append(seqs, l.seq)
		}
	}
	for _, seq := range misplaced(seqs) {
		v.found(seq, seq, Reordered, "it stands before or after its place")
	}
	v.missing()
	return true
}

func (v *verifier) missing() {
	for at := int64(0); at < v.size; at++ {
		if v.have[at] {
			continue
		}
		first := at
		for at+1 < v.size && !v.have[at+1] {
			at++
		}
		v.found(first+1, at+1, Missing, "the head covers entries 1 to %d", v.size)
	}
}

// misplaced returns the fewest numbers that must move for the rest to be in
// order: all but a longest increasing run.
func misplaced(seqs []int64) []int64 {
	if slices.IsSorted(seqs) {
		return nil
	}
	var ends []int // ends[n] is where the lowest run of n+1 numbers ends
	before := make([]int, len(seqs))
	for i, seq := range seqs {
		n, _ := slices.BinarySearchFunc(ends, seq, func(at int, seq int64) int { return cmp.Compare(seqs[at], seq) })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	keep := make([]bool, len(seqs))
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		keep[i] = true
	}
	var out []int64
	for i, seq := range seqs {
		if !keep[i] {
			out = append(out, seq)
		}
	}
	slices.Sort(out)
	return out
}
