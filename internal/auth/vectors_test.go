package auth

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

var update = flag.Bool("update", false, "write spec/vectors/pairing.json anew from its requests and replies")

const vectorsFile = "../../spec/vectors/pairing.json"

// vectors are whole pairings that every implementation must agree with.
type vectors struct {
	Version int      `json:"version"`
	About   string   `json:"about"`
	Rows    []vector `json:"rows"`
}

type vector struct {
	Name              string      `json:"name"`
	Secret            string      `json:"secret"`
	Link              string      `json:"link"`
	Request           PairRequest `json:"request"`
	PhoneTranscript   string      `json:"phone_transcript"`
	Reply             PairReply   `json:"reply"`
	GatewayTranscript string      `json:"gateway_transcript"`
	Digits            string      `json:"digits"`
}

// computed fills in everything that follows from the secret and what was said.
func (v vector) computed(t *testing.T) vector {
	t.Helper()
	secret, err := wire.Decode64(v.Secret)
	if err != nil {
		t.Fatal(err)
	}
	v.Link = PairLink("https://nod.example.org", secret)
	v.Request.ID = PairID(secret)
	phone, err := v.Request.transcript()
	if err != nil {
		t.Fatal(err)
	}
	v.Request.MAC = wire.Encode64(sign(secret, phone))
	if v.Reply, err = NewPairReply(secret, v.Request, v.Reply); err != nil {
		t.Fatal(err)
	}
	gateway, err := v.Reply.transcript(v.Request)
	if err != nil {
		t.Fatal(err)
	}
	if v.Digits, err = Digits(v.Request, v.Reply); err != nil {
		t.Fatal(err)
	}
	v.PhoneTranscript, v.GatewayTranscript = string(phone), string(gateway)
	return v
}

func TestVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	b, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file vectors
	if err := wire.Decode(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Rows) < 3 {
		t.Fatalf("only %d rows", len(file.Rows))
	}
	for _, v := range file.Rows {
		t.Run(v.Name, func(t *testing.T) {
			if diff := cmp.Diff(v.computed(t), v); diff != "" {
				t.Error(diff)
			}
			secret, err := wire.Decode64(v.Secret)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.Request.Check(secret); err != nil {
				t.Error(err)
			}
			if err := v.Reply.Check(secret, v.Request); err != nil {
				t.Error(err)
			}
			if base, back, err := ParsePairLink(v.Link); err != nil || base != "https://nod.example.org" || !bytes.Equal(back, secret) {
				t.Errorf("the link leads to %q with %x (%v)", base, back, err)
			}
		})
	}
}

// writeVectors makes the rows from fresh keys and fixed words.
func writeVectors(t *testing.T) {
	file := vectors{Version: 1, About: "Whole pairings. The phone's mac is HMAC-SHA256 with the secret over phone_transcript, the gateway's over gateway_transcript; digits are those of gateway_transcript. Byte strings are base64url."}
	for _, row := range []struct {
		name, phone string
		host        nod.Host
		first       bool
	}{
		{"a first phone", "Pixel", nod.HostWeb, true},
		{"a second phone", "Ana's tablet", nod.HostWeb, false},
		{"a name of many scripts", "телефон \"電話\" 📱 \\ / é", nod.HostTermux, false},
		{"a phone without a screen", "adb on the desk", nod.HostADB, true},
	} {
		v := vector{Name: row.name, Secret: wire.Encode64(NewSecret())}
		q, err := NewPairRequest(NewSecret(), newKey(t).Public(), row.phone, row.host)
		if err != nil {
			t.Fatal(err)
		}
		v.Request = q
		v.Reply = PairReply{Phone: nod.NewPhoneID(), Person: nod.NewPersonID(), PersonName: "Ana", GatewayKey: wire.Encode64(newKey(t).Public()), First: row.first}
		file.Rows = append(file.Rows, v.computed(t))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(vectorsFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
