package server

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"nod.dev/nod/internal/site"
)

func TestCaller(t *testing.T) {
	public := &url.URL{Scheme: "https", Host: "nod.example.org"}
	for _, tt := range []struct {
		public  *url.URL
		remote  string
		forward string
		want    string
	}{
		{nil, "192.168.1.7:5000", "", "192.168.1.7"},
		{nil, "127.0.0.1:5000", "203.0.113.9", "127.0.0.1"}, // no proxy was announced
		{public, "127.0.0.1:5000", "203.0.113.9", "203.0.113.9"},
		{public, "127.0.0.1:5000", "1.1.1.1, 203.0.113.9", "203.0.113.9"}, // the caller wrote the first
		{public, "127.0.0.1:5000", "nonsense", "127.0.0.1"},
		{public, "198.51.100.2:5000", "203.0.113.9", "198.51.100.2"}, // not from the proxy
		{nil, "[2001:db8:1:2:3::4]:5000", "", "2001:db8:1:2::/64"},
		{nil, "[::ffff:192.0.2.1]:5000", "", "192.0.2.1"},
	} {
		s := &Server{site: &site.Site{Public: tt.public}}
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.remote
		if tt.forward != "" {
			r.Header.Set("X-Forwarded-For", tt.forward)
		}
		if got := s.caller(r); got != tt.want {
			t.Errorf("caller(%s, forwarded %q) = %s, want %s", tt.remote, tt.forward, got, tt.want)
		}
	}
}
