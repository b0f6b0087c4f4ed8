package wire_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// FuzzParse holds Parse against encoding/json: what Parse takes, that takes and
// reads alike; what Parse calls no JSON, that refuses. The rest are the stated
// refusals.
func FuzzParse(f *testing.F) {
	for _, row := range vectors[rows[strictRow]](f, "strict.json").Rows {
		f.Add(row.bytes(f))
	}
	for _, row := range vectors[rows[canonicalRow]](f, "canonical.json").Rows {
		f.Add([]byte(row.Text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := wire.Parse(data)
		if err != nil {
			var syntax *wire.SyntaxError
			if !errors.As(err, &syntax) || nod.CodeOf(err) != nod.CodeInvalid || syntax.Offset < 0 || syntax.Offset > len(data) {
				t.Fatalf("%q: %#v", data, err)
			}
			switch syntax.Problem {
			case wire.ProblemSyntax, wire.ProblemTrailing, wire.ProblemBOM:
				if json.Valid(data) {
					t.Errorf("%q is JSON, but: %v", data, err)
				}
			}
			return
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q is no JSON: %v", data, err)
		}
		if got := floats(tree); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %#v, encoding/json reads %#v", data, got, want)
		}
		checkStable(t, tree)
	})
}

// floats turns every integer of a tree into a float64, as encoding/json has them.
func floats(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return v
}

// checkStable checks that a parsed tree has one canonical form, or holds a float.
func checkStable(t *testing.T, tree any) {
	t.Helper()
	text, err := wire.Canonical(tree)
	if err != nil {
		if !hasFloat(tree) {
			t.Errorf("%#v: %v", tree, err)
		}
		return
	}
	again, err := wire.ParseCanonical(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !reflect.DeepEqual(again, tree) {
		t.Errorf("%#v comes back as %#v", tree, again)
	}
}

func hasFloat(v any) bool {
	switch v := v.(type) {
	case float64:
		return true
	case []any:
		for _, item := range v {
			if hasFloat(item) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if hasFloat(item) {
				return true
			}
		}
	}
	return false
}

// FuzzParseFrame checks that what is taken for a frame is written and read as
// the same frame.
func FuzzParseFrame(f *testing.F) {
	for _, text := range []string{
		`{"kind":"beat","n":1}`,
		`{"kind":"offer","body":"{}","sig":"AA","epoch":1,"left_ms":2,"standing":{"kind":"grant"},"takes":"c"}`,
		`{"kind":"challenge","nonce":"x","key":"y","range":{"name":"n","min_version":1,"max_version":2}}`,
		`{"kind":"capabilities","capabilities":[{"id":"maps","state":"ready"}],"visible":false,"record":null}`,
		`{"kind":1}`, `[]`, ``, `{"Kind":"x"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := wire.ParseFrame(data)
		if err != nil {
			return
		}
		text, err := wire.EncodeFrame(frame)
		if nod.CodeOf(err) == nod.CodeTooLarge {
			return
		}
		if err != nil {
			t.Fatalf("%q is read as %+v, which cannot be written: %v", data, frame, err)
		}
		again, err := wire.ParseFrame(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(frame, again, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzOpen hands a stranger's kind, body and signature to a reader with a real key.
func FuzzOpen(f *testing.F) {
	key, public := newKey(f)
	signed, err := wire.Sign(key, wire.KindDecision, wire.DecisionBody{Call: "call_1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed.Kind, signed.Body, signed.Sig)
	f.Add("decision\n{}", "", signed.Sig)
	f.Fuzz(func(t *testing.T, kind, body, sig string) {
		var got wire.DecisionBody
		if err := (wire.Signed{Kind: kind, Body: body, Sig: sig}).Open(public, &got); err == nil &&
			(kind != signed.Kind || body != signed.Body || sig != signed.Sig) {
			t.Errorf("forged: %q %q %q", kind, body, sig)
		}
	})
}
