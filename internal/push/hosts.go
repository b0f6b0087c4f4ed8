package push

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"nod.dev/nod"
)

// services are the push services of the browsers that people have. One that
// begins with a dot stands for every name below it.
var services = []string{
	"fcm.googleapis.com",         // Chrome, and most that are built on it
	".push.services.mozilla.com", // Firefox
	".push.apple.com",            // Safari
	".notify.windows.com",        // Edge
}

// ErrUnknownService is wrapped by the refusal of an address at another host.
var ErrUnknownService = errors.New("push: not a known push service")

// hosts are the push services that the operator added, in lower case.
type hosts []string

func parseHosts(list []string) (hosts, error) {
	var all hosts
	for _, h := range list {
		u, err := url.Parse("https://" + h)
		if err != nil || u.Host != h || u.Hostname() == "" || strings.ContainsAny(h, "*@ ") {
			return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%q is not a host that push messages could go to", h),
				"give --push-host a name, with a port where it is not 443, as in push.example.org:8443")
		}
		all = append(all, strings.ToLower(h))
	}
	return all, nil
}

// check says why messages do not go to an address; nil when they do.
func (h hosts) check(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nod.Errorf(nod.CodeInvalid, "this is not the address of a push subscription", "send what PushSubscription.endpoint gives")
	}
	host := strings.ToLower(u.Host)
	added := slices.Contains(h, host)
	switch {
	case u.Scheme == "https" && (added || known(host)):
		return nil
	case u.Scheme == "http" && added && loopback(u.Hostname()):
		return nil
	case u.Scheme != "https":
		return nod.Errorf(nod.CodeInvalid, "a push address begins with https", "")
	}
	return &nod.Error{Code: nod.CodeInvalid, Message: u.Host + " is not a push service that nod knows",
		Hint: "if it is this browser's, start nod with --push-host " + u.Host, Err: ErrUnknownService}
}

// known reports whether a host is one of the known push services. A port is not
// theirs, but for the one that https has anyway.
func known(host string) bool {
	host = strings.TrimSuffix(host, ":443")
	return slices.ContainsFunc(services, func(s string) bool {
		if s[0] == '.' {
			return host[0] != '.' && strings.HasSuffix(host, s)
		}
		return host == s
	})
}

func loopback(name string) bool {
	if name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

// transport goes to push services. A name of a known one that leads into a
// private network is not followed there, whoever answers for the name; where
// the operator's own lead is the operator's choice. No proxy of the environment
// is used: behind one this check would mean nothing.
func (h hosts) transport() *http.Transport {
	outside := &net.Dialer{Timeout: Timeout / 2, Control: func(_, address string, _ syscall.RawConn) error { return public(address) }}
	anywhere := &net.Dialer{Timeout: Timeout / 2}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if slices.Contains(h, strings.ToLower(address)) || slices.Contains(h, strings.TrimSuffix(strings.ToLower(address), ":443")) {
				return anywhere.DialContext(ctx, network, address)
			}
			return outside.DialContext(ctx, network, address)
		},
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, MaxConnsPerHost: 8, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: Timeout / 2, ResponseHeaderTimeout: Timeout, MaxResponseHeaderBytes: 16 << 10,
	}
}

// inside are networks that netip has no word for: shared address space, and the
// ways in which IPv6 carries IPv4.
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// public refuses an address that is not one of the internet.
func public(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	if nat64.Contains(ip) { // the way to IPv4 from a network that has none: what counts is where it leads
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(inside, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return fmt.Errorf("its name leads to %s, which is not on the internet", ip)
	}
	return nil
}
