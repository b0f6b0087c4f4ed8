package pushtest

import (
	"crypto/ecdh"
	"encoding/base64"
	"strings"
	"testing"
)

func decode(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDecryptRFC8291 is the example of RFC 8291 section 5 and appendix A.
func TestDecryptRFC8291(t *testing.T) {
	private, err := ecdh.P256().NewPrivateKey(decode(t, "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
	if err != nil {
		t.Fatal(err)
	}
	body := decode(t, `DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml
		mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT
		pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN`)
	got, err := Decrypt(body, private, decode(t, "BTBZMqHH6r4Tts7J_aSIgg"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "When I grow up, I want to be a watermelon"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	body[len(body)-1] ^= 1
	if _, err := Decrypt(body, private, decode(t, "BTBZMqHH6r4Tts7J_aSIgg")); err == nil {
		t.Error("a message that was changed decrypts")
	}
	for n := range 100 {
		if _, err := Decrypt(body[:n], private, make([]byte, 16)); err == nil {
			t.Errorf("the first %d bytes of a message decrypt", n)
		}
	}
}
