package auth

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"nod.dev/nod"
)

const maxNameRunes = 60

// ValidName checks a name that a person reads on screens and in the console: of
// a phone, an agent or a person.
func ValidName(name string) error {
	const hint = "use letters, digits, spaces and punctuation, at most 60"
	n := utf8.RuneCountInString(name)
	if n == 0 || n > maxNameRunes || !utf8.ValidString(name) {
		return nod.Errorf(nod.CodeInvalid, "a name has 1 to 60 characters", hint)
	}
	for _, r := range name {
		// Format characters can turn a line round or hide a letter in it.
		if !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
			return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the name holds the character %U, which cannot be shown", r), hint)
		}
	}
	if name[0] == ' ' || name[len(name)-1] == ' ' {
		return nod.Errorf(nod.CodeInvalid, "the name begins or ends with a space", hint)
	}
	return nil
}
