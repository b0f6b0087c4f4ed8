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

	"nod.dev/nod"
)

// Backup writes a copy of the ledger as of one moment to a new file that only
// its owner can read. Commits go on meanwhile. The gateway's key is not in it.
func (s *SQLite) Backup(ctx context.Context, path string) error {
	if s.closed.Load() {
		return s.failed("writing the backup", ErrClosed)
	}
	db, err := connect(ctx, dsn(s.path, url.Values{}), 1)
	if err != nil {
		return failed(s.dir, "reading the ledger", err)
	}
	defer db.Close()
	err = vacuumInto(ctx, db, path)
	if errors.Is(err, fs.ErrExist) {
		return nod.Errorf(nod.CodeConflict, path+" exists", "Give the name of a new file.")
	} else if err != nil {
		return failed(filepath.Dir(path), "writing the backup", err)
	}
	return nil
}

// vacuumInto copies a database, without its free pages, to a new file of mode
// 0600, and makes it durable. A copy that fails leaves no file.
func vacuumInto(ctx context.Context, db *sql.DB, path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(path)
		}
	}()
	if _, err := db.ExecContext(ctx, "VACUUM INTO $1", path); err != nil {
		return fmt.Errorf("copying to %s: %w", path, err)
	}
	return errors.Join(f.Sync(), syncFolder(filepath.Dir(path)))
}
