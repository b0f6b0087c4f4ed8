package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// broken is a ledger on a disk that can give way.
type broken struct {
	*store.SQLite
	away atomic.Bool
}

func (b *broken) err() error {
	if b.away.Load() {
		return nod.Errorf(nod.CodeStorage, "the data folder is gone", "bring it back")
	}
	return nil
}

func (b *broken) Commit(ctx context.Context, batch *store.Batch) (map[nod.PersonID]wire.Signed, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.SQLite.Commit(ctx, batch)
}

func (b *broken) Calls(ctx context.Context, q store.Query) ([]nod.Call, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.SQLite.Calls(ctx, q)
}

func (b *broken) Call(ctx context.Context, id nod.CallID) (nod.Call, error) {
	if err := b.err(); err != nil {
		return nod.Call{}, err
	}
	return b.SQLite.Call(ctx, id)
}

func (b *broken) EntriesOf(ctx context.Context, person nod.PersonID, call nod.CallID, n int) ([]log.Entry, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.SQLite.EntriesOf(ctx, person, call, n)
}

func (b *broken) EntriesBy(ctx context.Context, person nod.PersonID, agent nod.AgentID, from int64, n int) ([]log.Entry, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.SQLite.EntriesBy(ctx, person, agent, from, n)
}

// A disk that gives way is told at every route that needs it, as what it is, and
// the others go on.
func TestBrokenDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key, err := store.LoadKey(dir)
	check(err)
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Sign: func(h wire.Head) (wire.Signed, error) { return log.SignHead(key, h) }})
	check(err)
	disk := &broken{SQLite: db}
	g, err := gateway.New(t.Context(), gateway.Config{Ledger: disk, Signer: key, Spec: spec.Get(), Version: "test"})
	check(err)
	t.Cleanup(func() {
		check(g.Close())
		check(db.Close())
	})
	add := func(name string) string {
		_, token, err := g.AddAgent(t.Context(), gateway.AgentSpec{Person: g.People()[0].ID, Name: name})
		check(err)
		return token
	}
	token, leaves := add("Laptop"), add("One that removes itself")
	s := server.New(server.Config{Gateway: g, Version: "test", Local: "http://localhost"})
	t.Cleanup(s.Close)
	ask := func(method, path, sent string, header map[string]string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(sent))
		r.Header.Set("Authorization", "Bearer "+token)
		if strings.HasSuffix(path, "/revoke") { // a stop acts in memory, written or not
			r.Header.Set("Authorization", "Bearer "+leaves)
		}
		r.Header.Set("Content-Type", "application/json")
		for k, v := range header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a stream that begins ends at once
		if !strings.HasSuffix(path, "/events") {
			ctx = t.Context()
		}
		s.Public().ServeHTTP(w, r.WithContext(ctx))
		if resp := w.Result(); w.Code != http.StatusOK || !strings.HasSuffix(path, "/events") {
			body, err := io.ReadAll(resp.Body)
			check(err)
			if err := openContract(t).check(r, []byte(sent), resp, body); err != nil {
				t.Errorf("%s %s: %v", method, path, err)
			}
		}
		return w
	}
	disk.away.Store(true)
	for _, op := range openContract(t).operations {
		_, told := op.Answers["507"]
		path := filled(op.path, "call_NONE")
		sent := ""
		if op.Body != nil {
			sent = string(op.Body.Content["application/json"].Example)
		}
		w := ask(op.method, path, sent, map[string]string{"Idempotency-Key": "k1", "Last-Event-ID": "0"})
		if told != (w.Code == http.StatusInsufficientStorage) || told != strings.Contains(w.Body.String(), "the data folder is gone") {
			t.Errorf("%s was answered %d %s; the document tells of 507: %t", op.ID, w.Code, w.Body, told)
		}
	}
	disk.away.Store(false)
	if w := ask("POST", "/v1/calls", alarmCall, nil); w.Code != http.StatusOK {
		t.Errorf("on a disk that is whole again: %d %s", w.Code, w.Body)
	}
}
