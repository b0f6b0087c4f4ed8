package server

import (
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"

	"nod.dev/nod"
)

// streamHeader carries the name of the HTTP exchange that a tool call came by
// from the wrapper round the MCP library to the tool's handler. The library
// gives a handler the request's header and nothing else of the exchange.
const streamHeader = "X-Nod-Stream"

// sessionHeader names an MCP session in the session-based revisions.
const sessionHeader = "Mcp-Session-Id"

// streams knows the HTTP exchanges that tool calls wait on. The MCP library
// keeps nothing alive, does not notice that a caller of the session-based
// revisions went away, and closes a session only after its calls have ended;
// this wrapper makes up for all three.
type streams struct {
	mu   sync.Mutex
	open map[string]*stream // by nonce; guarded by mu
}

func newStreams() *streams { return &streams{open: make(map[string]*stream)} }

// stream is one POST to the MCP endpoint. It is known until it was served and
// every call in it has ended, whichever is later.
type stream struct {
	nonce    string
	users    int // the exchange itself and its calls; guarded by streams.mu
	agent    nod.AgentID
	session  string
	loopback bool
	out      *lockedWriter
	// gone is closed when the caller's connection is lost.
	gone <-chan struct{}
	// ended is closed when the caller ends its session.
	ended chan struct{}
	end   sync.Once

	mu        sync.Mutex
	delivered []func() // run once the answers were written in full; guarded by mu
}

// wrap serves one exchange through next, the MCP library.
func (s *streams) wrap(agent func(*http.Request) nod.AgentID, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(streamHeader)
		rc := http.NewResponseController(w)
		_ = rc.SetWriteDeadline(time.Time{}) // a person's answer takes longer; not every writer has one
		switch r.Method {
		case http.MethodDelete:
			s.endSession(agent(r), r.Header.Get(sessionHeader))
			next.ServeHTTP(w, r)
		case http.MethodPost:
			s.serve(w, r, agent(r), next)
		default:
			w.Header().Set("X-Accel-Buffering", "no")
			next.ServeHTTP(w, r)
		}
	})
}

func (s *streams) serve(w http.ResponseWriter, r *http.Request, agent nod.AgentID, next http.Handler) {
	w.Header().Set("X-Accel-Buffering", "no")
	nonce := rand.Text()
	r.Header.Set(streamHeader, nonce)
	st := &stream{
		nonce:    nonce,
		users:    1,
		agent:    agent,
		session:  r.Header.Get(sessionHeader),
		loopback: loopback(r),
		out:      &lockedWriter{w: w, rc: http.NewResponseController(w)},
		gone:     r.Context().Done(),
		ended:    make(chan struct{}),
	}
	s.mu.Lock()
	s.open[nonce] = st
	s.mu.Unlock()
	defer s.done(st)
	next.ServeHTTP(st.out, r)
	err := st.out.close()
	if r.Context().Err() == nil && err == nil {
		st.wasDelivered()
	}
}

// use returns the exchange that a tool call came by, nil when it came another
// way. The caller calls done with it.
func (s *streams) use(header http.Header) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.open[header.Get(streamHeader)]
	if st != nil {
		st.users++
	}
	return st
}

func (s *streams) done(st *stream) {
	if st == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.users--; st.users == 0 {
		delete(s.open, st.nonce)
	}
}

// endSession tells every call of a session that it is over, before the library
// hears of it: the library would wait for them.
func (s *streams) endSession(agent nod.AgentID, session string) {
	if session == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.open {
		if st.session == session && st.agent == agent {
			st.end.Do(func() { close(st.ended) })
		}
	}
}

// onDelivered adds what runs once everything was written in full. An exchange
// of an old revision can carry more than one call.
func (st *stream) onDelivered(f func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.delivered = append(st.delivered, f)
}

func (st *stream) wasDelivered() {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, f := range st.delivered {
		f()
	}
}

// beat writes an SSE comment: the first one sends the headers, later ones keep
// proxies and clients from taking silence for death.
func (st *stream) beat(word string) error {
	_, err := st.out.write([]byte(": " + word + "\n\n"))
	if err != nil {
		return err
	}
	return st.out.FlushError()
}

// errOver is what a write gets after the exchange has ended.
var errOver = errors.New("the exchange is over")

// lockedWriter lets the library and a call's heart-beat write to one answer,
// each whole. It hides the writer under it: a way round the lock would be a way
// into the middle of an event.
type lockedWriter struct {
	mu   sync.Mutex
	w    http.ResponseWriter // guarded by mu, but for Header
	rc   *http.ResponseController
	over bool  // guarded by mu
	err  error // the first failed write; guarded by mu
}

// Header implements [http.ResponseWriter]. Only the library calls it, before it
// hands the call to its handler.
func (l *lockedWriter) Header() http.Header { return l.w.Header() }

// WriteHeader implements [http.ResponseWriter].
func (l *lockedWriter) WriteHeader(code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.w.WriteHeader(code)
	}
}

// Write implements [io.Writer].
func (l *lockedWriter) Write(p []byte) (int, error) { return l.write(p) }

func (l *lockedWriter) write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, errOver
	}
	n, err := l.w.Write(p)
	l.note(err)
	return n, err
}

// FlushError is found by [http.ResponseController].
func (l *lockedWriter) FlushError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return errOver
	}
	err := l.rc.Flush()
	l.note(err)
	return err
}

func (l *lockedWriter) note(err error) {
	if l.err == nil && err != nil && !errors.Is(err, http.ErrNotSupported) {
		l.err = err
	}
}

// close ends the exchange: nothing is written after the handler returned. It
// returns the first error of a write.
func (l *lockedWriter) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	return l.err
}
