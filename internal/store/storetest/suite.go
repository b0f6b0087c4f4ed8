// Package storetest is the suite that every engine of the ledger passes.
//
// An engine is whatever keeps what package store describes: SQLite today, a
// second one when many gateways share a ledger. The suite knows nothing of
// files or SQL. It commits batches, reads them back, and checks what the
// gateway builds on: a batch is written whole or not at all, a call only over
// its version before, a log entry gets the next place of its person's log and
// no other, heads and hashes are those that package log computes from the
// entries, ledger time never goes down, and no person's rows leak into
// another's.
package storetest

import (
	"context"
	"iter"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// Engine is what an engine of the ledger can do.
type Engine interface {
	Load(ctx context.Context, since nod.Time) (*store.State, error)
	Commit(ctx context.Context, b *store.Batch) (map[nod.PersonID]wire.Signed, error)
	Call(ctx context.Context, id nod.CallID) (nod.Call, error)
	Calls(ctx context.Context, q store.Query) ([]nod.Call, error)
	People(ctx context.Context) ([]nod.Person, error)
	Agents(ctx context.Context, person nod.PersonID) ([]nod.Agent, error)
	Phones(ctx context.Context, person nod.PersonID) ([]nod.Phone, error)
	Entries(ctx context.Context, person nod.PersonID, from int64, limit int) ([]log.Entry, error)
	EntriesOf(ctx context.Context, person nod.PersonID, call nod.CallID, limit int) ([]log.Entry, error)
	EntriesBy(ctx context.Context, person nod.PersonID, agent nod.AgentID, from int64, limit int) ([]log.Entry, error)
	CallApps(ctx context.Context, person nod.PersonID, phone nod.PhoneID, since nod.Time) ([]string, error)
	Log(ctx context.Context, person nod.PersonID, size int64) iter.Seq2[log.Entry, error]
	Hashes(ctx context.Context, person nod.PersonID) tlog.HashReader
	Head(ctx context.Context, person nod.PersonID) (wire.Signed, error)
	Erase(ctx context.Context, before nod.Time) (int64, error)
	PutText(ctx context.Context, id nod.CallID, text, salt string) error
	PutBlob(ctx context.Context, id nod.CallID, n int, data []byte) error
	Private(ctx context.Context, id nod.CallID) (store.Private, error)
	Blob(ctx context.Context, id nod.CallID, n int) ([]byte, error)
	DropPrivate(ctx context.Context, id nod.CallID) error
	Privates(ctx context.Context) ([]nod.CallID, error)
	KeepAttachment(ctx context.Context, at nod.Time, name string, data []byte) (string, error)
	Close() error
}

var _ Engine = (*store.SQLite)(nil)

// Signer signs log heads: what an engine is opened with.
type Signer func(wire.Head) (wire.Signed, error)

// Open opens an empty engine for one test. The suite closes it.
type Open func(t *testing.T, sign Signer) Engine

// Test runs the suite.
func Test(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *fixture)
	}{
		{"Empty", testEmpty},
		{"EveryFieldComesBack", testEveryField},
		{"RowsAreReplaced", testReplaced},
		{"OneTokenAnAgent", testTokens},
		{"RecordsNeverChange", testRecords},
		{"PairingSecretsGo", testPairings},
		{"OneSubscriptionAPhone", testSubscriptions},
		{"CallsByVersion", testVersions},
		{"ConflictWritesNothing", testConflict},
		{"UnknownPersonWritesNothing", testUnknownPerson},
		{"LoadOpenAndRecentCalls", testLoadCalls},
		{"CallsNewestFirst", testCallOrder},
		{"CallsInPages", testCallPages},
		{"CallsFiltered", testCallFilters},
		{"PastOfAPhone", testPast},
		{"EntriesOfACall", testEntriesOf},
		{"EntriesByAnAgent", testEntriesBy},
		{"CallOfAKey", testKeys},
		{"EntriesGetTheNextPlace", testPlaces},
		{"HashesAreThoseOfTheEntries", testHashes},
		{"HeadsExtendEachOther", testHeads},
		{"OneHeadAPersonAndCommit", testOneHead},
		{"FailedSignatureWritesNothing", testFailedSignature},
		{"TimeNeverGoesDown", testTime},
		{"Meta", testMeta},
		{"PersonsAreApart", testPersonsApart},
		{"EraseKeepsTheProof", testErase},
		{"WhatPhonesRead", testPrivate},
		{"FilesForThePerson", testAttachments},
		{"EndedContext", testContext},
		{"ClosedEngine", testClosed},
		{"AnyHistory", testHistory},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newFixture(t, open)) })
	}
}

// fixture is one engine with one person, agent and phone to begin with.
type fixture struct {
	Engine
	ctx    context.Context
	key    *wire.Key
	signed int   // heads signed so far
	refuse error // what the signer answers instead of signing
	onSign func()

	person nod.Person
	agent  nod.Agent
	phone  nod.Phone
}

func newFixture(t *testing.T, open Open) *fixture {
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{ctx: t.Context(), key: key}
	f.Engine = open(t, f.sign)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	f.person, f.agent, f.phone = f.addPerson(t, "Ann")
	return f
}

func (f *fixture) sign(h wire.Head) (wire.Signed, error) {
	if f.refuse != nil {
		return wire.Signed{}, f.refuse
	}
	if f.onSign != nil {
		f.onSign()
	}
	f.signed++
	return log.SignHead(f.key, h)
}

// public is the key under which the engine's heads verify.
func (f *fixture) public(t *testing.T) wire.PublicKey {
	t.Helper()
	key, err := wire.ParsePublic(f.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// addPerson commits a person with an agent and a phone.
func (f *fixture) addPerson(t *testing.T, name string) (nod.Person, nod.Agent, nod.Phone) {
	t.Helper()
	p := Person(name)
	a, phone := Agent(p.ID), Phone(p.ID)
	f.commit(t, &store.Batch{
		Now: 1, People: []nod.Person{p}, Agents: []nod.Agent{a}, Phones: []nod.Phone{phone},
	})
	return p, a, phone
}

func (f *fixture) commit(t *testing.T, b *store.Batch) map[nod.PersonID]wire.Signed {
	t.Helper()
	heads, err := f.Commit(f.ctx, b)
	if err != nil {
		t.Fatalf("Commit: %v", err)
	}
	return heads
}

func (f *fixture) load(t *testing.T, since nod.Time) *store.State {
	t.Helper()
	state, err := f.Load(f.ctx, since)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return state
}

// wantCode checks that err carries the code of package nod.
func wantCode(t *testing.T, err error, code nod.Code) {
	t.Helper()
	if err == nil || nod.CodeOf(err) != code {
		t.Fatalf("got error %v (%s), want code %s", err, nod.CodeOf(err), code)
	}
}
