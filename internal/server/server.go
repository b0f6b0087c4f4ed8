// Package server is nod's outside: it decodes what comes in over HTTP, calls
// the gateway, and encodes what it says. It decides nothing about calls.
//
// There are four doors, each with a mux of its own, so that no rule of one can
// leak into another:
//
//   - agents: /v1 and /mcp, each request with an agent's token (api.go lists the
//     routes of the first, which spec/openapi.json describes; mcp.go);
//   - phones: /link, /pair and /phone (phone.go);
//   - browsers: the web app's files, and JSON 404 for everything else (files.go);
//   - the console: /console, on a unix socket and nowhere else (console.go).
//
// In front of the first three stand the same guards: the names the gateway goes
// by and the pages that may speak to it (package site), sizes and rates
// (limits.go), and one line of log a request (requestlog.go).
//
// A tool call over MCP waits for a person, which neither the protocol's clients
// nor its library expect: package mcphttp keeps the connection alive and
// notices when it dies, holds.go decides what that means for the card, budget.go says how
// long a client can wait, and mcpcall.go does the waiting.
package server

import (
	"context"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/mcphttp"
	"nod.dev/nod/internal/site"
	"nod.dev/nod/spec"
)

// Gateway is what the server needs of a gateway, door by door.
type Gateway interface {
	agentsGateway
	phonesGateway
	consoleGateway
}

// Config is what a server is made of.
type Config struct {
	// Gateway does the work.
	Gateway Gateway
	// Spec is the contract; nil for the one this program holds.
	Spec *spec.Spec
	// Files is the web app, rooted at index.html; nil for none.
	Files fs.FS
	// Public is the address phones know this gateway by; nil on loopback.
	Public *url.URL
	// Origins are further web origins that may speak to it; usually none.
	Origins []string
	// Rates bound what one caller can ask for; zero for the defaults.
	Rates Rates
	// Metrics counts; nil for a set of its own.
	Metrics *Metrics
	// Version is the program's.
	Version string
	// Local is the address this machine knows the gateway by; phones too, where
	// there is no public one.
	Local string
	// Data is the folder that the gateway keeps its things in; only shown.
	Data string
	// Dev serves the pages that show every card in every state.
	Dev bool
	// Logger takes the request log; nil for none.
	Logger *slog.Logger
}

// Server answers HTTP for a gateway.
type Server struct {
	gateway Gateway
	spec    *spec.Spec
	config  Config
	log     *slog.Logger
	metrics *Metrics
	site    *site.Site

	agents    *limiter
	addresses *limiter
	failures  *limiter
	conns     *conns
	under     *rooms // requests under way
	events    *rooms // event streams among them
	fetches   *rooms // attachments that agents fetch
	uploads   *rooms // blobs that phones send
	albums    chan struct{}

	mcp   *mcphttp.Handler
	holds *holds
	ends  ends

	callbacks *deposits[callback]
	files     *deposits[phoneFile]

	started time.Time
	once    sync.Once
	closing chan struct{}
	waits   waits // the tool calls over MCP
	public  http.Handler
	console http.Handler
}

// New makes a server.
func New(c Config) *Server {
	if c.Spec == nil {
		c.Spec = spec.Get()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = NewMetrics()
	}
	rates := c.Rates.orDefault()
	s := &Server{
		gateway:   c.Gateway,
		spec:      c.Spec,
		config:    c,
		log:       c.Logger,
		metrics:   c.Metrics,
		site:      &site.Site{Public: c.Public, Origins: c.Origins},
		agents:    newLimiter(rates.Agent, "agent"),
		addresses: newLimiter(rates.Address, "address"),
		failures:  newLimiter(rates.Failure, "address"),
		conns:     newConns(maxStrangers),
		under:     newRooms(maxUnderWay, math.MaxInt, tooManyUnderWay),
		events:    newRooms(streamsAnAgent, streamsTogether, tooManyStreams),
		fetches:   newRooms(fetchesAnAgent, fetchesTogether, tooManyFetches),
		uploads:   newRooms(uploadsAPhone, uploadsTogether, tooManyUploads),
		albums:    make(chan struct{}, albumsTogether),
		started:   time.Now(),
		closing:   make(chan struct{}),
		callbacks: newDeposits[callback](callbackTTL, callbacksAPhone, callbacksTogether),
		files:     newDeposits[phoneFile](fileTTL, filesAPhone, filesTogether),
	}
	s.holds = newHolds(func(agent nod.AgentID, call nod.CallID) {
		if err := s.gateway.Gone(context.Background(), agent, call); err != nil {
			s.log.Warn("a call whose connection went away could not be taken back", "call", call, "err", err)
		}
	})
	s.mcp = s.mcpDoor()
	s.gateway.OnAgents(func(n gateway.AgentNews) {
		if n.Over {
			s.mcp.End(string(n.Agent))
			s.ends.end(n.Agent)
		}
		if n.List {
			s.mcp.Changed(string(n.Agent))
		}
	})
	s.public = s.watched(s.guarded(s.routes()))
	s.console = s.watched(s.consoleRoutes())
	return s
}

// Public returns the handler for agents, phones and browsers.
func (s *Server) Public() http.Handler { return s.public }

// Console returns the handler for the person at the console. It asks for no
// token: serve it on a socket that only that person can open.
func (s *Server) Console() http.Handler { return s.console }

// Close ends what waits, and what the server keeps in memory. The gateway closes
// after it. A call that waits for its agent's connection is taken back, and told
// so, as the next start would: no connection outlives the server.
func (s *Server) Close() {
	s.once.Do(func() { close(s.closing) })
	s.waits.Wait()
	s.gateway.OnAgents(nil)
	s.mcp.Close()
	s.holds.stop()
}
