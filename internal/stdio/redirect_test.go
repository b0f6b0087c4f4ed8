package stdio_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nod.dev/nod/internal/stdio"
)

// An address that leads elsewhere is not followed, and the client is told where
// it leads: to a call as its result, to anything else as an error.
func TestRedirect(t *testing.T) {
	asked := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path
		http.Redirect(w, r, "https://nod.example.org/mcp", http.StatusMovedPermanently)
	}))
	defer s.Close()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"phone_action","arguments":{}}}` + "\n")
	var out bytes.Buffer
	if err := stdio.Run(t.Context(), stdio.Config{URL: s.URL, Token: "nod_a_SECRET", In: in, Out: &out}); err != nil {
		t.Fatal(err)
	}
	close(asked)
	for what := range asked {
		if what != "POST /mcp" {
			t.Errorf("asked %s", what)
		}
	}
	const want = "leads to https://nod.example.org; name that one with --url or NOD_URL"
	if strings.Count(out.String(), want) != 2 || !strings.Contains(out.String(), `"isError":true`) {
		t.Errorf("got\n%s", out.String())
	}
}
