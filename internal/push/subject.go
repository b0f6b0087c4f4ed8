package push

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"nod.dev/nod"
)

// CheckSubject says why a push service would not take a subject, the address
// under which it can reach who runs the gateway; nil when it would. Chrome's and
// Firefox's take anything, but Apple's looks: a phone that wakes for everybody
// but iPhones is found out about too late.
func CheckSubject(subject string) error {
	host := ""
	u, err := url.Parse(subject)
	switch {
	case err != nil:
	case u.Scheme == "https":
		host = u.Hostname()
	case u.Scheme == "mailto":
		if name, at, ok := strings.Cut(u.Opaque, "@"); ok && name != "" {
			host = at
		}
	}
	if isPublicName(host) {
		return nil
	}
	return nod.Errorf(nod.CodeInvalid,
		fmt.Sprintf("--push-subject %q cannot be used: Apple's push service answers 403 BadJwtToken to it, so no iPhone would wake", subject),
		"write an address where you can be reached: mailto:you@your-domain.org, or the https address of this gateway")
}

// reserved are the ends of names that are nobody's on the internet.
var reserved = []string{"localhost", "local", "invalid", "test", "example", "internal", "lan", "arpa"}

// isPublicName reports whether a host is a name that somebody can have.
func isPublicName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	labels := strings.Split(host, ".")
	if len(labels) < 2 || slices.Contains(labels, "") || strings.ContainsAny(host, " @,;:/") {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	return !slices.Contains(reserved, labels[len(labels)-1])
}
