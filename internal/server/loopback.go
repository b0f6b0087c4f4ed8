package server

import (
	"net/http"
	"net/netip"
)

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
