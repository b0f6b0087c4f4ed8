package wire

import (
	"fmt"
	"reflect"
)

// Decode parses data strictly and fills v, a pointer, from it; see [Fill].
func Decode(data []byte, v any) error {
	tree, err := Parse(data)
	if err != nil {
		return err
	}
	return Fill(tree, v)
}

// Fill sets v, a pointer, from a tree that [Parse] made.
//
// A struct field takes the key that equals its json tag, byte for byte. A key
// without a field is ignored, a field without a key keeps its value. A value of
// another type is an error that names its path; null is taken by pointers and
// any alone. Fields of type any share the tree.
func Fill(tree, v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("wire: Fill needs a pointer, not %T", v)
	}
	return fill(tree, target.Elem())
}

func fill(tree any, v reflect.Value) error {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		if tree == nil {
			v.SetZero()
		} else {
			v.Set(reflect.ValueOf(tree))
		}
		return nil
	case t.Kind() == reflect.Pointer:
		return fillPointer(tree, v)
	case ownJSON(t):
		return fmt.Errorf("wire: a %v brings its own JSON form, which is not used here", t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return fillStruct(tree, v)
	case reflect.Map:
		return fillMap(tree, v)
	case reflect.Slice:
		return fillSlice(tree, v)
	case reflect.String:
		s, ok := tree.(string)
		if !ok {
			return mismatch("a string", tree)
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := tree.(bool)
		if !ok {
			return mismatch("true or false", tree)
		}
		v.SetBool(b)
	case reflect.Float32, reflect.Float64:
		return fillFloat(tree, v)
	default:
		return fillInteger(tree, v)
	}
	return nil
}

func fillPointer(tree any, v reflect.Value) error {
	if tree == nil {
		v.SetZero()
		return nil
	}
	fresh := reflect.New(v.Type().Elem())
	if err := fill(tree, fresh.Elem()); err != nil {
		return err
	}
	v.Set(fresh)
	return nil
}

func fillStruct(tree any, v reflect.Value) error {
	m, ok := tree.(map[string]any)
	if !ok {
		return mismatch("an object", tree)
	}
	l, err := layoutOf(v.Type())
	if err != nil {
		return err
	}
	for i := range l.fields {
		f := &l.fields[i]
		value, ok := m[f.name]
		if !ok {
			continue
		}
		if err := fill(value, v.FieldByIndex(f.index)); err != nil {
			return within(err, pathKey(f.name))
		}
	}
	return nil
}

func fillMap(tree any, v reflect.Value) error {
	m, ok := tree.(map[string]any)
	if !ok {
		return mismatch("an object", tree)
	}
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		return fmt.Errorf("wire: the keys of a %v are not strings", t)
	}
	fresh := reflect.MakeMapWithSize(t, len(m))
	for key, value := range m {
		item := reflect.New(t.Elem()).Elem()
		if err := fill(value, item); err != nil {
			return within(err, pathKey(key))
		}
		fresh.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), item)
	}
	v.Set(fresh)
	return nil
}

func fillSlice(tree any, v reflect.Value) error {
	t := v.Type()
	if t.Elem().Kind() == reflect.Uint8 {
		s, ok := tree.(string)
		if !ok {
			return mismatch("a string", tree)
		}
		b, err := Decode64(s)
		if err != nil {
			return invalid("must be base64url without padding")
		}
		v.SetBytes(b)
		return nil
	}
	list, ok := tree.([]any)
	if !ok {
		return mismatch("an array", tree)
	}
	fresh := reflect.MakeSlice(t, len(list), len(list))
	for i, value := range list {
		if err := fill(value, fresh.Index(i)); err != nil {
			return withinIndex(err, i)
		}
	}
	v.Set(fresh)
	return nil
}

func fillFloat(tree any, v reflect.Value) error {
	switch n := tree.(type) {
	case int64:
		v.SetFloat(float64(n))
	case float64:
		v.SetFloat(n)
	default:
		return mismatch("a number", tree)
	}
	return nil
}

func fillInteger(tree any, v reflect.Value) error {
	n, ok := tree.(int64)
	switch {
	case v.CanInt():
		if ok && !v.OverflowInt(n) {
			v.SetInt(n)
			return nil
		}
	case v.CanUint():
		if ok && n >= 0 && !v.OverflowUint(uint64(n)) {
			v.SetUint(uint64(n))
			return nil
		}
	default:
		return fmt.Errorf("wire: a %v is nothing that JSON can fill", v.Type())
	}
	if ok {
		return invalid(fmt.Sprintf("is out of range: %d", n))
	}
	return mismatch("a whole number", tree)
}

func mismatch(want string, tree any) error {
	return invalid("must be " + want + ", not " + describe(tree))
}

// describe names the type of a value as a person would.
func describe(tree any) string {
	switch tree.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a string"
	case int64:
		return "a number"
	case float64:
		return "a number with a fraction or beyond 2^53-1"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a %T", tree)
}
