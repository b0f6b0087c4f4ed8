package server

import (
	"net/http"
	"net/netip"
	"net/url"

	"nod.dev/nod/internal/site"
)

// hosts are the names the gateway goes by and the pages that may speak to it.
type hosts struct {
	public  *url.URL // nil without a public URL
	origins []string
}

// check refuses what did not come by a known name or comes from a foreign page.
func (h *hosts) check(r *http.Request) error {
	s := site.Site{Public: h.public, Origins: h.origins}
	return s.Check(r)
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
