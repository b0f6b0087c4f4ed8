package action

import (
	"slices"
	"strings"

	"nod.dev/nod/spec"
)

// form checks a value that is there against what its field must be, and returns
// it as the action carries it. Strings in it are trimmed already.
func (c *checker) form(f spec.Field, v any) (any, bool) {
	switch f.Is {
	case spec.FormBoolean:
		_, ok := v.(bool)
		return v, ok
	case spec.FormInteger:
		n, ok := v.(int64)
		return v, ok && f.Min <= n && n <= f.Max
	case spec.FormPlace:
		return c.place(v)
	case spec.FormValues:
		return texts(v)
	case spec.FormPlaces:
		return each(v, c.place)
	case spec.FormTexts:
		return each(v, filled)
	case spec.FormDays:
		return each(v, func(item any) (any, bool) { return item, c.oneOf(f, item) })
	case spec.FormEnum:
		return v, c.oneOf(f, v)
	}
	s, ok := v.(string)
	return v, ok && stringForms[f.Is](s)
}

// stringForms are the forms of a field that is a string.
var stringForms = map[spec.Form]func(string) bool{
	spec.FormText:   func(string) bool { return true },
	spec.FormTime:   isTime,
	spec.FormDate:   isDate,
	spec.FormNumber: isNumber,
	spec.FormURL:    isWeb,
}

func (c *checker) oneOf(f spec.Field, v any) bool {
	s, ok := v.(string)
	return ok && slices.Contains(c.spec.Phone.Words(f), s)
}

// each checks every item of a list.
func each(v any, item func(any) (any, bool)) (any, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	good := make([]any, len(list))
	for i := range list {
		if good[i], ok = item(list[i]); !ok {
			return nil, false
		}
	}
	return good, true
}

// filled is a string with something in it.
func filled(v any) (any, bool) {
	s, ok := v.(string)
	return v, ok && s != ""
}

// texts is an object whose values are all strings; empty ones are allowed.
func texts(v any) (any, bool) {
	m, ok := v.(map[string]any)
	for _, value := range m {
		if _, text := value.(string); !text {
			return nil, false
		}
	}
	return v, ok
}

// matches compares a string with a shape in which 0 stands for any ASCII digit.
func matches(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		if shape[i] == '0' {
			if !isDigit(s[i]) {
				return false
			}
		} else if s[i] != shape[i] {
			return false
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isTime is HH:MM, hours 00 to 23 and minutes 00 to 59.
func isTime(s string) bool {
	return matches(s, "00:00") && s[:2] <= "23" && s[3:] <= "59"
}

// isDate is a shape only: whether there is such a day, the phone finds out.
func isDate(s string) bool {
	return matches(s, "0000-00-00") || matches(s, "0000-00-00T00:00")
}

// isNumber is at least three digits, and nothing but what a dialer takes.
func isNumber(s string) bool {
	digits := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		} else if !strings.ContainsRune(" +()-./#*", rune(s[i])) {
			return false
		}
	}
	return digits >= 3
}

// isWeb begins as a web address does, in any case, and goes on.
func isWeb(s string) bool {
	_, rest, ok := cutScheme(s)
	return ok && rest != ""
}

// cutScheme takes http:// or https:// off the front.
func cutScheme(s string) (scheme, rest string, ok bool) {
	for _, scheme := range []string{"http://", "https://"} {
		if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return scheme, s[len(scheme):], true
		}
	}
	return "", "", false
}
