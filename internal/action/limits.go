package action

import (
	"fmt"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// limits is the fourth step: what a card cannot show in full and as it is. It
// goes through the fields in the card's order and returns the first problem.
func (c *checker) limits(a nod.Action, order []string, shown map[string]spec.Field) string {
	for _, field := range order {
		if v, ok := a.Fields[field]; ok {
			if what := c.fieldLimit(shown[field], v); what != "" {
				return c.limit(field, what)
			}
		}
	}
	if limit := c.spec.Phone.Limits.TotalBytes; bytesIn(map[string]any(a.Fields))+len(a.Summary) > limit {
		return c.limit(a.Name, c.what(spec.TextLimitBytes, limit))
	}
	return ""
}

func (c *checker) limit(field, what string) string {
	return c.spec.Text(spec.TextLimit, words{"field": field, "what": what})
}

func (c *checker) what(key string, limit int) string {
	return c.spec.Text(key, words{"max": number(limit)})
}

// fieldLimit returns what is wrong with a field, "" when nothing is.
func (c *checker) fieldLimit(f spec.Field, v any) string {
	switch v := v.(type) {
	case string:
		return c.textLimit(f, v)
	case []any:
		if f.MaxItems > 0 && len(v) > f.MaxItems {
			return c.what(spec.TextLimitItems, f.MaxItems)
		}
		for _, item := range v {
			if what := c.fieldLimit(f, item); what != "" {
				return what
			}
		}
	case map[string]any:
		if f.Is == spec.FormValues {
			return c.valuesLimit(f, v)
		}
		for _, key := range placeTexts {
			if s, ok := v[key].(string); ok {
				if what := c.textLimit(f, s); what != "" {
					return what
				}
			}
		}
	}
	return ""
}

// textLimit looks at length first, then at the characters, then at a link.
func (c *checker) textLimit(f spec.Field, s string) string {
	if f.MaxChars > 0 && utf8.RuneCountInString(s) > f.MaxChars {
		return c.what(spec.TextLimitChars, f.MaxChars)
	}
	if what := c.charactersLimit(f.Class, s); what != "" {
		return what
	}
	if f.Is == spec.FormURL {
		if key := linkProblem(s); key != "" {
			return c.spec.Text(key, nil)
		}
	}
	return ""
}

// charactersLimit refuses what would be invisible, would turn the text round,
// or would hide a letter under a heap of marks.
func (c *checker) charactersLimit(class, s string) string {
	if class == "" {
		return ""
	}
	marks, limit := 0, c.spec.Phone.Limits.MarksInARow
	for _, r := range s {
		if c.spec.Phone.Forbidden(class, r) {
			return c.spec.Text(spec.TextLimitCharacter, words{"code": fmt.Sprintf("U+%04X", r)})
		}
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		} else if marks++; marks > limit {
			return c.what(spec.TextLimitMarks, limit)
		}
	}
	return ""
}

// valuesLimit checks an automation's inputs. Their names are shown as labels,
// so they are held to the strict characters; all entries are checked in the
// order of their names.
func (c *checker) valuesLimit(f spec.Field, values map[string]any) string {
	if len(values) > f.MaxItems {
		return c.what(spec.TextLimitItems, f.MaxItems)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key == "" || c.trim(key) != key {
			return c.spec.Text(spec.TextLimitKey, nil)
		}
		if utf8.RuneCountInString(key) > f.MaxKeyChars {
			return c.what(spec.TextLimitKeyChars, f.MaxKeyChars)
		}
		if what := c.charactersLimit("strict", key); what != "" {
			return what
		}
		if what := c.textLimit(f, values[key].(string)); what != "" {
			return what
		}
	}
	return ""
}

// bytesIn counts the UTF-8 of every string in v, keys of objects included.
func bytesIn(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		n = len(v)
	case []any:
		for _, item := range v {
			n += bytesIn(item)
		}
	case map[string]any:
		for key, value := range v {
			n += len(key) + bytesIn(value)
		}
	}
	return n
}
