package action

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Our IPv6 rule is netip's without zones: a second opinion on every address.
func TestIPv6AgreesWithNetip(t *testing.T) {
	group := rapid.OneOf(rapid.StringMatching(`[0-9a-fA-F]{0,5}`), rapid.Just(""), rapid.Just("0"), rapid.Just("192.0.2.1"), rapid.Just("g"))
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(group, 1, 10).Draw(t, "groups"), ":")
		addr, err := netip.ParseAddr(s)
		want := err == nil && addr.Is6() && addr.Zone() == ""
		if got := isIPv6(s); got != want {
			t.Fatalf("isIPv6(%q) = %v, netip says %v", s, got, want)
		}
	})
}

// Whatever passes has one host, and net/url reads the same one.
func TestLinkHostAgreesWithNetURL(t *testing.T) {
	part := rapid.StringMatching(`[a-z0-9.:@\[\]/?#%_ \\-]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		link := "http://" + strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "parts"), "")
		if !isWeb(link) || linkProblem(link) != "" {
			return
		}
		u, err := url.Parse(link)
		if err != nil {
			if strings.Contains(err.Error(), "invalid URL escape") {
				return // a stray % after the host: browsers take it as it is
			}
			t.Fatalf("%q passes, and net/url says %v", link, err)
		}
		if host := strings.Trim(hostOf(link), "[]"); host == "" || host != u.Hostname() {
			t.Fatalf("%q: the card shows %q, net/url reads %q", link, host, u.Hostname())
		}
		if u.User != nil {
			t.Fatalf("%q has a user", link)
		}
	})
}

func TestHostOf(t *testing.T) {
	for link, want := range map[string]string{
		"https://example.org":           "example.org",
		"HTTP://Example.org:80/a?b#c":   "Example.org",
		"https://example.org?x=/y@z":    "example.org",
		"http://[2001:db8::1]:8080/":    "[2001:db8::1]",
		"https://xn--bcher-kva.example": "xn--bcher-kva.example",
	} {
		if got := hostOf(link); got != want {
			t.Errorf("hostOf(%q) = %q, want %q", link, got, want)
		}
	}
}

// Samples of RFC 3492 section 7.1, and what is no Punycode.
func TestPunycode(t *testing.T) {
	for encoded, want := range map[string]string{
		"bcher-kva":                                     "bücher",
		"80ak6aa92e":                                    "аррӏе",
		"egbpdaj6bu4bxfgehfvwxn":                        "ليهمابتكلموشعربي؟",
		"ihqwcrb4cv8a8dqg056pqjye":                      "他们为什么不说中文",
		"ihqwctvzc91f659drss3x8bo0yb":                   "他們爲什麽不說中文",
		"4dbcagdahymbxekheh6e0a7fei0b":                  "למההםפשוטלאמדבריםעברית",
		"b1abfaaepdrnnbgefbadotcwatmq2g4l":              "почемужеонинеговорятпорусски",
		"n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa":        "なぜみんな日本語を話してくれないのか",
		"porqunopuedensimplementehablarenespaol-fmd56a": "porquénopuedensimplementehablarenespañol",
	} {
		if got, ok := decodePunycode(encoded); !ok || got != want {
			t.Errorf("decodePunycode(%q) = %q, %v; want %q", encoded, got, ok, want)
		}
	}
	for _, bad := range []string{"", "99999999", "a_b", "Ä", "zzzzzzzzzzzzzzzzzzzz", "aaaaaaaaaaaaaaaaaaaa9", "-"} {
		if got, ok := decodePunycode(bad); ok {
			t.Errorf("decodePunycode(%q) = %q", bad, got)
		}
	}
}

// Any label decodes or does not; it never panics and never gives what is no text.
func FuzzPunycode(f *testing.F) {
	for _, seed := range []string{"bcher-kva", "80ak6aa92e", "99999999", "-", "a-b-c", strings.Repeat("z", 59)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, label string) {
		if len(label) > 63 {
			return
		}
		if decoded, ok := decodePunycode(label); ok && decoded == "" {
			t.Errorf("%q decodes to nothing", label)
		}
	})
}
