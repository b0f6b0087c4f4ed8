package store

import (
	"context"
	"database/sql"
	"time"
)

// checkpointEvery is the least time between two checkpoints.
const checkpointEvery = 500 * time.Millisecond

// checkpoint folds the write-ahead log into the file, away from the commits:
// inside one, its fsync of the whole file would be a caller's latency. It does
// nothing while nothing is committed. A checkpoint that fails costs nothing
// but a longer log, and the next one tries again.
func (s *SQLite) checkpoint(ctx context.Context) {
	pause := time.NewTimer(checkpointEvery)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.dirty:
		}
		if _, err := foldLog(ctx, s.side, "PASSIVE"); err != nil && ctx.Err() == nil {
			s.logger.Warn("a checkpoint failed", "err", err)
		}
		pause.Reset(checkpointEvery)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// foldLog runs a checkpoint and reports whether nothing stood in its way.
func foldLog(ctx context.Context, db *sql.DB, mode string) (whole bool, err error) {
	var busy, pages, folded int
	err = db.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &folded)
	return busy == 0, err
}

// emptyLog folds the whole write-ahead log into the file and cuts it to
// nothing, so that no erased page lives on in it. It gives way to commits and
// readers and tries again for two seconds; what it leaves then, the next
// checkpoints overwrite.
func (s *SQLite) emptyLog(ctx context.Context) error {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for range 40 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pause.C:
		}
		whole, err := foldLog(ctx, s.side, "TRUNCATE")
		if err != nil || whole {
			return err
		}
		pause.Reset(50 * time.Millisecond)
	}
	s.logger.Warn("erased pages are still in the write-ahead log: a long read is going on")
	return nil
}
