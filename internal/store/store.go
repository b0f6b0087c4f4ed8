// Package store keeps the ledger: calls and what became of them, the provable
// log, and the people, agents, phones and records behind them, in one SQLite
// file in the data folder.
//
// There is one writer. The gateway's loop hands a [Batch] to [SQLite.Commit],
// which writes all of it in one transaction or nothing, assigns the places of
// the log entries, extends each person's Merkle tree and signs its new head.
// What Commit has acknowledged survives a killed process and a power cut
// (WAL, synchronous FULL); the gateway sends nothing before it returns. Reads
// have their own connections and never wait for the writer.
//
// A row of the ledger is the truth about its call. It carries a version, and
// is written only over the version before ([ErrConflict] otherwise), so that
// a second writer, on an engine that allows one, cannot undo a decision.
//
// Trouble with the disk is an error that names the folder and says what to do
// ([nod.CodeStorage]). Nothing is then half done, and the same engine goes on
// when the trouble is over.
//
// Personal content can be erased ([SQLite.Erase]) while the log still
// verifies, because its tree is built over salted hashes of the content.
//
// Every statement is written once, for SQLite and for Postgres: numbered
// placeholders and upserts, nothing that only one of them knows. The suite a second engine has to pass
// is package storetest.
package store

import (
	"context"
	"database/sql"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Config says where the ledger is and who signs its heads.
type Config struct {
	// Dir is the data folder. It is made when it does not exist.
	Dir string
	// Logger hears of migrations and of trouble in the background; nil for silence.
	Logger *slog.Logger
	// Sign signs a log head with the gateway's key. A store opened without it
	// can be read, and cannot append to the log.
	Sign func(wire.Head) (wire.Signed, error)
}

// SQLite is the engine. It is safe for concurrent use.
type SQLite struct {
	dir    string
	path   string // of the database
	logger *slog.Logger
	sign   func(wire.Head) (wire.Signed, error)

	lock  *folderLock
	write *sql.DB // one connection
	read  *sql.DB // several, query_only
	side  *sql.DB // one, for checkpoints; never waits
	stmts map[string]*sql.Stmt

	dirty chan struct{} // a commit happened: the checkpointer has work
	stop  context.CancelFunc
	done  sync.WaitGroup

	mu    sync.Mutex // held by every write; guards what follows
	now   nod.Time   // the last committed ledger time
	edges map[nod.PersonID]*tree

	closed atomic.Bool
}

// Open opens the ledger in cfg.Dir and holds the folder until Close. It makes
// what is missing, and brings an older schema forward after copying the file.
func Open(ctx context.Context, cfg Config) (*SQLite, error) {
	return open(ctx, cfg, migrations)
}

func open(ctx context.Context, cfg Config, schema fs.FS) (*SQLite, error) {
	if err := prepareFolder(cfg.Dir); err != nil {
		return nil, err
	}
	lock, err := lockFolder(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if err := prepareFile(ctx, cfg.Dir); err != nil {
		lock.release()
		return nil, err
	}
	s := newSQLite(cfg, databasePath(cfg.Dir))
	s.lock = lock
	if err := s.start(ctx, schema, true); err != nil {
		s.release()
		return nil, err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() { s.checkpoint(background) })
	return s, nil
}

func newSQLite(cfg Config, path string) *SQLite {
	s := &SQLite{
		dir:    cfg.Dir,
		path:   path,
		logger: cfg.Logger,
		sign:   cfg.Sign,
		dirty:  make(chan struct{}, 1),
		edges:  make(map[nod.PersonID]*tree),
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	return s
}

// start connects to a file that is known to be nod's and brings its schema
// forward, after a copy if asked for.
func (s *SQLite) start(ctx context.Context, schema fs.FS, copyFirst bool) (err error) {
	if s.write, err = openWriter(ctx, s.path); err != nil {
		return failed(s.dir, "opening the ledger", err)
	}
	if err := s.migrate(ctx, schema, copyFirst); err != nil {
		return err
	}
	if s.read, err = openReaders(ctx, s.path); err != nil {
		return failed(s.dir, "opening the ledger", err)
	}
	if s.side, err = openSide(ctx, s.path); err != nil {
		return failed(s.dir, "opening the ledger", err)
	}
	if err := s.prepare(ctx); err != nil {
		return failed(s.dir, "reading the ledger", err)
	}
	return nil
}

// prepare compiles the statements of Commit and reads the ledger time.
func (s *SQLite) prepare(ctx context.Context) error {
	s.stmts = make(map[string]*sql.Stmt)
	for _, text := range statements {
		stmt, err := s.write.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		s.stmts[text] = stmt
	}
	now, err := readNow(ctx, s.write)
	s.now = now
	return err
}

// Dir returns the data folder.
func (s *SQLite) Dir() string { return s.dir }

// Close folds the write-ahead log into the file, closes it and lets go of the
// folder. Calling it again does nothing.
func (s *SQLite) Close() error {
	s.mu.Lock() // a commit that has begun comes first
	again := s.closed.Swap(true)
	s.mu.Unlock()
	if again {
		return nil
	}
	s.stop()
	s.done.Wait()
	return s.release()
}

// release closes what Open has opened so far, in the reverse order.
func (s *SQLite) release() error {
	var first error
	keep := func(err error) {
		if first == nil && err != nil {
			first = failed(s.dir, "closing the ledger", err)
		}
	}
	for _, stmt := range s.stmts {
		keep(stmt.Close())
	}
	for _, db := range []*sql.DB{s.side, s.read, s.write} {
		if db != nil {
			keep(db.Close())
		}
	}
	if s.lock != nil {
		keep(s.lock.release())
	}
	return first
}
