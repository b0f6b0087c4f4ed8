package mcpconfig

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"
)

// field is a key of nod's entry with its value: a string, a bool, an int, a
// []string, a list or an object.
type field struct {
	key   string
	value any
	keep  bool // what is there already stays: it is a preference, not what connects
}

// object keeps its keys in order, as a person would write them.
type object []field

// list names what has to be among the elements; others may be there too.
type list []string

// item is an object that has to be in a list at the top of the file, told from
// the others by one of its keys.
type item struct {
	list  string
	key   string
	value object
}

func (o object) get(key string) (any, bool) {
	for _, f := range o {
		if f.key == key {
			return f.value, true
		}
	}
	return nil, false
}

// id is the item's own value of its key.
func (i item) id() string {
	v, _ := i.value.get(i.key)
	return fmt.Sprint(v)
}

// plain is a value as a parser would have read it.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []string:
		return texts(v)
	case list:
		return texts(v)
	case object:
		m := map[string]any{}
		for _, f := range v {
			m[f.key] = plain(f.value)
		}
		return m
	}
	return v
}

func texts(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

// satisfied reports whether a value of the file says already what is wanted.
func satisfied(have, want any) bool {
	switch want := want.(type) {
	case list:
		elements, ok := have.([]any)
		return ok && !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(elements, any(w)) })
	case object:
		m, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for _, f := range want {
			v, there := m[f.key]
			if !there || !f.keep && !satisfied(v, f.value) {
				return false
			}
		}
		return true
	}
	return same(have, plain(want))
}

// same compares values of a parsed file. Numbers are equal by value, a NaN is
// equal to another, times by their instant.
func same(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && (x == y || math.IsNaN(x) && math.IsNaN(y))
	}
	switch a := a.(type) {
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok || len(a) != len(m) {
			return false
		}
		for k, v := range a {
			if w, there := m[k]; !there || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		l, ok := b.([]any)
		return ok && slices.EqualFunc(a, l, same)
	case time.Time:
		t, ok := b.(time.Time)
		return ok && a.Equal(t)
	}
	return reflect.DeepEqual(a, b)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
