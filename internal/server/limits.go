package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Sizes of what is read from outside.
const (
	// MaxBody is the largest request body in bytes.
	MaxBody = 256 << 10
	// MaxHeader is the largest request header in bytes; for http.Server.
	MaxHeader = 16 << 10
)

// Rate is how many requests a second are let through, and how many at once
// after a quiet time.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Rates bound what one caller can ask for. The zero value of each is the default.
type Rates struct {
	// Agent bounds one agent's requests.
	Agent Rate
	// Address bounds one network address's requests, those of agents apart from
	// all others.
	Address Rate
	// Failure bounds the wrong tokens and pairing proofs of one address.
	Failure Rate
}

var defaultRates = Rates{
	Agent:   Rate{50, 200},
	Address: Rate{100, 400},
	Failure: Rate{0.5, 20},
}

func (r Rates) orDefault() Rates {
	fill := func(r *Rate, d Rate) {
		if *r == (Rate{}) {
			*r = d
		}
	}
	fill(&r.Agent, defaultRates.Agent)
	fill(&r.Address, defaultRates.Address)
	fill(&r.Failure, defaultRates.Failure)
	return r
}

// maxCallers bounds the callers a limiter remembers.
const maxCallers = 8192

// limiter keeps one bucket a caller.
type limiter struct {
	rate Rate
	what string // for the sentence: "agent", "address"

	mu      sync.Mutex
	callers map[string]*rate.Limiter // guarded by mu
}

func newLimiter(r Rate, what string) *limiter {
	return &limiter{rate: r, what: what, callers: make(map[string]*rate.Limiter)}
}

// take lets a request of caller through, or says when to try again.
func (l *limiter) take(caller string) error { return l.spend(caller, time.Now(), 1) }

// spent reports, without taking anything, whether caller has nothing left.
func (l *limiter) spent(caller string) error { return l.spend(caller, time.Now(), 0) }

func (l *limiter) spend(caller string, now time.Time, n int) error {
	b := l.bucket(caller, now)
	if n > 0 && b.AllowN(now, n) {
		return nil
	}
	left := b.TokensAt(now)
	if n == 0 && left >= 1 {
		return nil
	}
	return &tooSoon{
		refusal: nod.Errorf(nod.CodeTooMany, fmt.Sprintf("too many requests from this %s", l.what),
			"wait as long as the header Retry-After says"),
		after: time.Duration((1 - left) / l.rate.PerSecond * float64(time.Second)),
	}
}

// bucket returns the caller's bucket. When too many are kept, those that are
// full again go: forgetting them changes nothing. If none is, all go, which
// errs on the side of serving.
func (l *limiter) bucket(caller string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.callers[caller]; ok {
		return b
	}
	if len(l.callers) >= maxCallers {
		for k, b := range l.callers {
			if b.TokensAt(now) >= float64(l.rate.Burst) {
				delete(l.callers, k)
			}
		}
		if len(l.callers) >= maxCallers {
			clear(l.callers)
		}
	}
	b := rate.NewLimiter(rate.Limit(l.rate.PerSecond), l.rate.Burst)
	l.callers[caller] = b
	return b
}

// caller names the address a request comes from, for limits. Behind a proxy on
// this machine it is the address the proxy saw last; others cannot choose it.
// An IPv6 network counts as one: its owner has all of its addresses.
func (s *Server) caller(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if s.site.Public != nil && addr.IsLoopback() {
		seen := r.Header.Get("X-Forwarded-For")
		if i := strings.LastIndexByte(seen, ','); i >= 0 {
			seen = seen[i+1:]
		}
		if a, err := netip.ParseAddr(strings.TrimSpace(seen)); err == nil {
			addr = a
		}
	}
	addr = addr.Unmap()
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}

// bucket names what a request counts against, by where it comes from and which
// door it knocks at. Agents and a phone can share an address, a proxy's or this
// machine's, and no agent may keep the person from answering or from pausing it.
func (s *Server) bucket(r *http.Request) string {
	if r.URL.Path == "/mcp" || strings.HasPrefix(r.URL.Path, "/v1/") {
		return "agents at " + s.caller(r)
	}
	return s.caller(r)
}

// bodyTime is how long a body may take to arrive. The server itself has no read
// time-out: it would end requests that wait for a person.
const bodyTime = 30 * time.Second

// body reads a request's whole body, at most [MaxBody].
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	rc := http.NewResponseController(w)
	if rc.SetReadDeadline(time.Now().Add(bodyTime)) == nil { // not every writer has one
		defer rc.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err == nil {
		return b, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nod.Errorf(nod.CodeTooLarge, fmt.Sprintf("the request's body is larger than %d KiB", MaxBody>>10), "send less at once")
	}
	return nil, nod.Errorf(nod.CodeInvalid, "the request's body broke off or took too long", "send it again")
}

// decode reads a JSON body into v, strictly: see [wire.Decode].
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	b, err := jsonBody(w, r)
	if err != nil {
		return err
	}
	if err := wire.Decode(b, v); err != nil {
		return badJSON(err)
	}
	return nil
}

// jsonBody reads a body that says it is JSON. The type is demanded because a
// page of another site can send any other without being asked.
func jsonBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
		return nil, nod.Errorf(nod.CodeMediaType, "the request's body is not declared as JSON", `send the header "Content-Type: application/json"`)
	}
	return body(w, r)
}

// badJSON says what is wrong with a body.
func badJSON(err error) error {
	return nod.Errorf(nod.CodeInvalid, "the request's body is not what nod reads: "+err.Error(), "correct it and send it again")
}
