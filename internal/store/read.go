package store

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// Load reads what a gateway starts from, as of one moment: every open call,
// and those that ended at since or later.
func (s *SQLite) Load(ctx context.Context, since nod.Time) (*State, error) {
	state, err := s.load(ctx, since)
	if err != nil {
		return nil, s.failed("reading the ledger", err)
	}
	return state, nil
}

func (s *SQLite) load(ctx context.Context, since nod.Time) (*State, error) {
	t, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer t.Rollback()
	l := loader{ctx: ctx, q: t}
	state := &State{
		People:   loadAll(&l, scanPerson, people.selects("ORDER BY created, id")),
		Agents:   loadAll(&l, scanAgent, agents.selects("ORDER BY created, id")),
		Tokens:   loadAll(&l, scanToken, tokens.selects("ORDER BY created, agent")),
		Phones:   loadAll(&l, scanPhone, phones.selects("ORDER BY created, id")),
		Records:  loadAll(&l, scanRecord, records.selects("ORDER BY at, id")),
		Pairings: loadAll(&l, scanPairing, pairings.selects("WHERE used = 0 ORDER BY created, id")),
		Subscriptions: loadAll(&l, scanSubscription, subscriptions.selects(
			"WHERE phone IN (SELECT id FROM phones WHERE revoked = 0) ORDER BY created, phone")),
		Calls: loadAll(&l, scanCall, calls.selects("WHERE state <> 'closed' UNION ALL "+
			calls.selects("WHERE state = 'closed' AND ended > 0 AND ended >= $1 ORDER BY received, id")), since),
		Meta:  make(map[string]string),
		Heads: make(map[nod.PersonID]wire.Signed),
	}
	for _, m := range loadAll(&l, scanMeta, meta.selects("")) {
		state.Meta[m[0]] = m[1]
	}
	for _, h := range loadAll(&l, scanHead, heads.selects("")) {
		if state.Heads[h.person], err = h.open(); err != nil {
			return nil, err
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	if state.Now, err = readNow(ctx, t); err != nil {
		return nil, err
	}
	delete(state.Meta, MetaNow)
	return state, nil
}

// loader keeps the first error of a row of queries.
type loader struct {
	ctx context.Context
	q   querier
	err error
}

func loadAll[T any](l *loader, scan func(row) (T, error), text string, args ...any) []T {
	if l.err != nil {
		return nil
	}
	all, err := collect(l.ctx, l.q, scan, text, args...)
	l.err = err
	return all
}

// Call returns one call.
func (s *SQLite) Call(ctx context.Context, id nod.CallID) (nod.Call, error) {
	c, err := scanCall(s.read.QueryRowContext(ctx, calls.selects("WHERE id = $1"), id))
	if noRows(err) {
		return nod.Call{}, nod.Errorf(nod.CodeNotFound, "there is no call "+string(id), "")
	} else if err != nil {
		return nod.Call{}, s.failed("reading the ledger", err)
	}
	return c, nil
}

// Calls returns the calls that q selects, newest first.
func (s *SQLite) Calls(ctx context.Context, q Query) ([]nod.Call, error) {
	var where []string
	var args []any
	add := func(text string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			text = strings.Replace(text, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		where = append(where, text)
	}
	if q.Person != "" {
		add("person = ?", q.Person)
	}
	if q.Agent != "" {
		add("agent = ?", q.Agent)
	}
	if q.State != "" {
		add("state = ?", q.State)
	}
	if q.App != "" {
		add("app = ?", q.App)
	}
	if q.Key != "" {
		add("idempotency = ? AND idempotency <> ''", q.Key)
	}
	if q.Phone != "" {
		add("(phone = ? OR decided_by = ?)", q.Phone, q.Phone)
	}
	if q.Since > 0 {
		add("received >= ?", q.Since)
	}
	if q.Before != "" {
		last, err := s.Call(ctx, q.Before)
		if err != nil {
			return nil, err
		}
		add("(received, id) < (?, ?)", last.Received, last.ID)
	}
	rest := "ORDER BY received DESC, id DESC LIMIT " + fmt.Sprint(limit(q.Limit))
	if where != nil {
		rest = "WHERE " + strings.Join(where, " AND ") + " " + rest
	}
	found, err := collect(ctx, s.read, scanCall, calls.selects(rest), args...)
	if err != nil {
		return nil, s.failed("reading the ledger", err)
	}
	return found, nil
}

// limit bounds how many rows one answer holds.
func limit(n int) int {
	if n <= 0 {
		return 50
	}
	return min(n, 1000)
}

// People returns every person, in the order in which they were added.
func (s *SQLite) People(ctx context.Context) ([]nod.Person, error) {
	found, err := collect(ctx, s.read, scanPerson, people.selects("ORDER BY created, id"))
	if err != nil {
		return nil, s.failed("reading the ledger", err)
	}
	return found, nil
}

// Agents returns a person's agents, revoked ones too, in the order in which they were added.
func (s *SQLite) Agents(ctx context.Context, person nod.PersonID) ([]nod.Agent, error) {
	found, err := collect(ctx, s.read, scanAgent, agents.selects("WHERE person = $1 ORDER BY created, id"), person)
	if err != nil {
		return nil, s.failed("reading the ledger", err)
	}
	return found, nil
}

// Phones returns a person's phones, revoked ones too, in the order in which they were paired.
func (s *SQLite) Phones(ctx context.Context, person nod.PersonID) ([]nod.Phone, error) {
	found, err := collect(ctx, s.read, scanPhone, phones.selects("WHERE person = $1 ORDER BY created, id"), person)
	if err != nil {
		return nil, s.failed("reading the ledger", err)
	}
	return found, nil
}

// Entries returns entries of a person's log from seq on, oldest first. A limit
// of 0 means 50, more than 1000 means 1000.
func (s *SQLite) Entries(ctx context.Context, person nod.PersonID, from int64, n int) ([]log.Entry, error) {
	found, err := collect(ctx, s.read, scanEntry,
		entries.selects("WHERE person = $1 AND seq >= $2 ORDER BY seq LIMIT $3"), person, from, limit(n))
	if err != nil {
		return nil, s.failed("reading the log", err)
	}
	return found, nil
}

// Log walks the first size entries of a person's log, as log.Verify wants
// them. It stops after the first error.
func (s *SQLite) Log(ctx context.Context, person nod.PersonID, size int64) iter.Seq2[log.Entry, error] {
	return func(yield func(log.Entry, error) bool) {
		for from := int64(0); from < size; {
			page, err := s.Entries(ctx, person, from, 1000)
			if err != nil {
				yield(log.Entry{}, err)
				return
			}
			for _, e := range page {
				if e.Seq >= size || !yield(e, nil) {
					return
				}
				from = e.Seq + 1
			}
			if len(page) == 0 {
				return
			}
		}
	}
}

// Head returns the newest signed head of a person's log.
func (s *SQLite) Head(ctx context.Context, person nod.PersonID) (wire.Signed, error) {
	h, err := scanHead(s.read.QueryRowContext(ctx, heads.selects("WHERE person = $1"), person))
	if noRows(err) {
		return wire.Signed{}, nod.Errorf(nod.CodeNotFound, "the log of "+string(person)+" is empty", "")
	} else if err != nil {
		return wire.Signed{}, s.failed("reading the log", err)
	}
	signed, err := h.open()
	if err != nil {
		return wire.Signed{}, s.failed("reading the log", err)
	}
	return signed, nil
}

// Hashes reads the stored hashes of a person's tree, for the proofs of package log.
func (s *SQLite) Hashes(ctx context.Context, person nod.PersonID) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			h, err := readHash(s.read.QueryRowContext(ctx, selectHash, person, index), person, index)
			if err != nil {
				return nil, s.failed("reading the log", err)
			}
			hashes[i] = h
		}
		return hashes, nil
	})
}
