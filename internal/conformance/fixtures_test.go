package conformance

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/mcphttp"
	"nod.dev/nod/internal/mcptask/tasktest"
	"nod.dev/nod/internal/site"
)

// fixtures is a server with everything the suite asks for by name.
type fixtures struct {
	*mcp.Server
	door *mcphttp.Handler
	key  []byte // seals what a client carries from one round to the next
}

// fixtureUser is whom the fixtures' one token belongs to.
const fixtureUser = "fixture"

// startFixtures serves the fixtures at an address of their own, through every
// layer that stands before nod's tools. It returns the MCP endpoint.
func startFixtures(t *testing.T) string {
	t.Helper()
	f := &fixtures{key: []byte(t.Name())}
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	f.Server = mcp.NewServer(&mcp.Implementation{Name: "nod-fixtures", Version: "1"}, &mcp.ServerOptions{
		Logger:             logger,
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.CacheScope = "private" // as nod does: a list is its agent's
		},
	})
	f.addContent()
	f.addPrompts()
	f.addResources()
	f.addSessionTools()
	f.addStatelessTools()
	f.addInputTools()
	f.addLate()

	token, hash := auth.NewToken()
	f.door = mcphttp.New(mcphttp.Config{
		Server: f.Server,
		Authenticate: func(r *http.Request) (*sdkauth.TokenInfo, error) {
			given, err := auth.Bearer(r)
			if err != nil {
				return nil, err
			}
			if !auth.EqualHash(auth.HashToken(given), hash) {
				return nil, nod.Errorf(nod.CodeUnauthorized, "this token is not known", "")
			}
			return &sdkauth.TokenInfo{UserID: fixtureUser}, nil
		},
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusUnauthorized)
		},
		Loopback: func(*http.Request) bool { return true },
		Logger:   logger,
	})
	tasktest.Install(f.Server, logger)

	mux := http.NewServeMux()
	mux.Handle("/mcp", f.door)
	server := httptest.NewServer(carrying(token, guarded(mux)))
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// carrying adds the token: the suite has no way to send one.
func carrying(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		next.ServeHTTP(w, r)
	})
}

// guarded refuses foreign names and pages, as nod does.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := new(site.Site).Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// tool adds a tool whose arguments are all text.
func (f *fixtures) tool(name, about string, handler mcp.ToolHandler, arguments ...string) {
	properties := map[string]any{}
	for _, a := range arguments {
		properties[a] = map[string]any{"type": "string", "description": a}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(arguments) > 0 {
		schema["required"] = arguments
	}
	f.AddTool(&mcp.Tool{Name: name, Description: about, InputSchema: schema}, handler)
}

// argument reads one of a call's arguments, empty if it is not there.
func argument(req *mcp.CallToolRequest, name string) string {
	var all map[string]any
	_ = json.Unmarshal(req.Params.Arguments, &all)
	text, _ := all[name].(string)
	return text
}

func says(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// waiting runs a tool as nod runs a call that waits: the stream begins at once
// and is kept alive by comments until the tool has its answer.
func (f *fixtures) waiting(handler mcp.ToolHandler) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		st := f.door.Use(req.GetExtra().Header)
		if st == nil {
			return handler(ctx, req)
		}
		defer st.Done()
		if err := st.Beat("ok"); err != nil {
			return nil, err
		}
		over, beaten := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(beaten)
			for {
				select {
				case <-over:
					return
				case <-time.After(5 * time.Millisecond):
					_ = st.Beat("keep-alive") // a lost caller is the library's to notice
				}
			}
		}()
		defer func() { close(over); <-beaten }()
		return handler(ctx, req)
	}
}

// pause is what the suite wants between two messages.
func pause(ctx context.Context) error {
	select {
	case <-time.After(50 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
