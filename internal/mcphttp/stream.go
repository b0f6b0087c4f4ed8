package mcphttp

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// streamHeader carries the name of the HTTP exchange that a tool call came by
// from this package, through the library, to the tool's handler. The library
// gives a handler the request's header and nothing else of the exchange.
const streamHeader = "X-Nod-Stream"

// Stream is one HTTP exchange. It is known until it was served and every call in
// it has ended, whichever is later.
type Stream struct {
	all      *streams
	nonce    string
	opened   uint64 // in which order
	users    int    // the exchange itself and its calls; guarded by streams.mu
	user     string
	session  string
	loopback bool
	out      *lockedWriter
	hold     *held // nil for one that answers

	gone  context.Context // the connection is lost, or was cut
	cut   context.CancelFunc
	ended context.Context // its session was ended on purpose
	end   context.CancelFunc
	over  chan struct{} // closed when it was served

	mu     sync.Mutex
	served []served // guarded by mu
	past   bool     // they were told; guarded by mu
}

// served is what runs once the exchange was served.
type served struct {
	tell  func(delivered bool)
	since int // what the client had heard before
}

// serve has next answer one request, as a stream that its calls can use; with
// hold, as one that only listens.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, next http.Handler, hold *held) {
	gone, cut := context.WithCancel(r.Context())
	defer cut()
	st := &Stream{
		all: h.streams, nonce: rand.Text(), users: 1, user: userOf(r), session: r.Header.Get(sessionHeader),
		loopback: h.config.Loopback(r), out: newLockedWriter(w, gone), hold: hold, over: make(chan struct{}),
		gone: gone, cut: cut,
	}
	st.ended, st.end = context.WithCancel(context.Background())
	r = r.WithContext(st.gone)
	r.Header.Set(streamHeader, st.nonce)
	if err := h.streams.add(st); err != nil {
		st.end()
		w.Header().Set("Retry-After", "1")
		h.config.Fail(w, r, err)
		return
	}
	defer st.Done()
	defer close(st.over)
	// From here on the end of a token ends the stream. One that died before does here.
	if err := h.still(r); err != nil {
		h.config.Fail(w, r, err)
		return
	}
	if hold != nil {
		go hold.keep(st)
	}
	next.ServeHTTP(st.out, r)
	st.wasServed(st.out.close())
}

// Use returns the stream that a tool call came by, nil when it came by none. The
// header is that of the call's request. The caller calls Done.
func (h *Handler) Use(header http.Header) *Stream { return h.streams.use(header.Get(streamHeader)) }

// Done gives the stream back. It may be called of nil.
func (s *Stream) Done() {
	if s != nil {
		s.all.done(s)
	}
}

// Gone is closed when the client's connection is lost, and when the answer is
// complete.
func (s *Stream) Gone() <-chan struct{} { return s.gone.Done() }

// Ended is closed when the client ended its session on purpose, or its token is
// dead.
func (s *Stream) Ended() <-chan struct{} { return s.ended.Done() }

// Loopback reports whether the client is on this machine.
func (s *Stream) Loopback() bool { return s.loopback }

// OnDelivered adds what runs once everything was written in full. A stream of an
// old revision can carry more than one call.
func (s *Stream) OnDelivered(f func()) {
	s.OnServed(func(delivered bool) {
		if delivered {
			f()
		}
	})
}

// OnServed adds what runs once the exchange was served, and hears whether what was
// written from now on, the answer, went out in full while the client was there.
// That it went away after that is no news: some do as soon as they have an answer.
func (s *Stream) OnServed(f func(delivered bool)) {
	since := s.out.sofar()
	s.mu.Lock()
	past := s.past
	s.served = append(s.served, served{f, since})
	s.mu.Unlock()
	if past {
		f(false)
	}
}

func (s *Stream) wasServed(heard int) {
	s.mu.Lock()
	s.past = true
	all := s.served
	s.mu.Unlock()
	for _, each := range all {
		each.tell(heard > each.since)
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

// lastWord is how long an exchange that was ended has to say how its calls did.
const lastWord = 2 * time.Second

// stop ends an exchange: one that only listens at once, another once it had time
// to answer.
func (s *Stream) stop() {
	if s.hold != nil {
		s.drop()
		return
	}
	s.end()
	time.AfterFunc(lastWord, s.cut)
}

// drop ends an exchange that only listens, without a word: the library would
// write its result if it is fast enough, as for one that came to its own end.
func (s *Stream) drop() {
	s.out.over.Store(true)
	s.cut()
}

// beatEvery is how often a stream that only listens is shown to be alive.
// Clients cut a silent one after 60 seconds, some proxies after 30.
const beatEvery = 8 * time.Second

// held is what keeps a stream that only listens: the one of a session, or of a
// subscription. The library writes nothing on either until it has something to
// say, which can take days.
type held struct {
	note    []byte        // what it is told when the list of tools changes; nil for nothing
	changed chan struct{} // has a value when that is to be said
}

// keep writes on the stream until it is over or the client is gone.
func (k *held) keep(st *Stream) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		var err error
		select {
		case <-st.over:
			return
		case <-st.gone.Done():
			return
		case <-beat.C:
			err = st.out.add([]byte(": waiting\n\n"), false)
		case <-k.changed:
			err = st.out.add(k.note, true)
		}
		if err != nil {
			st.drop() // it does not read: there is nobody to keep it for
			return
		}
	}
}
