package log

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
)

// Hashes reads stored hashes by tlog's index. It is what a store implements.
type Hashes = tlog.HashReader

// Append returns the hashes to store for the next leaf of a log of size
// entries. They go to the indexes from tlog.StoredHashIndex(0, size) on; r
// reads those stored before. The new entry's Seq is size+1.
func Append(size int64, leaf []byte, r Hashes) ([]tlog.Hash, error) {
	if size < 0 || len(leaf) == 0 {
		return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("entry %d of the log has no leaf", size+1), "seal the entry first")
	}
	return tlog.StoredHashes(size, leaf, r)
}

// FirstIndex is the stored index of the first hash that [Append] returns at size.
func FirstIndex(size int64) int64 { return tlog.StoredHashIndex(0, size) }

// Root returns the root of the first size entries.
func Root(size int64, r Hashes) (tlog.Hash, error) { return tlog.TreeHash(size, r) }

// Memory is a [Hashes] over a slice: for tests, exports and small logs.
type Memory []tlog.Hash

// ReadHashes returns the hashes at the given indexes.
func (m Memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at < 0 || at >= int64(len(m)) {
			return nil, fmt.Errorf("log: no hash is stored at %d", at)
		}
		out[i] = m[at]
	}
	return out, nil
}
