package storetest

import (
	"crypto/rand"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
)

// Person makes a person with every field set.
func Person(name string) nod.Person {
	return nod.Person{ID: nod.NewPersonID(), Name: name, Created: 11, PausedAll: true, WaitSeconds: 120, Removed: 12}
}

// Agent makes an agent with every field set.
func Agent(person nod.PersonID) nod.Agent {
	return nod.Agent{
		ID: nod.NewAgentID(), Person: person, Name: "Claude at home", Created: 21, Mode: nod.Strict,
		Access: nod.Access{Switches: map[string]nod.AccessState{"maps:act": nod.AccessAsk}, Only: true},
		Phone:  nod.NewPhoneID(), WaitSeconds: 45, Paused: true, Revoked: 22, LastUsed: 23,
		Taint: map[string]nod.Time{"calendar": 24},
	}
}

// Phone makes a phone with every field set.
func Phone(person nod.PersonID) nod.Phone {
	return nod.Phone{
		ID: nod.NewPhoneID(), Person: person, Name: "Pixel", Host: nod.HostWeb, Key: []byte{4, 1, 2, 0}, Created: 31,
		Record: []byte(`{"kind":"phone"}`), Approved: true, Revoked: 32, Epoch: 7, Screen: true,
		Capabilities: []nod.Capability{{ID: "maps", State: nod.Ready}, {ID: "sms", State: nod.Unsupported, Reason: "a desktop", Picker: true}},
		AppVersion:   "0.1.0", Zone: "Europe/Lisbon", Locale: "pt-PT", Seen: 33,
	}
}

// Call makes a closed call with every field set, at version 1.
func Call(agent nod.Agent) nod.Call {
	c := OpenCall(agent)
	c.State, c.Outcome, c.Why, c.Text, c.Message = nod.Closed, nod.Failed, nod.WhyNotPossible, "It failed.", "no app\u2026"
	c.Started, c.Supplement, c.Decision, c.DecidedBy = true, "It was opened later.", []byte(`{"d":1}`), nod.NewPhoneID()
	c.Result, c.Decided, c.Due, c.Ended, c.HandedOver = []byte(`{"r":1}`), 1060, 1200, 1100, true
	c.Data, c.Released, c.Upload = true, 1150, []byte{3, 0, 254}
	return c
}

// OpenCall makes a call that a phone has, at version 1.
func OpenCall(agent nod.Agent) nod.Call {
	return nod.Call{
		ID: nod.NewCallID(), Person: agent.Person, Agent: agent.ID, Phone: nod.NewPhoneID(), Version: 1,
		Tool: "phone_action", Action: "navigate", Kind: nod.Act, App: "maps", Key: "k-1",
		Offer: []byte(`{"call":"x"}`), Digest: []byte{1, 0, 255}, ActDigest: []byte{2},
		Verdict: nod.Verdict{Answer: nod.Ask, Rule: nod.RuleAlways, Until: 9, Basis: "spec", Badges: []nod.Badge{nod.BadgeRepeat}},
		Push:    nod.PushAccepted, Pushed: []nod.PhoneID{nod.NewPhoneID()},
		State: nod.Delivered, Received: 1000, Offered: 1001, Deadline: 121000, Attached: true,
	}
}

// Entry makes a sealed log entry with a payload.
func Entry(t testing.TB, person nod.PersonID, at nod.Time) log.Entry {
	t.Helper()
	e := log.Entry{
		Person: person, At: at, Kind: "offered", Call: nod.NewCallID(), Agent: nod.NewAgentID(), Phone: nod.NewPhoneID(),
		Facts:   map[string]string{"rule": "always"},
		Payload: []byte(`{"fields":{"destination":"Rua do Século 3"}}`),
	}
	if err := log.Seal(&e, rand.Reader); err != nil {
		t.Fatal(err)
	}
	return e
}

// Pairing makes an unused pairing with every other field set.
func Pairing(person nod.PersonID) store.Pairing {
	return store.Pairing{
		ID: rand.Text(), Person: person, Secret: []byte("sixteen secret b"), Recover: true, Created: 41, Expires: 900_041,
	}
}

// Subscription makes a phone's subscription with every field set.
func Subscription(phone nod.PhoneID) store.Subscription {
	return store.Subscription{
		Phone: phone, Address: "https://push.example/" + rand.Text(), Key: []byte{4, 0, 255}, Secret: []byte("sixteen secret b"),
		MadeFor: []byte{4, 9}, Created: 61,
		Last: nod.PushLast{At: 62, Status: "refused", Detail: "too large (413)", ReceivedAt: 63, ShownAt: 64},
	}
}

// Record makes a record with every field set.
func Record(person nod.PersonID, kind string) store.Record {
	return store.Record{
		ID: nod.RecordID("record_" + rand.Text()), Person: person, Kind: kind, Signed: []byte(`{"kind":"` + kind + `"}`), At: 51,
	}
}
