package site

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestCheck(t *testing.T) {
	public, err := url.Parse("https://nod.example.org")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		public *url.URL
		method string
		host   string
		local  string // the address the request arrived at
		tls    bool
		header map[string]string
		ok     bool
	}{
		{"localhost", nil, "GET", "localhost:7333", "127.0.0.1:7333", false, nil, true},
		{"another port, forwarded here", nil, "GET", "localhost:9000", "127.0.0.1:7333", false, nil, true},
		{"loopback address", nil, "GET", "127.0.0.1:7333", "127.0.0.1:7333", false, nil, true},
		{"IPv6 loopback", nil, "GET", "[::1]:7333", "[::1]:7333", false, nil, true},
		{"a name that was pointed here", nil, "GET", "evil.example:7333", "127.0.0.1:7333", false, nil, false},
		{"a name that begins well", nil, "GET", "localhost.evil.example:7333", "127.0.0.1:7333", false, nil, false},
		{"no name", nil, "GET", "", "127.0.0.1:7333", false, nil, false},
		{"the address of the network it listens on", nil, "GET", "192.168.1.5:7333", "192.168.1.5:7333", false, nil, true},
		{"another address", nil, "GET", "192.168.1.6:7333", "192.168.1.5:7333", false, nil, false},
		{"the public name", public, "GET", "nod.example.org", "127.0.0.1:7333", false, nil, true},
		{"the public name in capitals", public, "GET", "NOD.example.org", "127.0.0.1:7333", false, nil, true},
		{"the public name with a port", public, "GET", "nod.example.org:8443", "127.0.0.1:7333", false, nil, false},

		{"own page", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Origin": "http://localhost:7333", "Sec-Fetch-Site": "same-origin"}, true},
		{"own page over TLS", nil, "POST", "localhost:7333", "127.0.0.1:7333", true, map[string]string{"Origin": "https://localhost:7333"}, true},
		{"own name, other scheme", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Origin": "https://localhost:7333"}, false},
		{"page on another port", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Origin": "http://localhost:3000"}, false},
		{"foreign page reads", nil, "GET", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Origin": "https://evil.example"}, false},
		{"page without an origin", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Origin": "null"}, false},
		{"public page behind a proxy", public, "POST", "nod.example.org", "127.0.0.1:7333", false, map[string]string{"Origin": "https://nod.example.org", "Sec-Fetch-Site": "same-origin"}, true},
		{"allowed page", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Origin": "https://trusted.example", "Sec-Fetch-Site": "cross-site"}, true},

		{"cross-site post without an origin", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"same-site is not same-origin", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		{"cross-site link that a person follows", nil, "GET", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Sec-Fetch-Site": "cross-site"}, true},
		{"cross-site socket", nil, "GET", "localhost:7333", "127.0.0.1:7333", false, map[string]string{"Sec-Fetch-Site": "cross-site", "Upgrade": "websocket"}, false},
		{"a program", nil, "POST", "localhost:7333", "127.0.0.1:7333", false, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "/", nil)
			r.Host = tt.host
			for k, v := range tt.header {
				r.Header.Set(k, v)
			}
			if tt.tls {
				r.TLS = &tls.ConnectionState{}
			}
			local, err := net.ResolveTCPAddr("tcp", tt.local)
			if err != nil {
				t.Fatal(err)
			}
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
			s := &Site{Public: tt.public, Origins: []string{"https://trusted.example"}}
			if err := s.Check(r); (err == nil) != tt.ok {
				t.Errorf("Check = %v, want ok %v", err, tt.ok)
			}
		})
	}
}
