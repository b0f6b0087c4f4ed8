package mcphttp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkCall is one tool call without a wait: by the library alone, and by
// this package round it.
func BenchmarkCall(b *testing.B) {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "x"}}}, nil
	})
	options := &mcp.StreamableHTTPOptions{Stateless: true}
	library := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	for name, h := range map[string]http.Handler{"library": library, "mcphttp": newHouse(b)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, modern("A", "tools/call", "echo", `"name":"echo","arguments":{"a":1}`).request(b.Context()))
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
}

// BenchmarkIdleSessions is what a session costs in memory that somebody began and
// listens on, and does nothing with.
func BenchmarkIdleSessions(b *testing.B) {
	h := newHouse(b)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before, count := heap(), 0
	for b.Loop() {
		user := fmt.Sprint("user ", count/maxSessions)
		h.begin(ask{verb: http.MethodGet, user: user, session: h.initialize(user)})
		count++
	}
	for !h.settled(count) {
		runtime.Gosched()
	}
	b.ReportMetric(float64(heap()-before)/float64(count), "B/session")
}

// settled reports whether so many streams are open.
func (h *house) settled(count int) bool {
	h.streams.mu.Lock()
	defer h.streams.mu.Unlock()
	return len(h.streams.open) >= count
}
