package host

import (
	"testing"

	"nod.dev/nod"
)

// TestRestoreRefuses holds that a journal that does not hang together is not run.
func TestRestoreRefuses(t *testing.T) {
	for name, records := range map[string][]Record{
		"another phone's":       {{Kind: RecPhone, Phone: other}},
		"armed without offer":   {{Kind: RecArmed, Call: "c"}},
		"an offer of no sense":  {{Kind: RecReceived, Call: "c", Offer: "{"}},
		"a kind from tomorrow":  {{Kind: "sung", Call: "c"}},
		"ended without result":  {{Kind: RecEnded, Call: "c"}},
		"signed without record": {{Kind: RecSigned}},
	} {
		b := newBench(t, true)
		if _, _, err := Restore(b.self, records, b.now); nod.CodeOf(err) != nod.CodeStorage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
