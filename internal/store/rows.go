package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

var people = table{"people", "id", []string{
	"id", "name", "created", "paused_all", "wait_seconds", "removed"}}

func personArgs(p *nod.Person) []any {
	return []any{p.ID, p.Name, p.Created, p.PausedAll, p.WaitSeconds, p.Removed}
}

func scanPerson(r row) (p nod.Person, err error) {
	err = r.Scan(&p.ID, &p.Name, &p.Created, &p.PausedAll, &p.WaitSeconds, &p.Removed)
	return p, err
}

var agents = table{"agents", "id", []string{
	"id", "person", "name", "created", "mode", "access", "phone", "wait_seconds", "paused", "revoked", "last_used", "taint"}}

func agentArgs(a *nod.Agent) []any {
	return []any{a.ID, a.Person, a.Name, a.Created, a.Mode, toText(a.Access), a.Phone, a.WaitSeconds,
		a.Paused, a.Revoked, a.LastUsed, toText(notNone(a.Taint))}
}

func scanAgent(r row) (a nod.Agent, err error) {
	var access, taint string
	if err := r.Scan(&a.ID, &a.Person, &a.Name, &a.Created, &a.Mode, &access, &a.Phone, &a.WaitSeconds,
		&a.Paused, &a.Revoked, &a.LastUsed, &taint); err != nil {
		return a, err
	}
	err = errors.Join(fromText(access, &a.Access), fromText(taint, &a.Taint))
	if len(a.Taint) == 0 {
		a.Taint = nil
	}
	return a, err
}

// notNone is what a column takes that holds an object, if an empty one.
func notNone(m map[string]nod.Time) map[string]nod.Time {
	if m == nil {
		return map[string]nod.Time{}
	}
	return m
}

var tokens = table{"tokens", "agent", []string{"agent", "hash", "created"}}

func tokenArgs(t *Token) []any { return []any{t.Agent, t.Hash, t.Created} }

func scanToken(r row) (t Token, err error) {
	err = r.Scan(&t.Agent, &t.Hash, &t.Created)
	return t, err
}

var phones = table{"phones", "id", []string{
	"id", "person", "name", "host", "public_key", "created", "record", "approved", "revoked", "epoch", "screen",
	"capabilities", "app_version", "zone", "locale", "seen"}}

func phoneArgs(p *nod.Phone) []any {
	return []any{p.ID, p.Person, p.Name, p.Host, p.Key, p.Created, p.Record, p.Approved, p.Revoked, p.Epoch, p.Screen,
		toText(p.Capabilities), p.AppVersion, p.Zone, p.Locale, p.Seen}
}

func scanPhone(r row) (p nod.Phone, err error) {
	var capabilities string
	if err := r.Scan(&p.ID, &p.Person, &p.Name, &p.Host, &p.Key, &p.Created, &p.Record, &p.Approved, &p.Revoked,
		&p.Epoch, &p.Screen, &capabilities, &p.AppVersion, &p.Zone, &p.Locale, &p.Seen); err != nil {
		return p, err
	}
	err = fromText(capabilities, &p.Capabilities)
	return p, err
}

var subscriptions = table{"subscriptions", "phone", []string{
	"phone", "address", "public_key", "secret", "made_for", "created", "last"}}

func subscriptionArgs(s *Subscription) []any {
	return []any{s.Phone, s.Address, notNil(s.Key), notNil(s.Secret), notNil(s.MadeFor), s.Created, toText(s.Last)}
}

// notNil is what a column takes that may be empty and not absent.
func notNil(b []byte) []byte { return append([]byte{}, b...) }

func scanSubscription(r row) (s Subscription, err error) {
	var last string
	if err := r.Scan(&s.Phone, &s.Address, &s.Key, &s.Secret, &s.MadeFor, &s.Created, &last); err != nil {
		return s, err
	}
	err = fromText(last, &s.Last)
	return s, err
}

var records = table{"records", "id", []string{"id", "person", "kind", "signed", "at"}}

func recordArgs(r *Record) []any { return []any{r.ID, r.Person, r.Kind, r.Signed, r.At} }

func scanRecord(r row) (rec Record, err error) {
	err = r.Scan(&rec.ID, &rec.Person, &rec.Kind, &rec.Signed, &rec.At)
	return rec, err
}

var pairings = table{"pairings", "id", []string{
	"id", "person", "secret", "recovery", "created", "expires", "used", "phone"}}

