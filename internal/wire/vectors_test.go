package wire_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// vectors reads a file of spec/vectors with encoding/json, which is not what is tested.
func vectors[T any](t testing.TB, name string) T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "spec", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	var file T
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return file
}

type rows[T any] struct{ Rows []T }

type canonicalRow struct {
	Name, Text, Canonical, SHA256 string
	Refused                       bool
}

func TestCanonicalVectors(t *testing.T) {
	file := vectors[rows[canonicalRow]](t, "canonical.json")
	if len(file.Rows) < 60 {
		t.Fatalf("%d rows, at least 60 are wanted", len(file.Rows))
	}
	for _, row := range file.Rows {
		t.Run(row.Name, func(t *testing.T) {
			tree, err := wire.Parse([]byte(row.Text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := wire.Canonical(tree)
			if row.Refused {
				if err == nil {
					t.Fatalf("accepted as %s", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != row.Canonical {
				t.Errorf("got  %s\nwant %s", got, row.Canonical)
			}
			if sum := hex.EncodeToString(wire.Digest(got)); sum != row.SHA256 {
				t.Errorf("sha256 %s, want %s", sum, row.SHA256)
			}
			if _, err := wire.ParseCanonical(got); err != nil {
				t.Errorf("the canonical form is not taken: %v", err)
			}
			if _, err := wire.ParseCanonical([]byte(row.Text)); (err == nil) != (row.Text == row.Canonical) {
				t.Errorf("ParseCanonical(text) = %v", err)
			}
		})
	}
}

type strictRow struct {
	Name, Text, Base64, Refused, Path string
	Accepted                          bool
	Offset                            int
}

func (r strictRow) bytes(t testing.TB) []byte {
	t.Helper()
	if r.Base64 == "" {
		return []byte(r.Text)
	}
	b, err := wire.Decode64(r.Base64)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestStrictVectors(t *testing.T) {
	for _, row := range vectors[rows[strictRow]](t, "strict.json").Rows {
		t.Run(row.Name, func(t *testing.T) {
			_, err := wire.Parse(row.bytes(t))
			if row.Accepted {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			syntax, ok := err.(*wire.SyntaxError)
			if !ok {
				t.Fatalf("got %v, want a SyntaxError", err)
			}
			got := strictRow{Refused: string(syntax.Problem), Offset: syntax.Offset, Path: syntax.Path}
			if got.Refused != row.Refused || got.Offset != row.Offset || got.Path != row.Path {
				t.Errorf("got  %s at %d in %q (%v)\nwant %s at %d in %q",
					got.Refused, got.Offset, got.Path, err, row.Refused, row.Offset, row.Path)
			}
		})
	}
}

type actRow struct {
	Name, Canonical, Digest string
	Act                     json.RawMessage
}

func TestActDigestVectors(t *testing.T) {
	seen := map[string]string{}
	for _, row := range vectors[rows[actRow]](t, "actdigest.json").Rows {
		var act struct {
			Person nod.PersonID   `json:"person"`
			Agent  nod.AgentID    `json:"agent"`
			Phone  nod.PhoneID    `json:"phone"`
			Tool   string         `json:"tool"`
			Action string         `json:"action"`
			Fields map[string]any `json:"fields"`
		}
		if err := wire.Decode(row.Act, &act); err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		got, err := wire.ActDigest(act.Person, act.Agent, act.Phone, act.Tool, act.Action, act.Fields)
		if err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		if wire.Encode64(got) != row.Digest {
			t.Errorf("%s: digest %s, want %s", row.Name, wire.Encode64(got), row.Digest)
		}
		if other, twice := seen[row.Digest]; twice && row.Name != "fields in another order are the same" {
			t.Errorf("%s and %s have one digest", row.Name, other)
		}
		seen[row.Digest] = row.Name
	}
}

type signatureFile struct {
	Private string
	Public  string
	Other   string
	Valid   []signatureRow
	Invalid []signatureRow
	Keys    []struct {
		Name, Key string
		Accepted  bool
	}
}

type signatureRow struct {
	Name, By, Kind, Body, Sig string
}

func (r signatureRow) signed() wire.Signed {
	return wire.Signed{Kind: r.Kind, Body: r.Body, Sig: r.Sig}
}

func publicOf(t testing.TB, text string) wire.PublicKey {
	t.Helper()
	b, err := wire.Decode64(text)
	if err != nil {
		t.Fatal(err)
	}
	key, err := wire.ParsePublic(b)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSignatureVectors(t *testing.T) {
	file := vectors[signatureFile](t, "signatures.json")
	key, other := publicOf(t, file.Public), publicOf(t, file.Other)
	by := map[string]int{}
	for _, row := range file.Valid {
		by[row.By]++
		if err := row.signed().Verify(key); err != nil {
			t.Errorf("%s (%s): %v", row.Name, row.By, err)
		}
		if row.signed().Verify(other) == nil {
			t.Errorf("%s: another key verifies it", row.Name)
		}
		var body any
		if err := row.signed().Open(key, &body); err != nil {
			t.Errorf("%s: %v", row.Name, err)
		}
	}
	if by["go"] == 0 || by["webcrypto"] == 0 {
		t.Errorf("signatures by %v; both ways are wanted", by)
	}
	for _, row := range file.Invalid {
		if row.signed().Verify(key) == nil {
			t.Errorf("%s: verified", row.Name)
		}
	}
	for _, row := range file.Keys {
		b, err := wire.Decode64(row.Key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wire.ParsePublic(b); (err == nil) != row.Accepted {
			t.Errorf("key %s: %v, accepted should be %v", row.Name, err, row.Accepted)
		}
	}
}

func TestTestKeyIsItsPublicKey(t *testing.T) {
	file := vectors[signatureFile](t, "signatures.json")
	der, err := wire.Decode64(file.Private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := wire.ParseKey(der)
	if err != nil {
		t.Fatal(err)
	}
	if wire.Encode64(key.Public()) != file.Public {
		t.Error("private and public are not of one key")
	}
}
