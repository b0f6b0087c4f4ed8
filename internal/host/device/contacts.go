package device

import (
	"slices"
	"strings"
	"unicode"

	"nod.dev/nod"
)

// Search finds people by what an agent wrote: those with it in their name, in
// their order, then those with it in a number or a mail address. It is read as
// it stands; no character in it means any other.
func Search(all []Contact, query string) []Contact {
	want := fold(query)
	if want == "" {
		return nil
	}
	var byName, byAddress []Contact
	for _, c := range all {
		switch {
		case strings.Contains(fold(c.Name), want):
			byName = append(byName, c)
		case has(c.Emails, inMail(query)), has(c.Phones, inNumber(query)):
			byAddress = append(byAddress, c)
		}
	}
	return append(byName, byAddress...)
}

// inMail reports of a mail address whether a query is a part of it.
func inMail(query string) func(address string) bool {
	want := fold(query)
	return func(address string) bool { return strings.Contains(fold(address), want) }
}

// inNumber reports of a number whether a query is a part of it, however either
// is spaced. Less than three digits are a part of too many.
func inNumber(query string) func(number string) bool {
	as, digits := strings.TrimSpace(query), onlyDigits(query)
	spaced := len(digits) >= 3 && IsNumber(query)
	return func(number string) bool {
		return strings.Contains(number, as) || spaced && strings.Contains(onlyDigits(number), digits)
	}
}

// IsNumber reports whether s is a phone number and no name: digits, and what is
// written between them.
func IsNumber(s string) bool {
	return onlyDigits(s) != "" && strings.Trim(s, "0123456789 +()-./#*") == ""
}

// Found is the one number that a name stands for on this phone.
type Found struct {
	Name   string // of the contact
	Number Address
}

// NumberOf finds the number that a name stands for. It is never guessed: where
// several people are called so, or the one has several numbers, the answer is
// [nod.WhyMoreThanOne].
func NumberOf(all []Contact, name string) (Found, nod.Why) {
	words := strings.Fields(fold(name))
	var found []Contact
	for _, c := range all {
		if called(c.Name, words) {
			found = append(found, c)
		}
	}
	switch {
	case len(found) == 0:
		return Found{}, nod.WhyNotFound
	case len(found) > 1:
		return Found{}, nod.WhyMoreThanOne
	}
	c := found[0]
	var numbers []Address
	for _, p := range c.Phones {
		if IsNumber(p.Value) && !has(numbers, func(v string) bool { return onlyDigits(v) == onlyDigits(p.Value) }) {
			numbers = append(numbers, p)
		}
	}
	switch len(numbers) {
	case 0:
		return Found{}, nod.WhyNotFound
	case 1:
		return Found{Name: c.Name, Number: numbers[0]}, nod.WhyNone
	default:
		return Found{}, nod.WhyMoreThanOne
	}
}

// called reports whether all the words are words of a name.
func called(name string, words []string) bool {
	own := strings.Fields(fold(name))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(own, w) })
}

func has(list []Address, like func(string) bool) bool {
	return slices.ContainsFunc(list, func(a Address) bool { return like(a.Value) })
}

// fold makes texts comparable as people compare them: case and outer spaces
// do not count.
func fold(s string) string { return strings.ToLower(strings.ToUpper(strings.TrimSpace(s))) }

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
