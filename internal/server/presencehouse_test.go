package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/pipe"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// air is the network between a phone and the gateway. It counts what passes,
// and can die as a radio does: without a word to either side.
type air struct {
	// bytes passed, both ways.
	bytes atomic.Int64
	dead  atomic.Bool

	mu    sync.Mutex
	net   *pipe.Listener
	conns []*airConn
}

// use is where the gateway is from now on.
func (a *air) use(net *pipe.Listener) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.net = net
}

// dial opens a connection; over dead air it fails.
func (a *air) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if a.dead.Load() {
		return nil, net.ErrClosed
	}
	a.mu.Lock()
	at := a.net
	a.mu.Unlock()
	inner, err := at.Dial(ctx)
	if err != nil {
		return nil, err
	}
	c := &airConn{Conn: inner, air: a}
	a.mu.Lock()
	a.conns = append(a.conns, c)
	a.mu.Unlock()
	return c, nil
}

// die cuts every connection there is: what either side writes is lost, and
// neither hears that the other one closed.
func (a *air) die() {
	a.dead.Store(true)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.conns {
		c.cut.Store(true)
	}
}

type airConn struct {
	net.Conn
	air *air
	cut atomic.Bool
	// reading is held while a Read is under way.
	reading sync.Mutex
}

// Read implements [net.Conn]. What comes over dead air is read, so that who
// sent it believes that it arrived, and lost.
func (c *airConn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	for {
		n, err := c.Conn.Read(p)
		if !c.cut.Load() {
			c.air.bytes.Add(int64(n))
			return n, err
		}
		if err != nil {
			return 0, err
		}
	}
}

// Write implements [net.Conn].
func (c *airConn) Write(p []byte) (int, error) {
	if c.cut.Load() {
		return len(p), nil
	}
	n, err := c.Conn.Write(p)
	c.air.bytes.Add(int64(n))
	return n, err
}

// Close implements [net.Conn]. Over dead air the gateway hears nothing of it.
func (c *airConn) Close() error {
	if !c.cut.Load() {
		return c.Conn.Close()
	}
	_ = c.Conn.SetReadDeadline(time.Now())
	go func() {
		c.reading.Lock() // a Read under way has ended
		defer c.reading.Unlock()
		_ = c.Conn.SetReadDeadline(time.Time{})
		_, _ = io.Copy(io.Discard, c.Conn)
	}()
	return nil
}

// presence is a whole gateway and one phone of Go in a bubble of fake time.
type presence struct {
	t       *testing.T
	dir     string
	gateway *gateway.Gateway
	server  *server.Server
	person  *sim.Person
	apps    *sim.Phone
	screen  screen
	phoneID nod.PhoneID
	public  *pipe.Listener
	console *pipe.Listener
	air     *air
	token   string
	agent   nod.AgentID
	owner   nod.PersonID
	wake    chan struct{}
	// carries is how long the phone takes to carry something out.
	carries atomic.Int64
	// askers are the clients that were not closed.
	askers map[*asker]bool
	// stop ends the gateway as a kill would.
	stop func()
}

// slowly is a phone that takes its time, and does not stop once it has begun.
type slowly struct {
	*sim.Phone
	takes *atomic.Int64
}

// CarryOut implements [host.Driver].
func (s slowly) CarryOut(ctx context.Context, card host.Card) host.Result {
	time.Sleep(time.Duration(s.takes.Load())) // in a bubble: no time passes
	return s.Phone.CarryOut(context.WithoutCancel(ctx), card)
}

// screen is what the person was shown, line by line.
type screen struct {
	mu    sync.Mutex
	lines []string
}

func (s *screen) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

// all returns what was shown since it was last asked for, once all is quiet.
func (s *screen) all() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

// nearby is a network on which everybody is on this machine, as the gateway sees it.
type nearby struct{ net.Listener }

// Accept implements [net.Listener].
func (l nearby) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return nearbyConn{c}, err
}

type nearbyConn struct{ net.Conn }

// RemoteAddr implements [net.Conn].
func (nearbyConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000} }

// inBubble runs f with a phone that is connected and whose person follows script.
func inBubble(t *testing.T, script string, f func(t *testing.T, p *presence)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := &presence{t: t, dir: dir, wake: make(chan struct{}, 1), air: &air{}, askers: map[*asker]bool{}}
		p.start()
		p.owner = p.gateway.People()[0].ID
		agent, token, err := p.gateway.AddAgent(t.Context(), gateway.AgentSpec{Person: p.owner, Name: "Laptop"})
		p.check(err)
		p.agent, p.token = agent.ID, token
		stop := p.phone(script)
		defer func() {
			p.each(func(a *asker) { a.close() })
			stop()
			p.stop()
			time.Sleep(10 * time.Second) // what is given a moment to end has ended
		}()
		f(t, p)
	})
}

