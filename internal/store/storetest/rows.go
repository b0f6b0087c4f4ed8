package storetest

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

func testEmpty(t *testing.T, f *fixture) {
	state := f.load(t, 0)
	if len(state.Calls)+len(state.Tokens)+len(state.Records)+len(state.Pairings)+len(state.Meta)+len(state.Heads) != 0 {
		t.Errorf("a new ledger holds %+v", state)
	}
	if state.Meta == nil || state.Heads == nil {
		t.Error("the maps of a state are nil")
	}
	_, err := f.Call(f.ctx, "call_x")
	wantCode(t, err, nod.CodeNotFound)
	_, err = f.Head(f.ctx, f.person.ID)
	wantCode(t, err, nod.CodeNotFound)
	_, err = f.Calls(f.ctx, store.Query{Before: "call_x"})
	wantCode(t, err, nod.CodeNotFound)
	if entries, err := f.Entries(f.ctx, f.person.ID, 1, 10); err != nil || len(entries) != 0 {
		t.Errorf("Entries of an empty log: %v, %v", entries, err)
	}
	f.commit(t, &store.Batch{}) // nothing is a batch too
}

// wantEveryField fails for a field that a sample leaves empty: with it, the
// round trip would prove nothing of that field.
func wantEveryField(t *testing.T, sample any, but ...string) {
	t.Helper()
	v := reflect.ValueOf(sample)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		except := false
		for _, b := range but {
			except = except || b == name
		}
		if !except && v.Field(i).IsZero() {
			t.Errorf("the sample %T leaves %s empty", sample, name)
		}
	}
}

