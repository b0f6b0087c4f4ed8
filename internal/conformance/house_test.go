package conformance

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"testing"

	"nod.dev/nod/client"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/nodserve"
)

// program is a program that the check installs and names in a variable. Without
// it the test is skipped.
func program(t *testing.T, variable, what string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not installed here: ./check installs it and names it in %s", what, variable)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s names no program; %s is needed: %v", variable, what, err)
	}
	return path
}

// node is a run of Node.js in this folder.
func node(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), nodeProgram(t), args...)
}

func nodeProgram(t *testing.T) string {
	t.Helper()
	return program(t, "NOD_NODE", "Node.js 22.19")
}

// house is "nod serve" with a phone and whom it belongs to.
type house struct{ *nodserve.House }

// everyday is what the person does: each action of the main job is answered in
// its own way.
const everyday = "torch=confirm,dial=decline:not now,timer=slow:1500ms,media=slow:2500ms,alarm=ignore,confirm"

// newHouse starts one that ends with the test.
func newHouse(t *testing.T) *house {
	t.Helper()
	script, err := sim.ParseScript(everyday)
	must(t, err)
	return &house{nodserve.New(t, sim.NewPerson(script))}
}

// agent adds an agent whose calls wait so many seconds in one answer, 0 for as
// long as its client is known to bear, and returns its token.
func (h *house) agent(t *testing.T, name string, wait int) string {
	t.Helper()
	a, err := h.Console.AddAgent(t.Context(), client.AgentRequest{Name: name})
	must(t, err)
	if wait > 0 {
		_, err = h.Console.SetAgentWait(t.Context(), "", name, wait)
		must(t, err)
	}
	return a.Token
}

// door is an address in front of the house whose requests carry a token: the
// suite has no way to send one. It changes nothing else.
func (h *house) door(t *testing.T, token string) string {
	t.Helper()
	to, err := url.Parse(h.URL)
	must(t, err)
	door := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil { // else it is the caller who went away
				t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+token)
			// An answer that begins before the body was read to its end closes the
			// body under the transport, which then gives up the connection.
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				t.Errorf("reading what the suite sends: %v", err)
			}
			if len(body) > 0 {
				r.Out.Body = io.NopCloser(bytes.NewReader(body))
			}
		},
	})
	t.Cleanup(door.Close)
	return door.URL + "/mcp"
}

var must = nodserve.Must

// TestMain removes what was built.
func TestMain(m *testing.M) {
	code := m.Run()
	nodserve.Remove()
	os.Exit(code)
}
