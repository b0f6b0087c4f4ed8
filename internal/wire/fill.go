package wire

import (
	"fmt"
	"reflect"
	"strconv"
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
	return fill(tree, target.Elem(), "")
}

func fill(tree any, v reflect.Value, path string) error {
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
		return fillPointer(tree, v, path)
	case ownJSON(t):
		return fmt.Errorf("wire: %s is a %v, which brings its own JSON form", path, t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return fillStruct(tree, v, path)
	case reflect.Map:
		return fillMap(tree, v, path)
	case reflect.Slice:
		return fillSlice(tree, v, path)
	case reflect.String:
		s, ok := tree.(string)
		if !ok {
			return mismatch(path, "a string", tree)
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := tree.(bool)
		if !ok {
			return mismatch(path, "true or false", tree)
		}
		v.SetBool(b)
	case reflect.Float32, reflect.Float64:
		return fillFloat(tree, v, path)
	default:
		return fillInteger(tree, v, path)
	}
	return nil
}

func fillPointer(tree any, v reflect.Value, path string) error {
	if tree == nil {
		v.SetZero()
		return nil
	}
	fresh := reflect.New(v.Type().Elem())
	if err := fill(tree, fresh.Elem(), path); err != nil {
		return err
	}
	v.Set(fresh)
	return nil
}

func fillStruct(tree any, v reflect.Value, path string) error {
	m, ok := tree.(map[string]any)
	if !ok {
		return mismatch(path, "an object", tree)
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
		if err := fill(value, v.FieldByIndex(f.index), joinPath(path, f.name)); err != nil {
			return err
		}
	}
	return nil
}

func fillMap(tree any, v reflect.Value, path string) error {
	m, ok := tree.(map[string]any)
	if !ok {
		return mismatch(path, "an object", tree)
	}
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		return fmt.Errorf("wire: %s is a map whose keys are not strings", path)
	}
	fresh := reflect.MakeMapWithSize(t, len(m))
	for key, value := range m {
		item := reflect.New(t.Elem()).Elem()
		if err := fill(value, item, joinPath(path, pathKey(key))); err != nil {
			return err
		}
		fresh.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), item)
	}
	v.Set(fresh)
	return nil
}

func fillSlice(tree any, v reflect.Value, path string) error {
	t := v.Type()
	if t.Elem().Kind() == reflect.Uint8 {
		s, ok := tree.(string)
		if !ok {
			return mismatch(path, "a string", tree)
		}
		b, err := Decode64(s)
		if err != nil {
			return invalid(path, "must be base64url without padding")
		}
		v.SetBytes(b)
		return nil
	}
	list, ok := tree.([]any)
	if !ok {
		return mismatch(path, "an array", tree)
	}
	fresh := reflect.MakeSlice(t, len(list), len(list))
	for i, value := range list {
		if err := fill(value, fresh.Index(i), path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	v.Set(fresh)
	return nil
}

func fillFloat(tree any, v reflect.Value, path string) error {
	switch n := tree.(type) {
	case int64:
		v.SetFloat(float64(n))
	case float64:
		v.SetFloat(n)
	default:
		return mismatch(path, "a number", tree)
	}
	return nil
}

func fillInteger(tree any, v reflect.Value, path string) error {
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
		return fmt.Errorf("wire: %s is a %v, which JSON cannot fill", path, v.Type())
	}
	if ok {
		return invalid(path, fmt.Sprintf("is out of range: %d", n))
	}
	return mismatch(path, "a whole number", tree)
}

func mismatch(path, want string, tree any) error {
	return invalid(path, "must be "+want+", not "+describe(tree))
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
