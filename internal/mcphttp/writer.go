package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// errOver is what a write gets after the exchange has ended.
var errOver = errors.New("the exchange is over")

// stalled is how long one write may take. A whole answer may take as long as a
// person does, but a client that does not read what is there is gone: without a
// bound it would keep its goroutine, and whoever writes to it, for ever.
const stalled = 30 * time.Second

// lockedWriter lets the library and whoever keeps the stream alive write to one
// answer, each whole. It hides the writer under it: a way round the lock would be
// a way into the middle of an event.
type lockedWriter struct {
	mu      sync.Mutex
	w       http.ResponseWriter // guarded by mu, but for Header
	rc      *http.ResponseController
	events  bool   // the library has begun a stream of events; guarded by mu
	pending []byte // what is to be added once it has; guarded by mu
	unsent  bool   // something was written and not flushed; guarded by mu
	heard   int    // how many writes there were while gone was not done; guarded by mu
	err     error  // the first failed write; guarded by mu
	gone    context.Context

	over atomic.Bool // nothing more is written
}

// newLockedWriter guards w, whose client is there until gone is done.
func newLockedWriter(w http.ResponseWriter, gone context.Context) *lockedWriter {
	return &lockedWriter{w: w, rc: http.NewResponseController(w), gone: gone}
}

// Header implements [http.ResponseWriter]. Only the library calls it, before it
// hands the call to its handler.
func (l *lockedWriter) Header() http.Header { return l.w.Header() }

// WriteHeader implements [http.ResponseWriter].
func (l *lockedWriter) WriteHeader(code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over.Load() {
		l.w.WriteHeader(code)
	}
}

// Write implements [http.ResponseWriter]. The library writes an event as a whole.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.write(p)
	if err != nil {
		return n, err
	}
	if !l.events && strings.HasPrefix(l.w.Header().Get("Content-Type"), "text/event-stream") {
		l.events = true
		if len(l.pending) > 0 {
			_, err = l.write(l.pending)
		}
	}
	return n, err
}

// add writes something of our own between the library's events. Before the first
// of those there is nothing to add to: then it is left out, or with due said
// right after it.
func (l *lockedWriter) add(p []byte, due bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.events {
		if due {
			l.pending = p
		}
		return nil
	}
	if _, err := l.write(p); err != nil {
		return err
	}
	return l.flush()
}

func (l *lockedWriter) write(p []byte) (int, error) {
	if l.over.Load() {
		return 0, errOver
	}
	defer l.bounded()()
	l.unsent = true
	if l.gone.Err() == nil {
		l.heard++
	}
	n, err := l.w.Write(p)
	l.note(err)
	return n, err
}

// sofar is how many writes a client that is there has heard.
func (l *lockedWriter) sofar() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

// bounded bounds the write under way, until the returned function is called: an
// HTTP/2 stream whose deadline passes is reset, whether or not it writes. Not
// every writer has deadlines.
func (l *lockedWriter) bounded() func() {
	_ = l.rc.SetWriteDeadline(time.Now().Add(stalled))
	return func() { _ = l.rc.SetWriteDeadline(time.Time{}) }
}

// FlushError is found by [http.ResponseController].
func (l *lockedWriter) FlushError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

func (l *lockedWriter) flush() error {
	if l.over.Load() {
		return errOver
	}
	defer l.bounded()()
	l.unsent = false
	err := l.rc.Flush()
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	l.note(err)
	return err
}

func (l *lockedWriter) note(err error) {
	if l.err == nil && err != nil {
		l.err = err
	}
}

// close ends the exchange: nothing is written after the handler returned. It
// returns how many writes the client heard, 0 if one of them failed.
func (l *lockedWriter) close() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events && l.unsent && l.err == nil && !l.over.Load() {
		_ = l.flush()
	}
	l.over.Store(true)
	if l.err != nil {
		return 0
	}
	return l.heard
}
