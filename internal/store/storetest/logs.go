package storetest

import (
	"errors"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// recompute builds a log's stored hashes from its entries alone.
func recompute(t *testing.T, entries []log.Entry) log.Memory {
	t.Helper()
	var hashes log.Memory
	for i := range entries {
		more, err := log.Append(int64(i), entries[i].Leaf(), hashes)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, more...)
	}
	return hashes
}

// verify checks the whole of a person's log: places without a gap, hashes
// that are those of the entries, a signed head over all of it.
func (f *fixture) verify(t *testing.T, person nod.PersonID, size int64) []log.Entry {
	t.Helper()
	var entries []log.Entry
	for e, err := range f.Log(f.ctx, person, size+10) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
		if e.Seq != int64(len(entries)) || e.Person != person {
			t.Fatalf("entry %d of %s stands at place %d of %s", e.Seq, e.Person, len(entries), person)
		}
	}
	if int64(len(entries)) != size {
		t.Fatalf("the log has %d entries, want %d", len(entries), size)
	}
	want := recompute(t, entries)
	indexes := make([]int64, len(want))
	for i := range indexes {
		indexes[i] = int64(i)
	}
	stored, err := f.Hashes(f.ctx, person).ReadHashes(indexes)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "stored hashes", []tlog.Hash(want), stored)
	if _, err := f.Hashes(f.ctx, person).ReadHashes([]int64{int64(len(want))}); err == nil {
		t.Errorf("hash %d is stored, beyond the log", len(want))
	}
	signed, err := f.Head(f.ctx, person)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "Head and Load", f.load(t, 0).Heads[person], signed)
	got, err := log.OpenHead(signed, f.public(t))
	if err != nil {
		t.Fatal(err)
	}
	head, err := log.HeadOf(person, size, got.At, want)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "head", head, got)
	return entries
}

func testPlaces(t *testing.T, f *fixture) {
	other := f.addOther(t)
	b := &store.Batch{Now: 10}
	for i := range 9 {
		person := f.person.ID
		if i%3 == 1 {
			person = other
		}
		b.Entries = append(b.Entries, Entry(t, person, nod.Time(10+i)))
	}
	f.commit(t, b)
	var places []int64
	for _, e := range b.Entries {
		places = append(places, e.Seq)
	}
	compare(t, "places", []int64{1, 1, 2, 3, 2, 4, 5, 3, 6}, places)
	got := f.verify(t, f.person.ID, 6)
	compare(t, "second entry", b.Entries[2], got[1])
	f.verify(t, other, 3)

	page, err := f.Entries(f.ctx, f.person.ID, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "Entries(3, 2)", got[2:4], page)
}

func testHashes(t *testing.T, f *fixture) {
	size := int64(0)
	for step := range 24 { // sizes round 1, 2, 4, 8, ... and batches of every shape
		b := &store.Batch{Now: nod.Time(step)}
		for range step%5 + 1 {
			b.Entries = append(b.Entries, Entry(t, f.person.ID, nod.Time(step)))
		}
		f.commit(t, b)
		size += int64(len(b.Entries))
		if step%6 == 0 || step == 23 {
			f.verify(t, f.person.ID, size)
		}
	}
}

func testHeads(t *testing.T, f *fixture) {
	var heads []wire.Head
	for i := range 12 {
		b := &store.Batch{Now: nod.Time(i)}
		for range i%3 + 1 {
			b.Entries = append(b.Entries, Entry(t, f.person.ID, nod.Time(i)))
		}
		h, err := log.OpenHead(f.commit(t, b)[f.person.ID], f.public(t))
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, h)
	}
	hashes := f.Hashes(f.ctx, f.person.ID)
	last := heads[len(heads)-1]
	for _, h := range heads {
		proof, err := log.ConsistencyProof(h.Size, last.Size, hashes)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.CheckConsistency(h, last, proof); err != nil {
			t.Errorf("from %d to %d: %v", h.Size, last.Size, err)
		}
	}
	entries := f.verify(t, f.person.ID, last.Size)
	for _, e := range entries {
		proof, err := log.InclusionProof(last.Size, e.Seq, hashes)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.CheckInclusion(last, e.Seq, e.Leaf(), proof); err != nil {
			t.Errorf("entry %d: %v", e.Seq, err)
		}
	}
}

