package server

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"nod.dev/nod"
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
	// Address bounds one network address's requests, but for those of agents that
	// are known: those have bounds of their own. What comes to the agents' doors
	// without a token that is known counts apart from all others.
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
