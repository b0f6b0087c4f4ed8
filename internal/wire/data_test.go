package wire_test

import (
	"strings"
	"testing"

	"nod.dev/nod/internal/wire"
)

func TestDataVectors(t *testing.T) {
	file := vectors[rows[struct {
		Name, Salt, Text, Hash string
		Bytes                  int64
		Fits                   bool
	}]](t, "data.json")
	for _, r := range file.Rows {
		d := wire.Data{Hash: r.Hash, Bytes: r.Bytes}
		if err := d.Check(r.Text, r.Salt); (err == nil) != r.Fits {
			t.Errorf("%s: %v", r.Name, err)
		}
		if salt, err := wire.Decode64(r.Salt); r.Fits && (err != nil || wire.DataOf(salt, r.Text) != d) {
			t.Errorf("%s is not made so: %v", r.Name, err)
		}
	}
	long := strings.Repeat("x", wire.MaxText+1)
	if wire.DataOf(make([]byte, wire.SaltSize), long).Check(long, wire.Encode64(make([]byte, wire.SaltSize))) == nil {
		t.Error("a text that is too long fits")
	}
}

func TestBlobCheck(t *testing.T) {
	data := []byte("picture")
	b := wire.Blob{Hash: wire.Encode64(wire.Digest(data)), Bytes: int64(len(data))}
	if err := b.Check(data); err != nil {
		t.Error(err)
	}
	short, other := b, b
	short.Bytes--
	other.Hash = wire.Encode64(wire.Digest([]byte("Picture")))
	for _, wrong := range []wire.Blob{short, other, {}} {
		if wrong.Check(data) == nil {
			t.Errorf("%+v fits", wrong)
		}
	}
}
