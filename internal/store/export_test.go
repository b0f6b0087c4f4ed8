package store

import (
	"context"
	"database/sql"

	"nod.dev/nod"
)

// What the tests of this package see besides its API.
var (
	OpenWith    = open
	RestoreWith = restore
	Migrations  = migrations
)

// Writer is the connection that writes, for tests that put it in trouble.
func (s *SQLite) Writer() *sql.DB { return s.write }

// Readers are the connections that only read.
func (s *SQLite) Readers() *sql.DB { return s.read }

// OpenOther opens a connection to the same file, as another program would.
func OpenOther(s *SQLite) (*sql.DB, error) { return openSide(context.Background(), s.path) }

// EdgeSize returns how many hashes of a log the engine keeps in memory.
func (s *SQLite) EdgeSize(person nod.PersonID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.edges[person].known)
}

// SweepAttachmentsOver is [SQLite.SweepAttachments] with room for most bytes.
func (s *SQLite) SweepAttachmentsOver(ctx context.Context, now nod.Time, most int64) error {
	return s.sweepAttachments(ctx, now, most)
}
