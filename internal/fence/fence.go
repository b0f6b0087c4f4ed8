// Package fence puts what a phone read between two marks, so that whoever reads
// it can tell it from what nod says: others wrote it, in invitations, messages
// and names, and some of them write for the model that will read it.
//
// A fence convinces no model. What it does is exact all the same: nothing inside
// can end it, for its marks hold a number that was drawn for this one time, and
// nothing inside looks like such a mark, turns a line round or cannot be seen.
// What keeps private data in is the taint, in package policy.
//
// The package is pure.
package fence

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"nod.dev/nod/spec"
)

// MaxData bounds what is put between the marks, in bytes: what a result may hold
// (spec/protocol.md).
const MaxData = 32 << 10

const (
	// removed stands where a look-alike of a mark was.
	removed = "(mark removed)"
	// cut ends what was longer than MaxData.
	cut = " (cut)"
)

// Wrap returns data between its marks, each on a line of its own. The number is
// to be one that nobody could foresee, as [crypto/rand.Text] draws it: then it is
// not in the data either.
func Wrap(number, data string) string {
	mark := map[string]string{"mark": number}
	begin, end := spec.Get().Text(spec.TextDataBegin, mark), spec.Get().Text(spec.TextDataEnd, mark)
	return begin + "\n" + strings.ReplaceAll(Clean(data), number, removed) + "\n" + end
}

// Clean returns data without what a reader must not be given, at most [MaxData]
// bytes of it. Of JSON the strings are cleaned; it stays JSON, and becomes one
// line, so that nothing in it can stand at the beginning of a line.
func Clean(data string) string {
	if !json.Valid([]byte(data)) {
		data = cleanText(data)
	}
	if json.Valid([]byte(data)) {
		data = cleanJSON(data)
	}
	return bounded(data)
}

func bounded(s string) string {
	if len(s) <= MaxData {
		return s
	}
	n := MaxData - len(cut)
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + cut
}

// cleanJSON cleans the strings of a JSON text, and drops the space between what
// is no string. It is never longer than what it was given.
func cleanJSON(data string) string {
	var b strings.Builder
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case ' ', '\t', '\n', '\r':
		case '"':
			end := i + 1
			for data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			var s string
			_ = json.Unmarshal([]byte(data[i:end+1]), &s) // it is valid
			b.WriteByte('"')
			_, _ = quoter.WriteString(&b, cleanText(s)) // a builder takes everything
			b.WriteByte('"')
			i = end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// quoter writes what JSON cannot hold as it is; of the control characters only
// these two are left.
var quoter = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\t", `\t`)

// cleanText drops characters that cannot be seen, turn the text round or heap up
// on a letter, and breaks what looks like a mark or like the tokens by which
// models tell who speaks.
func cleanText(s string) string {
	s = unmarked(visible(s))
	for tokens.MatchString(s) { // one can be within another
		s = tokens.ReplaceAllStringFunc(s, parted)
	}
	return s
}

// visible keeps newlines, tabs and what a card could show in a line. It makes
// every other end of a line a newline.
func visible(s string) string {
	phone := &spec.Get().Phone
	s = lineEnds.Replace(strings.ToValidUTF8(s, "�"))
	marks := 0
	return strings.Map(func(r rune) rune {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		} else if marks++; marks > phone.Limits.MarksInARow {
			return -1
		}
		if r != '\n' && r != '\t' && phone.Forbidden("line", r) {
			return -1
		}
		return r
	}, s)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
