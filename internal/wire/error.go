package wire

import (
	"fmt"
	"strconv"
	"unicode/utf16"

	"nod.dev/nod"
)

// Problem classifies what [Parse] refuses, in the words of spec/vectors/strict.json.
type Problem string

// The problems.
const (
	ProblemSyntax    Problem = "syntax"    // it is not JSON
	ProblemDuplicate Problem = "duplicate" // a key comes twice in one object
	ProblemUTF8      Problem = "utf8"      // bytes that are not UTF-8
	ProblemSurrogate Problem = "surrogate" // half a surrogate pair, written as an escape
	ProblemDepth     Problem = "depth"     // deeper than MaxDepth
	ProblemNumber    Problem = "number"    // too large for a double
	ProblemTrailing  Problem = "trailing"  // something after the value
	ProblemBOM       Problem = "bom"       // a byte order mark
)

// SyntaxError is why [Parse] refused a text. It is also a [nod.Error] of code
// invalid for errors.As.
type SyntaxError struct {
	Problem Problem
	// Offset is the byte at which it was noticed, counted from 0.
	Offset int
	// Path leads to the value that holds it: "fields.stops[2]"; empty at the top.
	Path string
	// Detail goes on from "the JSON ...".
	Detail string
}

// Error says what is wrong, at which byte and where in the value.
func (e *SyntaxError) Error() string {
	where := ""
	if e.Path != "" {
		where = ", in " + e.Path
	}
	return fmt.Sprintf("the JSON %s (byte %d%s)", e.Detail, e.Offset, where)
}

// As lets errors.As see the error as a [*nod.Error].
func (e *SyntaxError) As(target any) bool {
	t, ok := target.(**nod.Error)
	if ok {
		*t = nod.Errorf(nod.CodeInvalid, e.Error(), hintJSON)
	}
	return ok
}

const hintJSON = "send one JSON value in UTF-8, each key once, at most 16 levels deep"

func (e *SyntaxError) inKey(key string) *SyntaxError {
	e.Path = joinPath(pathKey(key), e.Path)
	return e
}

func (e *SyntaxError) inIndex(i int) *SyntaxError {
	e.Path = joinPath("["+strconv.Itoa(i)+"]", e.Path)
	return e
}

// pathKey writes a key as it stands in a path: bare where it is a plain word.
func pathKey(key string) string {
	for i := range len(key) {
		c := key[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return "[" + quote(key) + "]"
		}
	}
	if key == "" {
		return `[""]`
	}
	return key
}

// quote writes a string in JSON and ASCII, so that nothing in it can disturb a
// terminal or a log.
func quote(s string) string {
	b := []byte{'"'}
	for _, unit := range utf16.Encode([]rune(s)) {
		switch {
		case unit == '"' || unit == '\\':
			b = append(b, '\\', byte(unit))
		case unit < ' ' || unit > '~':
			b = fmt.Appendf(b, `\u%04x`, unit)
		default:
			b = append(b, byte(unit))
		}
	}
	return string(append(b, '"'))
}

// joinPath puts outer before inner: "a" and "b" are "a.b", "a" and "[0]" are "a[0]".
func joinPath(outer, inner string) string {
	if outer == "" || inner == "" || inner[0] == '[' {
		return outer + inner
	}
	return outer + "." + inner
}

// valueError is why a value, rather than a text, is refused. Its path grows from
// the inside out, so that a value without a mistake costs no paths.
type valueError struct{ path, detail string }

func invalid(detail string) error { return &valueError{detail: detail} }

// within adds a step to the front of the path of a valueError; other errors,
// which are about Go types, pass as they are.
func within(err error, step string) error {
	if e, ok := err.(*valueError); ok {
		e.path = joinPath(step, e.path)
	}
	return err
}

func withinIndex(err error, i int) error { return within(err, "["+strconv.Itoa(i)+"]") }

// Error says which value is wrong and how.
func (e *valueError) Error() string {
	if e.path == "" {
		return "the value " + e.detail
	}
	return e.path + " " + e.detail
}

// As lets errors.As see the error as a [*nod.Error].
func (e *valueError) As(target any) bool {
	t, ok := target.(**nod.Error)
	if ok {
		*t = nod.Errorf(nod.CodeInvalid, e.Error(), "")
	}
	return ok
}
