// Package mcphttp serves an MCP server at one URL to both eras of the protocol,
// for tools that wait for a person.
//
// Revisions from 2026-07-28 on have no sessions: each POST says all of itself.
// Those before begin with initialize and go on under the session it made. The
// official library serves either kind by a handler of its own, both over one
// [mcp.Server]; this package decides which of them a request is for, and does
// what the library leaves undone:
//
//   - nothing is parsed before its sender is known, and what strict JSON refuses
//     never reaches the library's more lenient parser (envelope.go);
//   - what the headers of 2026-07-28 say has to be what the body says, so that
//     nothing between client and server can be told another story (headers.go);
//   - a stream is kept alive, and its end is noticed: the library writes nothing
//     while a tool works, and in the session era goes on for nobody (stream.go);
//   - sessions belong to one user, are bounded, and end at once (sessions.go).
package mcphttp

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod/internal/mcptask"
)

// firstStateless is the first revision without sessions.
const firstStateless = "2026-07-28"

// Headers of the transport, in the form that [http.Header] keeps.
const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
)

// maxBody bounds a body where [Config] has no Body, in bytes.
const maxBody = 256 << 10

// Config is what a [Handler] is made of. Server, Authenticate and Fail are needed.
type Config struct {
	// Server answers. It gets a middleware that counts sessions, and cancels what
	// a session that was ended still does.
	Server *mcp.Server
	// Authenticate finds who sends a request, before anything of it is parsed, and
	// once more when all of it is there: sending it takes as long as its sender
	// likes. UserID binds sessions and streams; Extra reaches the tools.
	Authenticate func(*http.Request) (*auth.TokenInfo, error)
	// Fail answers a request that was refused before MCP was spoken: one that
	// Authenticate or Body refused.
	Fail func(http.ResponseWriter, *http.Request, error)
	// Body reads the whole body, bounded in size and time; nil for 256 KiB.
	Body func(http.ResponseWriter, *http.Request) ([]byte, error)
	// Loopback reports whether a request comes from this machine; nil for never.
	Loopback func(*http.Request) bool
	// Logger takes what the library has to say; nil for nothing.
	Logger *slog.Logger
}

// Handler serves MCP at one URL.
type Handler struct {
	config    Config
	stateless http.Handler
	sessioned http.Handler
	streams   *streams
	sessions  *sessions
}

// New makes a handler.
func New(c Config) *Handler {
	if c.Body == nil {
		c.Body = readBody
	}
	if c.Loopback == nil {
		c.Loopback = func(*http.Request) bool { return false }
	}
	h := &Handler{config: c, streams: newStreams()}
	h.sessions = newSessions(h.streams.listens)
	c.Server.AddReceivingMiddleware(h.count)
	options := mcp.StreamableHTTPOptions{
		Logger: c.Logger,
		// Host and Origin are the business of who mounts this handler, for every
		// listener and not only on loopback, where the library's check would
		// refuse a proxy.
		DisableLocalhostProtection: true,
		MaxRequestBodyBytes:        -1, // the body is in memory already
	}
	h.sessioned = mcp.NewStreamableHTTPHandler(h.server, &options)
	modern := options
	modern.Stateless = true
	modern.PropagateRequestCancellation = true // 2026-07-28: a closed stream is a cancel
	h.stateless = mcp.NewStreamableHTTPHandler(h.server, &modern)
	return h
}

func (h *Handler) server(*http.Request) *mcp.Server { return h.config.Server }

// Stateless reports whether a revision has no sessions. Revisions are dates, so
// they compare as strings; no revision at all is an old one.
func Stateless(version string) bool { return version >= firstStateless }

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	info, err := h.config.Authenticate(r)
	if err != nil {
		h.config.Fail(w, r, err)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), tokenKey{}, r.Header["Authorization"]))
	r.Header.Del(streamHeader)
	w.Header().Set("X-Accel-Buffering", "no")
	identified(info, http.HandlerFunc(h.route)).ServeHTTP(w, r)
}

// identified hands info to the library. The token itself has done its work, and
// no tool needs to see it.
func identified(info *auth.TokenInfo, next http.Handler) http.Handler {
	verified := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil }
	known := auth.RequireBearerToken(verified, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer verified")
		known.ServeHTTP(w, r)
	})
}

// tokenKey is where a request's own Authorization lies meanwhile.
type tokenKey struct{}

// still reports, as the error to answer with, whether the sender of a request is
// known no more.
func (h *Handler) still(r *http.Request) error {
	again := r.WithContext(r.Context())
	again.Header = r.Header.Clone()
	again.Header["Authorization"], _ = r.Context().Value(tokenKey{}).([]string)
	_, err := h.config.Authenticate(again)
	return err
}

