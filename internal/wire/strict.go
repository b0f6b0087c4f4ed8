package wire

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deeply arrays and objects may nest. A string or a number
// alone is depth 0, [] is depth 1, and a scalar inside MaxDepth arrays is the
// deepest thing that is accepted.
const MaxDepth = 16

// MaxInteger is the largest integer that every language reads exactly.
const MaxInteger = 1<<53 - 1

// Parse reads one JSON text strictly. The result is made of map[string]any,
// []any, string, int64, float64, bool and nil.
//
// A number whose value, rounded to the nearest double as JavaScript does, is
// whole and within ±[MaxInteger] is an int64, however it was written: 60, 60.0
// and 6e1 are the same value, and -0 is 0. Any other finite number is a
// float64; one too large for that is an error.
//
// An error is a [*SyntaxError], which says where and what.
func Parse(data []byte) (any, error) {
	p := parser{data: data}
	if len(data) >= 3 && data[0] == 0xEF && data[1] == 0xBB && data[2] == 0xBF {
		return nil, p.fail(0, ProblemBOM, "starts with a byte order mark")
	}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(data) {
		return nil, p.fail(p.pos, ProblemTrailing, "goes on after the value")
	}
	return v, nil
}

// parser walks data once, from the front.
type parser struct {
	data []byte
	pos  int
}

func (p *parser) fail(at int, problem Problem, detail string) *SyntaxError {
	return &SyntaxError{Problem: problem, Offset: at, Detail: detail}
}

// unexpected is the error for a byte that no rule allows here.
func (p *parser) unexpected(want string) *SyntaxError {
	if p.pos >= len(p.data) {
		return p.fail(p.pos, ProblemSyntax, "ends where "+want+" was expected")
	}
	return p.fail(p.pos, ProblemSyntax, "has "+quote(string(rune(p.data[p.pos])))+" where "+want+" was expected")
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the byte at the cursor, 0 at the end. A NUL byte is nowhere
// allowed outside strings, so the two need not be told apart.
func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) value(depth int) (any, *SyntaxError) {
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	case c == '"':
		return p.str()
	case c == 't':
		return true, p.word("true")
	case c == 'f':
		return false, p.word("false")
	case c == 'n':
		return nil, p.word("null")
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	return nil, p.unexpected("a value")
}

func (p *parser) word(w string) *SyntaxError {
	end := p.pos + len(w)
	if end > len(p.data) || string(p.data[p.pos:end]) != w {
		return p.unexpected("a value")
	}
	p.pos = end
	return nil
}

func (p *parser) object(depth int) (any, *SyntaxError) {
	if depth > MaxDepth {
		return nil, p.tooDeep()
	}
	p.pos++
	m := map[string]any{}
	p.space()
	if p.peek() == '}' {
		p.pos++
		return m, nil
	}
	for {
		at := p.pos
		if p.peek() != '"' {
			return nil, p.unexpected("a key")
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if _, twice := m[key]; twice {
			return nil, p.fail(at, ProblemDuplicate, "has the key "+quote(key)+" twice")
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.unexpected("a colon")
		}
		p.pos++
		p.space()
		v, err := p.value(depth)
		if err != nil {
			return nil, err.inKey(key)
		}
		m[key] = v
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case '}':
			p.pos++
			return m, nil
		default:
			return nil, p.unexpected("a comma or }")
		}
	}
}

func (p *parser) array(depth int) (any, *SyntaxError) {
	if depth > MaxDepth {
		return nil, p.tooDeep()
	}
	p.pos++
	list := []any{}
	p.space()
	if p.peek() == ']' {
		p.pos++
		return list, nil
	}
	for {
		v, err := p.value(depth)
		if err != nil {
			return nil, err.inIndex(len(list))
		}
		list = append(list, v)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case ']':
			p.pos++
			return list, nil
		default:
			return nil, p.unexpected("a comma or ]")
		}
	}
}

func (p *parser) tooDeep() *SyntaxError {
	return p.fail(p.pos, ProblemDepth, "nests deeper than "+strconv.Itoa(MaxDepth))
}

