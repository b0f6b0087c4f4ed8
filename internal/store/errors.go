package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"nod.dev/nod"
)

var (
	// ErrConflict is returned by Commit when a call is not at the version before.
	ErrConflict = errors.New("it is not at the version before")
	// ErrLocked is returned by Open and Restore when another process holds the folder.
	ErrLocked = errors.New("the folder is locked")
	// ErrNewer is returned by Open and Restore for a ledger of a newer nod.
	ErrNewer = errors.New("the schema is newer than this program")
	// ErrForeign is returned by Open and Restore for a file that is not nod's.
	ErrForeign = errors.New("not a nod database")
	// ErrGone is returned for what a phone read and was erased, or never came.
	ErrGone = errors.New("it was erased")
	// ErrClosed is returned for every use after Close.
	ErrClosed = errors.New("the store is closed")
)

// trouble is what a person reads when the disk does not do its part.
type trouble struct{ message, hint string }

// failed wraps an error of the disk or the engine: what was being done, in
// which folder, and what to do. An error that says so already passes as it is.
func failed(dir, doing string, err error) error {
	if own := (*nod.Error)(nil); errors.As(err, &own) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	switch engineCode(err) {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE:
		// Not the disk: nod asked for what the ledger's rules forbid.
		return &nod.Error{Code: nod.CodeInternal, Message: doing + " in " + dir + " failed", Err: err}
	}
	t := diagnose(dir, err)
	return &nod.Error{
		Code:    nod.CodeStorage,
		Message: fmt.Sprintf("%s in %s failed: %s", doing, dir, t.message),
		Hint:    t.hint,
		Err:     err,
	}
}

// failed is [failed] for an open store.
func (s *SQLite) failed(doing string, err error) error {
	if s.closed.Load() {
		err = ErrClosed
	}
	return failed(s.dir, doing, err)
}

func diagnose(dir string, err error) trouble {
	full := trouble{
		"the disk is full",
		"Free some space on the disk that holds " + dir + "; nod goes on by itself.",
	}
	readOnly := trouble{
		"it cannot be written",
		"Check that " + dir + " belongs to the account that runs nod, has mode 0700, and is not on a read-only disk.",
	}
	disk := trouble{
		"the disk answered with an error",
		"Check the disk that holds " + dir + ": space, health, whether it is mounted for writing. nod goes on by itself when it works again.",
	}
	switch engineCode(err) {
	case sqlite3.SQLITE_FULL:
		return full
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return readOnly
	case sqlite3.SQLITE_IOERR:
		return disk
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return trouble{
			"another program holds the file",
			"Close the program that has " + databasePath(dir) + " open.",
		}
	}
	var errno syscall.Errno
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return full
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return readOnly
	case errors.As(err, &errno):
		return disk
	case errors.Is(err, ErrClosed):
		return trouble{"it is closed", "Start nod again."}
	}
	return trouble{
		"the file is damaged",
		"Stop nod and put the newest backup back: nod restore FILE. The damaged file is kept beside it.",
	}
}

// engineCode returns the primary SQLite result code of err, 0 for none.
func engineCode(err error) int {
	var engine *sqlite.Error
	if errors.As(err, &engine) {
		return engine.Code() & 0xff
	}
	return 0
}

func conflict(id nod.CallID, version int64) error {
	return &nod.Error{
		Code:    nod.CodeConflict,
		Message: fmt.Sprintf("call %s cannot become version %d", id, version),
		Hint:    "Read the call again and decide anew.",
		Err:     ErrConflict,
	}
}

// isNotDatabase reports whether a file is no SQLite database at all.
func isNotDatabase(err error) bool { return engineCode(err) == sqlite3.SQLITE_NOTADB }
