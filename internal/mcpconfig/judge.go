package mcpconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ours are the keys that nod itself puts into an object of its entry.
var ours = []string{"Authorization", TokenVariable}

// entryOf finds the entry in a parsed file; nil for none.
func (c Client) entryOf(tree map[string]any) map[string]any {
	for _, key := range append(slices.Clone(c.path), Name) {
		next, _ := tree[key].(map[string]any)
		tree = next
	}
	return tree
}

// looksRight refuses a file whose shape is not what the client reads.
func (c Client) looksRight(tree map[string]any) error {
	at := tree
	path := append(slices.Clone(c.path), Name)
	for i, key := range path {
		v, there := at[key]
		if !there || v == nil && c.format == yamlFormat {
			break
		}
		next, ok := v.(map[string]any)
		if !ok {
			return byHand("%s in it is no table of settings", strings.Join(path[:i+1], "."))
		}
		at = next
	}
	if x := c.extra; x != nil {
		if v, there := tree[x.list]; there {
			if _, ok := v.([]any); !ok {
				return byHand("%s in it is no list", x.list)
			}
		}
	}
	return nil
}

// gone lists the keys of the entry that have to leave it: those of the other
// transport, and those by which the token came and comes no more. One with
// something of the person's own in it refuses the first and keeps the second.
func (c Client) gone(tree map[string]any, t Transport, entry object) ([]string, error) {
	other := c.httpKeys
	if t == HTTP {
		other = c.pipesKeys
	}
	var out []string
	have := c.entryOf(tree)
	if key, in := otherLetters(have, entry); key != "" {
		return nil, byHand("nod is in it already, with %s in %s, which says in other letters what nod writes there; remove it first", key, in)
	}
	for _, key := range slices.Sorted(maps.Keys(have)) {
		if _, wanted := entry.get(key); wanted {
			continue
		}
		left, mine := c.own(key, have[key]), slices.Contains(other, key)
		switch {
		case mine && left != "":
			return nil, byHand("nod is in it already in another way, with %s in %s, which is yours; remove that entry first", left, key)
		case mine, left == "" && slices.Contains(c.tokenKeys, key):
			out = append(out, key)
		}
	}
	return out, nil
}

// otherLetters finds a key within the entry's objects that is one of nod's but for
// upper and lower case. The names of headers do not differ by that (RFC 9110
// section 5.1): both would be sent.
func otherLetters(have map[string]any, entry object) (key, in string) {
	for _, f := range entry {
		want, ok1 := f.value.(object)
		was, ok2 := have[f.key].(map[string]any)
		if !ok1 || !ok2 {
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(was)) {
			if slices.ContainsFunc(want, func(w field) bool { return k != w.key && strings.EqualFold(k, w.key) }) {
				return k, f.key
			}
		}
	}
	return "", ""
}

// twin is another entry of the file that leads to the same address, over HTTP;
// empty for none.
func (c Client) twin(tree map[string]any, address string) string {
	for _, key := range c.path {
		tree, _ = tree[key].(map[string]any)
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		other, _ := tree[name].(map[string]any)
		for _, key := range c.httpKeys {
			if other[key] == address && name != Name {
				return name
			}
		}
	}
	return ""
}

// own names something in an object, or in a list of variables, that nod did not
// put there; empty for none. The list of a program's arguments is nod's, whole.
func (c Client) own(key string, v any) string {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(ours, k) {
				return k
			}
		}
	case []any:
		for _, e := range v {
			if slices.Contains(c.tokenKeys, key) && e != TokenVariable {
				return fmt.Sprint(e)
			}
		}
	}
	return ""
}

// done reports whether a parsed file says what is wanted.
func (c Client) done(tree map[string]any, entry object, gone []string) bool {
	have := c.entryOf(tree)
	if have == nil || !satisfied(have, entry) {
		return false
	}
	for _, key := range gone {
		if _, there := have[key]; there {
			return false
		}
	}
	return c.extra == nil || slices.ContainsFunc(elements(tree, c.extra), c.extra.is)
}

// is reports whether an element of the list is this one.
func (i item) is(element any) bool {
	m, ok := element.(map[string]any)
	return ok && m[i.key] == i.id()
}

func elements(tree map[string]any, i *item) []any {
	l, _ := tree[i.list].([]any)
	return l
}

// nothingLost compares two parsed files: all but nod's entry is the same, and
// in the entry every key that nod does not set.
func (c Client) nothingLost(before, after map[string]any, entry object, gone []string) bool {
	return same(c.without(before), c.without(after)) && keptIn(c.entryOf(before), c.entryOf(after), entry, gone)
}

// keptIn reports whether what was in an object is still there, but for what is
// set or gone.
func keptIn(before, after map[string]any, entry object, gone []string) bool {
	for key, was := range before {
		if slices.Contains(gone, key) {
			continue
		}
		is, there := after[key]
		want, set := entry.get(key)
		switch want := want.(type) {
		case object:
			was, ok1 := was.(map[string]any)
			is, ok2 := is.(map[string]any)
			if ok1 && (!ok2 || !keptIn(was, is, want, nil)) {
				return false
			}
		case list:
			was, _ := was.([]any)
			is, _ := is.([]any)
			for _, e := range was {
				if !slices.ContainsFunc(is, func(other any) bool { return same(e, other) }) {
					return false
				}
			}
		default:
			if !set && (!there || !same(was, is)) {
				return false
			}
		}
	}
	return true
}

// without is the file less what is nod's: a copy, with no empty object that only
// nod's entry was in.
func (c Client) without(tree map[string]any) map[string]any {
	out := remove(tree, append(slices.Clone(c.path), Name))
	if x := c.extra; x != nil {
		left := slices.DeleteFunc(slices.Clone(elements(tree, x)), x.is)
		if _, ok := out[x.list].([]any); ok {
			out[x.list] = left
			if len(left) == 0 {
				delete(out, x.list)
			}
		}
	}
	return out
}

func remove(tree map[string]any, path []string) map[string]any {
	out := maps.Clone(tree)
	if len(path) == 1 {
		delete(out, path[0])
		return out
	}
	v, there := tree[path[0]]
	if sub, ok := v.(map[string]any); ok {
		sub = remove(sub, path[1:])
		out[path[0]] = sub
		if len(sub) == 0 {
			delete(out, path[0])
		}
	} else if there && v == nil {
		delete(out, path[0]) // "extensions:" with nothing in it
	}
	return out
}
