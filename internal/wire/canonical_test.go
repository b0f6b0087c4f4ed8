package wire_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

func TestCanonicalOfStructs(t *testing.T) {
	yes := true
	for _, row := range []struct {
		name string
		v    any
		want string
	}{
		{"declared order does not matter", struct {
			B int    `json:"b"`
			A string `json:"a"`
		}{1, "x"}, `{"a":"x","b":1}`},
		{"omitempty and omitzero", every{}, `{"count":0,"deep":"","list":[],"small":0,"text":"","time":0,"word":"","yes":false}`},
		{"a pointer to a struct", &inner{"x"}, `{"deep":"x"}`},
		{"a nil pointer", (*inner)(nil), `null`},
		{"a nil slice is empty", []string(nil), `[]`},
		{"a nil map is empty", nod.Fields(nil), `{}`},
		{"nil fields in a struct", struct {
			F nod.Fields `json:"f"`
		}{}, `{"f":{}}`},
		{"bytes", []byte{0xfb, 0xff}, `"-_8"`},
		{"an array", [2]int{1, 2}, `[1,2]`},
		{"a map with keys of a named type", map[word]*bool{"b": &yes, "a": nil}, `{"a":null,"b":true}`},
		{"an interface inside", []any{every{}.inner, nod.Time(5), word("w"), uint8(7)}, `[{"deep":""},5,"w",7]`},
		{"a tag beyond ASCII", struct {
			A int `json:"a"`
			B int `json:"\ufb33"`
		}{1, 2}, `{"a":1,"` + "\ufb33" + `":2}`},
	} {
		got, err := wire.Canonical(row.v)
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s, %v; want %s", row.name, got, err, row.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	deep := any("x")
	for range wire.MaxDepth + 1 {
		deep = []any{deep}
	}
	loop := map[string]any{}
	loop["self"] = loop
	type node struct {
		Next *node `json:"next"`
	}
	ring := &node{}
	ring.Next = ring
	for _, row := range []struct {
		name, want string
		v          any
	}{
		{"a fraction", "a[0].lat is a number with a fraction", map[string]any{"a": []any{nod.Fields{"lat": 38.7}}}},
		{"a whole float", "the value is a number with a fraction or beyond", 60.0},
		{"NaN", "fraction", math.NaN()},
		{"infinity", "fraction", []float32{float32(math.Inf(1))}},
		{"2^53", "beyond 2^53-1", int64(1 << 53)},
		{"-2^53", "beyond 2^53-1", int64(-1 << 53)},
		{"a large unsigned", "n is an integer beyond", struct {
			N uint64 `json:"n"`
		}{math.MaxUint64}},
		{"bad UTF-8 in a value", "to[0] has bytes that are not UTF-8", nod.Fields{"to": []any{"\xed\xa0\x80"}}},
		{"bad UTF-8 in a key", "not UTF-8", map[string]any{"\xff": 1}},
		{"too deep", "nests deeper than 16", deep},
		{"a map in itself", "nests deeper than 16", loop},
		{"a struct in itself", "nests deeper than 16", ring},
		{"a function", "nothing that JSON can carry", func() {}},
		{"a complex number", "nothing that JSON can carry", 1i},
	} {
		got, err := wire.Canonical(row.v)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %s, %v; want %q", row.name, got, err, row.want)
		}
	}
}

// tree draws a value that canonical JSON carries.
func tree(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		rapid.String().AsAny(),
		rapid.Int64Range(-wire.MaxInteger, wire.MaxInteger).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars,
		rapid.SliceOfN(tree(depth-1), 0, 4).AsAny(),
		rapid.MapOfN(rapid.String(), tree(depth-1), 0, 4).AsAny())...)
}

func TestCanonicalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := tree(4).Draw(t, "v")
		text, err := wire.Canonical(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err := wire.ParseCanonical(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := wire.Canonical(back)
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s, then %s, %v", text, again, err)
		}
	})
}

func TestKeysSortByUTF16Units(t *testing.T) {
	// Letters on both sides of where UTF-8 and UTF-16 disagree.
	letters := rapid.SampledFrom([]rune{'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xefff, 0xf000, 0xfffd, 0xffff, 0x10000, 0x1f600, 0x40000, 0x10ffff})
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringOfN(letters, 0, 4, -1), 0, 12, rapid.ID).Draw(t, "keys")
		m := map[string]any{}
		for _, k := range keys {
			m[k] = true
		}
		got, err := wire.Canonical(m)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(keys, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		want := "{"
		for i, k := range keys {
			if i > 0 {
				want += ","
			}
			want += strings.ReplaceAll(`"`+k+`":true`, "\x00", `\u0000`)
		}
		if string(got) != want+"}" {
			t.Fatalf("got  %q\nwant %q", got, want+"}")
		}
	})
}

func TestParseCanonicalSaysWhere(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`{"b":1,"a":2}`, "from byte 2 on"},
		{`{"a":1 }`, "from byte 6 on"},
		{`[1,1.0]`, "from byte 4 on"},
		{`"\u0061"`, "from byte 1 on"},
		{`{} `, "from byte 2 on"},
		{`[0.5]`, "fraction"},
		{`{"a":1,"a":1}`, "twice"},
	} {
		if _, err := wire.ParseCanonical([]byte(row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.text, err, row.want)
		}
	}
}
