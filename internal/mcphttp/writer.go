package mcphttp

import (
	"errors"
	"net/http"
	"sync"
)

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

// Write implements [http.ResponseWriter].
func (l *lockedWriter) Write(p []byte) (int, error) {
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
