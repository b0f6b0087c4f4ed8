package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
)

// maxSessions bounds one agent's MCP sessions. A client that dies without a
// word leaves one behind; the one least used goes when a new one needs room.
const maxSessions = 32

// sessions knows each agent's MCP sessions.
type sessions struct {
	mu  sync.Mutex
	all map[nod.AgentID][]*session // guarded by mu
}

type session struct {
	id    string
	used  time.Time
	calls int // tool calls under way
	close func() error
}

func newSessions() *sessions { return &sessions{all: make(map[nod.AgentID][]*session)} }

var errSessions = errors.New("this agent has too many sessions with calls under way; end one first")

// add counts a new session, and closes the least used one beyond the bound.
func (s *sessions) add(agent nod.AgentID, ss *mcp.ServerSession) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.all[agent]
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
	s.all[agent] = append(list, &session{id: ss.ID(), used: time.Now(), close: ss.Close})
	go func() {
		_ = ss.Wait()
		s.remove(agent, ss.ID())
	}()
	return nil
}

func (s *sessions) remove(agent nod.AgentID, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.all[agent]
	for i, k := range list {
		if k.id == id {
			s.all[agent] = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(s.all[agent]) == 0 {
		delete(s.all, agent)
	}
}

// use notes that a session has a message under way until the returned function
// is called.
func (s *sessions) use(agent nod.AgentID, id string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.all[agent] {
		if k.id == id {
			k.used = time.Now()
			k.calls++
			return func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				k.calls--
			}
		}
	}
	return func() {}
}

// countSessions keeps the count as messages come by.
func (s *Server) countSessions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		agent, err := agentOf(req)
		if err != nil {
			return nil, err
		}
		ss, ok := req.GetSession().(*mcp.ServerSession)
		if !ok || ss.ID() == "" {
			return next(ctx, method, req)
		}
		if method == "initialize" {
			if err := s.sessions.add(agent.ID, ss); err != nil {
				return nil, err
			}
		}
		defer s.sessions.use(agent.ID, ss.ID())()
		return next(ctx, method, req)
	}
}
