package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/nodtest"
)

// caller sends tool calls as one client does, over one connection.
type caller struct {
	b                  *testing.B
	url, token, header string
	web                *http.Client
}

// call sends a call, whose answer must have want, and returns how long it took.
func (c *caller) call(tool, arguments, meta, want string) time.Duration {
	c.b.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + meta + `}}`
	began := time.Now()
	b := c.post(body).body
	if !bytes.Contains(b, []byte(want)) {
		c.b.Fatalf("%s is answered %s", arguments, b)
	}
	return time.Since(began)
}

type posted struct {
	header http.Header
	body   []byte
}

func (c *caller) post(body string) posted {
	c.b.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		c.b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for line := range strings.Lines(c.header) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			r.Header.Set(k, v)
		}
	}
	resp, err := c.web.Do(r)
	if err != nil {
		c.b.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		c.b.Fatal(resp.Status, string(b), err)
	}
	return posted{resp.Header, b}
}

// begin begins a session.
func (c *caller) begin() {
	c.b.Helper()
	session := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`).header.Get("Mcp-Session-Id")
	c.header = "Mcp-Protocol-Version: 2025-11-25\nMcp-Session-Id: " + session
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// BenchmarkCall is a tool call over HTTP in both eras: by the library alone with a
// tool that says a word; by nod where nothing changes (status), where it refuses
// at once, which is in the log before the answer is, and with the whole way to a
// phone whose person says yes at once, to its result. They take turns in one run,
// with a write that reaches the disk, so that a busy machine is as hard on each;
// the medians are reported.
func BenchmarkCall(b *testing.B) {
	for _, era := range []string{"stateless", "sessions"} {
		b.Run(era, func(b *testing.B) {
			often := server.Rate{PerSecond: 1e9, Burst: 1e9}
			n := nodtest.New(b, nodtest.Options{Rates: server.Rates{Agent: often, Address: often}})
			bare := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			bare.AddTool(&mcp.Tool{Name: "word", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a word"}}}, nil
			})
			bareHTTP := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bare }, &mcp.StreamableHTTPOptions{Stateless: era == "stateless"}))
			defer bareHTTP.Close()
			web := &http.Client{}
			defer web.CloseIdleConnections()
			alone := &caller{b: b, url: bareHTTP.URL, web: web}
			ours := &caller{b: b, url: n.URL + "/mcp", token: n.Token, web: web}
			meta := ""
			if era == "stateless" {
				meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
				ours.header, alone.header = statelessCall, strings.Replace(statelessCall, "phone_action", "word", 1)
			} else {
				alone.begin()
			}
			took := map[string][]time.Duration{}
			note := func(what string, d time.Duration) { took[what] = append(took[what], d) }
			disk, err := os.Create(filepath.Join(n.Dir, "floor"))
			if err != nil {
				b.Fatal(err)
			}
			defer disk.Close()
			page := make([]byte, 4096)
			calls := 0
			pace := rate.NewLimiter(8, 20) // a phone's link takes 50 frames a second
			for b.Loop() {
				if err := pace.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
				if calls%5 == 0 { // an agent may have ten cards in ten minutes
					_, token, err := n.Gateway.AddAgent(b.Context(), gateway.AgentSpec{Person: n.Agent.Person, Name: fmt.Sprint("Agent ", calls)})
					if err != nil {
						b.Fatal(err)
					}
					if ours.token = token; era == "sessions" {
						ours.begin()
					}
				}
				calls++
				note("library", alone.call("word", `{"a":1}`, meta, "a word"))
				if era == "stateless" {
					ours.header = strings.Replace(statelessCall, "phone_action", "call_status", 1)
				}
				note("status", ours.call("call_status", "{}", meta, `"content"`))
				if era == "stateless" {
					ours.header = statelessCall
				}
				began := time.Now()
				_, err := disk.Write(page)
				if err := errors.Join(err, disk.Sync()); err != nil {
					b.Fatal(err)
				}
				note("fsync", time.Since(began))
				note("refused", ours.call("phone_action", `{"action":"open_url"}`, meta, `"refused"`))
				note("done", ours.call("phone_action", fmt.Sprintf(`{"action":"alarm","time":"%02d:%02d"}`, calls/60%24, calls%60), meta, `"done"`))
			}
			library := middle(took["library"])
			for what, all := range took {
				b.ReportMetric(float64(middle(all).Microseconds()), "µs/"+what)
				if what != "library" && what != "fsync" {
					b.ReportMetric(float64(middle(all))/float64(library), what+"/library")
				}
			}
			b.ReportMetric(0, "ns/op") // of all of them, which says nothing
		})
	}
}

// middle is the median.
func middle(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
