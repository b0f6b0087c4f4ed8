package auth

import (
	"bytes"
	"strings"
	"testing"

	"nod.dev/nod/internal/wire"
)

func TestPairLink(t *testing.T) {
	secret := NewSecret()
	for _, base := range []string{"https://nod.example.org", "http://localhost:7333", "https://example.org/nod", "https://[fd00::1]:8443", "http://127.0.0.1:7333/"} {
		got, back, err := ParsePairLink(PairLink(base, secret))
		if err != nil || got != strings.TrimSuffix(base, "/") || !bytes.Equal(back, secret) {
			t.Errorf("%s comes back as %q, %x, %v", base, got, back, err)
		}
	}
}

func TestParsePairLinkRefuses(t *testing.T) {
	code := wire.Encode64(make([]byte, 16))
	rows := []struct{ link, want string }{
		{"", "does not begin with"},
		{"nod://pair#" + code, "does not begin with"},
		{"javascript:alert(1)//pair#" + code, "does not begin with"},
		{"https:///pair#" + code, "names no host"},
		{"https:pair#" + code, "names no host"},
		{"https://nod.example.org@evil.example/pair#" + code, "hides the real host"},
		{"https://nod.example.org/pair?s=" + code, "query"},
		{"https://nod.example.org/pair?#" + code, "query"},
		{"https://nod.example.org/#" + code, "does not lead to"},
		{"https://nod.example.org/pair", "copy the whole link"},
		{"https://nod.example.org/pair#" + code[:20], "copy the whole link"},
		{"https://nod.example.org/pair#" + code + "==", "copy the whole link"},
		{"https://nod.example.org/pair#" + code[:21] + "B", "copy the whole link"},
		{"https://nod.example.org/%zz/pair#" + code, "not a URL"},
		{"https://nod.example.org/" + strings.Repeat("a", 3000) + "/pair#" + code, "too long"},
	}
	for _, row := range rows {
		if _, _, err := ParsePairLink(row.link); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%.60q: error %v, want one with %q", row.link, err, row.want)
		}
	}
}

func FuzzParsePairLink(f *testing.F) {
	f.Add("https://nod.example.org/pair#AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("http://localhost:7333/pair#_____________________w")
	f.Add("https://example.org/a%2Fb/pair#AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("https://[::1%25eth0]/pair#AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("https://a@b/pair#AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("https://h/pair#%41AAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, link string) {
		base, secret, err := ParsePairLink(link)
		if err != nil {
			return
		}
		again, same, err := ParsePairLink(PairLink(base, secret))
		if err != nil || again != base || !bytes.Equal(same, secret) {
			t.Errorf("%q gives %q and %x, which give %q and %x (%v)", link, base, secret, again, same, err)
		}
		if strings.ContainsAny(base, "@?#") {
			t.Errorf("%q gives the base %q", link, base)
		}
	})
}
