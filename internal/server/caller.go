package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// caller names the address a request comes from, for limits. Behind a proxy on
// this machine it is the address the proxy saw last; others cannot choose it.
func (s *Server) caller(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if s.site.Public != nil && addr.IsLoopback() {
		seen := r.Header.Get("X-Forwarded-For")
		if i := strings.LastIndexByte(seen, ','); i >= 0 {
			seen = seen[i+1:]
		}
		if a, err := netip.ParseAddr(strings.TrimSpace(seen)); err == nil {
			addr = a
		}
	}
	return networkOf(addr)
}

// bucket names what a stranger's request counts against, by where it comes from
// and which door it knocks at. Agents and a phone can share an address, a proxy's
// or this machine's, and no agent may keep the person from answering or from
// pausing it.
func (s *Server) bucket(r *http.Request) string {
	if forAgents(r) {
		return "agents at " + s.caller(r)
	}
	return s.caller(r)
}
