package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// With TLS files of its own the gateway speaks https, and tells the app to
// connect by wss.
func TestServeTLS(t *testing.T) {
	dir, err := os.MkdirTemp("", "nod") // short: a unix socket's path has to fit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	cert, key := writeCertificate(t, dir)
	p := &program{ctx: t.Context(), stdout: t.Output(), stderr: t.Output(), global: &globals{Data: filepath.Join(dir, "d")}}
	c := serveCmd{Listen: "127.0.0.1:0", TLSCert: cert, TLSKey: key}
	config, err := c.config(p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r, err := openGateway(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.serve()
	if !strings.HasPrefix(r.base(), "https://localhost:") {
		t.Errorf("its address is %s", r.base())
	}
	pem, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	resp, err := client.Get(r.base() + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	want := "connect-src 'self' wss://" + strings.TrimPrefix(r.base(), "https://")
	if csp := resp.Header.Get("Content-Security-Policy"); resp.StatusCode != http.StatusOK || !strings.Contains(csp, want) {
		t.Errorf("answered %s with %s, want %s", resp.Status, csp, want)
	}
	if resp.ProtoMajor != 1 {
		t.Errorf("spoken HTTP/%d: the phones' socket needs 1", resp.ProtoMajor)
	}
}

func writeCertificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", keyDER)
}
