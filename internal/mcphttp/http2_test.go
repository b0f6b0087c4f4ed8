package mcphttp

import (
	"bufio"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Where the handler is mounted on a server of HTTP/2, which nod's own is not,
// flushing and deadlines are other code: the same comes out.
func TestHTTP2(t *testing.T) {
	h := newHouse(t)
	front := httptest.NewUnstartedServer(h)
	front.EnableHTTP2 = true
	front.StartTLS()
	t.Cleanup(front.Close)
	t.Cleanup(h.Close)
	next := func(a ask) func() string {
		r := a.request(t.Context())
		at, err := url.Parse(front.URL + "/mcp")
		if err != nil {
			t.Fatal(err)
		}
		r.URL, r.RequestURI = at, ""
		resp, err := front.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		if resp.ProtoMajor != 2 {
			t.Fatalf("spoken: %s", resp.Proto)
		}
		in := bufio.NewScanner(resp.Body)
		return func() string {
			for in.Scan() {
				if data, ok := strings.CutPrefix(in.Text(), "data: "); ok || strings.HasPrefix(data, ":") {
					return data
				}
			}
			return "over"
		}
	}
	stream := next(modern("A", "subscriptions/listen", "", listen))
	if got := stream(); !strings.Contains(got, "acknowledged") {
		t.Errorf("the stream begins with %s", got)
	}
	h.Changed("A")
	if got := stream(); !strings.Contains(got, "list_changed") {
		t.Errorf("told %s", got)
	}
	call := next(modern("A", "tools/call", "stone", `"name":"stone","arguments":{}`))
	if got := call(); got != ": ok" { // while the tool works
		t.Errorf("the call begins with %s", got)
	}
	close(h.free)
	if got := call(); !strings.Contains(got, `"result"`) {
		t.Errorf("the call is answered %s", got)
	}
	h.End("A")
	if got := stream(); got != "over" {
		t.Errorf("after the end: %s", got)
	}
}
