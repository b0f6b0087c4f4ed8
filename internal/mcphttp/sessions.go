package mcphttp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSessions bounds one user's sessions. A client that dies without a word
// leaves one behind; the one least used goes when a new one needs room.
const maxSessions = 32

// sessions knows each user's sessions.
type sessions struct {
	mu  sync.Mutex
	all map[string][]*session // by user; guarded by mu
}

type session struct {
	id    string
	used  time.Time
	calls int // messages under way
	close func() error
}

func newSessions() *sessions { return &sessions{all: make(map[string][]*session)} }

var errSessions = errors.New("there are too many sessions with calls under way; end one first")

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

// add counts a new session, and closes the least used one beyond the bound.
func (s *sessions) add(user string, ss *mcp.ServerSession) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.all[user]
	if len(list) >= maxSessions {
		oldest := -1
		for i, k := range list {
			if k.calls == 0 && (oldest < 0 || k.used.Before(list[oldest].used)) {
				oldest = i
			}
		}
		if oldest < 0 {
			return errSessions
		}
		go list[oldest].close() //nolint:errcheck // it is gone either way
		list = append(list[:oldest:oldest], list[oldest+1:]...)
	}
	s.all[user] = append(list, &session{id: ss.ID(), used: time.Now(), close: ss.Close})
	go func() {
		_ = ss.Wait()
		s.remove(user, ss.ID())
	}()
	return nil
}

func (s *sessions) remove(user, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.all[user]
	for i, k := range list {
		if k.id == id {
			s.all[user] = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(s.all[user]) == 0 {
		delete(s.all, user)
	}
}

// use notes that a session has a message under way until the returned function
// is called.
func (s *sessions) use(user, id string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.find(user, id)
	if k == nil {
		return func() {}
	}
	k.used = time.Now()
	k.calls++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		k.calls--
	}
}

// count keeps the count as messages come by.
func (s *sessions) count(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ss, ok := req.GetSession().(*mcp.ServerSession)
		if !ok || ss.ID() == "" {
			return next(ctx, method, req)
		}
		user := ""
		if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
			user = extra.TokenInfo.UserID
		}
		if method == methodInitialize {
			if err := s.add(user, ss); err != nil {
				return nil, err
			}
		}
		defer s.use(user, ss.ID())()
		return next(ctx, method, req)
	}
}