func testOneHead(t *testing.T, f *fixture) {
	other := f.addOther(t)
	before := f.signed
	heads := f.commit(t, &store.Batch{Entries: []log.Entry{
		Entry(t, f.person.ID, 1), Entry(t, other, 1), Entry(t, f.person.ID, 1), Entry(t, other, 1),
	}})
	if f.signed-before != 2 || len(heads) != 2 {
		t.Errorf("%d heads were signed and %d returned, want 2", f.signed-before, len(heads))
	}
	if heads := f.commit(t, &store.Batch{Now: 2}); len(heads) != 0 {
		t.Errorf("a batch without entries gave the heads %v", heads)
	}
}

func testFailedSignature(t *testing.T, f *fixture) {
	f.commit(t, &store.Batch{Entries: []log.Entry{Entry(t, f.person.ID, 1), Entry(t, f.person.ID, 1)}})
	f.refuse = errors.New("the key is away")
	c := OpenCall(f.agent)
	b := &store.Batch{Now: 800, Calls: []nod.Call{c}, Entries: []log.Entry{Entry(t, f.person.ID, 800)}}
	if _, err := f.Commit(f.ctx, b); !errors.Is(err, f.refuse) {
		t.Fatalf("got %v, want the signer's error", err)
	}
	f.refuse = nil
	_, err := f.Call(f.ctx, c.ID)
	wantCode(t, err, nod.CodeNotFound)
	f.verify(t, f.person.ID, 2)
	f.commit(t, b) // the same batch again
	f.verify(t, f.person.ID, 3)
}

func testPersonsApart(t *testing.T, f *fixture) {
	other, otherAgent, otherPhone := f.addPerson(t, "Bea")
	f.commit(t, &store.Batch{
		Now: 10, Calls: []nod.Call{OpenCall(f.agent), OpenCall(otherAgent)},
		Entries: []log.Entry{Entry(t, f.person.ID, 10), Entry(t, other.ID, 10), Entry(t, f.person.ID, 10)},
	})
	agents, err1 := f.Agents(f.ctx, other.ID)
	phones, err2 := f.Phones(f.ctx, other.ID)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	compare(t, "Agents", []nod.Agent{otherAgent}, agents)
	compare(t, "Phones", []nod.Phone{otherPhone}, phones)
	f.verify(t, other.ID, 1)
	f.verify(t, f.person.ID, 2)

	// What is appended to one log changes nothing of another.
	before, err := f.Head(f.ctx, other.ID)
	if err != nil {
		t.Fatal(err)
	}
	f.commit(t, &store.Batch{Now: 11, Entries: []log.Entry{Entry(t, f.person.ID, 11)}})
	after, err := f.Head(f.ctx, other.ID)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "head of the other", before, after)
}

func testErase(t *testing.T, f *fixture) {
	old, recent, open := Call(f.agent), Call(f.agent), OpenCall(f.agent)
	old.Ended, recent.Ended, open.Received = 1999, 2000, 1
	unused := Pairing(f.person.ID)
	unused.Expires = 1999
	b := &store.Batch{Now: 2100, Calls: []nod.Call{old, recent, open}, Pairings: []store.Pairing{unused}}
	for i := range 1200 { // more than one step of any engine
		b.Entries = append(b.Entries, Entry(t, f.person.ID, nod.Time(900+i)))
	}
	f.commit(t, b)
	n, err := f.Erase(f.ctx, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(1100 + 1 + 1); n != want {
		t.Errorf("%d rows were erased, want %d", n, want)
	}
	for i, e := range f.verify(t, f.person.ID, 1200) {
		want := b.Entries[i]
		if want.At < 2000 {
			log.Erase(&want)
		}
		compare(t, "entry", want, e)
	}
	old.Offer, old.Decision, old.Result = nil, nil, nil
	old.Text, old.Message, old.Supplement = "", "", ""
	for _, want := range []nod.Call{old, recent, open} {
		got, err := f.Call(f.ctx, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "call", want, got)
	}
	state := f.load(t, 0)
	if state.Meta[store.MetaErased] != "2000" || len(state.Pairings) != 0 {
		t.Errorf("after Erase: Meta %v, Pairings %v", state.Meta, state.Pairings)
	}
	// Nothing is left to erase, and an earlier bound takes nothing back.
	if n, err := f.Erase(f.ctx, 1000); n != 0 || err != nil {
		t.Errorf("a second Erase: %d, %v", n, err)
	}
	if got := f.load(t, 0).Meta[store.MetaErased]; got != "2000" {
		t.Errorf("the bound of Erase went down to %s", got)
	}
	f.commit(t, &store.Batch{Now: 2200, Entries: []log.Entry{Entry(t, f.person.ID, 2200)}})
	f.verify(t, f.person.ID, 1201)
}
