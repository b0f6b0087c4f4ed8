package store

import (
	"context"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
)

// selectApps skips from app to app along an index, so that it reads a row or
// two of each and not every call there ever was.
const selectApps = `WITH RECURSIVE found (app) AS (
	SELECT min(app) FROM calls WHERE person = $1 AND app > ''
	UNION ALL
	SELECT (SELECT min(app) FROM calls WHERE person = $1 AND app > found.app) FROM found WHERE found.app IS NOT NULL
) SELECT app FROM found WHERE app IS NOT NULL AND EXISTS (
	SELECT 1 FROM calls WHERE person = $1 AND calls.app = found.app AND received >= $3 AND (phone = $2 OR decided_by = $2))
ORDER BY app`

// CallApps lists the apps of the calls in which a phone acted or decided since
// a time, for which that of its pairing will do.
func (s *SQLite) CallApps(ctx context.Context, person nod.PersonID, phone nod.PhoneID, since nod.Time) ([]string, error) {
	scan := func(r row) (app string, err error) {
		err = r.Scan(&app)
		return app, err
	}
	found, err := collect(ctx, s.read, scan, selectApps, person, phone, since)
	if err != nil {
		return nil, s.failed("reading the ledger", err)
	}
	return found, nil
}

// EntriesOf returns the first n log entries of one call, oldest first. A limit
// of 0 means 50, more than 1000 means 1000.
func (s *SQLite) EntriesOf(ctx context.Context, person nod.PersonID, call nod.CallID, n int) ([]log.Entry, error) {
	found, err := collect(ctx, s.read, scanEntry,
		entries.selects("WHERE person = $1 AND call = $2 AND call <> '' ORDER BY seq LIMIT $3"), person, call, limit(n))
	if err != nil {
		return nil, s.failed("reading the log", err)
	}
	return found, nil
}

// EntriesBy returns up to n log entries that are about an agent, oldest first:
// those from seq on, or the newest where from is 0. A limit of 0 means 50, more
// than 1000 means 1000.
func (s *SQLite) EntriesBy(ctx context.Context, person nod.PersonID, agent nod.AgentID, from int64, n int) ([]log.Entry, error) {
	order := "ORDER BY seq LIMIT $4"
	if from == 0 {
		order = "ORDER BY seq DESC LIMIT $4"
	}
	found, err := collect(ctx, s.read, scanEntry,
		entries.selects("WHERE person = $1 AND agent = $2 AND agent <> '' AND seq >= $3 "+order), person, agent, from, limit(n))
	if err != nil {
		return nil, s.failed("reading the log", err)
	}
	if from == 0 {
		slices.Reverse(found)
	}
	return found, nil
}
