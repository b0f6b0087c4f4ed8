package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// The statements of Commit. They are compiled once, on the write connection.
var (
	upsertPerson  = people.upserts()
	upsertAgent   = agents.upserts()
	upsertToken   = tokens.upserts()
	upsertPhone   = phones.upserts()
	upsertPairing = pairings.upserts()
	upsertPush    = subscriptions.upserts()
	upsertHead    = heads.upserts()
	upsertMeta    = meta.upserts()
	insertRecord  = records.inserts()
	insertCall    = calls.inserts()
	updateCall    = calls.updates("erased = FALSE", "id = $1 AND version = $5 - 1 AND person = $2 AND agent = $3")
	insertEntry   = entries.inserts()

	statements = []string{
		upsertPerson, upsertAgent, upsertToken, upsertPhone, upsertPairing, upsertPush, upsertHead, upsertMeta,
		insertRecord, insertCall, updateCall, insertEntry, insertHash, selectHash, selectSize, selectMeta, deleteMeta,
		selectRecord, dropSecrets, deletePush,
	}
)

const (
	insertHash   = "INSERT INTO hashes (person, idx, hash) VALUES ($1, $2, $3) ON CONFLICT (person, idx) DO NOTHING"
	selectHash   = "SELECT hash FROM hashes WHERE person = $1 AND idx = $2"
	selectSize   = "SELECT size FROM heads WHERE person = $1"
	selectRecord = "SELECT signed FROM records WHERE id = $1"
	dropSecrets  = "UPDATE pairings SET secret = NULL WHERE secret IS NOT NULL AND expires < $1"
	selectMeta   = "SELECT value FROM meta WHERE key = $1"
	deletePush   = "DELETE FROM subscriptions WHERE phone = $1"
	deleteMeta   = "DELETE FROM meta WHERE key = $1"
)

// Commit writes b in one transaction, all of it or nothing, and returns the
// new signed head of every log that it appended to. It sets Seq of b.Entries.
// When it has returned without an error, b is on the disk. A commit that has
// begun is carried through even if ctx ends.
func (s *SQLite) Commit(ctx context.Context, b *Batch) (map[nod.PersonID]wire.Signed, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("store: commit: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	heads, err := s.commit(context.WithoutCancel(ctx), b)
	if err != nil {
		// What the trees learned belongs to a transaction that never was.
		for _, e := range b.Entries {
			delete(s.edges, e.Person)
		}
		return nil, s.failed("writing the ledger", err)
	}
	s.now = max(s.now, b.Now)
	select {
	case s.dirty <- struct{}{}:
	default: // the checkpointer knows already
	}
	return heads, nil
}

func (s *SQLite) commit(ctx context.Context, b *Batch) (map[nod.PersonID]wire.Signed, error) {
	if s.closed.Load() {
		return nil, ErrClosed
	}
	t, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer t.Rollback()
	now := max(s.now, b.Now)
	if err := t.writeRows(now, b); err != nil {
		return nil, err
	}
	if err := t.writeMeta(now, b.Meta); err != nil {
		return nil, err
	}
	heads, err := t.appendEntries(now, b.Entries)
	if err != nil {
		return nil, err
	}
	return heads, t.Commit()
}

// tx is one transaction on the write connection.
type tx struct {
	*sql.Tx
	s   *SQLite
	ctx context.Context
}

func (s *SQLite) begin(ctx context.Context) (*tx, error) {
	t, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &tx{t, s, ctx}, nil
}

// exec runs a prepared statement and returns how many rows it changed.
func (t *tx) exec(text string, args ...any) (int64, error) {
	result, err := t.StmtContext(t.ctx, t.s.stmts[text]).ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// one runs a prepared query for one row.
func (t *tx) one(text string, args ...any) *sql.Row {
	return t.StmtContext(t.ctx, t.s.stmts[text]).QueryRowContext(t.ctx, args...)
}

// writeRows writes everything but the log, parents before children.
func (t *tx) writeRows(now nod.Time, b *Batch) error {
	for _, write := range []func() error{
		writeAll(t, upsertPerson, b.People, personArgs),
		writeAll(t, upsertAgent, b.Agents, agentArgs),
		writeAll(t, upsertToken, b.Tokens, tokenArgs),
		writeAll(t, upsertPhone, b.Phones, phoneArgs),
		writeAll(t, upsertPairing, b.Pairings, pairingArgs),
		func() error { _, err := t.exec(dropSecrets, now); return err },
		func() error { return t.writeSubscriptions(b.Subscriptions) },
		func() error { return t.writeRecords(b.Records) },
		func() error { return t.writeCalls(b.Calls) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func writeAll[T any](t *tx, text string, rows []T, args func(*T) []any) func() error {
	return func() error {
		for i := range rows {
			if _, err := t.exec(text, args(&rows[i])...); err != nil {
				return err
			}
		}
		return nil
	}
}

func (t *tx) writeSubscriptions(list []Subscription) error {
	for i := range list {
		text, args := upsertPush, subscriptionArgs(&list[i])
		if list[i].Empty() {
			text, args = deletePush, args[:1]
		}
		if _, err := t.exec(text, args...); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) writeRecords(records []Record) error {
	for i := range records {
		r := &records[i]
		changed, err := t.exec(insertRecord, recordArgs(r)...)
		if err != nil {
			return err
		}
		if changed == 1 {
			continue
		}
		var stored []byte
		if err := t.one(selectRecord, r.ID).Scan(&stored); err != nil {
			return err
		}
		if !bytes.Equal(stored, r.Signed) {
			return &nod.Error{
				Code:    nod.CodeConflict,
				Message: fmt.Sprintf("record %s exists with other bytes", r.ID),
				Err:     ErrConflict,
			}
		}
	}
	return nil
}

func (t *tx) writeCalls(calls []nod.Call) error {
	for i := range calls {
		c := &calls[i]
		text := updateCall
		if c.Version == 1 {
			text = insertCall
		}
		changed, err := t.exec(text, callArgs(c)...)
		if err != nil {
			return err
		}
		if changed != 1 {
			return conflict(c.ID, c.Version)
		}
	}
	return nil
}
