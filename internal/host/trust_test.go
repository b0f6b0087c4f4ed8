package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// TestTrust holds whose key counts.
func TestTrust(t *testing.T) {
	const third nod.PhoneID = "phone_third"
	mine := phoneRecord(me, keys.me, me, keys.me)
	for _, c := range []struct {
		name    string
		records []wire.Signed
		want    []nod.PhoneID
	}{
		{"approved by me", records(), []nod.PhoneID{me, other}},
		{"approved by one I approved", append(records(), phoneRecord(third, keys.stranger, other, keys.other)), []nod.PhoneID{me, other, third}},
		{"I was approved by the other", []wire.Signed{
			phoneRecord(other, keys.other, other, keys.other), phoneRecord(me, keys.me, other, keys.other),
		}, []nod.PhoneID{me, other}},
		{"another first phone", []wire.Signed{mine, phoneRecord(other, keys.other, other, keys.other)}, []nod.PhoneID{me}},
		{"signed by nobody that counts", []wire.Signed{mine, phoneRecord(other, keys.other, me, keys.stranger)}, []nod.PhoneID{me}},
		{"a circle", []wire.Signed{mine,
			phoneRecord(other, keys.other, third, keys.stranger), phoneRecord(third, keys.stranger, other, keys.other),
		}, []nod.PhoneID{me}},
		{"its signer is missing", []wire.Signed{mine, phoneRecord(other, keys.other, third, keys.stranger)}, []nod.PhoneID{me}},
		{"another kind", []wire.Signed{mine, sign(keys.me, wire.RecordRevoke, wire.PhoneBody{Phone: other, Signer: me})}, []nod.PhoneID{me}},
		{"my key is not mine", []wire.Signed{phoneRecord(me, keys.stranger, me, keys.stranger), phoneRecord(other, keys.other, me, keys.stranger)}, nil},
		{"I am missing", []wire.Signed{phoneRecord(other, keys.other, other, keys.other)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, false)
			b.step(Event{Kind: Connected, Welcome: wire.WelcomeBody{Epoch: 1, Phones: c.records}})
			var got []nod.PhoneID
			for _, id := range []nod.PhoneID{me, other, third} {
				if _, ok := b.m.phones[id]; ok {
					got = append(got, id)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a phone that is paired later", func(t *testing.T) {
		b := newBench(t, false)
		b.connect(1)
		record := phoneRecord(third, keys.stranger, other, keys.other)
		b.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
		if _, ok := b.m.phones[third]; !ok || len(b.m.phones) != 3 {
			t.Errorf("%d keys count", len(b.m.phones))
		}
	})
	t.Run("the first phone is pinned", func(t *testing.T) {
		b := newBench(t, false)
		b.connect(1)
		b.restart()
		b.step(Event{Kind: Connected, Welcome: wire.WelcomeBody{Epoch: 2, Phones: []wire.Signed{
			phoneRecord(other, keys.stranger, other, keys.stranger), phoneRecord(me, keys.me, other, keys.stranger),
		}}})
		if len(b.m.phones) != 0 {
			t.Errorf("a gateway brought another first phone, and %d keys count", len(b.m.phones))
		}
	})
}
