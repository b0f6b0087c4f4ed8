package action

import (
	"strconv"
	"strings"

	"nod.dev/nod/spec"
)

// linkProblem returns the key of the text that refuses a web address, "" when
// the card can show where it leads. The rule is narrower than any browser's, so
// that no browser reads a host out of it that the card does not show: no
// backslash (browsers take it for a slash), no user name, and a host that is
// letters, digits and hyphens, a dotted quad, or an IPv6 address in brackets.
// A host that ends in a number and is no dotted quad is refused, because
// browsers read 0x7f.1 as 127.0.0.1. web/app/link.js is the same rule.
func linkProblem(url string) string {
	if strings.Contains(url, `\`) {
		return spec.TextLimitBackslash
	}
	_, rest, _ := cutScheme(url)
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if strings.Contains(authority, "@") {
		return spec.TextLimitUser
	}
	host, port, hasPort := cutPort(authority)
	if !isHost(host) {
		return spec.TextLimitHost
	}
	if hasPort && !isPort(port) {
		return spec.TextLimitPort
	}
	return ""
}

// hostOf returns the host of a web address that passed the check.
func hostOf(url string) string {
	_, rest, _ := cutScheme(url)
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	host, _, _ := cutPort(rest)
	return host
}

// cutPort splits host:port; a colon inside brackets belongs to the host.
func cutPort(authority string) (host, port string, ok bool) {
	colon := strings.LastIndexByte(authority, ':')
	if colon < 0 || colon < strings.LastIndexByte(authority, ']') {
		return authority, "", false
	}
	return authority[:colon], authority[colon+1:], true
}

func isPort(s string) bool {
	n, ok := digitsOnly(s, 5)
	return ok && 1 <= n && n <= 65535
}

// digitsOnly reads at most limit ASCII digits, at least one.
func digitsOnly(s string, limit int) (int, bool) {
	if s == "" || len(s) > limit {
		return 0, false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func isHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && isIPv6(inner)
	}
	if len(host) > 253 {
		return false
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if !isLabel(label) {
			return false
		}
	}
	return !isNumeric(labels[len(labels)-1]) || isQuad(host)
}

// isLabel is letters, digits and hyphens, with no hyphen at either end.
func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		b := s[i] | 0x20 // the lower case of a letter
		if !isDigit(s[i]) && s[i] != '-' && (b < 'a' || 'z' < b) {
			return false
		}
	}
	return true
}

// isNumeric is what makes a browser read the whole host as an IPv4 address.
func isNumeric(label string) bool {
	if len(label) >= 2 && strings.EqualFold(label[:2], "0x") {
		for i := 2; i < len(label); i++ {
			if !isHex(label[i]) {
				return false
			}
		}
		return true
	}
	for i := range len(label) {
		if !isDigit(label[i]) {
			return false
		}
	}
	return true
}

// isQuad is four decimal numbers from 0 to 255, without zeros in front.
func isQuad(s string) bool {
	parts := strings.Split(s, ".")
	for _, part := range parts {
		n, ok := digitsOnly(part, 3)
		if !ok || n > 255 || (len(part) > 1 && part[0] == '0') {
			return false
		}
	}
	return len(parts) == 4
}

// isIPv6 is eight groups of at most four hexadecimal digits, one run of them
// perhaps left out as "::", the last two perhaps written as a dotted quad.
func isIPv6(s string) bool {
	head, tail, short := strings.Cut(s, "::")
	if !short {
		n, ok := groups(s, true)
		return ok && n == 8
	}
	if strings.Contains(tail, "::") {
		return false
	}
	a, okHead := groups(head, false)
	b, okTail := groups(tail, true)
	return okHead && okTail && a+b <= 7
}

// groups counts the groups of one side of an IPv6 address; a side may be empty.
func groups(s string, quad bool) (int, bool) {
	if s == "" {
		return 0, true
	}
	n := 0
	parts := strings.Split(s, ":")
	for i, part := range parts {
		if quad && i == len(parts)-1 && strings.Contains(part, ".") {
			return n + 2, isQuad(part)
		}
		if part == "" || len(part) > 4 {
			return 0, false
		}
		for j := range len(part) {
			if !isHex(part[j]) {
				return 0, false
			}
		}
		n++
	}
	return n, true
}

func isHex(b byte) bool {
	return isDigit(b) || ('a' <= b|0x20 && b|0x20 <= 'f')
}
