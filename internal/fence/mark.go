package fence

import (
	"regexp"
	"strings"
	"unicode"
)

// core is what both marks of the contract have in common, as [skeleton] sees it:
// what holds it is taken for a mark, whatever stands round it.
const core = "untrustedphonedata"

// maxGap is how many characters that are no letters may stand between two
// letters of what is still read as a mark.
const maxGap = 8

// unmarked replaces what looks like a mark: in any case, spread out, with signs
// between its letters, in letters of another width or script.
func unmarked(s string) string {
	letters, at := skeleton(s)
	var b strings.Builder
	done := 0
	for from := 0; ; {
		i := strings.Index(letters[from:], core)
		if i < 0 {
			break
		}
		first, last := from+i, from+i+len(core)-1
		if gap := widest(at[first : last+1]); gap > maxGap {
			from = first + 1
			continue
		}
		b.WriteString(s[done:at[first].start])
		b.WriteString(removed)
		done, from = at[last].end, last+1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// letter is where a letter of a skeleton is in its text: bytes, and characters
// before it.
type letter struct{ start, end, index int }

// widest is the most characters that stand between two letters that follow each
// other.
func widest(at []letter) int {
	most := 0
	for i := 1; i < len(at); i++ {
		most = max(most, at[i].index-at[i-1].index-1)
	}
	return most
}

// skeleton is a text's letters and digits, each as the small ASCII letter that it
// looks like, '?' for one that looks like none.
func skeleton(s string) (string, []letter) {
	var b strings.Builder
	var at []letter
	index := 0
	for i, r := range s {
		if c := folded(r); c != 0 {
			b.WriteByte(c)
			at = append(at, letter{i, i + len(string(r)), index})
		}
		index++
	}
	return b.String(), at
}

// folded is the small ASCII letter that r looks like, '?' for another letter or a
// digit, 0 for what is neither.
func folded(r rune) byte {
	for _, a := range alphabets {
		if r >= a.first && r < a.first+rune(a.letters) {
			return byte('a' + (r-a.first)%26)
		}
	}
	low := unicode.ToLower(r)
	for _, form := range []rune{r, low} {
		if c, ok := alike[form]; ok {
			return c
		}
	}
	switch {
	case 'a' <= low && low <= 'z':
		return byte(low)
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return '?'
	}
	return 0
}

// alphabets are runs of characters that are a Latin alphabet, or several one
// after the other, in another dress.
var alphabets = []struct {
	first   rune
	letters int
}{
	{'Ａ', 26}, {'ａ', 26}, // wide
	{'Ⓐ', 52}, {'⒜', 26}, {'🄐', 26}, {'🄰', 26}, {'🅐', 26}, {'🅰', 26}, {'🇦', 26}, // in circles, brackets, boxes, flags
	{'𝐀', 26 * 26}, // of mathematics: bold, italic, script and so on
}

// alike are letters of other scripts, and signs, that look like one of the core's.
var alike = func() map[rune]byte {
	m := map[rune]byte{}
	for c, list := range map[byte]string{
		'a': "аαɑᴀᵃáàâäãåāăąạ", 'd': "ԁɗᴅᵈđďḍ", 'e': "еεєᴇᵉℯℰҽéèêëēĕėęěẹ", 'h': "һհнΗʜʰℎℋℌℍħḥ", 'n': "ոпηΝɴⁿℕɳñńņňṇ",
		'o': "оοօσᴏᵒℴøọóòôöõōŏő", 'p': "рρᴘᵖℙþṗ", 'r': "гᴦʀʳℛℜℝɾŕŗřṛ", 's': "ѕꜱˢſʂśŝşšṣș", 't': "тτᴛᵗţťŧṭț", 'u': "υսцᴜᵘụúùûüũūŭůűų",
	} {
		for _, r := range list {
			m[r] = c
		}
	}
	return m
}()

// tokens are what chat templates put between speakers: to some models it is not
// text but a turn of the talk.
var tokens = regexp.MustCompile(`(?i)<[|｜][^<>\n]{1,60}?[|｜]>|<(start|end)_of_turn>|<</?SYS>>|\[/?INST\]`)

// parted is a token that can still be read, and is none any more.
func parted(token string) string { return parts.Replace(token) }

var parts = strings.NewReplacer("<", "(", ">", ")", "[", "(", "]", ")")
