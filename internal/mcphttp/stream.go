package mcphttp

import (
	"crypto/rand"
	"net/http"
	"sync"
)

// streamHeader carries the name of the HTTP exchange that a tool call came by
// from this package, through the library, to the tool's handler. The library
// gives a handler the request's header and nothing else of the exchange.
const streamHeader = "X-Nod-Stream"

// streams knows the HTTP exchanges that tool calls wait on.
type streams struct {
	mu   sync.Mutex
	open map[string]*Stream // by nonce; guarded by mu
}

func newStreams() *streams { return &streams{open: make(map[string]*Stream)} }

// Stream is one POST. It is known until it was served and every call in it has
// ended, whichever is later.
type Stream struct {
	of       *streams
	nonce    string
	users    int // the exchange itself and its calls; guarded by streams.mu
	user     string
	session  string
	loopback bool
	out      *lockedWriter
	gone     <-chan struct{}
	ended    chan struct{}
	end      sync.Once

	mu        sync.Mutex
	delivered []func() // run once the answers were written in full; guarded by mu
}

// serve has next answer one POST, as a stream that its calls can use.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	clearDeadline(w)
	s := h.streams
	st := &Stream{
		of:       s,
		nonce:    rand.Text(),
		users:    1,
		user:     userOf(r),
		session:  r.Header.Get(sessionHeader),
		loopback: h.config.Loopback(r),
		out:      &lockedWriter{w: w, rc: http.NewResponseController(w)},
		gone:     r.Context().Done(),
		ended:    make(chan struct{}),
	}
	r.Header.Set(streamHeader, st.nonce)
	s.mu.Lock()
	s.open[st.nonce] = st
	s.mu.Unlock()
	defer st.Done()
	next.ServeHTTP(st.out, r)
	err := st.out.close()
	if r.Context().Err() == nil && err == nil {
		st.wasDelivered()
	}
}

// Use returns the stream that a tool call came by, nil when it came by none. The
// header is that of the call's request. The caller calls Done.
func (h *Handler) Use(header http.Header) *Stream {
	s := h.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.open[header.Get(streamHeader)]
	if st != nil {
		st.users++
	}
	return st
}

// Done gives the stream back. It may be called of nil.
func (s *Stream) Done() {
	if s == nil {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(s.of.open, s.nonce)
	}
}

// Gone is closed when the client's connection is lost, or the answer complete.
func (s *Stream) Gone() <-chan struct{} { return s.gone }

// Ended is closed when the client ended its session on purpose.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// Loopback reports whether the client is on this machine.
func (s *Stream) Loopback() bool { return s.loopback }

// OnDelivered adds what runs once everything was written in full. A stream of an
// old revision can carry more than one call.
func (s *Stream) OnDelivered(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivered = append(s.delivered, f)
}

func (s *Stream) wasDelivered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.delivered {
		f()
	}
}

// Beat writes an SSE comment: the first one sends the headers, later ones keep
// proxies and clients from taking silence for death. Only a tool's handler may
// call it: before, the library has not set the headers.
func (s *Stream) Beat(word string) error {
	if _, err := s.out.Write([]byte(": " + word + "\n\n")); err != nil {
		return err
	}
	return s.out.FlushError()
}

// endSession tells every call of a session that it is over.
func (s *streams) endSession(user, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.open {
		if st.session == session && st.user == user {
			st.end.Do(func() { close(st.ended) })
		}
	}
}
