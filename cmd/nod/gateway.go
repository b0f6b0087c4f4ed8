package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
	"nod.dev/nod/web"
)

// gatewayConfig is what a gateway of this program is run with.
type gatewayConfig struct {
	data    string
	listen  string
	public  *url.URL // nil on loopback
	origins []string
	cert    *tls.Certificate
	dev     bool
	push    pushFlags
	log     *slog.Logger
}

// running is a gateway of this program, from its folder to its sockets.
type running struct {
	config   gatewayConfig
	url      string // what this machine calls it
	listener net.Listener
	console  net.Listener
	ledger   *store.SQLite
	gateway  *gateway.Gateway
	server   *server.Server
	public   *http.Server
	private  *http.Server
	failed   chan error
	// stop ends the requests that wait.
	stop context.CancelFunc
}

// stopTime is how long a stopping gateway waits for answers under way.
const stopTime = 5 * time.Second

// openGateway opens the data folder and takes the addresses; it answers from
// [running.serve] on. Whatever was opened is closed again when something fails.
func openGateway(ctx context.Context, c gatewayConfig) (r *running, err error) {
	r = &running{config: c, failed: make(chan error, 2)}
	defer func() {
		if err != nil {
			r.close()
			r = nil
		}
	}()
	key, err := store.LoadKey(c.data)
	if err != nil {
		return r, err
	}
	sign := func(h wire.Head) (wire.Signed, error) { return log.SignHead(key, h) }
	if r.ledger, err = store.Open(ctx, store.Config{Dir: c.data, Logger: c.log, Sign: sign}); err != nil {
		return r, err
	}
	if r.listener, err = net.Listen("tcp", c.listen); err != nil {
		return r, &nod.Error{Code: nod.CodeInvalid, Message: "nod cannot listen on " + c.listen,
			Hint: listenHint(err), Err: err}
	}
	if r.console, err = auth.ListenConsole(c.data); err != nil {
		return r, err
	}
	r.url = localURL(r.listener.Addr(), c.cert != nil)
	pushKey, err := store.LoadPushKey(c.data)
	if err != nil {
		return r, err
	}
	metrics := server.NewMetrics()
	r.gateway, err = gateway.New(ctx, gateway.Config{
		Ledger: r.ledger, Signer: key, Spec: spec.Get(), Logger: c.log, Elapsed: elapsed(),
		Version: programVersion(), WebVersion: server.WebVersion(web.Files),
		Origins: phoneOrigins(r.url, c), Observer: metrics,
		Push: &gateway.PushConfig{Key: pushKey, Subject: c.push.PushSubject, Hosts: c.push.PushHost, Base: r.base()},
	})
	if err != nil {
		return r, err
	}
	metrics.Watch(
		func() int { return r.gateway.Stats().OpenCalls },
		func() int { return r.gateway.Stats().PhonesConnected })
	r.server = server.New(server.Config{
		Gateway: r.gateway, Files: web.Files, Public: c.public, Origins: c.origins, Metrics: metrics,
		Version: programVersion(), Local: r.url, Data: c.data, Dev: c.dev, Logger: c.log,
	})
	return r, nil
}

// base is the address that phones know the gateway by.
func (r *running) base() string {
	if r.config.public != nil {
		return r.config.public.String()
	}
	return r.url
}

// serve begins to answer.
func (r *running) serve() {
	waiting, stop := context.WithCancel(context.Background())
	r.stop = stop
	base := func(net.Listener) context.Context { return waiting }
	errorLog := slog.NewLogLogger(r.config.log.Handler(), slog.LevelDebug)
	r.public = r.server.HTTP()
	r.public.ErrorLog, r.public.BaseContext = errorLog, base
	listener := r.server.Listener(r.listener)
	if cert := r.config.cert; cert != nil {
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*cert}, NextProtos: []string{"http/1.1"}})
	}
	r.private = &http.Server{Handler: r.server.Console(), ErrorLog: errorLog, BaseContext: base, ReadHeaderTimeout: 10 * time.Second}
	run := func(s *http.Server, l net.Listener) {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			r.failed <- err
		}
	}
	go run(r.public, listener)
	go run(r.private, r.console)
}

// close ends what waits, lets answers under way out, and closes the ledger last.
// Calls that wait keep their rows: the next start says what becomes of them.
func (r *running) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if r.server != nil {
		r.server.Close()
	}
	if r.stop != nil {
		r.stop()
	}
	if r.gateway != nil {
		_ = r.gateway.Close()
	}
	for _, s := range []*http.Server{r.public, r.private} {
		if s != nil && s.Shutdown(ctx) != nil {
			_ = s.Close()
		}
	}
	for _, l := range []net.Listener{r.listener, r.console} {
		if l != nil {
			_ = l.Close()
		}
	}
	if r.ledger != nil {
		_ = r.ledger.Close()
	}
}

// localURL is what this machine calls a listener. On loopback that is
// localhost, the one plain-http name that browsers trust.
func localURL(addr net.Addr, secure bool) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return scheme + "://" + addr.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsLoopback() || ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// phoneOrigins are the pages from which a phone may open its link.
func phoneOrigins(local string, c gatewayConfig) []string {
	origins := append([]string{local}, c.origins...)
	if u, err := url.Parse(local); err == nil && u.Hostname() == "localhost" {
		origins = append(origins, u.Scheme+"://"+net.JoinHostPort("127.0.0.1", u.Port()))
	}
	if c.public != nil {
		origins = append(origins, c.public.Scheme+"://"+c.public.Host)
	}
	return origins
}

// parsePublic reads the address that phones know the gateway by.
func parsePublic(raw string) (*url.URL, error) {
	if raw == "" {
		return nil, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%q is not an address that phones could know", raw),
			`give a scheme and a host alone, like "https://nod.example.org"`)
	}
	u.Path = ""
	return u, nil
}

// listenHint says what to do about an address that cannot be listened on.
func listenHint(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return "is another nod there, or another program? choose another address with --listen"
	}
	return "give --listen an address of this machine and a port, as in 127.0.0.1:7333"
}
