package store

import (
	"context"
	"net/url"
	"time"
)

// checkpointEvery is the least time between two checkpoints.
const checkpointEvery = 500 * time.Millisecond

// checkpoint folds the write-ahead log into the file, away from the commits:
// inside one, its fsync of the whole file would be a caller's latency. It does
// nothing while nothing is committed. A checkpoint that fails costs nothing
// but a longer log, and the next one tries again.
func (s *SQLite) checkpoint(ctx context.Context) {
	db, err := connect(ctx, dsn(databasePath(s.dir), url.Values{}, "synchronous(FULL)"), 1)
	if err != nil {
		s.logger.Warn("no checkpoints in the background", "err", err)
		return
	}
	defer db.Close()
	pause := time.NewTimer(checkpointEvery)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.dirty:
		}
		if _, err := pragma(ctx, db, "wal_checkpoint(PASSIVE)"); err != nil && ctx.Err() == nil {
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
