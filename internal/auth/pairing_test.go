package auth

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// exchange is one whole pairing, as both sides see it.
type exchange struct {
	secret  []byte
	phone   *wire.Key
	gateway *wire.Key
	request PairRequest
	reply   PairReply
}

func newExchange(t *testing.T) exchange {
	t.Helper()
	x := exchange{secret: NewSecret(), phone: newKey(t), gateway: newKey(t)}
	var err error
	x.request, err = NewPairRequest(x.secret, x.phone.Public(), "Ana's Pixel", nod.HostWeb)
	if err != nil {
		t.Fatal(err)
	}
	x.reply, err = NewPairReply(x.secret, x.request, PairReply{
		Phone: nod.NewPhoneID(), Person: nod.NewPersonID(), PersonName: "Ana",
		GatewayKey: wire.Encode64(x.gateway.Public()), First: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func newKey(t *testing.T) *wire.Key {
	t.Helper()
	k, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPairing(t *testing.T) {
	x := newExchange(t)
	if err := x.request.Check(x.secret); err != nil {
		t.Errorf("the gateway refuses the phone: %v", err)
	}
	if err := x.reply.Check(x.secret, x.request); err != nil {
		t.Errorf("the phone refuses the gateway: %v", err)
	}
	if strings.Contains(x.request.ID, wire.Encode64(x.secret)) {
		t.Error("the id gives the secret away")
	}
}

// TestPairingFlippedBit flips one bit of any field that is proven, in any way
// text can carry it, and requires that the other side refuses.
func TestPairingFlippedBit(t *testing.T) {
	x := newExchange(t)
	rapid.Check(t, func(t *rapid.T) {
		q := x.request
		field := flip(t, reflect.ValueOf(&q).Elem(), "")
		if err := q.Check(x.secret); err == nil {
			t.Fatalf("the gateway took a request with a flipped bit in %s: %+v", field, q)
		}
		if err := x.reply.Check(x.secret, q); err == nil && field != "MAC" {
			t.Fatalf("the phone took a reply to another request (%s): %+v", field, q)
		}
		r := x.reply
		field = flip(t, reflect.ValueOf(&r).Elem(), "PersonName")
		if err := r.Check(x.secret, x.request); err == nil {
			t.Fatalf("the phone took a reply with a flipped bit in %s: %+v", field, r)
		}
		secret := append([]byte(nil), x.secret...)
		bit := rapid.IntRange(0, 8*len(secret)-1).Draw(t, "secret bit")
		secret[bit/8] ^= 1 << (bit % 8)
		if x.request.Check(secret) == nil || x.reply.Check(secret, x.request) == nil {
			t.Fatal("another secret proves the same exchange")
		}
	})
}

// flip changes one bit of one field of v, but not of the field named but.
func flip(t *rapid.T, v reflect.Value, but string) string {
	var fields []int
	for i := range v.NumField() {
		if v.Type().Field(i).Name != but {
			fields = append(fields, i)
		}
	}
	i := rapid.SampledFrom(fields).Draw(t, "field")
	switch f := v.Field(i); f.Kind() {
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.String:
		b := []byte(f.String())
		bit := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
		b[bit/8] ^= 1 << (bit % 8)
		f.SetString(string(b))
	default:
		t.Fatalf("no way to flip a %v", f.Kind())
	}
	return v.Type().Field(i).Name
}

func TestPairRequestShape(t *testing.T) {
	x := newExchange(t)
	point := append([]byte(nil), x.phone.Public()...)
	point[64] ^= 1
	rows := []struct {
		name   string
		change func(*PairRequest)
		want   string
	}{
		{"id too short", func(q *PairRequest) { q.ID = "AAAA" }, "id is not"},
		{"nonce missing", func(q *PairRequest) { q.Nonce = "" }, "nonce is not"},
		{"mac padded", func(q *PairRequest) { q.MAC += "=" }, "mac is not"},
		{"unknown host", func(q *PairRequest) { q.Host = "toaster" }, "host is not"},
		{"no name", func(q *PairRequest) { q.Name = "" }, "1 to 60 characters"},
		{"name with a line break", func(q *PairRequest) { q.Name = "a\nb" }, "U+000A"},
		{"name turned round", func(q *PairRequest) { q.Name = "a\u202eb" }, "U+202E"},
		{"compressed key", func(q *PairRequest) { q.Key = wire.Encode64(point[:33]) }, "65 bytes"},
		{"a point off the curve", func(q *PairRequest) { q.Key = wire.Encode64(point) }, "P-256"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			q := x.request
			row.change(&q)
			err := q.Check(x.secret)
			if err == nil || !strings.Contains(err.Error(), row.want) || nod.CodeOf(err) != nod.CodeInvalid {
				t.Errorf("error %v, want one with %q", err, row.want)
			}
		})
	}
}

func TestDigits(t *testing.T) {
	x := newExchange(t)
	digits, err := Digits(x.request, x.reply)
	if err != nil || len(digits) != 6 || strings.Trim(digits, "0123456789") != "" {
		t.Fatalf("digits %q, %v", digits, err)
	}
	other := x.reply
	other.GatewayKey = wire.Encode64(newKey(t).Public())
	if swapped, err := Digits(x.request, other); err != nil || swapped == digits {
		t.Errorf("digits %q for a swapped key, %q for the true one (%v)", swapped, digits, err)
	}
}

func TestCheckRecord(t *testing.T) {
	x := newExchange(t)
	want := wire.PhoneBody{
		Phone: x.reply.Phone, Person: x.reply.Person, Name: x.request.Name,
		Host: x.request.Host, Key: x.request.Key, Signer: x.reply.Phone,
	}
	signed := func(k *wire.Key, kind string, body wire.PhoneBody) wire.Signed {
		s, err := wire.Sign(k, kind, body)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	renamed := want
	renamed.Name = "Mallory's Pixel"
	rows := []struct {
		name   string
		record wire.Signed
		want   string
	}{
		{"right", signed(x.phone, wire.RecordPhone, want), ""},
		{"another kind", signed(x.phone, wire.RecordResume, want), "not signed by the phone"},
		{"another key", signed(x.gateway, wire.RecordPhone, want), "not signed by the phone"},
		{"another name", signed(x.phone, wire.RecordPhone, renamed), "does not say what was paired"},
	}
	key, err := wire.ParsePublic(x.phone.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			err := CheckRecord(row.record, want, key)
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}

func TestValidName(t *testing.T) {
	for _, name := range []string{"Pixel 9", "Ana's phone", "Телефон", "電話", "phone 📱", strings.Repeat("é", 60)} {
		if err := ValidName(name); err != nil {
			t.Errorf("%q is refused: %v", name, err)
		}
	}
	for _, name := range []string{"", " x", "x ", "a\tb", "a\u200bb", "a\u2066b", "a\xffb", "\x1b[31m", strings.Repeat("é", 61)} {
		if ValidName(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
}
