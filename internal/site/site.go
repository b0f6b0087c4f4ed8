// Package site decides which names the gateway answers to and which web pages
// may speak to it.
package site

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

// Site guards every listener, loopback or not: a page anywhere on the web can
// make a browser send requests here, either under a name of its own that it
// points at this machine (DNS rebinding) or across origins.
//
// An address in the Host header cannot be rebound, so the address a request
// arrived at is enough. A name must be known: localhost, or the public URL's.
type Site struct {
	// Public is the address that people know the gateway by; nil without one.
	Public *url.URL
	// Origins are further web origins that may speak to it.
	Origins []string
}

// Check refuses what did not come by a known name or comes from a foreign page.
func (s *Site) Check(r *http.Request) error {
	if !s.known(r) {
		return nod.Errorf(nod.CodeForbidden,
			fmt.Sprintf("this gateway does not go by the name %q", r.Host),
			fmt.Sprintf("use the address it was started with, or start it with --public-url https://%s", r.Host))
	}
	if origin := r.Header.Get("Origin"); origin != "" && !s.own(origin, r) {
		return nod.Errorf(nod.CodeForbidden,
			fmt.Sprintf("a page of %s may not speak to this gateway", origin),
			"open nod at its own address; a trusted page of another origin is allowed with --allow-origin")
	}
	if changes(r) && !ownFetch(r.Header.Get("Sec-Fetch-Site")) && !s.listed(r.Header.Get("Origin")) {
		return nod.Errorf(nod.CodeForbidden, "another site may not act on this gateway",
			"open nod at its own address")
	}
	return nil
}

// known reports whether the Host header names this gateway.
func (s *Site) known(r *http.Request) bool {
	if s.Public != nil && strings.EqualFold(r.Host, s.Public.Host) {
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
func (s *Site) own(origin string, r *http.Request) bool {
	if s.listed(origin) {
		return true
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return strings.EqualFold(origin, scheme+r.Host)
}

// listed reports whether origin is the public URL's or was allowed by name.
func (s *Site) listed(origin string) bool {
	if origin == "" {
		return false
	}
	if s.Public != nil && strings.EqualFold(origin, s.Public.Scheme+"://"+s.Public.Host) {
		return true
	}
	return slices.Contains(s.Origins, origin)
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
