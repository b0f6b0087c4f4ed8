package wire_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

func newKey(t testing.TB) (*wire.Key, wire.PublicKey) {
	t.Helper()
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public, err := wire.ParsePublic(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return key, public
}

func TestSignAndOpen(t *testing.T) {
	key, public := newKey(t)
	_, stranger := newKey(t)
	want := wire.DecisionBody{Call: "call_1", Digest: "ZA", Phone: "phone_H", Choice: nod.ChoiceDecline, Assurance: nod.AssuranceWeb, Reason: "no\n"}
	signed, err := wire.Sign(key, wire.KindDecision, want)
	if err != nil {
		t.Fatal(err)
	}
	var got wire.DecisionBody
	if err := signed.OpenAs(wire.KindDecision, public, &got); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := signed.Open(stranger, &got); nod.CodeOf(err) != nod.CodeUnauthorized {
		t.Errorf("another key: %v", err)
	}
	if err := signed.OpenAs(wire.KindResult, public, &got); nod.CodeOf(err) != nod.CodeInvalid {
		t.Errorf("another kind: %v", err)
	}
	again, err := wire.Sign(key, wire.KindDecision, want)
	if err != nil || again.Body != signed.Body {
		t.Errorf("the same body is written in another way: %v", err)
	}
}

// An offer's bytes are made once; signing must not write them again.
func TestSignBytesKeepsThem(t *testing.T) {
	key, public := newKey(t)
	body := []byte(`{"call":"call_1","reason":"gone"}`)
	signed, err := wire.SignBytes(key, wire.KindWithdraw, body)
	if err != nil || signed.Body != string(body) {
		t.Fatalf("%+v, %v", signed, err)
	}
	var got wire.CallBody
	if err := signed.OpenAs(wire.KindWithdraw, public, &got); err != nil || got.Reason != "gone" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Every single bit counts, of what is signed and of the signature.
func TestEveryBitIsSigned(t *testing.T) {
	key, public := newKey(t)
	signed, err := wire.Sign(key, wire.KindWithdraw, wire.CallBody{Call: "call_1", Reason: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	flipped := func(s string, bit int) string {
		b := []byte(s)
		b[bit/8] ^= 1 << (bit % 8)
		return string(b)
	}
	for bit := range len(signed.Body) * 8 {
		s := signed
		if s.Body = flipped(s.Body, bit); s.Verify(public) == nil {
			t.Fatalf("bit %d of the body does not count", bit)
		}
	}
	for bit := range len(signed.Kind) * 8 {
		s := signed
		if s.Kind = flipped(s.Kind, bit); s.Verify(public) == nil {
			t.Fatalf("bit %d of the kind does not count", bit)
		}
	}
	for bit := range len(signed.Sig) * 8 {
		s := signed
		if s.Sig = flipped(s.Sig, bit); s.Verify(public) == nil {
			t.Fatalf("bit %d of the signature does not count", bit)
		}
	}
}

func TestSignRefuses(t *testing.T) {
	key, _ := newKey(t)
	for _, kind := range []string{"", "Offer", "offer\n", "offer 1", "of/fer", strings.Repeat("k", 65)} {
		if _, err := wire.Sign(key, kind, struct{}{}); err == nil {
			t.Errorf("kind %q is signed", kind)
		}
	}
	if _, err := wire.Sign(key, wire.KindOffer, nod.Fields{"lat": 1.5}); err == nil {
		t.Error("a fraction is signed")
	}
	if _, err := wire.Sign(broken{}, wire.KindOffer, struct{}{}); nod.CodeOf(err) != nod.CodeInternal || !errors.Is(err, errBroken) {
		t.Errorf("a signer that fails: %v", err)
	}
}

var errBroken = errors.New("the key is gone")

// broken is a signer whose key cannot be used.
type broken struct{}

func (broken) Sign([]byte) ([]byte, error) { return nil, errBroken }
func (broken) Public() []byte              { return nil }

// What is signed and not canonical is refused: two texts for one body would
// have two digests.
func TestOpenWantsCanonicalBodies(t *testing.T) {
	key, public := newKey(t)
	for _, body := range []string{`{"reason":"x","call":"c"}`, `{"call": "c"}`, `{"call":"c","call":"c"}`, ``, `{"keep_ms":1.0}`} {
		sig, err := key.Sign([]byte("nod/1 withdraw\n" + body))
		if err != nil {
			t.Fatal(err)
		}
		signed := wire.Signed{Kind: wire.KindWithdraw, Body: body, Sig: wire.Encode64(sig)}
		if err := signed.Verify(public); err != nil {
			t.Fatal(err)
		}
		var got wire.CallBody
		if err := signed.Open(public, &got); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestKeyRoundTrip(t *testing.T) {
	key, public := newKey(t)
	der, err := key.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := wire.ParseKey(der)
	if err != nil || !bytes.Equal(again.Public(), key.Public()) {
		t.Fatalf("another key comes back: %v", err)
	}
	sig, err := again.Sign([]byte("m"))
	if err != nil || len(sig) != 64 || !public.Verify([]byte("m"), sig) || public.Verify([]byte("n"), sig) {
		t.Errorf("%d bytes, %v", len(sig), err)
	}
	if !bytes.Equal(public.Bytes(), key.Public()) || len(public.Bytes()) != 65 {
		t.Error("the public key is written in another way")
	}
	public.Bytes()[1]++ // a copy, so this changes nothing
	if !public.Verify([]byte("m"), sig) {
		t.Error("the key can be changed from outside")
	}
}

func TestParseKeyRefuses(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []any{p384, edwards} {
		der, err := x509.MarshalPKCS8PrivateKey(private)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wire.ParseKey(der); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("a %T: %v", private, err)
		}
	}
	for _, der := range [][]byte{nil, {0x30}, []byte("-----BEGIN PRIVATE KEY-----")} {
		if _, err := wire.ParseKey(der); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("%q: %v", der, err)
		}
	}
}
