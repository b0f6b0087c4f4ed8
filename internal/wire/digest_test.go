package wire_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

func TestDecode64TakesOneForm(t *testing.T) {
	for n := range 70 {
		b := bytes.Repeat([]byte{0xfb, 0xef, 0xbe}, 24)[:n]
		text := wire.Encode64(b)
		if got, err := wire.Decode64(text); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%d bytes: %v", n, err)
		}
		for _, odd := range []string{text + "=", text + "\n", "\r" + text, text + " ", base64.StdEncoding.EncodeToString(b)} {
			if odd == text {
				continue
			}
			if _, err := wire.Decode64(odd); err == nil {
				t.Errorf("%q is taken", odd)
			}
		}
	}
	for _, odd := range []string{"A", "AB", "AAB", "AAAAA", "A-_=", "é"} {
		if _, err := wire.Decode64(odd); nod.CodeOf(err) != nod.CodeInvalid || err == nil {
			t.Errorf("%q: %v", odd, err)
		}
	}
}

func TestActDigestRefusesFractions(t *testing.T) {
	if _, err := wire.ActDigest("p", "a", "h", "phone_action", "navigate", nod.Fields{"lat": 38.7}); err == nil {
		t.Error("a fraction has a digest")
	}
}
