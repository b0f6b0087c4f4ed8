package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// firstStateless is the first MCP revision without sessions. Those before it
// begin with initialize and are served by the session-based handler.
const firstStateless = "2026-07-28"

// versionHeader says which MCP revision a request follows.
const versionHeader = "Mcp-Protocol-Version"

// sessionTimeout ends a session that nobody used for so long. A client that
// comes back later is told so and starts a new one.
const sessionTimeout = 24 * time.Hour

// agentKey is where an authenticated agent lies in the token info that the
// library hands to a tool's handler.
const agentKey = "agent"

// mcpDoor builds /mcp: the agent's token, then strict JSON, then the stream
// wrapper, then the library. The order matters: nothing unauthenticated is
// parsed, and no byte that the strict parser refuses reaches the library's
// more lenient one.
func (s *Server) mcpDoor() http.Handler {
	server := s.mcpServer()
	sessions := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{
			// Host and Origin are checked by hosts, for every listener and not
			// only on loopback, where the library's check would refuse a proxy.
			DisableLocalhostProtection: true,
			SessionTimeout:             sessionTimeout,
			MaxRequestBodyBytes:        MaxBody,
		})
	library := s.streams.wrap(agentOfRequest, sessions)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent, err := s.authenticate(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if r.Method == http.MethodPost && !s.strict(w, r) {
			return
		}
		withAgent(agent, library).ServeHTTP(w, r)
	})
}

// withAgent hands the agent to the library as its token info. The library binds
// a session to the user it names, so no agent can speak in another's session.
func withAgent(agent nod.Agent, next http.Handler) http.Handler {
	info := &auth.TokenInfo{UserID: string(agent.ID), Extra: map[string]any{agentKey: agent}}
	verified := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil }
	return auth.RequireBearerToken(verified, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
}

// agentOfRequest is the agent that withAgent put there.
func agentOfRequest(r *http.Request) nod.AgentID {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		return nod.AgentID(info.UserID)
	}
	return ""
}

// agentOf is the agent behind a message that the library received.
func agentOf(req mcp.Request) (nod.Agent, error) {
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if agent, ok := extra.TokenInfo.Extra[agentKey].(nod.Agent); ok {
			return agent, nil
		}
	}
	return nod.Agent{}, nod.Errorf(nod.CodeUnauthorized, "the message came without an agent's token", "")
}

// strict reads the whole body and parses it as nod does. It answers itself, and
// returns false, when the body is refused.
func (s *Server) strict(w http.ResponseWriter, r *http.Request) bool {
	b, err := body(w, r)
	if err != nil {
		s.fail(w, r, err)
		return false
	}
	if _, err := wire.Parse(b); err != nil {
		answer(w, http.StatusBadRequest, map[string]any{
			"jsonrpc": "2.0", "id": nil,
			"error": map[string]any{"code": -32700, "message": "the message is not strict JSON: " + err.Error()},
		})
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	r.ContentLength = int64(len(b))
	return true
}

// mcpServer makes the library's server with every tool of the contract. What an
// agent is shown of them depends on the agent, so the list is made per request;
// a call is answered in words whatever it names.
func (s *Server) mcpServer() *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "nod", Title: "nod", Version: s.config.Version},
		&mcp.ServerOptions{
			Instructions: s.spec.Text(spec.TextInstructions, nil),
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			Logger:       slog.New(warnings{s.log.Handler()}),
		})
	for _, t := range s.spec.Tools {
		server.AddTool(mcpTool(t), s.callTool)
	}
	server.AddReceivingMiddleware(s.countSessions, advertise, s.listToolsPerAgent, s.answerUnknown)
	return server
}

// mcpTool is a tool as MCP describes it. There is no output schema: clients
// that see structured results throw the text away, and the text is the truth.
func mcpTool(t spec.Tool) *mcp.Tool {
	no, open := false, t.Kind == nod.Act && !t.Gateway
	return &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: t.Kind == nod.Read, DestructiveHint: &no,
			IdempotentHint: t.Gateway, OpenWorldHint: &open,
		},
	}
}

// listToolsPerAgent answers tools/list with what this agent may ask for.
func (s *Server) listToolsPerAgent(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "tools/list" {
			return next(ctx, method, req)
		}
		agent, err := agentOf(req)
		if err != nil {
			return nil, err
		}
		list := &mcp.ListToolsResult{Tools: []*mcp.Tool{}}
		for _, t := range s.gateway.Tools(agent) {
			list.Tools = append(list.Tools, mcpTool(t))
		}
		return list, nil
	}
}

// answerUnknown sends a call of a tool that the library does not know, an alias
// or a slip, down the same path as any other: it is answered in words and is in
// the log.
func (s *Server) answerUnknown(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || call.Params == nil {
			return next(ctx, method, req)
		}
		if t, known := s.spec.Tool(call.Params.Name); known && t.Name == call.Params.Name {
			return next(ctx, method, req)
		}
		return s.callTool(ctx, call)
	}
}

// rangeKey is where server/discover, which names no server, has the range.
const rangeKey = "dev.nod/runtimeProtocol"

// advertise adds nod's own version range to what initialize says of the server,
// and to server/discover (seed 003). The library has no field for it.
func advertise(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil {
			return result, err
		}
		switch r := result.(type) {
		case *mcp.InitializeResult:
			return &advertised{r}, nil
		case *mcp.DiscoverResult:
			if r.Meta == nil {
				r.Meta = mcp.Meta{}
			}
			r.Meta[rangeKey] = wire.OwnRange()
		}
		return result, nil
	}
}

// advertised is an initialize result with one field more.
type advertised struct{ *mcp.InitializeResult }

// MarshalJSON adds runtimeProtocol to serverInfo.
func (a *advertised) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(a.InitializeResult)
	if err != nil {
		return nil, err
	}
	var result map[string]any
	if err := json.Unmarshal(b, &result); err != nil {
		return nil, err
	}
	info, ok := result["serverInfo"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("an initialize result without serverInfo")
	}
	info["runtimeProtocol"] = wire.OwnRange()
	return json.Marshal(result)
}
