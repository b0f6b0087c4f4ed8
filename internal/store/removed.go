package store

import (
	"context"
	"os"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/spec"
)

// removals are what a ledger says was taken away for good. A backup that is
// older does not know of it, and must not give it back: a lost phone that was
// removed would be trusted again, a token that leaked would be good again.
type removals struct {
	phones []nod.Phone
	agents []nod.Agent
	tokens []Token
}

// removedSoFar reads the removals of the folder's ledger. One that cannot be
// read, because it is damaged or there is none, is what restores are for.
func removedSoFar(ctx context.Context, dir string) (r removals) {
	path := databasePath(dir)
	if _, err := os.Stat(path); err != nil {
		return r
	}
	if kind, err := identify(ctx, path); err != nil || kind != ownFile {
		return r
	}
	db, err := openReadOnly(ctx, path)
	if err != nil {
		return r
	}
	defer db.Close()
	// Each for itself: of a ledger that is damaged in one place, what can be read counts.
	r.phones, _ = collect(ctx, db, scanPhone, phones.selects("WHERE revoked > 0 ORDER BY revoked, id"))
	r.agents, _ = collect(ctx, db, scanAgent, agents.selects("WHERE revoked > 0 ORDER BY revoked, id"))
	r.tokens, _ = collect(ctx, db, scanToken, tokens.selects("ORDER BY created, agent"))
	return r
}

// keepRemoved takes from a restored ledger what was removed after its backup
// was made, and returns the entries that say so.
func (t *tx) keepRemoved(now nod.Time, r removals) ([]log.Entry, error) {
	var entries []log.Entry
	change := func(e log.Entry, text string, args ...any) error {
		result, err := t.ExecContext(t.ctx, text, args...)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if n > 0 && e.Kind != "" {
			e.At = now
			entries = append(entries, e)
		}
		return err
	}
	for _, p := range r.phones {
		e := log.Entry{Person: p.Person, Kind: spec.LogPhoneRevoked, Phone: p.ID, Facts: map[string]string{"host": string(p.Host)}}
		if err := change(e, "UPDATE phones SET revoked = $1 WHERE id = $2 AND person = $3 AND revoked = 0", p.Revoked, p.ID, p.Person); err != nil {
			return nil, err
		}
	}
	for _, a := range r.agents {
		e := log.Entry{Person: a.Person, Kind: spec.LogAgentRevoked, Agent: a.ID}
		if err := change(e, "UPDATE agents SET revoked = $1 WHERE id = $2 AND person = $3 AND revoked = 0", a.Revoked, a.ID, a.Person); err != nil {
			return nil, err
		}
	}
	for _, k := range r.tokens {
		if err := change(log.Entry{}, "UPDATE tokens SET hash = $1, created = $2 WHERE agent = $3", k.Hash, k.Created, k.Agent); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
