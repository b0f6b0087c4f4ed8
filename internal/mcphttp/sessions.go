package mcphttp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSessions bounds one user's sessions. A client that dies without a word
// leaves one behind; the one least used goes when a new one needs room.
const maxSessions = 32

// idle ends a session that nobody used for so long and that has no stream. A
// client that comes back later is told so and begins a new one. It is looked for
// when a session begins: until then those that are there are bounded.
const idle = 24 * time.Hour

// sessions knows each user's sessions.
type sessions struct {
	// listens reports whether somebody listens on the session's own stream.
	listens func(user, id string) bool

	mu    sync.Mutex
	all   map[string][]*session // by user; guarded by mu
	swept time.Time             // guarded by mu
}

type session struct {
	id    string
	used  time.Time
	calls int // messages under way
	close func() error
}

func newSessions(listens func(user, id string) bool) *sessions {
	return &sessions{listens: listens, all: make(map[string][]*session)}
}

var errSessions = errors.New("there are too many sessions with calls under way; end one first")

// errGone is the answer to a call that nobody waits for.
var errGone = errors.New("the connection of the call was gone before it was looked at")

// has reports whether a session is there, and is the user's.
func (s *sessions) has(user, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(user, id) != nil
}

func (s *sessions) find(user, id string) *session {
	for _, k := range s.all[user] {
		if k.id == id {
			return k
		}
	}
	return nil
}

// add counts a new session, and ends the least used one beyond the bound: one
// that listens after one that does not, and none with a call under way.
func (s *sessions) add(user string, ss *mcp.ServerSession) error {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(user, ss.ID()) != nil {
		return nil // a second initialize: the library refuses it
	}
	s.sweep(now)
	if list := s.all[user]; len(list) >= maxSessions {
		var least *session
		listening := false
		for _, k := range list {
			if k.calls > 0 {
				continue
			}
			l := s.listens(user, k.id)
			if least == nil || listening && !l || listening == l && k.used.Before(least.used) {
				least, listening = k, l
			}
		}
		if least == nil {
			return errSessions
		}
		s.drop(user, least, 0)
	}
	s.all[user] = append(s.all[user], &session{id: ss.ID(), used: now, close: ss.Close})
	go func() {
		_ = ss.Wait()
		s.end(user, ss.ID())
	}()
	return nil
}

// sweep ends what was idle for too long, once a minute at most.
func (s *sessions) sweep(now time.Time) {
	if now.Sub(s.swept) < time.Minute {
		return
	}
	s.swept = now
	for user, list := range s.all {
		for _, k := range slices.Clone(list) {
			if k.calls == 0 && now.Sub(k.used) > idle && !s.listens(user, k.id) {
				s.drop(user, k, 0)
			}
		}
	}
}

// drop forgets a session and has the library close it. From then on nothing of
// it is answered, so with lastWord calls under way, which were told to end, have
// theirs first. Closing waits for them; nobody else does.
func (s *sessions) drop(user string, k *session, lastWord time.Duration) {
	s.all[user] = slices.DeleteFunc(slices.Clone(s.all[user]), func(other *session) bool { return other == k })
	if len(s.all[user]) == 0 {
		delete(s.all, user)
	}
	if k.calls == 0 {
		lastWord = 0
	}
	time.AfterFunc(lastWord, func() { _ = k.close() }) // an error changes nothing: it is gone
}

// end ends a session of the user's, and reports whether it was there.
func (s *sessions) end(user, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.find(user, id)
	if k != nil {
		s.drop(user, k, lastWord)
	}
	return k != nil
}

// endAll ends every session of the users that match.
func (s *sessions) endAll(lastWord time.Duration, match func(user string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for user, list := range s.all {
		if match(user) {
			for _, k := range slices.Clone(list) {
				s.drop(user, k, lastWord)
			}
		}
	}
}

// use notes that a session has a message under way until done is called, and
// reports whether the session is there.
func (s *sessions) use(user, id string) (done func(), there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.find(user, id)
	if k == nil {
		return func() {}, false
	}
	k.used = time.Now()
	k.calls++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		k.used = time.Now()
		k.calls--
	}, true
}

// count keeps the count as messages come by, and cancels what a message does
// when its session is ended: the library lets it run, and waits for it.
func (h *Handler) count(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ss, ok := req.GetSession().(*mcp.ServerSession)
		extra := req.GetExtra()
		if !ok || ss.ID() == "" || extra == nil || extra.TokenInfo == nil {
			return next(ctx, method, req)
		}
		user := extra.TokenInfo.UserID
		if method == methodInitialize {
			if err := h.sessions.add(user, ss); err != nil {
				return nil, err
			}
		}
		done, there := h.sessions.use(user, ss.ID())
		defer done()
		if st := h.Use(extra.Header); st != nil {
			defer st.Done()
			if !there {
				st.stop() // its session was ended before that could be told to it
			}
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(st.ended, cancel)()
		} else if method == methodCall && extra.Header.Get(streamHeader) != "" {
			return nil, errGone // nobody would notice any more that its client is gone
		}
		return next(ctx, method, req)
	}
}
