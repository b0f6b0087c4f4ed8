package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"nod.dev/nod"
)

// writeMeta sets the small facts and the ledger time, in a fixed order.
func (t *tx) writeMeta(now nod.Time, facts map[string]string) error {
	keys := make([]string, 0, len(facts))
	for key := range facts {
		if key == MetaNow {
			return nod.Errorf(nod.CodeInvalid, "the ledger time is not set by hand", "Set Batch.Now.")
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		var err error
		if facts[key] == "" {
			_, err = t.exec(deleteMeta, key)
		} else {
			_, err = t.exec(upsertMeta, key, facts[key])
		}
		if err != nil {
			return err
		}
	}
	return t.raise(MetaNow, now)
}

// raise sets a time among the small facts, never to an earlier one.
func (t *tx) raise(key string, to nod.Time) error {
	from, err := scanTime(t.one(selectMeta, key), key)
	if err != nil {
		return err
	}
	_, err = t.exec(upsertMeta, key, strconv.FormatInt(int64(max(from, to)), 10))
	return err
}

// readNow returns the last committed ledger time, 0 before the first commit.
func readNow(ctx context.Context, q querier) (nod.Time, error) {
	return scanTime(q.QueryRowContext(ctx, selectMeta, MetaNow), MetaNow)
}

// scanTime reads a time from the small facts; one that is not there is 0.
func scanTime(r row, key string) (nod.Time, error) {
	var text string
	err := r.Scan(&text)
	if noRows(err) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the time %q of %s is not a number: %w", text, key, err)
	}
	return nod.Time(n), nil
}
