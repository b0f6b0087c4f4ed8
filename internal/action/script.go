package action

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// looksAlike reports whether a word of the action is written so that it can be
// taken for another one: a host or a name that mixes scripts within a word, or
// a host label that is all foreign letters and reads as Latin. It is the
// "highly restrictive" rule of UTS 39 over words: Latin goes with Japanese,
// Korean or Chinese writing, and with nothing else.
func looksAlike(a nod.Action) bool {
	for _, field := range slices.Sorted(maps.Keys(a.Fields)) {
		switch {
		case field == spec.FieldURL:
			if url, ok := a.Fields[field].(string); ok && hostLooksAlike(hostOf(url)) {
				return true
			}
		case slices.Contains(lookAlikeFields, field):
			if mixed(a.Fields[field]) {
				return true
			}
		}
	}
	return false
}

// lookAlikeFields name somebody, an app or a place; a body of text names nothing.
var lookAlikeFields = []string{
	spec.FieldApp, spec.FieldName, spec.FieldTo, spec.FieldCC,
	spec.FieldDestination, spec.FieldStop, spec.FieldStops, spec.FieldQuery, spec.FieldPlace, spec.FieldLocation,
}

// mixed looks at every word of every string in v.
func mixed(v any) bool {
	switch v := v.(type) {
	case string:
		notLetter := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
		return slices.ContainsFunc(strings.FieldsFunc(v, notLetter), mixedWord)
	case []any:
		return slices.ContainsFunc(v, mixed)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), mixed)
	}
	return false
}

// hostLooksAlike decodes the labels that stand for other scripts.
func hostLooksAlike(host string) bool {
	for label := range strings.SplitSeq(strings.ToLower(host), ".") {
		encoded, ok := strings.CutPrefix(label, "xn--")
		if !ok {
			continue
		}
		decoded, ok := decodePunycode(encoded)
		if !ok || mixedWord(decoded) || readsAsLatin(decoded) {
			return true
		}
	}
	return false
}

// together are the sets of scripts that one word may mix.
var together = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Bopomofo"},
	{"Latin", "Han", "Hangul"},
}

func mixedWord(word string) bool {
	scripts := map[string]bool{}
	for _, r := range word {
		if name := scriptOf(r); name != "" {
			scripts[name] = true
		}
	}
	if len(scripts) < 2 {
		return false
	}
	return !slices.ContainsFunc(together, func(set []string) bool {
		for name := range scripts {
			if !slices.Contains(set, name) {
				return false
			}
		}
		return true
	})
}

// scriptOf names the script of a letter; what is common to all has none.
func scriptOf(r rune) string {
	if r < 0x80 {
		if unicode.IsLetter(r) {
			return "Latin"
		}
		return ""
	}
	if unicode.In(r, unicode.Common, unicode.Inherited) {
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}

// latinTwins are the Cyrillic and Greek small letters that a reader takes for
// Latin ones.
const latinTwins = "асԁеһіјӏոорԛѕуԝхѵ" + "αενικορτυχ"

// readsAsLatin reports whether every letter has a Latin twin: "аррӏе".
func readsAsLatin(label string) bool {
	foreign := false
	for _, r := range label {
		switch {
		case r < 0x80:
		case strings.ContainsRune(latinTwins, r):
			foreign = true
		default:
			return false
		}
	}
	return foreign
}
