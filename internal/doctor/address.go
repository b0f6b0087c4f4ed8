package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// stepTime is how long one step may take.
const stepTime = 10 * time.Second

// address goes the way that a phone goes: the name, the connection, TLS, an
// answer, and a link whose other end has the gateway's key.
func (d *doctor) address(ctx context.Context) Check {
	d.url = d.URL
	if d.status != nil {
		d.url = d.status.URL
	}
	u, err := url.Parse(d.url)
	if d.url == "" || err != nil || u.Host == "" {
		return skipped("no gateway has run in this folder, so there is no address yet")
	}
	v := &visit{doctor: d, url: u}
	defer v.close()
	for _, step := range []struct {
		name string
		run  func(context.Context) (string, error)
	}{{"DNS", v.resolve}, {"TCP", v.connect}, {"TLS", v.secure}, {"HTTP", v.get}, {"link", v.link}} {
		within, cancel := context.WithTimeout(ctx, stepTime)
		began := time.Now()
		says, err := step.run(within)
		cancel()
		s := Step{Name: step.name, Says: says, MS: since(began), Failed: err != nil}
		if err != nil {
			s.Says = err.Error()
			v.steps = append(v.steps, s)
			return failed(d.url+" does not work: "+step.name, v.hint(step.name)).with(v.steps)
		}
		if says != "" {
			v.steps = append(v.steps, s)
		}
	}
	switch {
	case u.Scheme == "https":
		return ok(d.url + " is this gateway").with(v.steps)
	case loopback(u):
		return ok(d.url + " is this gateway; only this machine reaches it, so phones need --public-url").with(v.steps)
	}
	return failed(d.url+" is not secure: no browser keeps a key for such a page", `give nod an https address with --public-url; "tailscale serve" is one way`).with(v.steps)
}

// loopback reports whether an address is this machine's own, which browsers
// trust without TLS.
func loopback(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// visit is one way from here to the address.
type visit struct {
	*doctor
	url   *url.URL
	addrs []string
	conn  net.Conn
	steps []Step
}

func (v *visit) close() {
	if v.conn != nil {
		_ = v.conn.Close()
	}
}

func (v *visit) port() string {
	switch {
	case v.url.Port() != "":
		return v.url.Port()
	case v.url.Scheme == "https":
		return "443"
	}
	return "80"
}

func (v *visit) resolve(ctx context.Context) (string, error) {
	addrs, err := net.DefaultResolver.LookupHost(ctx, v.url.Hostname())
	if err != nil {
		return "", err
	}
	v.addrs = addrs
	return strings.Join(addrs, ", "), nil
}

func (v *visit) connect(ctx context.Context) (string, error) {
	var dialer net.Dialer
	var last error
	for _, addr := range v.addrs {
		conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(addr, v.port()))
		if err == nil {
			v.conn = conn
			return conn.RemoteAddr().String(), nil
		}
		last = err
	}
	return "", last
}

// secure shakes hands without judging the certificate: that is a check of its
// own, and nothing is said over this connection that anybody could misuse.
func (v *visit) secure(ctx context.Context) (string, error) {
	if v.url.Scheme != "https" {
		return "", nil
	}
	conn := tls.Client(v.conn, v.tls())
	if err := conn.HandshakeContext(ctx); err != nil {
		return "", err
	}
	v.conn, v.chain = conn, conn.ConnectionState().PeerCertificates
	return tls.VersionName(conn.ConnectionState().Version), nil
}

func (v *visit) tls() *tls.Config {
	return &tls.Config{ServerName: v.url.Hostname(), InsecureSkipVerify: true} //nolint:gosec // judged in certificate.go
}

// get asks for /healthz over the connection that was made.
func (v *visit) get(ctx context.Context) (string, error) {
	once := func(context.Context, string, string) (net.Conn, error) { return v.conn, nil }
	web := &http.Client{
		Transport:     &http.Transport{DialContext: once, DialTLSContext: once, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(v.url.String(), "/")+"/healthz", nil)
	if err != nil {
		return "", err
	}
	sent := v.Now()
	resp, err := web.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return "", err
	}
	if !loopback(v.url) {
		v.heard(v.url.Host, resp.Header, sent)
	}
	var health struct{ Status string }
	if resp.StatusCode != http.StatusOK || json.Unmarshal(body, &health) != nil || health.Status != "ok" {
		return "", fmt.Errorf("/healthz answers %s, which is not how nod does", resp.Status)
	}
	return "/healthz answers " + resp.Status, nil
}

// link opens the phones' socket and reads whose it is.
func (v *visit) link(ctx context.Context) (string, error) {
	dial := host.DialWebSocket(&http.Client{Transport: &http.Transport{TLSClientConfig: v.tls(), DisableKeepAlives: true}})
	conn, err := dial(ctx, strings.TrimRight(strings.Replace(v.url.String(), "http", "ws", 1), "/")+"/link")
	if err != nil {
		return "", err
	}
	defer conn.Close("") //nolint:errcheck // there was nothing to say
	challenge, err := conn.Read(ctx)
	switch {
	case err != nil:
		return "", err
	case challenge.Kind != wire.KindChallenge:
		return "", fmt.Errorf("the other end begins with %q, which is not how nod does", challenge.Kind)
	case v.status == nil:
		return "", fmt.Errorf("a gateway answers, and none runs in %s: the address is another gateway's", v.Data)
	case challenge.Key != v.status.Key:
		return "", fmt.Errorf("another gateway answers: it has another key")
	}
	return "a WebSocket comes through, and its other end has this gateway's key", nil
}

// hint says what to do about the step that failed.
func (v *visit) hint(step string) string {
	switch step {
	case "DNS":
		return "the name " + v.url.Hostname() + " is not known: correct it at whoever gives it out, or start nod with another --public-url"
	case "TCP":
		return "nothing listens there: see that the proxy runs, that the port is open, and that nod does"
	case "TLS":
		return "what listens there speaks no TLS: see the proxy's own log"
	case "HTTP":
		return "the proxy does not hand on to nod, or to another program: it must hand on to the address of --listen"
	}
	if v.status == nil {
		return `start nod with "nod serve", or name its folder with --data`
	}
	return "the proxy must hand on WebSockets, and to this gateway"
}
