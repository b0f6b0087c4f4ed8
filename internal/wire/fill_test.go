package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

type inner struct {
	Deep string `json:"deep"`
}

type word string

// every holds one field of each kind that the walker knows.
type every struct {
	inner
	Text    string           `json:"text"`
	Word    word             `json:"word"`
	Time    nod.Time         `json:"time"`
	Small   int8             `json:"small"`
	Count   uint16           `json:"count"`
	Yes     bool             `json:"yes"`
	Ratio   float64          `json:"ratio,omitempty"`
	List    []string         `json:"list"`
	Words   []word           `json:"words,omitempty"`
	Bytes   []byte           `json:"bytes,omitempty"`
	Map     map[string]int64 `json:"map,omitempty"`
	Keyed   map[word]bool    `json:"keyed,omitempty"`
	Fields  nod.Fields       `json:"fields,omitempty"`
	Any     any              `json:"any,omitempty"`
	Pointer *inner           `json:"pointer,omitempty"`
	Flag    *bool            `json:"flag,omitempty"`
	Many    []inner          `json:"many,omitempty"`
	Zero    inner            `json:"zero,omitzero"`
	Hidden  string           `json:"-"`
}

func TestDecodeEveryKind(t *testing.T) {
	const text = `{"deep":"d","text":"t","word":"w","time":1790000000000,"small":-128,"count":65535.0,"yes":true,
		"ratio":0.5,"list":["a","b"],"words":["x"],"bytes":"AQI","map":{"a":1},"keyed":{"k":true},
		"fields":{"n":1,"l":[true,null]},"any":[1.5,"s"],"pointer":{"deep":"p"},"flag":false,"many":[{"deep":"1"},{}],
		"zero":{"deep":"z"},"Hidden":"no","newer":{"a":[]}}`
	no := false
	want := every{
		inner: inner{"d"}, Text: "t", Word: "w", Time: 1790000000000, Small: -128, Count: 65535, Yes: true,
		Ratio: 0.5, List: []string{"a", "b"}, Words: []word{"x"}, Bytes: []byte{1, 2}, Map: map[string]int64{"a": 1},
		Keyed: map[word]bool{"k": true}, Fields: nod.Fields{"n": int64(1), "l": []any{true, nil}},
		Any: []any{1.5, "s"}, Pointer: &inner{"p"}, Flag: &no, Many: []inner{{"1"}, {}}, Zero: inner{"z"},
	}
	var got every
	if err := wire.Decode([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(every{})); diff != "" {
		t.Error(diff)
	}
	got.Ratio, got.Any = 0, nil // what canonical JSON does not carry
	again, err := wire.Canonical(got)
	if err != nil {
		t.Fatal(err)
	}
	var back every
	if err := wire.Decode(again, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, back, cmp.AllowUnexported(every{})); diff != "" {
		t.Error(diff)
	}
}

// encoding/json takes each of these for "action" or "kind" (facts/security.md, finding 5).
func TestDecodeTakesExactKeysOnly(t *testing.T) {
	for _, key := range []string{"KIND", "Kind", "\u212aind", "kInd"} {
		text := `{"` + key + `":"x"}`
		var loose struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal([]byte(text), &loose); err != nil || loose.Kind != "x" {
			t.Fatalf("encoding/json no longer folds %q: %q, %v", key, loose.Kind, err)
		}
		loose.Kind = ""
		if err := wire.Decode([]byte(text), &loose); err != nil || loose.Kind != "" {
			t.Errorf("%q is taken for kind: %q, %v", key, loose.Kind, err)
		}
	}
}

func TestDecodeKeepsWhatHasNoKey(t *testing.T) {
	got := every{Text: "kept", List: []string{"kept"}}
	if err := wire.Decode([]byte(`{"word":"set"}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.Text != "kept" || got.Word != "set" || len(got.List) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestDecodeReplaces(t *testing.T) {
	shared := []string{"old", "old"}
	got := every{List: shared, Map: map[string]int64{"old": 1}, Flag: new(bool)}
	if err := wire.Decode([]byte(`{"list":["new"],"map":{"new":2},"flag":null}`), &got); err != nil {
		t.Fatal(err)
	}
	if shared[0] != "old" || len(got.List) != 1 || len(got.Map) != 1 || got.Flag != nil {
		t.Errorf("got %+v, shared %v", got, shared)
	}
}

func TestDecodeNamesWhatIsWrong(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`[]`, "the value must be an object, not an array"},
		{`null`, "the value must be an object, not null"},
		{`{"text":1}`, "text must be a string, not a number"},
		{`{"text":null}`, "text must be a string, not null"},
		{`{"word":["a"]}`, "word must be a string, not an array"},
		{`{"deep":{}}`, "deep must be a string, not an object"},
		{`{"time":"1"}`, "time must be a whole number, not a string"},
		{`{"time":1.5}`, "time must be a whole number, not a number with a fraction or beyond 2^53-1"},
		{`{"time":9007199254740993}`, "time must be a whole number, not a number with a fraction or beyond 2^53-1"},
		{`{"small":128}`, "small is out of range: 128"},
		{`{"count":-1}`, "count is out of range: -1"},
		{`{"count":65536}`, "count is out of range: 65536"},
		{`{"yes":"true"}`, "yes must be true or false, not a string"},
		{`{"yes":0}`, "yes must be true or false, not a number"},
		{`{"ratio":"1"}`, "ratio must be a number, not a string"},
		{`{"list":{}}`, "list must be an array, not an object"},
		{`{"list":null}`, "list must be an array, not null"},
		{`{"list":["a",2]}`, "list[1] must be a string, not a number"},
		{`{"map":[]}`, "map must be an object, not an array"},
		{`{"map":{"a b":true}}`, `map["a b"] must be a whole number, not true or false`},
		{`{"bytes":"A"}`, "bytes must be base64url without padding"},
		{`{"bytes":[1]}`, "bytes must be a string, not an array"},
		{`{"pointer":{"deep":1}}`, "pointer.deep must be a string, not a number"},
		{`{"many":[{},{"deep":[]}]}`, "many[1].deep must be a string, not an array"},
		{`{"fields":"x"}`, "fields must be an object, not a string"},
		{`{"text":"a","text":"b"}`, `the JSON has the key "text" twice (byte 12)`},
	} {
		var got every
		err := wire.Decode([]byte(row.text), &got)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s\ngot  %v\nwant %s", row.text, err, row.want)
		}
		if nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("%s: code %s", row.text, nod.CodeOf(err))
		}
	}
}

// A mistake in a Go type is the programmer's, and the first use says so.
func TestTypesThatCannotBeCarried(t *testing.T) {
	for _, row := range []struct {
		v    any
		want string
	}{
		{&struct{ Untagged string }{}, "has no json tag"},
		{&struct {
			inner
			Deep string `json:"deep"`
		}{}, "twice"},
		{&struct {
			A int `json:"a,string"`
		}{}, "does not know"},
		{&struct {
			A int `json:",omitempty"`
		}{}, "no name"},
		{&struct {
			A time.Time `json:"a"`
		}{}, "its own JSON form"},
		{&struct {
			A json.RawMessage `json:"a"`
		}{}, "its own JSON form"},
		{&struct {
			A map[int]string `json:"a"`
		}{A: map[int]string{}}, "are not strings"},
		{&struct {
			A chan int `json:"a"`
		}{}, "nothing that JSON can"},
	} {
		if err := wire.Decode([]byte(`{"a":{}}`), row.v); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("Decode into %T: %v, want %q", row.v, err, row.want)
		}
		if _, err := wire.Canonical(row.v); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("Canonical of %T: %v, want %q", row.v, err, row.want)
		}
	}
	for _, target := range []any{nil, every{}, (*every)(nil)} {
		if wire.Fill(map[string]any{}, target) == nil {
			t.Errorf("Fill takes %T", target)
		}
	}
}