func testEveryField(t *testing.T, f *fixture) {
	b := &store.Batch{
		Now: 60, People: []nod.Person{Person("Bea")},
		Meta: map[string]string{"url": "https://nod.example"},
	}
	person := b.People[0].ID
	b.People[0].Created = 111 // after the first, so that the order is known
	b.Agents = []nod.Agent{Agent(person)}
	b.Phones = []nod.Phone{Phone(person)}
	b.Agents[0].Created, b.Phones[0].Created = 121, 131
	b.Tokens = []store.Token{{Hash: []byte{0, 1, 2}, Agent: b.Agents[0].ID, Created: 61}}
	b.Calls = []nod.Call{Call(b.Agents[0])}
	b.Records = []store.Record{Record(person, "resume")}
	b.Pairings = []store.Pairing{Pairing(person)}
	b.Phones[0].Revoked = 0 // a removed one has no subscription
	b.Subscriptions = []store.Subscription{Subscription(b.Phones[0].ID)}
	b.Entries = []log.Entry{Entry(t, person, 60)}
	f.commit(t, b)

	wantEveryField(t, b.People[0])
	wantEveryField(t, b.Agents[0])
	wantEveryField(t, b.Phones[0], "Revoked")
	wantEveryField(t, b.Subscriptions[0])
	wantEveryField(t, b.Subscriptions[0].Last)
	wantEveryField(t, b.Tokens[0])
	wantEveryField(t, b.Calls[0], "GoOver")
	wantEveryField(t, b.Calls[0].Verdict)
	wantEveryField(t, b.Records[0])
	wantEveryField(t, b.Pairings[0], "Used", "Phone")
	wantEveryField(t, b.Entries[0])

	state := f.load(t, 0)
	compare(t, "People", []nod.Person{f.person, b.People[0]}, state.People)
	compare(t, "Agents", []nod.Agent{f.agent, b.Agents[0]}, state.Agents)
	compare(t, "Phones", []nod.Phone{f.phone, b.Phones[0]}, state.Phones)
	compare(t, "Tokens", b.Tokens, state.Tokens)
	compare(t, "Calls", b.Calls, state.Calls)
	compare(t, "Records", b.Records, state.Records)
	compare(t, "Pairings", b.Pairings, state.Pairings)
	compare(t, "Subscriptions", b.Subscriptions, state.Subscriptions)
	compare(t, "Meta", b.Meta, state.Meta)
	entries, err := f.Entries(f.ctx, person, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "Entries", b.Entries, entries)
	one, err := f.Call(f.ctx, b.Calls[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "Call", b.Calls[0], one)
	testEmptyFields(t, f, person, b.Agents[0])
}

// testEmptyFields writes rows with as little as possible: what was nil is nil.
func testEmptyFields(t *testing.T, f *fixture, person nod.PersonID, agent nod.Agent) {
	t.Helper()
	call := nod.Call{ID: nod.NewCallID(), Person: person, Agent: agent.ID, Version: 1, State: nod.Received}
	entry := log.Entry{Person: person, At: 61, Kind: "refused"}
	f.commit(t, &store.Batch{Now: 61, Calls: []nod.Call{call}, Entries: []log.Entry{entry}})
	got, err := f.Call(f.ctx, call.ID)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "Call", call, got)
	entries, err := f.Entries(f.ctx, person, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	entry.Seq = 2
	compare(t, "Entries", []log.Entry{entry}, entries)
}

// compare reports how two values differ; it sees any difference between nil and empty.
func compare(t *testing.T, what string, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) { // much faster than a Diff that finds nothing
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}

func testReplaced(t *testing.T, f *fixture) {
	p, a, phone := f.person, f.agent, f.phone
	p.Name, p.PausedAll, p.Removed = "Anna", false, 0
	a.Name, a.Paused, a.Revoked = "Claude", false, 0
	a.Access = nod.Access{}
	phone.Name, phone.Epoch, phone.Capabilities, phone.Record = "Pixel 9", 8, nil, nil
	f.commit(t, &store.Batch{Now: 2, People: []nod.Person{p}, Agents: []nod.Agent{a}, Phones: []nod.Phone{phone}})
	people, err1 := f.People(f.ctx)
	agents, err2 := f.Agents(f.ctx, p.ID)
	phones, err3 := f.Phones(f.ctx, p.ID)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	compare(t, "People", []nod.Person{p}, people)
	compare(t, "Agents", []nod.Agent{a}, agents)
	compare(t, "Phones", []nod.Phone{phone}, phones)
}

func testTokens(t *testing.T, f *fixture) {
	first := store.Token{Hash: []byte("first"), Agent: f.agent.ID, Created: 1}
	second := store.Token{Hash: []byte("second"), Agent: f.agent.ID, Created: 2}
	f.commit(t, &store.Batch{Tokens: []store.Token{first}})
	f.commit(t, &store.Batch{Tokens: []store.Token{second}})
	compare(t, "Tokens", []store.Token{second}, f.load(t, 0).Tokens)

	other := Agent(f.person.ID)
	_, err := f.Commit(f.ctx, &store.Batch{
		Agents: []nod.Agent{other}, Tokens: []store.Token{{Hash: []byte("second"), Agent: other.ID}},
	})
	if err == nil {
		t.Error("two agents share one token")
	}
	compare(t, "Agents", []nod.Agent{f.agent}, f.load(t, 0).Agents)
}

func testRecords(t *testing.T, f *fixture) {
	r := Record(f.person.ID, "pause")
	f.commit(t, &store.Batch{Records: []store.Record{r}})
	f.commit(t, &store.Batch{Records: []store.Record{r}}) // a phone may send it again
	changed := r
	changed.Signed = []byte(`{"kind":"resume"}`)
	_, err := f.Commit(f.ctx, &store.Batch{Records: []store.Record{changed}})
	wantCode(t, err, nod.CodeConflict)
	compare(t, "Records", []store.Record{r}, f.load(t, 0).Records)
}

func testPairings(t *testing.T, f *fixture) {
	used, late, waiting := Pairing(f.person.ID), Pairing(f.person.ID), Pairing(f.person.ID)
	late.Created, late.Expires = 40, 100
	f.commit(t, &store.Batch{Now: 50, Pairings: []store.Pairing{used, late, waiting}})
	used.Used, used.Phone = 60, f.phone.ID
	f.commit(t, &store.Batch{Now: 101, Pairings: []store.Pairing{used}})
	late.Secret = nil // it expired
	compare(t, "Pairings", []store.Pairing{late, waiting}, f.load(t, 0).Pairings)
}

// testSubscriptions: a phone has one at the most, one without an address is
// removed, and that of a removed phone is not there.
func testSubscriptions(t *testing.T, f *fixture) {
	phones := []nod.Phone{Phone(f.person.ID), Phone(f.person.ID)}
	phones[0].Revoked, phones[1].Revoked = 0, 0
	first, second := Subscription(phones[0].ID), Subscription(phones[1].ID)
	second.Created = first.Created + 1
	f.commit(t, &store.Batch{Phones: phones, Subscriptions: []store.Subscription{first, second}})
	renewed := Subscription(phones[0].ID)
	renewed.Last = nod.PushLast{}
	f.commit(t, &store.Batch{Subscriptions: []store.Subscription{renewed}})
	compare(t, "Subscriptions", []store.Subscription{renewed, second}, f.load(t, 0).Subscriptions)

	over := f.load(t, 0).Subscriptions[0]
	over.Address, over.Key, over.Secret, over.MadeFor = "", []byte{}, []byte{}, []byte{}
	over.Last = nod.PushLast{At: 65, Status: "gone"}
	f.commit(t, &store.Batch{Subscriptions: []store.Subscription{over}})
	if got := f.load(t, 0).Subscriptions; len(got) != 2 || got[0].Address != "" || len(got[0].Secret) != 0 || got[0].Last != over.Last {
		t.Errorf("of one that is over there is %+v, want its last word", got[0])
	}
	f.commit(t, &store.Batch{Subscriptions: []store.Subscription{{Phone: phones[0].ID}}})
	f.commit(t, &store.Batch{Subscriptions: []store.Subscription{{Phone: phones[0].ID}}}) // none is removed too
	compare(t, "Subscriptions", []store.Subscription{second}, f.load(t, 0).Subscriptions)

	phones[1].Revoked = 70
	f.commit(t, &store.Batch{Phones: phones[1:]})
	if left := f.load(t, 0).Subscriptions; left != nil {
		t.Errorf("a phone that was removed can be woken: %+v", left)
	}
	if _, err := f.Commit(f.ctx, &store.Batch{Subscriptions: []store.Subscription{Subscription("phone_nobody")}}); err == nil {
		t.Error("a phone that there is not has a subscription")
	}
}

func testTime(t *testing.T, f *fixture) {
	for _, now := range []nod.Time{500, 400, 0, 501} {
		f.commit(t, &store.Batch{Now: now})
	}
	if got := f.load(t, 0).Now; got != 501 {
		t.Errorf("Now is %d, want 501", got)
	}
	for _, now := range []nod.Time{300, 200} {
		heads := f.commit(t, &store.Batch{Now: now, Entries: []log.Entry{Entry(t, f.person.ID, now)}})
		h, err := log.OpenHead(heads[f.person.ID], f.public(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.load(t, 0).Now; got != 501 || h.At != 501 {
			t.Errorf("after a commit at %d, Now is %d and the head is of %d, want 501", now, got, h.At)
		}
	}
}

func testMeta(t *testing.T, f *fixture) {
	f.commit(t, &store.Batch{Meta: map[string]string{"a": "1", "b": "2", store.MetaSetBack: "77"}})
	f.commit(t, &store.Batch{Meta: map[string]string{"a": "3", store.MetaSetBack: "", "none": ""}})
	compare(t, "Meta", map[string]string{"a": "3", "b": "2"}, f.load(t, 0).Meta)
	_, err := f.Commit(f.ctx, &store.Batch{Now: 9000, Meta: map[string]string{store.MetaNow: "1"}})
	wantCode(t, err, nod.CodeInvalid)
	if got := f.load(t, 0).Now; got != 1 {
		t.Errorf("Now is %d after a batch that was refused, want 1", got)
	}
}
