package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"nod.dev/nod"
)

//go:embed migrations/*.sql
var embedded embed.FS

// migrations holds the schema's steps. They only go forward: the way back is
// the copy that migrate makes.
var migrations = must(fs.Sub(embedded, "migrations"))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// migrate brings the schema to the newest step. An older ledger is copied
// first where that is asked for; a newer one is refused.
func (s *SQLite) migrate(ctx context.Context, schema fs.FS, copyFirst bool) error {
	steps, err := goose.NewProvider(goose.DialectSQLite3, s.write, schema,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("store: reading the migrations: %w", err)
	}
	sources := steps.ListSources()
	newest := sources[len(sources)-1].Version
	have, err := schemaVersion(ctx, s.write)
	if err != nil {
		return failed(s.dir, "reading the schema", err)
	}
	if have > newest {
		return newer(s.path, have, newest)
	}
	if have == newest {
		return nil
	}
	if have > 0 && copyFirst {
		copied, err := copyBefore(ctx, s.write, s.dir, have+1)
		if err != nil {
			return failed(s.dir, "copying the ledger before its migration", err)
		}
		s.logger.Info("migrating the ledger", "from", have, "to", newest, "copy", copied)
	}
	if _, err := steps.Up(ctx); err != nil {
		return failed(s.dir, fmt.Sprintf("migrating the ledger from version %d to %d", have, newest), err)
	}
	return nil
}

// schemaVersion returns the number of the newest step that was applied, 0 for
// an empty file. It creates nothing.
func schemaVersion(ctx context.Context, q querier) (int64, error) {
	var tables int
	err := q.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'").Scan(&tables)
	if err != nil || tables == 0 {
		return 0, err
	}
	var version int64
	err = q.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&version)
	return version, err
}

// copyBefore keeps the ledger as it is, named after the step that comes next.
// There is one copy a step, so that a migration that fails at every start does
// not fill the disk.
func copyBefore(ctx context.Context, db *sql.DB, dir string, step int64) (string, error) {
	path := filepath.Join(dir, fmt.Sprintf("nod.db.before-v%d", step))
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := vacuumInto(ctx, db, fresh); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", err
	}
	return path, syncFolder(dir)
}

func newer(path string, have, newest int64) error {
	return &nod.Error{
		Code:    nod.CodeStorage,
		Message: fmt.Sprintf("%s has schema %d, and this nod knows up to %d", path, have, newest),
		Hint:    "Use the newer nod that wrote it, or put back a backup made before the update: nod restore FILE.",
		Err:     ErrNewer,
	}
}