// userOf is who sends a request.
func userOf(r *http.Request) string {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		return info.UserID
	}
	return ""
}

// route finds the era of a request.
func (h *Handler) route(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r)
	case Stateless(r.Header.Get(versionHeader)):
		h.stateless.ServeHTTP(w, r) // 405: there is nothing but POST without sessions
	case r.Method == http.MethodGet:
		h.get(w, r)
	case r.Method == http.MethodDelete:
		h.delete(w, r)
	default:
		h.sessioned.ServeHTTP(w, r) // 405
	}
}

// post serves a message, or a batch of them where an old revision allows one.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	body, err := h.config.Body(w, r)
	if err != nil {
		h.config.Fail(w, r, err)
		return
	}
	e, refusal := readEnvelope(body)
	if refusal != nil {
		refusal.write(w, http.StatusBadRequest, e.id)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	if Stateless(r.Header.Get(versionHeader)) || Stateless(e.version) {
		h.postStateless(w, r, e)
		return
	}
	session := r.Header.Get(sessionHeader)
	if e.method == methodInitialize && !h.sessions.has(userOf(r), session) {
		r.Header.Del(sessionHeader) // of a session that is over; this one is new
		session = ""
	}
	switch {
	case session == "" && e.method != methodInitialize:
		e.outside().write(w, http.StatusBadRequest, e.id)
	case session != "" && !h.sessions.has(userOf(r), session):
		unknownSession(w)
	case e.batch:
		h.serve(w, r, h.sessioned, nil)
	default:
		h.serve(&inSession{ResponseWriter: w, e: e}, r, h.sessioned, nil)
	}
}

// postStateless serves a message that says all of itself.
func (h *Handler) postStateless(w http.ResponseWriter, r *http.Request, e envelope) {
	if refusal := e.check(r.Header); refusal != nil {
		refusal.write(w, http.StatusBadRequest, e.id)
		return
	}
	r.Header.Del(sessionHeader) // there are none, whatever it says
	var hold *held
	if e.method == methodListen {
		if missing := mcptask.Listen(e.params); missing != nil {
			(&refusal{int(missing.Code), missing.Message, missing.Data}).write(w, http.StatusBadRequest, e.id)
			return
		}
		hold = &held{note: e.listChanged()}
	}
	h.serve(w, r, h.stateless, hold)
}

// get serves the stream by which a session hears what answers no request. There
// is one a session; a client that opens another has lost the first, even if that
// does not show here yet. The library would refuse the second until it does.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	user, session := userOf(r), r.Header.Get(sessionHeader)
	switch {
	case session == "":
		errNoSession.write(w, http.StatusBadRequest, nil)
	case !h.sessions.has(user, session):
		unknownSession(w)
	default:
		h.streams.cutHeld(r.Context(), user, session)
		h.serve(w, r, h.sessioned, &held{note: listChanged(nil)})
	}
}

// delete ends a session, at once: its calls hear of it first, and nobody waits
// for them. The library would wait, and they for a person.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	user, session := userOf(r), r.Header.Get(sessionHeader)
	switch {
	case session == "":
		errNoSession.write(w, http.StatusBadRequest, nil)
	case !h.sessions.end(user, session):
		unknownSession(w)
	default:
		h.streams.end(user, func(st *Stream) bool { return st.session == session })
		w.WriteHeader(http.StatusNoContent)
	}
}

// Changed tells the clients of a user that the list of tools is another one: on
// the stream of each session, and of each subscription that asked for it. It
// waits for nobody.
//
// The library would tell every session of every user, and only when its own list
// changed, which is the same for all.
func (h *Handler) Changed(user string) { h.streams.changed(user) }

// End ends the streams and sessions of a user whose token is dead. What waits
// has a moment to say how it ended. It waits for nobody.
func (h *Handler) End(user string) {
	h.sessions.endAll(lastWord, func(of string) bool { return of == user })
	h.streams.end(user, func(*Stream) bool { return true })
}

// Close ends every session and every stream that only listens. Calls end with
// their connections.
func (h *Handler) Close() {
	h.streams.closeHeld()
	h.sessions.endAll(0, func(string) bool { return true })
}

// unknownSession is 404, for a session of somebody else as for one that is over:
// the client begins a new one (MCP 2025-11-25, "Session management"). It is text
// and no JSON-RPC error, which clients take for the answer of a living session.
func unknownSession(w http.ResponseWriter) {
	http.Error(w, "this session is not known here; begin a new one with initialize", http.StatusNotFound)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}
