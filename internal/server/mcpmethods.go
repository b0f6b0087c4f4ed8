package server

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// notOffered are the methods that belong to what nod does not have, by their
// beginning. The library answers them, with lists of nothing, also for a server
// that does not declare them.
var notOffered = []string{"prompts/", "resources/", "completion/", "logging/"}

// onlyOffered answers as a server does that has no such method: what is not
// declared is not there (MCP 2026-07-28, server/discover).
func onlyOffered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		for _, prefix := range notOffered {
			if strings.HasPrefix(method, prefix) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "there is no method " + method + " here"}
			}
		}
		return next(ctx, method, req)
	}
}
