package mcphttp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"nod.dev/nod"
)

// Bounds of one user's streams at a time, those too whose client is gone and whose
// call goes on: who mounts the handler cannot count them. Beyond the first a
// request is refused; beyond the second the subscription that is oldest ends, for a
// client that died without a word leaves one behind.
const (
	maxStreams = 256
	maxListens = 32
)

// streams knows the HTTP exchanges under way.
type streams struct {
	mu     sync.Mutex
	opened uint64                      // guarded by mu
	open   map[string]*Stream          // by nonce; guarded by mu
	of     map[string]map[*Stream]bool // by user; guarded by mu
}

func newStreams() *streams {
	return &streams{open: make(map[string]*Stream), of: make(map[string]map[*Stream]bool)}
}

func (s *streams) add(st *Stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.of[st.user]) >= maxStreams {
		return nod.Errorf(nod.CodeTooMany, fmt.Sprintf("%d requests of this agent are under way already", maxStreams), "wait until one of them has ended")
	}
	if st.hold != nil {
		st.hold.changed = make(chan struct{}, 1)
		s.makeRoom(st.user)
	}
	s.opened++
	st.opened = s.opened
	s.open[st.nonce] = st
	if s.of[st.user] == nil {
		s.of[st.user] = make(map[*Stream]bool)
	}
	s.of[st.user][st] = true
	return nil
}

// makeRoom ends the oldest stream of the user's that only listens and has no
// session, if there are as many as there may be. Those of sessions are bounded
// with the sessions.
func (s *streams) makeRoom(user string) {
	var oldest *Stream
	listens := 0
	for st := range s.of[user] {
		if st.hold == nil || st.session != "" || st.gone.Err() != nil {
			continue
		}
		listens++
		if oldest == nil || st.opened < oldest.opened {
			oldest = st
		}
	}
	if listens >= maxListens {
		oldest.drop()
	}
}

func (s *streams) use(nonce string) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.open[nonce]
	if st != nil {
		st.users++
	}
	return st
}

func (s *streams) done(st *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.users--; st.users > 0 {
		return
	}
	delete(s.open, st.nonce)
	delete(s.of[st.user], st)
	if len(s.of[st.user]) == 0 {
		delete(s.of, st.user)
	}
	st.end()
}

// each calls f with every stream of the user's.
func (s *streams) each(user string, f func(*Stream)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.of[user] {
		f(st)
	}
}

// end stops the streams of the user's that match.
func (s *streams) end(user string, match func(*Stream) bool) {
	s.each(user, func(st *Stream) {
		if match(st) {
			st.stop()
		}
	})
}

// changed has every stream that wants to hear of it say that the list changed.
func (s *streams) changed(user string) {
	s.each(user, func(st *Stream) {
		if st.hold == nil || st.hold.note == nil {
			return
		}
		select {
		case st.hold.changed <- struct{}{}:
		default: // it is to say so already
		}
	})
}

// replaced is how long a new stream waits for the one whose place it takes.
const replaced = time.Second

// cutHeld ends the stream of a session that only listens, if there is one, and
// waits until the library has let go of it.
func (s *streams) cutHeld(ctx context.Context, user, session string) {
	var old []*Stream
	s.each(user, func(st *Stream) {
		if st.hold != nil && st.session == session {
			st.drop()
			old = append(old, st)
		}
	})
	ctx, cancel := context.WithTimeout(ctx, replaced)
	defer cancel()
	for _, st := range old {
		select {
		case <-st.over:
		case <-ctx.Done():
		}
	}
}

// listens reports whether the user's session has a stream that is listening.
func (s *streams) listens(user, session string) bool {
	found := false
	s.each(user, func(st *Stream) { found = found || st.hold != nil && st.session == session && st.gone.Err() == nil })
	return found
}

// closeHeld ends every stream that only listens.
func (s *streams) closeHeld() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.open {
		if st.hold != nil {
			st.drop()
		}
	}
}
