package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// applicationID marks a file as nod's: the bytes "nod1".
const applicationID = 0x6e6f6431

// DatabaseName is the name of the ledger's file in the data folder.
const DatabaseName = "nod.db"

func databasePath(dir string) string { return filepath.Join(dir, DatabaseName) }

// dsn builds a data source name. Pragmas run on every new connection.
func dsn(path string, options url.Values, pragmas ...string) string {
	if !options.Has("_busy_timeout") {
		options.Set("_busy_timeout", "5000") // milliseconds
	}
	options["_pragma"] = append([]string{"trusted_schema(0)"}, pragmas...)
	options.Set("_dqs", "0")
	options.Set("_defensive", "1")
	options.Set("_error_rc", "1")
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: options.Encode()}).String()
}

// openWriter opens the one connection that writes.
func openWriter(ctx context.Context, path string) (*sql.DB, error) {
	pragmas := []string{
		"journal_mode(WAL)",
		"foreign_keys(1)",
		// What Erase removes is overwritten, not only unlinked.
		"secure_delete(1)",
		// The checkpointer usually comes first; this bounds the log if it cannot.
		"wal_autocheckpoint(8000)",
		"journal_size_limit(16777216)",
	}
	return connect(ctx, dsn(path, url.Values{"_txlock": {"immediate"}}, append(durable(), pragmas...)...), 1)
}

// durable returns the pragmas that make a commit survive a power cut.
func durable() []string {
	if runtime.GOOS == "darwin" {
		// There fsync alone does not reach the platter.
		return []string{"synchronous(FULL)", "fullfsync(1)", "checkpoint_fullfsync(1)"}
	}
	return []string{"synchronous(FULL)"}
}

// openReaders opens connections that cannot write.
func openReaders(ctx context.Context, path string) (*sql.DB, error) {
	return connect(ctx, dsn(path, url.Values{}, "query_only(1)"), 4)
}

// openSide opens a connection beside the writer that never waits for anybody.
func openSide(ctx context.Context, path string) (*sql.DB, error) {
	return connect(ctx, dsn(path, url.Values{"_busy_timeout": {"0"}}, durable()...), 1)
}

// openReadOnly opens a file that may not be nod's, and changes nothing in it.
func openReadOnly(ctx context.Context, path string) (*sql.DB, error) {
	return connect(ctx, dsn(path, url.Values{"mode": {"ro"}}), 1)
}

func connect(ctx context.Context, name string, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// pragma runs a PRAGMA that answers with one number.
func pragma(ctx context.Context, db *sql.DB, text string) (int64, error) {
	var n int64
	if err := db.QueryRowContext(ctx, "PRAGMA "+text).Scan(&n); err != nil {
		return 0, fmt.Errorf("PRAGMA %s: %w", text, err)
	}
	return n, nil
}
