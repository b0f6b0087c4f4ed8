package store

import (
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// maxEdges bounds how many persons' trees are kept at hand.
const maxEdges = 1024

// tree is the growing edge of one person's log. It keeps the few hashes that
// the next append and the next root need, so that a commit reads none.
type tree struct {
	size  int64
	known map[int64]tlog.Hash
}

// treeReader reads hashes of a tree inside a transaction.
type treeReader struct {
	t      *tx
	person nod.PersonID
	tree   *tree
	used   map[int64]tlog.Hash // what was read, where somebody wants to know
}

// ReadHashes implements tlog.HashReader.
func (r *treeReader) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		h, ok := r.tree.known[index]
		if !ok {
			var err error
			if h, err = readHash(r.t.one(selectHash, r.person, index), r.person, index); err != nil {
				return nil, err
			}
			r.tree.known[index] = h
		}
		if r.used != nil {
			r.used[index] = h
		}
		hashes[i] = h
	}
	return hashes, nil
}

func readHash(r row, person nod.PersonID, index int64) (h tlog.Hash, err error) {
	var b []byte
	if err := r.Scan(&b); err != nil {
		return h, fmt.Errorf("hash %d of the log of %s: %w", index, person, err)
	}
	if len(b) != len(h) {
		return h, fmt.Errorf("hash %d of the log of %s has %d bytes", index, person, len(b))
	}
	return tlog.Hash(b), nil
}

// appendEntries puts the entries at the ends of their logs, in order, and
// signs the new head of each log once.
func (t *tx) appendEntries(now nod.Time, entries []log.Entry) (map[nod.PersonID]wire.Signed, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	if t.s.sign == nil {
		return nil, nod.Errorf(nod.CodeInternal, "this store was opened for reading: it cannot sign a log head", "")
	}
	var touched []nod.PersonID
	trees := make(map[nod.PersonID]*treeReader)
	for i := range entries {
		e := &entries[i]
		r := trees[e.Person]
		if r == nil {
			edge, err := t.edge(e.Person)
			if err != nil {
				return nil, err
			}
			r = &treeReader{t: t, person: e.Person, tree: edge}
			trees[e.Person] = r
			touched = append(touched, e.Person)
		}
		if err := r.append(e); err != nil {
			return nil, err
		}
	}
	heads := make(map[nod.PersonID]wire.Signed, len(touched))
	for _, person := range touched {
		signed, err := trees[person].signHead(now)
		if err != nil {
			return nil, err
		}
		heads[person] = signed
	}
	return heads, nil
}

// edge returns the edge of a person's log, from memory or from the table.
func (t *tx) edge(person nod.PersonID) (*tree, error) {
	if edge := t.s.edges[person]; edge != nil {
		return edge, nil
	}
	edge := &tree{known: make(map[int64]tlog.Hash)}
	err := t.one(selectSize, person).Scan(&edge.size)
	if err != nil && !noRows(err) {
		return nil, err
	}
	if len(t.s.edges) >= maxEdges {
		clear(t.s.edges)
	}
	t.s.edges[person] = edge
	return edge, nil
}

func (r *treeReader) append(e *log.Entry) error {
	e.Seq = r.tree.size + 1
	hashes, err := log.Append(r.tree.size, e.Leaf(), r)
	if err != nil {
		return fmt.Errorf("appending to the log of %s: %w", r.person, err)
	}
	changed, err := r.t.exec(insertEntry, entryArgs(e)...)
	if err != nil {
		return err
	}
	if changed != 1 {
		return fmt.Errorf("entry %d of the log of %s exists beyond its head", e.Seq, r.person)
	}
	first := log.FirstIndex(r.tree.size)
	for i := range hashes {
		index := first + int64(i)
		changed, err := r.t.exec(insertHash, r.person, index, hashes[i][:])
		if err != nil {
			return err
		}
		if changed != 1 {
			return fmt.Errorf("hash %d of the log of %s exists beyond its head", index, r.person)
		}
		r.tree.known[index] = hashes[i]
	}
	r.tree.size++
	return nil
}

// signHead signs the log as it now is, and forgets every hash that the next
// append will not need: a root is made of the very hashes it builds on.
func (r *treeReader) signHead(now nod.Time) (wire.Signed, error) {
	r.used = make(map[int64]tlog.Hash)
	head, err := log.HeadOf(r.person, r.tree.size, now, r)
	if err != nil {
		return wire.Signed{}, fmt.Errorf("the root of the log of %s: %w", r.person, err)
	}
	r.tree.known = r.used
	signed, err := r.t.s.sign(head)
	if err != nil {
		return wire.Signed{}, &nod.Error{Code: nod.CodeInternal, Message: "the log head cannot be signed", Err: err}
	}
	b, err := json.Marshal(signed)
	if err != nil {
		return wire.Signed{}, fmt.Errorf("writing the log head: %w", err)
	}
	_, err = r.t.exec(upsertHead, r.person, r.tree.size, b)
	return signed, err
}
