package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/internal/mcphttp"
	"nod.dev/nod/internal/mcptask"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// agentKey is where an authenticated agent lies in the token info that the
// library hands to a tool's handler.
const agentKey = "agent"

// mcpDoor serves /mcp.
func (s *Server) mcpDoor() *mcphttp.Handler {
	return mcphttp.New(mcphttp.Config{
		Server: s.mcpServer(),
		Authenticate: func(r *http.Request) (*auth.TokenInfo, error) {
			agent, err := s.authenticate(r)
			if err != nil {
				return nil, err
			}
			return &auth.TokenInfo{UserID: string(agent.ID), Extra: map[string]any{agentKey: agent}}, nil
		},
		Fail:     s.fail,
		Body:     body,
		Loopback: loopback,
		Logger:   slog.New(warnings{s.log.Handler()}),
	})
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

// mcpServer makes the library's server with every tool of the contract. What an
// agent is shown of them depends on the agent, so the list is made per request;
// a call is answered in words whatever it names.
func (s *Server) mcpServer() *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "nod", Title: "nod", Version: s.config.Version},
		&mcp.ServerOptions{
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = private },
			Logger:       slog.New(warnings{s.log.Handler()}),
		})
	for _, t := range s.spec.Tools {
		server.AddTool(mcpTool(t), s.callTool)
	}
	server.AddReceivingMiddleware(known, onlyOffered, s.advertise, s.listToolsPerAgent, s.answerUnknown)
	mcptask.Install(server, tasks{s}, s.log)
	return server
}

// private says of a result that it is for this agent alone, by its token, and how
// long it stays true unless the agent hears otherwise. The library's own default
// lets anything on the way keep it for everybody.
var private = mcp.Cacheable{TTLMs: int(time.Minute / time.Millisecond), CacheScope: "private"}

// known refuses what came without an agent's token, whatever it is.
func known(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if _, err := agentOf(req); err != nil {
			return nil, err
		}
		return next(ctx, method, req)
	}
}

// mcpTool is a tool as MCP describes it. There is no output schema: clients
// that see structured results throw the text away, and the text is the truth.
// Where the phone is asked, the world is an open one: what acts go into, and
// what others wrote into what is read.
func mcpTool(t spec.Tool) *mcp.Tool {
	destroys := t.Kind == nod.Act && t.Risk == nod.High
	open := !t.Gateway && (t.Kind == nod.Act || t.Private)
	return &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: t.Kind == nod.Read, DestructiveHint: &destroys,
			IdempotentHint: t.Gateway || t.Kind == nod.Read || slices.Contains(sameTwice, t.Name), OpenWorldHint: &open,
		},
	}
}

// sameTwice are the acts that change nothing more when they are done again.
var sameTwice = []string{spec.ToolClipboardWrite, spec.ToolCalendarUpdate, spec.ToolCalendarDelete}

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
		list := &mcp.ListToolsResult{Tools: []*mcp.Tool{}, Cacheable: private}
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
		r, err := s.callTool(ctx, call)
		if err == nil && mcphttp.Stateless(call.ProtocolVersion()) {
			r, err = complete(r)
		}
		return r, err
	}
}

// complete is a result with the resultType that 2026-07-28 wants. The library
// sets it where it called the tool itself, and takes it from nobody but JSON.
func complete(r *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	var typed mcp.CallToolResult
	if err := json.Unmarshal([]byte(`{"content":[],"resultType":"complete"}`), &typed); err != nil {
		return nil, err
	}
	typed.Content, typed.Meta, typed.IsError = r.Content, r.Meta, r.IsError
	return &typed, nil
}

// rangeKey is where server/discover, which names no server, has the range.
const rangeKey = "dev.nod/runtimeProtocol"

// advertise adds what an agent is told of the phone to what initialize and
// server/discover say, and nod's own version range (seed 003), for which the
// library has no field.
func (s *Server) advertise(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil {
			return result, err
		}
		switch r := result.(type) {
		case *mcp.InitializeResult:
			agent, err := agentOf(req)
			if err != nil {
				return nil, err
			}
			own := *r // the library may keep it for others
			own.Instructions = s.instructions(agent)
			return &advertised{&own}, nil
		case *mcp.DiscoverResult:
			agent, err := agentOf(req)
			if err != nil {
				return nil, err
			}
			r.Instructions = s.instructions(agent)
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
