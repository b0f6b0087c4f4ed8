package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"nod.dev/nod/internal/doctor"
	"nod.dev/nod/nodtest"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key = a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{Organization: []string{"Test CA"}}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-10 * 365 * 24 * time.Hour), NotAfter: time.Now().Add(10 * 365 * 24 * time.Hour),
	})
	return a
}

func (a *authority) sign(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// proxy stands in front of a gateway with a certificate, as people run it.
func (a *authority) proxy(n *nodtest.Nod, from, until time.Duration, ip string) string {
	a.t.Helper()
	cert, key := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.ParseIP(ip)},
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(until), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	behind, err := url.Parse(n.URL)
	if err != nil {
		a.t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(behind))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
	s.StartTLS()
	a.t.Cleanup(s.Close)
	return s.URL
}

// What a certificate is worth to a phone, and when it is time to say so.
func TestCertificate(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	ca, stranger := newAuthority(t), newAuthority(t)
	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name        string
		by          *authority
		from, until time.Duration
		ip          string
		level       doctor.Level
		says        string
	}{
		{"good", ca, -day, 60 * day, "127.0.0.1", doctor.OK, "for 127.0.0.1, by Test CA, until"},
		{"soon over", ca, -80 * day, 9*day + time.Hour, "127.0.0.1", doctor.Warning, "it runs out in 9 days"},
		{"not so soon", ca, -75 * day, 14*day + time.Hour, "127.0.0.1", doctor.OK, "phones take it"},
		{"over", ca, -90 * day, -time.Hour, "127.0.0.1", doctor.Failed, "it ran out"},
		{"not yet", ca, time.Hour, 60 * day, "127.0.0.1", doctor.Failed, "it is not good yet"},
		{"another name", ca, -day, 60 * day, "127.0.0.2", doctor.Failed, "it is not for 127.0.0.1"},
		{"nobody's", stranger, -day, 60 * day, "127.0.0.1", doctor.Failed, "nobody that it trusts made it"},
		{"too long for Apple", ca, -day, 900 * day, "127.0.0.1", doctor.Warning, "825 days"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := tt.by.proxy(n, tt.from, tt.until, tt.ip)
			report, checks := visit(t, doctor.Config{Data: n.Dir, Console: at{n.Console, url}, Roots: roots})
			want(t, checks["address"], doctor.OK, "TLS TLS 1.3")
			want(t, checks["certificate"], tt.level, tt.says)
			if report.OK == (tt.level == doctor.Failed) {
				t.Error("the report says something else")
			}
		})
	}
}

// The clock is compared with what others say, to the second that a date has.
func TestClock(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	clock := func(ahead time.Duration) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusNotFound)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header()["Date"] = nil }))
	defer silent.Close()
	for _, tt := range []struct {
		name   string
		clocks []string
		level  doctor.Level
		says   string
	}{
		{"right", []string{clock(0)}, doctor.OK, "the same"},
		{"almost", []string{clock(20 * time.Second)}, doctor.OK, "20s behind"},
		{"behind", []string{clock(0), clock(40 * time.Second)}, doctor.Warning, "40s behind"},
		{"far ahead", []string{clock(-10 * time.Minute), clock(0)}, doctor.Failed, "10m0s ahead"},
		{"nobody says", []string{silent.URL, "http://127.0.0.1:1/"}, doctor.Skipped, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, checks := visit(t, doctor.Config{Data: n.Dir, Console: n.Console, Clocks: tt.clocks})
			got := checks["clock"]
			got.Says = strings.ReplaceAll(strings.ReplaceAll(got.Says, "39s", "40s"), "9m59s", "10m0s") // between two ticks
			for i := range got.Steps {
				got.Steps[i].Says = strings.NewReplacer("19s", "20s", "21s", "20s").Replace(got.Steps[i].Says)
			}
			want(t, got, tt.level, tt.says)
		})
	}
}
