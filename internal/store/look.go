package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"nod.dev/nod"
)

// Seen is what a data folder tells somebody who only looks.
type Seen struct {
	Calls int64 // in the ledger
	Bytes int64 // of the ledger
	Free  int64 // on its disk
}

// Look reads a data folder that a running gateway may hold, changes nothing in
// its ledger, and says what a gateway would stumble over: a folder that cannot
// be written, a ledger that is not one or is of a newer nod.
func Look(ctx context.Context, dir string) (Seen, error) {
	var seen Seen
	if _, err := os.Stat(databasePath(dir)); errors.Is(err, fs.ErrNotExist) {
		return seen, nod.Errorf(nod.CodeNotFound, "there is no ledger in "+dir, `"nod serve" makes one; or name the right folder with --data or NOD_DATA`)
	} else if err != nil {
		return seen, failed(dir, "reading the data folder", err)
	}
	if err := tryWrite(dir); err != nil {
		return seen, failed(dir, "writing to the data folder", err)
	}
	kind, err := identify(ctx, databasePath(dir))
	switch {
	case err != nil:
		return seen, failed(dir, "reading the ledger", err)
	case kind != ownFile:
		return seen, foreign(databasePath(dir))
	}
	if err := seen.read(ctx, databasePath(dir)); err != nil {
		return seen, failed(dir, "reading the ledger", err)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return seen, failed(dir, "asking for the disk's room", err)
	}
	seen.Free = int64(disk.Bavail) * int64(disk.Bsize) //nolint:unconvert // the types differ from system to system
	return seen, nil
}

func (seen *Seen) read(ctx context.Context, path string) error {
	db, err := openReadOnly(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	have, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if newest, err := newestStep(); err != nil || have > newest {
		return errors.Join(err, newer(path, have, newest))
	}
	if have == 0 {
		return nil // nothing was ever written
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM calls").Scan(&seen.Calls); err != nil {
		return err
	}
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			seen.Bytes += info.Size()
		}
	}
	return nil
}

// newestStep is the number of the newest migration that this program has.
func newestStep() (int64, error) {
	files, err := fs.Glob(migrations, "*.sql")
	return int64(len(files)), err
}

// tryWrite makes a file in the folder durable and removes it.
func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".look-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("nod")
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(filepath.Join(dir, filepath.Base(f.Name()))))
}
