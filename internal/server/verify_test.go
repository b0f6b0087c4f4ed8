package server

import (
	"encoding/json"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// Each row is what an entry of a decision carries, and what is found.
func TestSignatures(t *testing.T) {
	const phone, call = nod.PhoneID("phone_A"), nod.CallID("call_A")
	key, other := newKey(t), newKey(t)
	offer := `{"call":"call_A"}`
	digest := wire.Encode64(wire.Digest([]byte(offer)))
	decision := func(change func(*wire.DecisionBody)) wire.DecisionBody {
		d := wire.DecisionBody{Call: call, Digest: digest, Phone: phone, Choice: nod.ChoiceConfirm, Assurance: nod.AssuranceNative}
		change(&d)
		return d
	}
	as := func(*wire.DecisionBody) {}
	for _, tt := range []struct {
		name string
		text string
		want string // part of the problem; empty for none
	}{
		{"as it should be", signed(t, key, wire.KindDecision, decision(as)), ""},
		{"by another key", signed(t, other, wire.KindDecision, decision(as)), "not signed by phone phone_A"},
		{"by a phone that never was", signed(t, other, wire.KindDecision, decision(func(d *wire.DecisionBody) { d.Phone = "phone_B" })), "phone phone_B was never paired"},
		{"about another call", signed(t, key, wire.KindDecision, decision(func(d *wire.DecisionBody) { d.Call = "call_B" })), "about another call"},
		{"over other bytes", signed(t, key, wire.KindDecision, decision(func(d *wire.DecisionBody) { d.Digest = wire.Encode64(wire.Digest([]byte("x"))) })), "not over what was offered"},
		{"of another kind", signed(t, key, wire.KindResult, decision(as)), "not signed by phone phone_A"},
		{"changed after", strings.Replace(signed(t, key, wire.KindDecision, decision(as)), "confirm", "decline", 1), "not signed by phone phone_A"},
		{"no signed thing", `{"kind":1}`, "cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSignatures(map[nod.PhoneID][]byte{phone: key.Public()})
			s.check(log.Entry{Seq: 1, Call: call, Payload: payload(t, "offer", offer)})
			s.check(log.Entry{Seq: 2, Call: call, Payload: payload(t, "decision", tt.text)})
			got := strings.Join(s.problems, "\n")
			if tt.want == "" && got != "" || tt.want != "" && (!strings.Contains(got, tt.want) || !strings.HasPrefix(got, "entry 2: decision: ")) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
			if s.checked != 1 {
				t.Errorf("checked %d", s.checked)
			}
		})
	}
}

// What carries nothing signed is left to the tree.
func TestSignaturesOfOtherKinds(t *testing.T) {
	s := newSignatures(nil)
	s.check(log.Entry{Seq: 1, Payload: payload(t, "name", "Claude")})
	s.check(log.Entry{Seq: 2, Call: "call_A", Payload: payload(t, "text", "The phone did it.")})
	if s.checked != 0 || len(s.problems) != 0 {
		t.Errorf("checked %d, found %q", s.checked, s.problems)
	}
}

func newKey(t *testing.T) *wire.Key {
	t.Helper()
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signed(t *testing.T, key *wire.Key, kind string, body any) string {
	t.Helper()
	s, err := wire.Sign(key, kind, body)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func payload(t *testing.T, name, value string) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