// number reads RFC 8259's number, which is narrower than strconv's.
func (p *parser) number() (any, *SyntaxError) {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	switch {
	case p.peek() == '0':
		p.pos++
	case !p.digits():
		return nil, p.unexpected("a digit")
	}
	if p.peek() == '.' {
		p.pos++
		if !p.digits() {
			return nil, p.unexpected("a digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			return nil, p.unexpected("a digit")
		}
	}
	f, err := strconv.ParseFloat(string(p.data[start:p.pos]), 64)
	if err != nil {
		return nil, p.fail(start, ProblemNumber, "has a number that is too large")
	}
	if f == math.Trunc(f) && math.Abs(f) <= MaxInteger {
		return int64(f), nil
	}
	return f, nil
}

// digits skips digits and reports whether there was one.
func (p *parser) digits() bool {
	start := p.pos
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos > start
}

// str reads a string; the cursor is at its opening quote.
func (p *parser) str() (string, *SyntaxError) {
	open := p.pos
	p.pos++
	start := p.pos
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			s := string(p.data[start:p.pos])
			p.pos++
			return s, nil
		case c == '\\':
			return p.escaped(open, append([]byte(nil), p.data[start:p.pos]...))
		case c < 0x20:
			return "", p.fail(p.pos, ProblemSyntax, "has a raw control character in a string")
		case c < utf8.RuneSelf:
			p.pos++
		default:
			if err := p.multibyte(); err != nil {
				return "", err
			}
		}
	}
	return "", p.fail(open, ProblemSyntax, "has a string without an end")
}

// multibyte steps over one character beyond ASCII.
func (p *parser) multibyte() *SyntaxError {
	r, size := utf8.DecodeRune(p.data[p.pos:])
	if r == utf8.RuneError && size <= 1 {
		return p.fail(p.pos, ProblemUTF8, "has bytes that are not UTF-8")
	}
	p.pos += size
	return nil
}

// escaped goes on with a string from its first backslash; b holds what came before.
func (p *parser) escaped(open int, b []byte) (string, *SyntaxError) {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			p.pos++
			return string(b), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
		case c < 0x20:
			return "", p.fail(p.pos, ProblemSyntax, "has a raw control character in a string")
		case c < utf8.RuneSelf:
			b = append(b, c)
			p.pos++
		default:
			at := p.pos
			if err := p.multibyte(); err != nil {
				return "", err
			}
			b = append(b, p.data[at:p.pos]...)
		}
	}
	return "", p.fail(open, ProblemSyntax, "has a string without an end")
}

// escape reads one escape; two where they are the halves of one character.
func (p *parser) escape() (rune, *SyntaxError) {
	at := p.pos
	p.pos++
	c := p.peek()
	if c != 'u' {
		r, ok := shortEscapes[c]
		if !ok {
			return 0, p.fail(at, ProblemSyntax, "has an escape that JSON does not know")
		}
		p.pos++
		return r, nil
	}
	r, ok := p.hex4()
	if !ok {
		return 0, p.fail(at, ProblemSyntax, `has a \u without four hexadecimal digits`)
	}
	if r < 0xD800 || r > 0xDFFF {
		return r, nil
	}
	if r < 0xDC00 && p.pos+1 < len(p.data) && p.data[p.pos] == '\\' && p.data[p.pos+1] == 'u' {
		p.pos++
		if low, ok := p.hex4(); ok && 0xDC00 <= low && low <= 0xDFFF {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), nil
		}
	}
	return 0, p.fail(at, ProblemSurrogate, "has half of a surrogate pair")
}

var shortEscapes = map[byte]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// hex4 reads the four digits after \u; the cursor is at the u.
func (p *parser) hex4() (rune, bool) {
	if p.pos+5 > len(p.data) {
		return 0, false
	}
	var r rune
	for _, c := range p.data[p.pos+1 : p.pos+5] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	p.pos += 5
	return r, true
}
