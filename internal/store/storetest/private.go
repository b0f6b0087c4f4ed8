package storetest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
)

// testPrivate: what phones read is kept by call, whole, until it is dropped.
func testPrivate(t *testing.T, f *fixture) {
	a, b := nod.NewCallID(), nod.NewCallID()
	gone := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, store.ErrGone) {
			t.Errorf("%s: %v, want ErrGone", what, err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.Private(f.ctx, a)
	gone("nothing was kept", err)
	_, err = f.Blob(f.ctx, a, 0)
	gone("no file was kept", err)
	must(f.DropPrivate(f.ctx, a))
	if ids, err := f.Privates(f.ctx); err != nil || len(ids) != 0 {
		t.Errorf("Privates of nothing: %v, %v", ids, err)
	}
	must(f.PutText(f.ctx, a, "{}", "salt"))
	must(f.PutText(f.ctx, a, `{"text":"caf\u00e9 \u2028"}`, "pepper")) // sent again
	if p, err := f.Private(f.ctx, a); err != nil || p.Text != `{"text":"caf\u00e9 \u2028"}` || p.Salt != "pepper" {
		t.Errorf("Private = %+v, %v", p, err)
	}
	must(f.PutBlob(f.ctx, b, 0, []byte{0xff, 0, 1}))
	must(f.PutBlob(f.ctx, b, 0, []byte{0xff, 0, 1}))
	wantCode(t, f.PutBlob(f.ctx, b, 0, []byte{1}), nod.CodeConflict)
	if data, err := f.Blob(f.ctx, b, 0); err != nil || !bytes.Equal(data, []byte{0xff, 0, 1}) {
		t.Errorf("Blob = %v, %v", data, err)
	}
	if p, err := f.Private(f.ctx, b); err != nil || p != (store.Private{}) {
		t.Errorf("files alone: %+v, %v", p, err)
	}
	_, err = f.Blob(f.ctx, a, 0)
	gone("another call's file", err)
	ids, err := f.Privates(f.ctx)
	must(err)
	slices.Sort(ids)
	if want := []nod.CallID{min(a, b), max(a, b)}; !slices.Equal(ids, want) {
		t.Errorf("Privates = %v, want %v", ids, want)
	}
	must(f.DropPrivate(f.ctx, a))
	_, err = f.Private(f.ctx, a)
	gone("dropped", err)
	if ids, _ := f.Privates(f.ctx); !slices.Equal(ids, []nod.CallID{b}) {
		t.Errorf("after a drop: %v", ids)
	}
	for _, id := range []nod.CallID{"", ".", "..", "../x", "a/b", "a\x00b", nod.CallID(strings.Repeat("x", 200))} {
		if f.PutText(f.ctx, id, "{}", "") == nil || f.PutBlob(f.ctx, id, 0, []byte{1}) == nil || f.DropPrivate(f.ctx, id) == nil {
			t.Errorf("%q is taken for a call's id", id)
		}
	}
}

// testAttachments: files for the person are kept under their day, the same again is
// the same, and what is too old goes.
func testAttachments(t *testing.T, f *fixture) {
	day := nod.TimeOf(time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC))
	path, err := f.KeepAttachment(f.ctx, day, "photo-1.jpg", []byte("one"))
	if err != nil || !strings.HasSuffix(path, "photo-1.jpg") || !strings.Contains(path, "2026-11-30") {
		t.Fatalf("%q, %v", path, err)
	}
	if again, err := f.KeepAttachment(f.ctx, day, "photo-1.jpg", []byte("one")); again != path || err != nil {
		t.Errorf("the same again: %q, %v", again, err)
	}
	// The person turned their copy round, say: it stays, and is no mistake.
	if again, err := f.KeepAttachment(f.ctx, day, "photo-1.jpg", []byte("two")); again != path || err != nil {
		t.Errorf("another under that name: %q, %v", again, err)
	}
	for _, name := range []string{"", ".", "..", ".hidden", "a/b.jpg", "../x", "a b", "caf\u00e9.jpg", "x\x00", strings.Repeat("x", 200)} {
		if path, err := f.KeepAttachment(f.ctx, day, name, []byte("x")); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("%q is kept as %q, %v", name, path, err)
		}
	}
}