func pairingArgs(p *Pairing) []any {
	secret := p.Secret
	if p.Used != 0 {
		secret = nil
	}
	return []any{p.ID, p.Person, secret, p.Recover, p.Created, p.Expires, p.Used, p.Phone}
}

func scanPairing(r row) (p Pairing, err error) {
	err = r.Scan(&p.ID, &p.Person, &p.Secret, &p.Recover, &p.Created, &p.Expires, &p.Used, &p.Phone)
	return p, err
}

var calls = table{"calls", "id", []string{
	"id", "person", "agent", "phone", "version", "tool", "action", "kind", "app", "idempotency", "offer", "digest", "act_digest",
	"answer", "rule", "until", "basis", "badges", "state", "outcome", "why", "told", "message", "started", "supplement",
	"decision", "decided_by", "result", "received", "offered", "deadline", "decided", "due", "ended",
	"attached", "handed_over", "push", "pushed", "data", "released", "upload"}}

func callArgs(c *nod.Call) []any {
	v := &c.Verdict
	return []any{c.ID, c.Person, c.Agent, c.Phone, c.Version, c.Tool, c.Action, c.Kind, c.App, c.Key, c.Offer, c.Digest, c.ActDigest,
		v.Answer, v.Rule, v.Until, v.Basis, toText(v.Badges), c.State, c.Outcome, c.Why, c.Text, c.Message, c.Started, c.Supplement,
		c.Decision, c.DecidedBy, c.Result, c.Received, c.Offered, c.Deadline, c.Decided, c.Due, c.Ended,
		c.Attached, c.HandedOver, c.Push, toText(c.Pushed), c.Data, c.Released, c.Upload}
}

func scanCall(r row) (c nod.Call, err error) {
	v := &c.Verdict
	var badges, pushed string
	if err := r.Scan(&c.ID, &c.Person, &c.Agent, &c.Phone, &c.Version, &c.Tool, &c.Action, &c.Kind, &c.App, &c.Key,
		&c.Offer, &c.Digest, &c.ActDigest,
		&v.Answer, &v.Rule, &v.Until, &v.Basis, &badges, &c.State, &c.Outcome, &c.Why, &c.Text, &c.Message, &c.Started,
		&c.Supplement,
		&c.Decision, &c.DecidedBy, &c.Result, &c.Received, &c.Offered, &c.Deadline, &c.Decided, &c.Due, &c.Ended,
		&c.Attached, &c.HandedOver, &c.Push, &pushed, &c.Data, &c.Released, &c.Upload); err != nil {
		return c, err
	}
	return c, errors.Join(fromText(badges, &v.Badges), fromText(pushed, &c.Pushed))
}

var entries = table{"entries", "person, seq", []string{
	"person", "seq", "at", "kind", "call", "agent", "phone", "facts", "salt", "payload", "payload_hash"}}

func entryArgs(e *log.Entry) []any {
	return []any{e.Person, e.Seq, e.At, e.Kind, e.Call, e.Agent, e.Phone, toText(e.Facts), e.Salt, e.Payload, e.PayloadHash}
}

func scanEntry(r row) (e log.Entry, err error) {
	var facts string
	if err := r.Scan(&e.Person, &e.Seq, &e.At, &e.Kind, &e.Call, &e.Agent, &e.Phone, &facts,
		&e.Salt, &e.Payload, &e.PayloadHash); err != nil {
		return e, err
	}
	err = fromText(facts, &e.Facts)
	return e, err
}

// head is a row of heads.
type head struct {
	person nod.PersonID
	size   int64
	signed []byte // JSON of a wire.Signed
}

var heads = table{"heads", "person", []string{"person", "size", "signed"}}

func scanHead(r row) (h head, err error) {
	err = r.Scan(&h.person, &h.size, &h.signed)
	return h, err
}

// open reads the signed head of the row.
func (h head) open() (signed wire.Signed, err error) {
	if err := json.Unmarshal(h.signed, &signed); err != nil {
		return signed, fmt.Errorf("the head of the log of %s: %w", h.person, err)
	}
	return signed, nil
}

var meta = table{"meta", "key", []string{"key", "value"}}

func scanMeta(r row) (m [2]string, err error) {
	err = r.Scan(&m[0], &m[1])
	return m, err
}

// noRows reports whether a query for one row found none.
func noRows(err error) bool { return err == sql.ErrNoRows }
