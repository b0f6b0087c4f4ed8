package store

import (
	"context"
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
		if _, err := pragma(ctx, s.side, "wal_checkpoint(PASSIVE)"); err != nil && ctx.Err() == nil {
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
		busy, err := pragma(ctx, s.side, "wal_checkpoint(TRUNCATE)")
		if err != nil {
			return err
		}
		if busy == 0 {
			return nil
		}
		pause.Reset(50 * time.Millisecond)
	}
	s.logger.Warn("erased pages are still in the write-ahead log: a long read is going on")
	return nil
}
