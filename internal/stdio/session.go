package stdio

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// firstStateless is the first MCP revision without sessions.
const firstStateless = "2026-07-28"

// session is what the gateway and the client agreed on. It is kept so that it
// can be agreed on anew when the gateway was restarted.
type session struct {
	mu          sync.Mutex
	id          string  // guarded by mu
	version     string  // the negotiated revision; guarded by mu
	initialize  message // guarded by mu
	initialized message // guarded by mu
}

// label puts the headers of a request in place.
func (s *session) label(h http.Header, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.Set("Authorization", "Bearer "+token)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if s.id != "" {
		h.Set("Mcp-Session-Id", s.id)
	}
	if s.version != "" {
		h.Set("Mcp-Protocol-Version", s.version)
	}
}

// labelMessage adds what a message without a session says of itself in headers.
func labelMessage(h http.Header, m message) {
	if !m.stateless() {
		return
	}
	h.Del("Mcp-Session-Id")
	h.Set("Mcp-Protocol-Version", m.version)
	h.Set("Mcp-Method", m.method)
	if subjects[m.method] != "" {
		h.Set("Mcp-Name", headerValue(m.subject))
	}
}

// headerValue is a text as a header holds it: as it is, else as Base64 (MCP
// 2026-07-28, SEP-2243).
func headerValue(text string) string {
	const before, after = "=?base64?", "?="
	plain := text == strings.TrimSpace(text) && !(strings.HasPrefix(text, before) && strings.HasSuffix(text, after))
	if plain && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return text
	}
	return before + base64.StdEncoding.EncodeToString([]byte(text)) + after
}

// name is the session's id.
func (s *session) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// begun notes a session that the gateway opened.
func (s *session) begun(m message, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initialize, s.id = m, id
}

// agreed notes the revision that an initialize result names.
func (s *session) agreed(result []byte) {
	var r struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"result"`
	}
	if json.Unmarshal(result, &r) == nil && r.Result.ProtocolVersion != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.version = r.Result.ProtocolVersion
	}
}

// greeted notes that the client said it is ready.
func (s *session) greeted(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initialized = m
}

// opened returns what opened the session, and reports whether anything did.
func (s *session) opened() (initialize, initialized message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.initialize, s.initialized, s.initialize.raw != nil
}

// flights are the requests under way.
type flights struct {
	mu  sync.Mutex
	all map[string]*flight // by id; guarded by mu
}

// flight is one request under way.
type flight struct {
	sent  chan struct{} // closed once the gateway has it, or cannot get it
	begun chan struct{} // closed once the gateway answers it, be it with a stream that waits
	waits chan struct{} // closed once the gateway says that it waits for somebody
	done  chan struct{} // closed once it was answered
	// written is true once a gateway may have read it.
	written atomic.Bool
	// stateless is true where closing its stream takes it back, and stop does so.
	stateless bool
	stop      context.CancelFunc

	once struct{ sent, begun, waits sync.Once }
}

func (f *flight) wasSent()  { f.once.sent.Do(func() { close(f.sent) }) }
func (f *flight) hasBegun() { f.once.begun.Do(func() { close(f.begun) }) }
func (f *flight) nowWaits() { f.once.waits.Do(func() { close(f.waits) }) }

func (fs *flights) begin(m message, stop context.CancelFunc) *flight {
	f := &flight{stateless: m.stateless(), stop: stop, sent: make(chan struct{}), begun: make(chan struct{}), waits: make(chan struct{}), done: make(chan struct{})}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.all == nil {
		fs.all = map[string]*flight{}
	}
	fs.all[key(m.id)] = f
	return f
}

func (fs *flights) end(m message, f *flight) {
	fs.mu.Lock()
	if fs.all[key(m.id)] == f {
		delete(fs.all, key(m.id))
	}
	fs.mu.Unlock()
	f.wasSent()
	f.hasBegun()
	close(f.done)
}

// list returns every request under way.
func (fs *flights) list() []*flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return slices.Collect(maps.Values(fs.all))
}

func (fs *flights) find(id json.RawMessage) *flight {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.all[key(id)]
}
