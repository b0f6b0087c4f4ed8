package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
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

// builtIn is the folder that nod was built in, if it was.
var builtIn string

// built is nod: as NOD_BIN names it, or as it is built here.
var built = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("NOD_BIN"); path != "" {
		return filepath.Abs(path)
	}
	var err error
	if builtIn, err = os.MkdirTemp("", "nod"); err != nil {
		return "", err
	}
	path := filepath.Join(builtIn, "nod")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/nod").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// house is "nod serve" with a phone in memory and whom it belongs to.
type house struct {
	nod     string
	dir     string
	url     string
	console *client.Console
}

// everyday is what the person does: each action of the main job is answered in
// its own way.
const everyday = "torch=confirm,dial=decline:not now,timer=slow:1500ms,media=slow:2500ms,alarm=ignore,confirm"

// newHouse starts one that ends with the test.
func newHouse(t *testing.T) *house {
	t.Helper()
	nod, err := built()
	must(t, err)
	dir, err := os.MkdirTemp("", "nod") // short: a unix socket's path has to fit
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &house{nod: nod, dir: dir, console: client.NewConsole(auth.ConsolePath(dir))}
	h.serve(t)
	h.pair(t)
	return h
}

// serve starts the gateway and waits until it answers.
func (h *house) serve(t *testing.T) {
	t.Helper()
	free := httptest.NewServer(nil)
	address := free.Listener.Addr().String()
	free.Close()
	h.url = "http://" + address
	var said bytes.Buffer
	cmd := exec.Command(h.nod, "serve", "--listen", address)
	cmd.Env, cmd.Stderr = h.env(), &said
	must(t, cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := <-over; err != nil {
			t.Errorf("nod serve ended badly: %v", err)
		}
		if t.Failed() {
			t.Logf("nod serve said:\n%s", said.String())
		}
	})
	until(t, "nod serves", func() bool {
		r, err := http.Get(h.url + "/readyz")
		if err != nil {
			return false
		}
		_ = r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
}

// env is what nod runs with.
func (h *house) env() []string {
	return append(os.Environ(), "NOD_DATA="+h.dir, "HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir)
}

// pair pairs the phone and waits until it is there.
func (h *house) pair(t *testing.T) {
	t.Helper()
	script, err := sim.ParseScript(everyday)
	must(t, err)
	p, err := h.console.Pair(t.Context(), "", false)
	must(t, err)
	identity, err := host.Pair(t.Context(), p.Link, "Pixel", nod.HostSim, filepath.Join(h.dir, "phone"))
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = host.Run(ctx, host.Config{
			Identity: identity, Driver: sim.New(sim.Config{}), UI: sim.NewPerson(script), Journal: &host.Memory{},
			Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test",
		})
	}()
	t.Cleanup(func() { cancel(); <-over })
	until(t, "the phone is there", func() bool {
		phones, err := h.console.Phones(t.Context(), "")
		return err == nil && len(phones) == 1 && phones[0].Connected
	})
}

// agent adds an agent whose calls wait so many seconds in one answer, 0 for as
// long as its client is known to bear, and returns its token.
func (h *house) agent(t *testing.T, name string, wait int) string {
	t.Helper()
	a, err := h.console.AddAgent(t.Context(), client.AgentRequest{Name: name})
	must(t, err)
	if wait > 0 {
		_, err = h.console.SetAgentWait(t.Context(), "", name, wait)
		must(t, err)
	}
	return a.Token
}

// door is an address in front of the house whose requests carry a token: the
// suite has no way to send one. It changes nothing else.
func (h *house) door(t *testing.T, token string) string {
	t.Helper()
	to, err := url.Parse(h.url)
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

// until waits for something to be so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for late := time.Now().Add(30 * time.Second); !is(); {
		if time.Now().After(late) {
			t.Fatalf("waited in vain: %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMain removes what was built.
func TestMain(m *testing.M) {
	code := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn)
	}
	os.Exit(code)
}
