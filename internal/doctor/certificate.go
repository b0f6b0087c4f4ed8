package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	// expiresSoon is when it is time to say that a certificate runs out.
	expiresSoon = 14 * 24 * time.Hour
	// tooLong is the validity beyond which Apple's systems take no certificate,
	// whoever made it.
	tooLong = 825 * 24 * time.Hour
)

// certificate says whose certificate the address has, until when, and what a
// phone says about it.
func (d *doctor) certificate(context.Context) Check {
	if len(d.chain) == 0 {
		if u, err := url.Parse(d.url); err == nil && u.Scheme == "https" {
			return skipped("there was no TLS to read one from")
		}
		if d.url == "" {
			return skipped("there is no address yet")
		}
		return skipped("the address has none")
	}
	leaf, u := d.chain[0], must(url.Parse(d.url))
	says := fmt.Sprintf("for %s, by %s, until %s", strings.Join(names(leaf), ", "), issuer(leaf), leaf.NotAfter.UTC().Format("2 Jan 2006"))
	intermediates := x509.NewCertPool()
	for _, c := range d.chain[1:] {
		intermediates.AddCert(c)
	}
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: u.Hostname(), Roots: d.Roots, Intermediates: intermediates, CurrentTime: d.Now()})
	if err != nil {
		problem, hint := refusal(err, leaf, u.Hostname(), d.Now())
		return failed(says+"; a phone warns of it and does not open nod: "+problem, hint)
	}
	left := leaf.NotAfter.Sub(d.Now())
	switch {
	case left < expiresSoon:
		return warning(fmt.Sprintf("%s; it runs out in %d days", says, int(left.Hours()/24)), "renew it; whatever renews it by itself has not yet")
	case leaf.NotAfter.Sub(leaf.NotBefore) > tooLong:
		return warning(says+"; an iPhone refuses one that is good for more than 825 days", "make one that is good for a year or less")
	}
	return ok(says + "; phones take it")
}

// names are the names that a certificate is for.
func names(c *x509.Certificate) []string {
	list := append([]string{}, c.DNSNames...)
	for _, ip := range c.IPAddresses {
		list = append(list, ip.String())
	}
	if len(list) == 0 {
		return []string{"no name"}
	}
	return list[:min(len(list), 4)]
}

func issuer(c *x509.Certificate) string {
	if len(c.Issuer.Organization) > 0 {
		return c.Issuer.Organization[0]
	}
	if c.Issuer.CommonName != "" {
		return c.Issuer.CommonName
	}
	return "itself"
}

// refusal says why a certificate is not taken, and what to do.
func refusal(err error, c *x509.Certificate, name string, now time.Time) (problem, hint string) {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "it is not for " + name, "get one for " + name + ", or give nod the address that it is for with --public-url"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "nobody that it trusts made it",
			`use a certificate that is public, as Let's Encrypt or "tailscale serve" give; see also that the proxy sends the whole chain`
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		if now.Before(c.NotBefore) {
			return "it is not good yet", "see the clock of this machine"
		}
		return "it ran out", "renew it"
	}
	return err.Error(), "get another one"
}

func must[T any](v T, err error) T {
	if err != nil {
		panic("doctor: " + err.Error()) // parsed before
	}
	return v
}
