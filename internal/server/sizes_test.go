package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"nod.dev/nod/nodtest"
	"nod.dev/nod/web"
)

// allocated is what the program has allocated so far, in bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestHugeBody sends 10 MB to every door, with its size said beforehand or not.
// Whoever reads it says that it is too large; nobody takes it into memory.
func TestHugeBody(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Files: web.Files})
	const size = 10 << 20
	chunk := bytes.Repeat([]byte("["), 32<<10)
	for _, tt := range []struct {
		method, path, token string
		want                int
	}{
		{"POST", "/mcp", n.Token, 413},
		{"POST", "/mcp", "nod_a_WRONG", 401},
		{"POST", "/v1/calls", n.Token, 413},
		{"GET", "/v1/me", n.Token, 200},
		{"POST", "/link/result", "", 413},
		{"PUT", "/link/blob/call_A/0", "WRONG", 403},
		{"POST", "/pair", "", 413},
		{"POST", "/pair/record", "", 413},
		{"POST", "/push/receipt", "", 413},
		{"PUT", "/phone/push", n.Bearer(), 413},
		{"PUT", "/phone/settings", n.Bearer(), 413},
		{"POST", "/phone/callback", n.Bearer(), 413},
		{"POST", "/phone/file", n.Bearer(), 413},
		{"POST", "/phone/pause", n.Bearer(), 413},
		{"POST", "/phone/pairing/reject", n.Bearer(), 413},
		{"POST", "/phone/file", "WRONG", 401},
		{"POST", "/nothing", "", 404},
		{"GET", "/", "", 200},
	} {
		for _, said := range []bool{true, false} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(n.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n", tt.method, tt.path, tt.token)
			if said {
				head += fmt.Sprintf("Content-Length: %d\r\n\r\n", size)
			} else {
				head += "Transfer-Encoding: chunked\r\n\r\n"
			}
			before := allocated()
			go func() {
				_, err := io.WriteString(conn, head)
				for sent := 0; err == nil && sent < size; sent += len(chunk) {
					if !said {
						_, _ = fmt.Fprintf(conn, "%x\r\n", len(chunk))
					}
					if _, err = conn.Write(chunk); !said {
						_, _ = io.WriteString(conn, "\r\n")
					}
				}
			}()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("%s %s, size said %t: %v", tt.method, tt.path, said, err)
			}
			if took := allocated() - before; resp.StatusCode != tt.want || !resp.Close || took > 4<<20 {
				t.Errorf("%s %s, size said %t: answered %s, closes %t, allocated %d KiB; want %d and 4 MiB at most",
					tt.method, tt.path, said, resp.Status, resp.Close, took>>10, tt.want)
			}
			_ = conn.Close()
		}
	}
}

// TestDeepBody nests as deeply as a body has room for.
func TestDeepBody(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{})
	const depth = 30_000
	for _, pair := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
		deep := strings.Repeat(pair[0], depth) + "1" + strings.Repeat(pair[1], depth)
		for path, body := range map[string]string{
			"/mcp":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","arguments":` + deep + `}}`,
			"/v1/calls":     `{"tool":"phone_action","arguments":` + deep + `}`,
			"/link/result":  deep[:60_000],
			"/pair":         deep[:60_000],
			"/push/receipt": deep[:60_000],
		} {
			before := allocated()
			status, _, answer := do(t, n, "POST", path, body, map[string]string{"Accept": "application/json, text/event-stream"})
			if took := allocated() - before; status != 400 || took > 8<<20 || len(answer) > 1000 {
				t.Errorf("%s of %q: answered %d %.200s, allocated %d KiB; want 400 and 8 MiB at most", path, pair[0], status, answer, took>>10)
			}
		}
	}
}
