package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Kinds of records that a restore voids: consent given ahead.
const (
	recordGrant = "grant"
	recordMode  = "mode"
)

// Restore puts a backup in the place of the ledger in dir. It works on a copy,
// checks it whole (that it is nod's, undamaged, of a schema it knows, with
// logs that verify under this folder's key), and only then swaps it in. The
// ledger it replaces is kept beside it as nod.db.replaced-TIME.
//
// A restored gateway has forgotten what it promised since the backup, so it
// starts careful: every agent is paused, consent given ahead is void, waiting
// invitations, ways to wake phones and what phones read are gone, every phone's epoch is lifted above any it can have
// reached, and [MetaSetBack] says since when, until a phone accepts it. What
// was removed since the backup stays removed, as far as the ledger that is
// replaced can still say so.
func Restore(ctx context.Context, dir, from string) error {
	return restore(ctx, dir, from, migrations)
}

func restore(ctx context.Context, dir, from string, schema fs.FS) error {
	if err := prepareFolder(dir); err != nil {
		return err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer lock.release()
	return restoreLocked(ctx, dir, from, schema)
}

func restoreLocked(ctx context.Context, dir, from string, schema fs.FS) (err error) {
	key, err := existingKey(dir)
	if err != nil {
		return err
	}
	if err := checkBackup(ctx, from); err != nil {
		return err
	}
	path := databasePath(dir) + ".restoring"
	if err := removeDatabase(path); err != nil {
		return failed(dir, "removing the rest of an earlier restore", err)
	}
	if err := copyBackup(ctx, from, path); err != nil {
		return failed(dir, "copying the backup", err)
	}
	defer func() {
		if err != nil {
			removeDatabase(path)
		}
	}()
	before, err := lastTime(ctx, dir)
	if err != nil {
		return err
	}
	now := max(before, nod.TimeOf(time.Now()))
	if now, err = setBackFile(ctx, dir, path, schema, key, now, removedSoFar(ctx, dir)); err != nil {
		return err
	}
	if err := dropAllPrivate(dir); err != nil {
		return failed(dir, "erasing what phones read", err)
	}
	if err := swap(ctx, dir, path, now); err != nil {
		return failed(dir, "putting the backup in place", err)
	}
	return nil
}

// existingKey loads the folder's key, and does not make one.
func existingKey(dir string) (*wire.Key, error) {
	path := filepath.Join(dir, keyName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nod.Errorf(nod.CodeInvalid,
			path+" is missing: a backup can only be restored where the key is that the phones trust",
			"Copy "+keyName+" of the gateway that made the backup to "+dir+" (mode 0600) and run this again.")
	}
	return LoadKey(dir)
}

// checkBackup says what is wrong with a file before anything is touched.
func checkBackup(ctx context.Context, from string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nod.Errorf(nod.CodeNotFound, "there is no file "+from, "Give a file that nod backup wrote.")
	}
	where := filepath.Dir(from)
	kind, err := identify(ctx, from)
	switch engineCode(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_READONLY: // the second: half a change, of a file copied while in use
		return damaged(from, err)
	}
	if err != nil {
		return failed(where, "reading the backup", err)
	}
	if kind != ownFile {
		return foreign(from)
	}
	db, err := openReadOnly(ctx, from)
	if err != nil {
		return failed(where, "reading the backup", err)
	}
	defer db.Close()
	var finding string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&finding)
	if err == nil && finding != "ok" {
		err = errors.New(finding)
	}
	if err != nil {
		return damaged(from, err)
	}
	return nil
}

func damaged(from string, err error) error {
	return &nod.Error{
		Code:    nod.CodeInvalid,
		Message: from + " is damaged",
		Hint:    "Use another backup. Nothing was changed.",
		Err:     err,
	}
}

func copyBackup(ctx context.Context, from, to string) error {
	db, err := openReadOnly(ctx, from)
	if err != nil {
		return err
	}
	return errors.Join(vacuumInto(ctx, db, to), db.Close())
}

// lastTime returns the ledger time that the folder had reached, so that it
// does not go down; 0 where there is no ledger or it cannot be read.
func lastTime(ctx context.Context, dir string) (nod.Time, error) {
	path := databasePath(dir)
	if _, err := os.Stat(path); err != nil {
		return 0, nil
	}
	kind, err := identify(ctx, path)
	if err == nil && kind == foreignFile {
		return 0, foreign(path)
	}
	if err != nil || kind != ownFile {
		return 0, nil
	}
	db, err := openReadOnly(ctx, path)
	if err != nil {
		return 0, nil
	}
	defer db.Close()
	now, err := readNow(ctx, db)
	if err != nil {
		return 0, nil // a damaged ledger is what restores are for
	}
	return now, nil
}

