package wire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

func TestFrameRoundTrip(t *testing.T) {
	no := false
	r := wire.OwnRange()
	for _, f := range []wire.Frame{
		{Kind: wire.KindBeat, N: 7},
		{Kind: wire.KindDelivered, Call: "call_1", Epoch: 3},
		{Kind: wire.KindChallenge, Nonce: "bm9uY2U", Key: "a2V5", Range: &r},
		{Kind: wire.KindOffer, Body: `{"fields":{"text":"é \u2028"}}`, Sig: "c2ln", Epoch: 3, LeftMS: 1000, Standing: &wire.Signed{Kind: "grant", Body: "{}", Sig: "AA"}, Takes: "call_0"},
		{Kind: wire.KindPresence, Visible: &no},
		{Kind: wire.KindCapabilities, Capabilities: []nod.Capability{{ID: "maps", State: nod.Unsupported, Reason: "no map app"}}},
	} {
		b, err := wire.EncodeFrame(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.ParseFrame(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestParseFrameRefuses(t *testing.T) {
	for _, row := range []struct {
		name, text string
		code       nod.Code
		want       string
	}{
		{"not an object", `[]`, nod.CodeInvalid, "must be an object"},
		{"no kind", `{"call":"c"}`, nod.CodeInvalid, "no kind"},
		{"an empty kind", `{"kind":""}`, nod.CodeInvalid, "no kind"},
		{"a kind in capitals", `{"KIND":"beat"}`, nod.CodeInvalid, "no kind"},
		{"a kind twice", `{"kind":"beat","kind":"go"}`, nod.CodeInvalid, "twice"},
		{"a kind that is a number", `{"kind":1}`, nod.CodeInvalid, "kind must be a string"},
		{"a field of another type", `{"kind":"shown","epoch":"3"}`, nod.CodeInvalid, "epoch must be a whole number"},
		{"a fraction", `{"kind":"beat","n":1.5}`, nod.CodeInvalid, "n must be a whole number"},
		{"a duplicate in what is not known", `{"kind":"beat","newer":{"a":1,"a":1}}`, nod.CodeInvalid, "in newer"},
		{"bad UTF-8", "{\"kind\":\"beat\",\"reason\":\"\xff\"}", nod.CodeInvalid, "not UTF-8"},
		{"nothing", ``, nod.CodeInvalid, "byte 0"},
		{"two frames", `{"kind":"beat"}{"kind":"beat"}`, nod.CodeInvalid, "goes on"},
		{"too large", `{"kind":"beat","reason":"` + strings.Repeat("x", wire.MaxFrame) + `"}`, nod.CodeTooLarge, "65536"},
	} {
		_, err := wire.ParseFrame([]byte(row.text))
		if nod.CodeOf(err) != row.code || err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %s, %q", row.name, err, row.code, row.want)
		}
	}
}

func TestParseFrameIgnoresWhatIsNewer(t *testing.T) {
	f, err := wire.ParseFrame([]byte(`{"kind":"sing","song":{"a":[1.5,null]},"n":2}`))
	if err != nil || f.Kind != "sing" || f.N != 2 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestEncodeFrameRefuses(t *testing.T) {
	if _, err := wire.EncodeFrame(wire.Frame{}); err == nil {
		t.Error("a frame without a kind is written")
	}
	if _, err := wire.EncodeFrame(wire.Frame{Kind: "x", Reason: "\xff"}); err == nil {
		t.Error("bad UTF-8 is written")
	}
	longest := wire.Frame{Kind: "x", Reason: strings.Repeat("r", wire.MaxFrame-len(`{"kind":"x","reason":""}`))}
	if b, err := wire.EncodeFrame(longest); err != nil || len(b) != wire.MaxFrame {
		t.Errorf("the longest frame: %d bytes, %v", len(b), err)
	}
	longest.Reason += "r"
	if _, err := wire.EncodeFrame(longest); nod.CodeOf(err) != nod.CodeTooLarge {
		t.Errorf("a byte more: %v", err)
	}
}

// Every body of the protocol can be written and read: a forgotten tag would show here.
func TestEveryBody(t *testing.T) {
	for _, body := range []any{
		&wire.HelloBody{Head: &wire.Head{}, Revocations: []nod.RecordID{"r"}, Capabilities: []nod.Capability{{ID: "maps"}}},
		&wire.WelcomeBody{Open: []nod.CallID{"c"}, Phones: []wire.Signed{{}}, Proof: []string{"h"}},
		&wire.OfferBody{Screens: []nod.PhoneID{"p"}, Badges: []nod.Badge{nod.BadgeRepeat}, Fields: nod.Fields{"n": int64(1)}, Repeat: &wire.Repeat{}},
		&wire.DecisionBody{}, &wire.GoBody{}, &wire.ResultBody{}, &wire.CallBody{}, &wire.PhoneBody{}, &wire.Head{},
		&wire.RecordBody{SetBack: &wire.Head{}},
	} {
		text, err := wire.Canonical(body)
		if err != nil {
			t.Errorf("%T: %v", body, err)
			continue
		}
		tree, err := wire.ParseCanonical(text)
		if err != nil {
			t.Errorf("%T: %v", body, err)
			continue
		}
		if err := wire.Fill(tree, body); err != nil {
			t.Errorf("%T: %v", body, err)
		}
		if again, err := wire.Canonical(body); err != nil || string(again) != string(text) {
			t.Errorf("%T: %s, then %s, %v", body, text, again, err)
		}
	}
}
