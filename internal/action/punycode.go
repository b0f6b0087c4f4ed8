package action

import (
	"math"
	"strings"
	"unicode/utf8"
)

// The parameters of Punycode (RFC 3492, section 5).
const (
	punyBase, punyMin, punyMax   = 36, 1, 26
	punySkew, punyDamp           = 38, 700
	punyFirstBias, punyFirstCode = 72, 128
)

// decodePunycode reads what follows "xn--" in a host label: the letters that a
// browser shows for it.
func decodePunycode(s string) (string, bool) {
	var out []rune
	if i := strings.LastIndexByte(s, '-'); i >= 0 {
		out = []rune(s[:i])
		s = s[i+1:]
	}
	n, i, bias := punyFirstCode, 0, punyFirstBias
	for len(s) > 0 {
		before := i
		for k, weight := punyBase, 1; ; k += punyBase {
			if len(s) == 0 {
				return "", false
			}
			digit := punyDigit(s[0])
			s = s[1:]
			if digit < 0 || digit > (math.MaxInt32-i)/weight {
				return "", false
			}
			i += digit * weight
			threshold := min(max(k-bias, punyMin), punyMax)
			if digit < threshold {
				break
			}
			if weight > math.MaxInt32/(punyBase-threshold) {
				return "", false
			}
			weight *= punyBase - threshold
		}
		size := len(out) + 1
		bias = punyAdapt(i-before, size, before == 0)
		n += i / size
		i %= size
		if n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
			return "", false
		}
		out = append(out[:i], append([]rune{rune(n)}, out[i:]...)...)
		i++
	}
	return string(out), len(out) > 0
}

func punyDigit(b byte) int {
	switch {
	case 'a' <= b && b <= 'z':
		return int(b - 'a')
	case '0' <= b && b <= '9':
		return int(b-'0') + 26
	}
	return -1
}

func punyAdapt(delta, size int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / size
	k := 0
	for delta > ((punyBase-punyMin)*punyMax)/2 {
		delta /= punyBase - punyMin
		k += punyBase
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}