// start runs the gateway on its folder; after stop it is the same one again.
func (p *presence) start() {
	p.public, p.console = pipe.Listen(), pipe.Listen()
	key, err := store.LoadKey(p.dir)
	p.check(err)
	ledger, err := store.Open(context.Background(), store.Config{Dir: p.dir, Sign: func(h wire.Head) (wire.Signed, error) { return log.SignHead(key, h) }})
	p.check(err)
	p.gateway, err = gateway.New(context.Background(), gateway.Config{Ledger: ledger, Signer: key, Spec: spec.Get(), Version: "test"})
	p.check(err)
	s := server.New(server.Config{Gateway: p.gateway, Version: "test", Local: "http://localhost"})
	p.server = s
	web, private := s.HTTP(), &http.Server{Handler: s.Console()}
	public, console := p.public, p.console
	go web.Serve(nearby{public}) //nolint:errcheck // it ends by Close
	go private.Serve(console)    //nolint:errcheck // it ends by Close
	p.air.use(public)
	p.stop = func() {
		p.check(p.gateway.Close()) // first, so that nothing can be put in order any more
		_ = web.Close()
		_ = private.Close()
		s.Close()
		_ = public.Close()
		_ = console.Close()
		p.check(ledger.Close())
	}
}

// phone pairs a phone and runs it over the air.
func (p *presence) phone(script string) (stop func()) {
	ctx := context.Background()
	key, err := wire.GenerateKey()
	p.check(err)
	invitation, err := p.gateway.StartPairing(ctx, p.owner, false)
	p.check(err)
	request, err := auth.NewPairRequest(invitation.Secret, key.Public(), "Pixel", nod.HostSim)
	p.check(err)
	reply, err := p.gateway.Pair(ctx, request)
	p.check(err)
	record, err := wire.Sign(key, wire.RecordPhone, wire.PhoneBody{Phone: reply.Phone, Person: p.owner, Name: "Pixel", Host: nod.HostSim, Key: request.Key, Signer: reply.Phone})
	p.check(err)
	p.check(p.gateway.PairRecord(ctx, auth.RecordRequest{ID: request.ID, Record: record}))
	der, err := key.Marshal()
	p.check(err)
	steps, err := sim.ParseScript(script)
	p.check(err)
	p.apps = sim.New(sim.Config{Zone: time.UTC})
	p.person, p.phoneID = sim.NewPerson(steps), reply.Phone
	p.person.Tell = p.screen.add
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = host.Run(ctx, host.Config{
			Identity: &host.Identity{Version: 1, Phone: reply.Phone, Name: "Pixel", Host: nod.HostSim, Person: p.owner, PersonName: "Me",
				Gateway: "http://localhost", GatewayKey: reply.GatewayKey, Key: wire.Encode64(der)},
			Driver: slowly{p.apps, &p.carries}, UI: p.person, Journal: &host.Memory{}, Version: "test", Wake: p.wake,
			Dial: host.DialWebSocket(&http.Client{Transport: &http.Transport{DialContext: p.air.dial, DisableKeepAlives: true}}),
			Clock: func() host.Now {
				since := time.Since(began)
				return host.Now{Boot: since, Awake: since, Wall: nod.TimeOf(time.Now())}
			},
		})
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-over
	}
}

// ask makes a request as the agent, or over the console.
func (p *presence) ask(over *pipe.Listener, method, path, body string, v any) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, "http://localhost"+path, bytes.NewBufferString(body))
	p.check(err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	web := over.Client()
	defer web.CloseIdleConnections()
	resp, err := web.Do(r)
	p.check(err)
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		p.t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
	p.check(json.NewDecoder(resp.Body).Decode(v))
}

// connected is what each place where it can be seen says of the phone: the
// agent's API, the console (which "nod phones --json" prints) and the gateway.
func (p *presence) connected() map[string]bool {
	p.t.Helper()
	var api, console struct{ Phones []client.Phone }
	p.ask(p.public, "GET", "/v1/phones", "", &api)
	p.ask(p.console, "GET", "/console/phones", "", &console)
	return map[string]bool{
		"the API": api.Phones[0].Connected, "the console": console.Phones[0].Connected,
		"the gateway": p.gateway.Phones(p.owner)[0].Connected, "the metrics": p.gateway.Stats().PhonesConnected == 1,
	}
}

// all wants every place to say the same of the phone.
func (p *presence) all(when string, want bool) {
	p.t.Helper()
	synctest.Wait()
	for where, is := range p.connected() {
		if is != want {
			p.t.Errorf("%s: %s says connected %t, want %t", when, where, is, want)
		}
	}
}

func (p *presence) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}
