package wire_test

import (
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// offer is of the size that a usual call has.
var offer = wire.OfferBody{
	Call: "call_6XKQ2ZJH5B7N4C3D8F9G", Agent: "agent_6XKQ2ZJH5B7N4C3D8F9G", AgentName: "Laptop · assistant",
	Phone: "phone_6XKQ2ZJH5B7N4C3D8F9G", Screens: []nod.PhoneID{"phone_6XKQ2ZJH5B7N4C3D8F9G"},
	Tool: "phone_action", Action: "navigate",
	Fields: nod.Fields{
		"destination": map[string]any{"label": "Café A Brasileira", "lat": "38.7106", "lon": "-9.1422"},
		"stops":       []any{map[string]any{"label": "Home"}, map[string]any{"label": "Work"}}, "mode": "walk",
	},
	Summary: "Walks you to the café, by way of home and work", Verdict: nod.Ask, Rule: nod.RuleAlways, Risk: nod.Low,
	TTLSeconds: 120, Nonce: "c2l4dGVlbiBieXRlcy4u",
}

func BenchmarkCanonical(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Canonical(&offer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCanonicalTree(b *testing.B) {
	text, _ := wire.Canonical(&offer)
	tree, _ := wire.Parse(text)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Canonical(tree); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text, _ := wire.Canonical(&offer)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	text, _ := wire.Canonical(&offer)
	b.ReportAllocs()
	for b.Loop() {
		var got wire.OfferBody
		if err := wire.Decode(text, &got); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	key, _ := newKey(b)
	for b.Loop() {
		if _, err := wire.Sign(key, wire.KindOffer, &offer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	key, public := newKey(b)
	signed, err := wire.Sign(key, wire.KindOffer, &offer)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := signed.Verify(public); err != nil {
			b.Fatal(err)
		}
	}
}
