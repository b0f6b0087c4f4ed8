package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"nod.dev/nod"
)

// hosts decides which names the gateway answers to and which web pages may
// speak to it. It guards every listener, loopback or not: a page anywhere on
// the web can make a browser send requests here, either under a name of its own
// that it points at this machine (DNS rebinding) or across origins.
//
// An address in the Host header cannot be rebound, so the address a request
// arrived at is enough. A name must be known: localhost, or the public URL's.
type hosts struct {
	public  *url.URL // nil without a public URL
	origins []string // further web origins that may speak to it
}

// check refuses what did not come by a known name or comes from a foreign page.
func (h *hosts) check(r *http.Request) error {
	if !h.known(r) {
		return nod.Errorf(nod.CodeForbidden,
			fmt.Sprintf("this gateway does not go by the name %q", r.Host),
			fmt.Sprintf("use the address it was started with, or start it with --public-url https://%s", r.Host))
	}
	if origin := r.Header.Get("Origin"); origin != "" && !h.own(origin, r) {
		return nod.Errorf(nod.CodeForbidden,
			fmt.Sprintf("a page of %s may not speak to this gateway", origin),
			"open nod at its own address; a trusted page of another origin is allowed with --allow-origin")
	}
	if changes(r) && !ownFetch(r.Header.Get("Sec-Fetch-Site")) && !h.listed(r.Header.Get("Origin")) {
		return nod.Errorf(nod.CodeForbidden, "another site may not act on this gateway",
			"open nod at its own address")
	}
	return nil
}

// known reports whether the Host header names this gateway.
func (h *hosts) known(r *http.Request) bool {
	if h.public != nil && strings.EqualFold(r.Host, h.public.Host) {
		return true
	}
	name := hostname(r.Host)
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if addr.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap() == addr.Unmap()
}

// own reports whether origin is a page that this gateway itself serves.
func (h *hosts) own(origin string, r *http.Request) bool {
	if h.listed(origin) {
		return true
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return strings.EqualFold(origin, scheme+r.Host)
}

// listed reports whether origin is the public URL's or was allowed by name.
func (h *hosts) listed(origin string) bool {
	if origin == "" {
		return false
	}
	if h.public != nil && strings.EqualFold(origin, h.public.Scheme+"://"+h.public.Host) {
		return true
	}
	return slices.Contains(h.origins, origin)
}

// changes reports whether a request may change something. A WebSocket's
// handshake is a GET, and opens a way to.
func changes(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
	}
	return true
}

// ownFetch reads Sec-Fetch-Site: absent outside browsers, "none" for what the
// person typed or opened.
func ownFetch(site string) bool { return site == "" || site == "none" || site == "same-origin" }

// hostname cuts the port off a Host header, and the brackets off an IPv6 address.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// loopback reports whether the other end of a request is on this machine and
// speaks for itself. A proxy on this machine speaks for somebody else.
func loopback(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return true
}
