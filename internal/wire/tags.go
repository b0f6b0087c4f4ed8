package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// field is one struct field as it stands on the wire.
type field struct {
	name      string // the exact key
	index     []int  // for reflect's FieldByIndex; longer than 1 inside embedded structs
	omitEmpty bool
	omitZero  bool
}

// layout is what a struct type looks like on the wire.
type layout struct {
	fields []field // in canonical order
	byName map[string]int
}

var layouts sync.Map // reflect.Type -> *layout or error

// layoutOf reads the json tags of a struct type. It is stricter than
// encoding/json, so that a forgotten tag is noticed by the first test: every
// exported field needs a tag, and no name may come twice.
func layoutOf(t reflect.Type) (*layout, error) {
	if cached, ok := layouts.Load(t); ok {
		if l, ok := cached.(*layout); ok {
			return l, nil
		}
		return nil, cached.(error)
	}
	l, err := readLayout(t)
	if err != nil {
		layouts.Store(t, err)
		return nil, err
	}
	layouts.Store(t, l)
	return l, nil
}

func readLayout(t reflect.Type) (*layout, error) {
	l := &layout{byName: map[string]int{}}
	if err := l.collect(t, nil); err != nil {
		return nil, err
	}
	slices.SortFunc(l.fields, func(a, b field) int { return compareKeys(a.name, b.name) })
	for i, f := range l.fields {
		if _, twice := l.byName[f.name]; twice {
			return nil, fmt.Errorf("wire: %v has the json tag %q twice", t, f.name)
		}
		l.byName[f.name] = i
	}
	return l, nil
}

func (l *layout) collect(t reflect.Type, prefix []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		tag, tagged := f.Tag.Lookup("json")
		switch {
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			if err := l.collect(f.Type, index); err != nil {
				return err
			}
			continue
		case !f.IsExported() || tag == "-":
			continue
		case !tagged:
			return fmt.Errorf("wire: field %s of %v has no json tag", f.Name, t)
		}
		name, options, _ := strings.Cut(tag, ",")
		wired := field{name: name, index: index}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "":
			case "omitempty":
				wired.omitEmpty = true
			case "omitzero":
				wired.omitZero = true
			default:
				return fmt.Errorf("wire: field %s of %v has the json option %q, which wire does not know", f.Name, t, option)
			}
		}
		if name == "" {
			return fmt.Errorf("wire: field %s of %v has no name in its json tag", f.Name, t)
		}
		l.fields = append(l.fields, wired)
	}
	return nil
}

// skip reports whether the field is left out of the text.
func (f *field) skip(v reflect.Value) bool {
	if f.omitZero && v.IsZero() {
		return true
	}
	if !f.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

var formed sync.Map // reflect.Type -> bool, what ownJSON found

// ownJSON reports whether t brings its own JSON form, which the walkers here do
// not call and so must not silently replace by another.
func ownJSON(t reflect.Type) bool {
	if t.PkgPath() == "" { // string, int64, []T: types without methods
		return false
	}
	if own, ok := formed.Load(t); ok {
		return own.(bool)
	}
	own := t.Implements(jsonMarshaler) || reflect.PointerTo(t).Implements(jsonMarshaler) ||
		reflect.PointerTo(t).Implements(jsonUnmarshaler)
	formed.Store(t, own)
	return own
}
