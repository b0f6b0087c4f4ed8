package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"

	"nod.dev/nod"
)

// ownFiles are names that make a folder nod's own.
var ownFiles = []string{DatabaseName, "nod.lock", "gateway.key", "push.key"}

// prepareFolder makes the data folder, readable by its owner alone. An
// existing folder is narrowed only when it is empty or nod's already: nobody
// wants the mode of /tmp changed by a mistyped flag.
func prepareFolder(dir string) error {
	if dir == "" {
		return nod.Errorf(nod.CodeInvalid, "the data folder has no name", "Give a folder with --data.")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(dir, "making the data folder", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return failed(dir, "making the data folder", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	own, err := ownFolder(dir)
	if err != nil {
		return failed(dir, "reading the data folder", err)
	}
	if !own {
		return nod.Errorf(nod.CodeStorage,
			fmt.Sprintf("%s can be read by others (mode %04o) and holds files that are not nod's", dir, info.Mode().Perm()),
			"Give nod a folder of its own, or run: chmod 700 "+dir)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return failed(dir, "narrowing the data folder", err)
	}
	return nil
}

// ownFolder reports whether dir is empty or holds something of nod's.
func ownFolder(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, name := range ownFiles {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true, nil
		}
	}
	return len(entries) == 0, nil
}

// prepareFile makes sure that the database file exists, belongs to nod, and
// is readable by its owner alone. SQLite gives its side files the same mode.
func prepareFile(ctx context.Context, dir string) error {
	path := databasePath(dir)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return failed(dir, "opening the ledger", err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return failed(dir, "opening the ledger", err)
	}
	kind, err := identify(ctx, path)
	if engineCode(err) == sqlite3.SQLITE_READONLY {
		// A start that was killed left half a change, which only a writer can take back.
		if err = takeBack(ctx, path); err == nil {
			kind, err = identify(ctx, path)
		}
	}
	if err != nil {
		return failed(dir, "opening the ledger", err)
	}
	switch kind {
	case foreignFile, brokenFile:
		return foreign(path)
	case emptyFile:
		if err := mark(ctx, path); err != nil {
			return failed(dir, "making the ledger", err)
		}
	}
	return nil
}

func foreign(path string) error {
	return &nod.Error{
		Code:    nod.CodeStorage,
		Message: path + " is not a nod database; it was left as it is",
		Hint:    "Give nod another folder with --data, or move that file away. If it was nod's, put a backup back: nod restore FILE.",
		Err:     ErrForeign,
	}
}

type fileKind int

const (
	emptyFile fileKind = iota
	ownFile
	foreignFile // another program's database
	brokenFile  // no database
)

// identify says whose file it is, without changing it.
func identify(ctx context.Context, path string) (fileKind, error) {
	db, err := openReadOnly(ctx, path)
	if isNotDatabase(err) {
		return brokenFile, nil
	} else if err != nil {
		return 0, err
	}
	defer db.Close()
	id, err := pragma(ctx, db, "application_id")
	if isNotDatabase(err) {
		return brokenFile, nil
	} else if err != nil {
		return 0, err
	}
	if id == applicationID {
		return ownFile, nil
	}
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return 0, err
	}
	if id == 0 && tables == 0 {
		return emptyFile, nil
	}
	return foreignFile, nil
}

// mark writes the application id, before anything else and before WAL: a file
// that holds more than nothing always carries it in its first page.
func mark(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(path, url.Values{}, "synchronous(FULL)"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return errors.Join(err, db.Close())
}

// takeBack opens a file for writing and reads from it: SQLite then undoes what
// a killed process left in its rollback journal.
func takeBack(ctx context.Context, path string) error {
	db, err := openSide(ctx, path)
	if err != nil {
		return err
	}
	_, err = pragma(ctx, db, "application_id")
	return errors.Join(err, db.Close())
}

// syncFolder makes names in dir durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