// setBackFile verifies the copied backup and makes it careful. It returns the
// ledger time that it reached.
func setBackFile(ctx context.Context, dir, path string, schema fs.FS, key *wire.Key, now nod.Time, gone removals) (nod.Time, error) {
	s := newSQLite(Config{Dir: dir, Sign: func(h wire.Head) (wire.Signed, error) { return log.SignHead(key, h) }}, path)
	err := s.start(ctx, schema, false)
	if err == nil {
		err = s.verifyLogs(ctx, key)
	}
	if err == nil {
		now = max(now, s.now)
		err = s.setBack(ctx, now, gone)
	}
	if closed := s.release(); err == nil {
		err = closed
	}
	return now, err
}

// verifyLogs verifies every person's log from its first entry to its head.
func (s *SQLite) verifyLogs(ctx context.Context, key *wire.Key) error {
	public, err := wire.ParsePublic(key.Public())
	if err != nil {
		return err
	}
	all, err := collect(ctx, s.read, scanHead, heads.selects("ORDER BY person"))
	if err != nil {
		return failed(s.dir, "reading the log", err)
	}
	for _, h := range all {
		if err := s.verifyLog(ctx, h, public); err != nil {
			return &nod.Error{
				Code:    nod.CodeInvalid,
				Message: fmt.Sprintf("the log of %s in the backup does not verify with %s", h.person, filepath.Join(s.dir, keyName)),
				Hint:    "Use another backup, or the folder whose gateway made this one. Nothing was changed.",
				Err:     err,
			}
		}
	}
	return nil
}

func (s *SQLite) verifyLog(ctx context.Context, h head, public wire.PublicKey) error {
	signed, err := h.open()
	if err != nil {
		return err
	}
	report, err := log.Verify(s.Log(ctx, h.person, math.MaxInt64), log.Evidence{
		Head: signed, Gateway: public, Hashes: s.Hashes(ctx, h.person),
	})
	if err == nil && !report.OK() {
		err = errors.New(report.Findings[0].String())
	}
	if err == nil && (report.Person != h.person || report.Size != h.size) {
		err = fmt.Errorf("its head is of %d entries of %s", report.Size, report.Person)
	}
	return err
}

// setBack writes all that a restored ledger must not have or must say.
func (s *SQLite) setBack(ctx context.Context, now nod.Time, gone removals) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.setBackTx(ctx, now, gone)
	if err != nil {
		return s.failed("marking the ledger as set back", err)
	}
	return nil
}

func (s *SQLite) setBackTx(ctx context.Context, now nod.Time, gone removals) error {
	t, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer t.Rollback()
	var newest nod.Time
	if err := t.QueryRowContext(ctx, "SELECT coalesce(max(at), 0) FROM entries").Scan(&newest); err != nil {
		return err
	}
	for _, change := range []struct {
		text string
		args []any
	}{
		{"UPDATE agents SET paused = TRUE", nil},
		{"UPDATE agents SET mode = $1 WHERE mode = $2", []any{nod.AskBeforeAction, nod.TrustedActions}},
		// One hello a millisecond since 1970 could not reach this epoch.
		{"UPDATE phones SET epoch = $1 WHERE epoch < $1", []any{int64(now)}},
		{"DELETE FROM records WHERE kind = $1 OR kind = $2", []any{recordGrant, recordMode}},
		{"DELETE FROM pairings", nil},
		// Each phone says anew where it is woken. What the copy holds may have been
		// taken back since.
		{"DELETE FROM subscriptions", nil},
	} {
		if _, err := t.ExecContext(ctx, change.text, change.args...); err != nil {
			return err
		}
	}
	err = t.writeMeta(now, map[string]string{MetaSetBack: strconv.FormatInt(int64(newest), 10)})
	if err != nil {
		return err
	}
	persons, err := collect(ctx, t, scanPerson, people.selects("ORDER BY created, id"))
	if err != nil {
		return err
	}
	restored := make([]log.Entry, 0, len(persons))
	for _, p := range persons {
		restored = append(restored, log.Entry{Person: p.ID, At: now, Kind: spec.LogRestored})
	}
	removed, err := t.keepRemoved(now, gone)
	if err != nil {
		return err
	}
	if _, err := t.appendEntries(now, append(restored, removed...)); err != nil {
		return err
	}
	return t.Commit()
}
