// Package nodtest is a gateway, a phone and a person in one process, for
// anyone's tests.
//
// Nothing in it is pretended but the person: the ledger is SQLite in a folder
// of its own, the phone is paired over HTTP and speaks the real protocol over a
// real socket on loopback, and its apps are package internal/host/sim.
//
//	n := nodtest.New(t, nodtest.Options{Person: "confirm"})
//	call, err := n.Client.Do(ctx, client.Request{Tool: "phone_action", Arguments: ...})
//	// call.Outcome is "done"; n.Phone.State().Alarms has the alarm
//
// What the person does with the cards that follow is a script, and can change:
//
//	n.Person.Will("decline:not now")
package nodtest

import (
	"context"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Options say what to begin with. The zero value is a gateway with one agent
// and one phone, whose person confirms.
type Options struct {
	// Person is the script of what the person does with each card; empty for
	// "confirm". See [Person.Will].
	Person string
	// Faults break the phone's link, journal and clock on cue; empty for none.
	Faults string
	// NoPhone leaves the phone out.
	NoPhone bool
	// Phone is what the phone is like, and how its system answers.
	Phone sim.Config
	// Switches are signed on the phone before New returns, as in
	// "calendar:read": "ask"; nil for none. See [Nod.SetAccess].
	Switches map[string]nod.AccessState
	// Apps limits what the agent may ask for, as in "maps:act"; nil for all acts.
	Apps []string
	// Rates bound what a caller can ask for; the zero value for nod's own.
	Rates server.Rates
	// Files is the web app to serve; nil for none.
	Files fs.FS
	// Push is how phones are woken; nil for not at all.
	Push *gateway.PushConfig
	// Verbose logs what the gateway and the phone do to the test.
	Verbose bool
}

// Nod is a running system.
type Nod struct {
	// URL is the gateway's base address, and Token that of its one agent.
	URL   string
	Token string
	// Agent is the agent behind Token.
	Agent nod.Agent
	// Client speaks as the agent, Console as the person at the machine.
	Client  *client.Client
	Console *client.Console
	// Phone is the phone's apps, and Person who looks at its screen.
	Phone  *sim.Phone
	Person *Person
	// Gateway is the gateway itself.
	Gateway *gateway.Gateway
	// Dir is its data folder.
	Dir string

	t        testing.TB
	options  Options
	log      *slog.Logger
	listener net.Listener
	address  string
	journal  *host.Memory
	bearers  bearers

	mu      sync.Mutex
	gateway func()   // ends the gateway; guarded by mu
	phone   []func() // end the phone; guarded by mu
}

// New starts a system that ends with the test.
func New(t testing.TB, o Options) *Nod {
	t.Helper()
	// Not t.TempDir: its path is longer than a unix socket's may be.
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	n := &Nod{t: t, options: o, Dir: dir, log: slog.New(slog.DiscardHandler), address: "127.0.0.1:0", journal: &host.Memory{}}
	if o.Verbose {
		n.log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	t.Cleanup(func() {
		n.Stop()
		_ = os.RemoveAll(dir)
	})
	_, err = store.LoadKey(dir)
	n.check(err)
	storetest.Fresh(t, dir)
	n.Start()
	n.addAgent()
	if !o.NoPhone {
		n.addPhone()
	}
	if o.Switches != nil {
		n.SetAccess(o.Switches)
	}
	return n
}

// Start runs the gateway on its folder. After [Nod.Crash] it is the same gateway
// again, at the same address, and the phone comes back by itself.
func (n *Nod) Start() {
	n.t.Helper()
	ctx := context.Background()
	key, err := store.LoadKey(n.Dir)
	n.check(err)
	ledger, err := store.Open(ctx, store.Config{Dir: n.Dir, Logger: n.log, Sign: func(h wire.Head) (wire.Signed, error) { return log.SignHead(key, h) }})
	n.check(err)
	n.listener, err = net.Listen("tcp", n.address)
	n.check(err)
	n.address = n.listener.Addr().String()
	n.URL = "http://" + n.address
	metrics := server.NewMetrics()
	n.Gateway, err = gateway.New(ctx, gateway.Config{
		Ledger: ledger, Signer: key, Spec: spec.Get(), Logger: n.log, Version: "test", WebVersion: server.WebVersion(n.options.Files), Observer: metrics,
		Push: n.options.Push,
	})
	n.check(err)
	console, err := auth.ListenConsole(n.Dir)
	n.check(err)
	metrics.Watch(
		func() int { return n.Gateway.Stats().OpenCalls },
		func() int { return n.Gateway.Stats().PhonesConnected })
	s := server.New(server.Config{
		Gateway: n.Gateway, Rates: n.options.Rates, Files: n.options.Files, Metrics: metrics,
		Version: "test", Local: n.URL, Data: n.Dir, Logger: n.log,
	})
	public := s.HTTP()
	private := &http.Server{Handler: s.Console()}
	go public.Serve(n.listener) //nolint:errcheck // it ends by Close
	go private.Serve(console)   //nolint:errcheck // it ends by Close
	n.Console = client.NewConsole(auth.ConsolePath(n.Dir))
	g := n.Gateway
	n.mu.Lock()
	defer n.mu.Unlock()
	n.gateway = func() {
		_ = g.Close() // first, so that nothing can be put in order any more
		_ = public.Close()
		_ = private.Close()
		s.Close()
		_ = ledger.Close()
	}
}

// Stop ends the phone and the gateway without a word to anyone, as a power cut
// would. What was written stays written.
func (n *Nod) Stop() {
	n.mu.Lock()
	phone := n.phone
	n.phone = nil
	n.mu.Unlock()
	for _, end := range phone {
		end()
	}
	n.Crash()
}

// Crash ends the gateway and leaves the phone running, which then tries to come
// back.
func (n *Nod) Crash() {
	n.mu.Lock()
	gateway := n.gateway
	n.gateway = nil
	n.mu.Unlock()
	if gateway != nil {
		gateway()
	}
}

// Restart ends the gateway and starts it again.
func (n *Nod) Restart() {
	n.t.Helper()
	n.Crash()
	n.Start()
}

func (n *Nod) addAgent() {
	n.t.Helper()
	a, err := n.Console.AddAgent(context.Background(), client.AgentRequest{Name: "Test agent", Apps: n.options.Apps})
	n.check(err)
	n.Token = a.Token
	n.Agent, err = n.Gateway.AgentByToken(a.Token)
	n.check(err)
	n.connectClient()
}

func (n *Nod) connectClient() {
	n.t.Helper()
	var err error
	n.Client, err = client.New(client.Config{URL: n.URL, Token: n.Token})
	n.check(err)
}

// addPhone pairs the phone as a person would and waits until it is there.
func (n *Nod) addPhone() {
	n.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	script := n.options.Person
	if script == "" {
		script = "confirm"
	}
	n.Person = newPerson(n.t, script)
	n.Phone = sim.New(n.options.Phone)
	faults, err := sim.ParseFaults(n.options.Faults)
	n.check(err)
	p, err := n.Console.Pair(ctx, "", false)
	n.check(err)
	identity, err := host.Pair(ctx, p.Link, "Test phone", nod.HostSim, filepath.Join(n.Dir, "phone"))
	n.check(err)
	done, up := make(chan struct{}), make(chan struct{}, 16)
	go func() {
		defer close(done)
		_ = sim.Run(ctx, host.Config{
			Identity: identity, Driver: n.Phone, UI: n.Person, Journal: n.journal, Logger: n.log, Version: "test",
			Zone: zoneOf(n.options.Phone.Zone),
			Dial: n.bearers.dial(host.DialWebSocket(nil)),
			OnLink: func(is bool) {
				if is {
					select {
					case up <- struct{}{}:
					default:
					}
				}
			},
		}, faults)
	}()
	n.mu.Lock()
	n.phone = append(n.phone, func() {
		cancel()
		<-done
	})
	n.mu.Unlock()
	select {
	case <-up:
	case <-time.After(10 * time.Second):
		n.t.Fatal("nodtest: the phone did not connect")
	}
}

// zoneOf is the name of a phone's zone; empty for this machine's.
func zoneOf(zone *time.Location) string {
	if zone == nil || zone == time.Local {
		return ""
	}
	return zone.String()
}

// SetAccess has the person switch on their phone what the agent may ask for, and
// returns once the gateway knows.
func (n *Nod) SetAccess(switches map[string]nod.AccessState) {
	n.t.Helper()
	n.Person.SetAccess(n.Agent.ID, switches)
	for range 2000 {
		a, err := n.Gateway.AgentByToken(n.Token)
		n.check(err)
		n.Agent = a
		missing := 0
		for app, state := range switches {
			if a.Access.Switches[app] != state {
				missing++
			}
		}
		if missing == 0 {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	n.t.Fatal("nodtest: the gateway did not take what the phone signed")
}

// Ask is a call of phone_action with the arguments given as JSON.
func Ask(arguments string) client.Request {
	return client.Request{Tool: spec.ToolPhoneAction, Arguments: []byte(arguments)}
}

func (n *Nod) check(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatalf("nodtest: %v", err)
	}
}
