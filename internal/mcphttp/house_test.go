package mcphttp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// TestMain looks for goroutines that stay. A session that was ended with a call
// under way stays for lastWord, longer than goleak waits by itself.
func TestMain(m *testing.M) {
	code := m.Run()
	var left error
	for began := time.Now(); time.Since(began) < 2*lastWord; {
		if left = goleak.Find(); left == nil {
			os.Exit(code)
		}
	}
	fmt.Fprintln(os.Stderr, "goroutines stay:", left)
	os.Exit(1)
}

// house is a handler over a server with three tools: echo answers at once, wait
// when it is cancelled, and stone does not even listen to that.
type house struct {
	*Handler
	t testing.TB

	mu      sync.Mutex
	ran     []string      // the tools that were called; guarded by mu
	waiting chan struct{} // has a value for each wait and stone that has begun
	free    chan struct{} // closed to let stone go
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, waiting: make(chan struct{}, 300), free: make(chan struct{})}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"},
		&mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}})
	for _, name := range []string{"echo", "wait", "stone", "naïve", "=?base64?ZQ==?="} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, h.run)
	}
	h.Handler = New(Config{
		Server: server,
		Authenticate: func(r *http.Request) (*auth.TokenInfo, error) {
			if user, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
				return &auth.TokenInfo{UserID: user}, nil
			}
			return nil, errNobody
		},
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			status := http.StatusTooManyRequests
			if err == errNobody { //nolint:errorlint // it is this very one
				status = http.StatusUnauthorized
			}
			http.Error(w, err.Error(), status)
		},
	})
	t.Cleanup(h.Close)
	return h
}

var errNobody = fmt.Errorf("nobody")

func (h *house) run(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	h.mu.Lock()
	h.ran = append(h.ran, req.Params.Name)
	h.mu.Unlock()
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}
	st := h.Use(req.Extra.Header)
	defer st.Done()
	switch req.Params.Name {
	case "wait":
		_ = st.Beat("ok")
		h.waiting <- struct{}{}
		<-ctx.Done()
	case "stone":
		_ = st.Beat("ok")
		h.waiting <- struct{}{}
		<-h.free
	}
	return result, nil
}

func (h *house) calls() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.ran...)
}

// ask is a request of somebody's.
type ask struct {
	verb    string // POST where there is none
	user    string
	version string // headers; empty for none
	session string
	method  string
	name    string
	body    string
}

func (a ask) request(ctx context.Context) *http.Request {
	if a.verb == "" {
		a.verb = http.MethodPost
	}
	r := httptest.NewRequestWithContext(ctx, a.verb, "/mcp", strings.NewReader(a.body))
	if a.user != "" {
		r.Header.Set("Authorization", "Bearer "+a.user)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		versionHeader: a.version, sessionHeader: a.session, methodHeader: a.method, nameHeader: a.name,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return r
}

// do asks and returns the answer once it is whole.
func (h *house) do(a ask) *httptest.ResponseRecorder { return h.serveTo(a.request(h.t.Context())) }

func (h *house) serveTo(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// begin asks and returns what is being answered; stop goes away, and waits until
// the handler has noticed.
func (h *house) begin(a ask) (w *httptest.ResponseRecorder, stop func(), over <-chan struct{}) {
	ctx, cancel := context.WithCancel(h.t.Context())
	w = httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(w, a.request(ctx))
	}()
	stop = func() { cancel(); <-done }
	h.t.Cleanup(stop)
	return w, stop, done
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// initialize begins a session of the user's.
func (h *house) initialize(user string) (session string) {
	h.t.Helper()
	w := h.do(ask{user: user, body: initialize})
	if session = w.Header().Get(sessionHeader); w.Code != http.StatusOK || session == "" {
		h.t.Fatalf("initialize answered %d %s", w.Code, w.Body)
	}
	return session
}

// message is a request of the newest revision, whose _meta says version, or
// nothing of it.
func message(method, version, params string) string {
	meta := ""
	if version != "" {
		meta = fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}`, version)
		if params != "" {
			meta += ","
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s%s}}`, method, meta, params)
}

// modern is a whole ask of the newest revision.
func modern(user, method, name, params string) ask {
	return ask{user: user, version: firstStateless, method: method, name: name, body: message(method, firstStateless, params)}
}

// code is the JSON-RPC error of an answer, in a stream or not; 0 for none.
func code(t *testing.T, w *httptest.ResponseRecorder) int {
	t.Helper()
	b := w.Body.Bytes()
	if _, data, ok := strings.Cut(w.Body.String(), "data: "); ok {
		b = []byte(data)
	}
	if len(b) == 0 || b[0] != '{' {
		return 0
	}
	var answer struct {
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return answer.Error.Code
}

func base64Of(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}
