package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"nod.dev/nod"
)

// Canonical writes v as RFC 8785 canonical JSON: keys sorted by their UTF-16
// code units, no spaces, the shortest escapes. v is a tree as [Parse] makes it,
// or Go values with json tags (omitempty and omitzero are honoured).
//
// Numbers are integers within ±[MaxInteger]; a float64 is an error even when it
// is whole, for a fraction never belongs into what is signed. A nil slice or
// map is written as empty, so that there is one text for "none", and a []byte
// as base64url.
func Canonical(v any) ([]byte, error) {
	return appendValue(make([]byte, 0, 256), v, 0)
}

// ParseCanonical parses data and requires that it is its own canonical form:
// the only text in which a signed body is accepted.
func ParseCanonical(data []byte) (any, error) {
	tree, err := Parse(data)
	if err != nil {
		return nil, err
	}
	again, err := Canonical(tree)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, data) {
		at := 0
		for at < len(data) && at < len(again) && data[at] == again[at] {
			at++
		}
		return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the JSON is not canonical from byte %d on", at),
			"sort the keys, leave out spaces, write integers without point or exponent, escape only what must be")
	}
	return tree, nil
}

// appendValue takes the types of a parsed tree by the short way.
func appendValue(b []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case string:
		return appendString(b, v)
	case int64:
		return appendInteger(b, v)
	case int:
		return appendInteger(b, int64(v))
	case []any:
		return appendList(b, len(v), depth+1, func(b []byte, i int) ([]byte, error) {
			return appendValue(b, v[i], depth+1)
		})
	case map[string]any:
		return appendMap(b, v, depth+1)
	case nod.Fields:
		return appendMap(b, v, depth+1)
	}
	return appendReflected(b, reflect.ValueOf(v), depth)
}

func tooDeep() error { return invalid("nests deeper than " + strconv.Itoa(MaxDepth)) }

func appendMap(b []byte, m map[string]any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, tooDeep()
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	b = append(b, '{')
	for i, k := range keys {
		var err error
		if b, err = appendKey(b, i > 0, k); err != nil {
			return nil, err
		}
		if b, err = appendValue(b, m[k], depth); err != nil {
			return nil, within(err, pathKey(k))
		}
	}
	return append(b, '}'), nil
}

func appendKey(b []byte, comma bool, key string) ([]byte, error) {
	if comma {
		b = append(b, ',')
	}
	b, err := appendString(b, key)
	return append(b, ':'), err
}

func appendList(b []byte, n, depth int, item func([]byte, int) ([]byte, error)) ([]byte, error) {
	if depth > MaxDepth {
		return nil, tooDeep()
	}
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = item(b, i); err != nil {
			return nil, withinIndex(err, i)
		}
	}
	return append(b, ']'), nil
}

// appendReflected takes every other Go value.
func appendReflected(b []byte, v reflect.Value, depth int) ([]byte, error) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		v = v.Elem()
	}
	if ownJSON(v.Type()) {
		return nil, fmt.Errorf("wire: a %v brings its own JSON form, which is not used here", v.Type())
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.String:
		return appendString(b, v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendInteger(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return appendInteger(b, int64(min(v.Uint(), MaxInteger+1)))
	case reflect.Float32, reflect.Float64:
		return nil, invalid("is a number with a fraction or beyond 2^53-1, which is never signed")
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return append(append(append(b, '"'), Encode64(v.Bytes())...), '"'), nil
		}
		return appendList(b, v.Len(), depth+1, func(b []byte, i int) ([]byte, error) {
			return appendReflected(b, v.Index(i), depth+1)
		})
	case reflect.Map:
		return appendReflectedMap(b, v, depth+1)
	case reflect.Struct:
		return appendStruct(b, v, depth+1)
	}
	return nil, fmt.Errorf("wire: a %v is nothing that JSON can carry", v.Type())
}

func appendReflectedMap(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("wire: the keys of a %v are not strings", v.Type())
	}
	m := make(map[string]any, v.Len())
	for entry := v.MapRange(); entry.Next(); {
		m[entry.Key().String()] = entry.Value().Interface()
	}
	return appendMap(b, m, depth)
}

func appendStruct(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, tooDeep()
	}
	l, err := layoutOf(v.Type())
	if err != nil {
		return nil, err
	}
	b = append(b, '{')
	comma := false
	for i := range l.fields {
		f := &l.fields[i]
		value := v.FieldByIndex(f.index)
		if f.skip(value) {
			continue
		}
		if b, err = appendKey(b, comma, f.name); err != nil {
			return nil, err
		}
		comma = true
		if b, err = appendReflected(b, value, depth); err != nil {
			return nil, within(err, pathKey(f.name))
		}
	}
	return append(b, '}'), nil
}

func appendInteger(b []byte, n int64) ([]byte, error) {
	if n > MaxInteger || n < -MaxInteger {
		return nil, invalid("is an integer beyond 2^53-1")
	}
	return strconv.AppendInt(b, n, 10), nil
}

// appendString escapes what JSON demands and nothing more.
func appendString(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, invalid("has bytes that are not UTF-8")
	}
	b = append(b, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\t':
			b = append(b, `\t`...)
		case '\n':
			b = append(b, `\n`...)
		case '\f':
			b = append(b, `\f`...)
		case '\r':
			b = append(b, `\r`...)
		default:
			const hex = "0123456789abcdef"
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"'), nil
}

// compareKeys orders keys by their UTF-16 code units. UTF-8 bytes sort by code
// point, which differs in one place only: a character beyond U+FFFF is a
// surrogate pair (D800 to DFFF) and so comes before U+E000 to U+FFFF.
func compareKeys(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}
