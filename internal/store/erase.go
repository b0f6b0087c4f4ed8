package store

import (
	"context"

	"nod.dev/nod"
)

// eraseStep is how many rows one transaction erases, so that commits get
// their turn in between.
const eraseStep = 500

const (
	eraseEntries = `UPDATE entries SET salt = NULL, payload = NULL WHERE (person, seq) IN (
		SELECT person, seq FROM entries WHERE salt IS NOT NULL AND at < $1 LIMIT $2)`
	eraseCalls = `UPDATE calls SET offer = NULL, decision = NULL, result = NULL,
			told = '', message = '', supplement = '', erased = TRUE WHERE id IN (
		SELECT id FROM calls WHERE NOT erased AND state = 'closed' AND ended < $1 LIMIT $2)`
	erasePairings = "DELETE FROM pairings WHERE id IN (SELECT id FROM pairings WHERE expires < $1 LIMIT $2)"
)

// Erase removes the personal content of all that is older than before: the
// payloads of log entries with their salts; offer, decision, result and the
// sentences of calls that ended; old pairings. What is left (who, when, which
// tool, how it ended, digests) is the public part, and the log still verifies.
// It returns how many rows it erased. Nothing can be brought back but from a
// backup.
func (s *SQLite) Erase(ctx context.Context, before nod.Time) (int64, error) {
	var total int64
	for _, text := range []string{eraseEntries, eraseCalls, erasePairings} {
		for {
			n, err := s.eraseStep(ctx, text, before)
			if err != nil {
				return total, s.failed("erasing old content", err)
			}
			total += n
			if n < eraseStep {
				break
			}
		}
	}
	if err := s.emptyLog(ctx); err != nil {
		return total, s.failed("erasing old content", err)
	}
	return total, nil
}

func (s *SQLite) eraseStep(ctx context.Context, text string, before nod.Time) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return 0, ErrClosed
	}
	t, err := s.begin(context.WithoutCancel(ctx))
	if err != nil {
		return 0, err
	}
	defer t.Rollback()
	result, err := t.ExecContext(t.ctx, text, before, eraseStep)
	if err != nil {
		return 0, err
	}
	if err := t.raise(MetaErased, before); err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	return n, t.Commit()
}
