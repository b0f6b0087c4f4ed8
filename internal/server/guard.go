package server

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
)

// Times of a request, for the server itself can have none.
const (
	// bodyTime is how long a body may take to arrive, also one that nobody reads.
	bodyTime = 30 * time.Second
	// answerTime is how long an answer may take, the longest wait of the HTTP API
	// and the reading of it included. What waits for longer writes as it waits, and
	// has a time for each write.
	answerTime = 2 * time.Minute
	// lastTime is how long the rest of an answer may take, the wait for a body that
	// nobody read included.
	lastTime = 2 * bodyTime
)

// maxUnderWay is how many requests of one agent can be under way.
const maxUnderWay = 256

var tooManyUnderWay = tooSoon{refusal: nod.Errorf(nod.CodeTooMany, strconv.Itoa(maxUnderWay)+" requests of this agent are under way already",
	"wait until one of them has ended"), after: time.Second}

// guarded lets a request through to next if it came by a known name, from a
// page that may, and not too often.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer inTime(w, r)()
		if err := s.site.Check(r); err != nil {
			s.fail(w, r, err)
			return
		}
		leave, err := s.enter(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		defer leave()
		next.ServeHTTP(w, r)
	})
}

// inTime bounds how long the body may take, until it was read, and the answer;
// once the returned function was called, what net/http has still to write of it.
// net/http itself waits for what is left of a body before it answers, for ever.
// The deadlines stay until the connection's next request has its own. Not every
// writer has them.
func inTime(w http.ResponseWriter, r *http.Request) (end func()) {
	rc, now := http.NewResponseController(w), time.Now()
	if r.ContentLength != 0 {
		_ = rc.SetReadDeadline(now.Add(bodyTime))
	}
	_ = rc.SetWriteDeadline(now.Add(answerTime))
	return func() { _ = rc.SetWriteDeadline(time.Now().Add(lastTime)) }
}

// enter counts a request: one of an agent that is known against what that agent
// may, and any other against what its address may. So nobody's flood keeps an
// agent out, not even one from the same address. leave is called at its end.
func (s *Server) enter(r *http.Request) (leave func(), err error) {
	agent, ok := s.sender(r)
	if !ok {
		return func() {}, s.addresses.take(s.bucket(r))
	}
	if err := s.agents.take(string(agent.ID)); err != nil {
		return nil, err
	}
	out, err := s.under.enter(string(agent.ID))
	if err != nil {
		return nil, err
	}
	end := keep(r)
	return func() { out(); end() }, nil
}

// sender is the agent whose request comes to the agents' doors, if it is known.
func (s *Server) sender(r *http.Request) (nod.Agent, bool) {
	if !forAgents(r) {
		return nod.Agent{}, false
	}
	token, err := auth.Bearer(r)
	if err != nil {
		return nod.Agent{}, false
	}
	agent, err := s.gateway.AgentByToken(token)
	return agent, err == nil
}

// forAgents reports whether a request comes to the agents' doors.
func forAgents(r *http.Request) bool {
	return r.URL.Path == "/mcp" || strings.HasPrefix(r.URL.Path, "/v1/")
}

// rooms counts what is under way of each agent, or of each phone.
type rooms struct {
	mostEach, mostAll int // of one of them, and of all of them together
	full              tooSoon

	mu   sync.Mutex
	each map[string]int // by id; guarded by mu
	all  int            // guarded by mu
}

func newRooms(mostEach, mostAll int, full tooSoon) *rooms {
	return &rooms{mostEach: mostEach, mostAll: mostAll, full: full, each: make(map[string]int)}
}

// enter finds room for one more, until leave is called.
func (o *rooms) enter(id string) (leave func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.each[id] >= o.mostEach || o.all >= o.mostAll {
		full := o.full
		return nil, &full
	}
	o.each[id]++
	o.all++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.all--
		if o.each[id]--; o.each[id] == 0 {
			delete(o.each, id)
		}
	}, nil
}
