package log

import (
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod/internal/wire"
)

// tree holds every full subtree's hash: levels[l][n] is over 2^l leaves.
type tree struct{ levels [][]tlog.Hash }

// grow computes the tree over leaves.
func grow(leaves []tlog.Hash) tree {
	t := tree{[][]tlog.Hash{leaves}}
	for below := leaves; len(below) > 1; {
		level := make([]tlog.Hash, len(below)/2)
		for i := range level {
			level[i] = tlog.NodeHash(below[2*i], below[2*i+1])
		}
		t.levels = append(t.levels, level)
		below = level
	}
	return t
}

// split is RFC 6962's k: the largest power of two below n, for n > 1.
func split(n int64) int64 { return 1 << (bits.Len64(uint64(n-1)) - 1) }

// node is the hash over the leaves lo to hi, where lo is a multiple of the
// smallest power of two that is not below hi-lo. There is at least one leaf.
func (t *tree) node(lo, hi int64) tlog.Hash {
	n := hi - lo
	if n&(n-1) == 0 {
		level := bits.Len64(uint64(n)) - 1
		return t.levels[level][lo>>level]
	}
	k := split(n)
	return tlog.NodeHash(t.node(lo, lo+k), t.node(lo+k, hi))
}

// stored reads all hashes that a tree of size has; one that cannot be read is
// zero, which no hash is.
func stored(size int64, r Hashes) tree {
	var t tree
	const batch = 4096
	for level := 0; size>>level > 0; level++ {
		hashes := make([]tlog.Hash, size>>level)
		for from := int64(0); from < int64(len(hashes)); from += batch {
			part := hashes[from:min(from+batch, int64(len(hashes)))]
			indexes := make([]int64, len(part))
			for i := range part {
				indexes[i] = tlog.StoredHashIndex(level, from+int64(i))
			}
			readInto(part, indexes, r)
		}
		t.levels = append(t.levels, hashes)
	}
	return t
}

// readInto reads one by one where reading together fails, so that one lost row
// does not hide the others.
func readInto(part []tlog.Hash, indexes []int64, r Hashes) {
	if got, err := r.ReadHashes(indexes); err == nil && len(got) == len(part) {
		copy(part, got)
		return
	}
	for i := range indexes {
		if got, err := r.ReadHashes(indexes[i : i+1]); err == nil && len(got) == 1 {
			part[i] = got[0]
		}
	}
}

// checkTree compares the entries with the head, the stored hashes and the witnesses.
func (v *verifier) checkTree() {
	made := grow(v.leaves)
	var kept *tree
	if v.evidence.Hashes != nil && v.size > 0 {
		t := stored(v.size, v.evidence.Hashes)
		kept = &t
	}
	whole := true
	switch {
	case v.size == 0:
		if v.trusted && v.root != emptyRoot() {
			v.found(0, 0, BadRoot, "the head covers no entries and has another root than none give")
		}
	case v.trusted && made.node(0, v.size) != v.root, !v.trusted && kept != nil:
		whole = v.locate(&made, kept)
		made = grow(v.leaves)
	}
	if kept != nil && whole {
		v.compareHashes(&made, kept)
	}
	v.checkWitnesses(&made)
}

func emptyRoot() tlog.Hash {
	root, _ := tlog.TreeHash(0, Memory(nil))
	return root
}

// locate finds out which entries the head does not agree with, and puts what it
// vouches for in place of their leaves. It returns whether that was possible
// for all of them.
func (v *verifier) locate(made, kept *tree) bool {
	if kept == nil {
		v.found(v.after(made, 0, v.size)+1, v.size, BadRoot, "the entries do not give the root of the head; without the stored hashes it cannot be said which")
		return false
	}
	root := v.root
	if !v.trusted { // then the stored hashes are the only other account there is
		root = kept.node(0, v.size)
	}
	l := locator{made: made, kept: kept, whole: true}
	l.walk(0, v.size, root)
	for _, r := range l.wrong {
		if r.hi-r.lo == 1 && r.known {
			v.leaves[r.lo] = r.hash
			if v.have[r.lo] {
				v.found(r.lo+1, r.lo+1, Edited, "it is not the entry that was logged")
			}
			continue
		}
		v.found(v.after(made, r.lo, r.hi)+1, r.hi, Edited, "one of these or more; the stored hashes were changed along with them")
	}
	return l.whole
}

// vouched is the size of the largest witness that the entries as they are agree with.
func (v *verifier) vouched(made *tree) int64 {
	var size int64
	for _, w := range v.evidence.Witnesses {
		if w.Size > size && w.Size <= v.size && witnessed(made, w) {
			size = w.Size
		}
	}
	return size
}

// after narrows the span lo to hi to what comes after a witness that agrees
// with the entries.
func (v *verifier) after(made *tree, lo, hi int64) int64 {
	if size := v.vouched(made); lo < size && size < hi {
		return size
	}
	return lo
}

func witnessed(made *tree, w wire.Head) bool {
	root, err := decodeHash(w.Root)
	return err == nil && (w.Size == 0 || made.node(0, w.Size) == root)
}

// span is a part of the log that is not what the head vouches for.
type span struct {
	lo, hi int64
	known  bool // one leaf, whose hash the head vouches for
	hash   tlog.Hash
}

// locator walks down from the root, wherever what was made from the entries
// differs from what is vouched for.
type locator struct {
	made, kept *tree
	wrong      []span
	whole      bool
}

// walk compares the leaves lo to hi with the hash that is vouched for.
func (l *locator) walk(lo, hi int64, vouched tlog.Hash) {
	if l.made.node(lo, hi) == vouched {
		return
	}
	if hi-lo == 1 {
		l.wrong = append(l.wrong, span{lo, hi, true, vouched})
		return
	}
	mid := lo + split(hi-lo)
	// A stored hash may be damaged too: any pair that hashes to the parent is vouched for.
	for _, left := range []*tree{l.kept, l.made} {
		for _, right := range []*tree{l.kept, l.made} {
			a, b := left.node(lo, mid), right.node(mid, hi)
			if tlog.NodeHash(a, b) == vouched {
				l.walk(lo, mid, a)
				l.walk(mid, hi, b)
				return
			}
		}
	}
	l.whole = false
	l.wrong = append(l.wrong, span{lo: lo, hi: hi})
}

// compareHashes reports stored hashes that are not those of the log. They would
// break proofs later, and nothing else shows it before.
func (v *verifier) compareHashes(made, kept *tree) {
	for level, hashes := range kept.levels {
		for n, h := range hashes {
			if h != made.levels[level][n] {
				first := int64(n) << level
				v.found(first+1, first+1<<level, BadHash, "the stored hash over these entries is wrong or gone (level %d, number %d)", level, n)
			}
		}
	}
}

// checkWitnesses checks that the log extends what others saw.
func (v *verifier) checkWitnesses(made *tree) {
	good := v.vouched(made)
	for _, w := range v.evidence.Witnesses {
		switch {
		case v.trusted && w.Person != v.report.Person:
			v.found(0, 0, Unextended, "a witness saw the log of %s", w.Person)
		case w.Size < 0:
			v.found(0, 0, Unextended, "a witness saw a log of %d entries", w.Size)
		case w.Size > v.size:
			v.found(v.size+1, w.Size, Unextended, "a witness saw %d entries and there are %d", w.Size, v.size)
		case !witnessed(made, w):
			v.found(min(good, w.Size-1)+1, w.Size, Unextended, "a witness saw other entries among the first %d", w.Size)
		default:
			v.report.Witnesses++
		}
	}
}
