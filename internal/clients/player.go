package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Script is what the model asks for, one call each turn. When it has no call
// left, or what it was told is not what the next one needs, it says [Last] and
// is done.
type Script []Call

// Call is one call of a tool.
type Call struct {
	// Tool is its name as nod lists it; clients put something before it.
	Tool string
	// Arguments is a JSON object. In it {{call_id}} stands for the id in what the
	// model was told last.
	Arguments string
	// If is a text that the model must have been told last; empty for any.
	If string
}

// Last is what the model says at the end, in plain text.
const Last = "That is all."

// Result is what a client told the model of one call.
type Result struct {
	// Call is the id that the model gave the call: "call_1" for the first.
	Call string
	// Texts are its parts that are text, in order.
	Texts []string
	// Error is true when the client flagged it as an error in the interface's own way.
	Error bool
	// Other names what it has besides: kinds of parts, and fields that the model
	// would see. Empty when it is text alone.
	Other []string
}

// Turn is one request of a client in which it offered tools.
type Turn struct {
	// At is when it came.
	At time.Time
	// Tools are the names of what was offered, as the client spells them, with
	// the namespace and a slash before the name where there is one.
	Tools []string
	// Results are what was told so far of the calls that the script made.
	Results []Result
}

// Player stands in for a language model, on loopback: it plays a script.
type Player struct {
	// URL is its base address without a path.
	URL string

	script Script
	server *http.Server

	mu      sync.Mutex
	turns   []Turn   // guarded by mu
	strange []string // requests it has no answer for; guarded by mu
}

// NewPlayer starts a model. Close ends it.
func NewPlayer(script Script) (*Player, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("clients: a model: %w", err)
	}
	m := &Player{URL: "http://" + l.Addr().String(), script: script}
	m.server = &http.Server{Handler: m.routes(), ReadHeaderTimeout: 10 * time.Second}
	go m.server.Serve(l) //nolint:errcheck // it ends by Close
	return m, nil
}

// Close ends the model.
func (m *Player) Close() { _ = m.server.Close() }

// Turns returns the requests so far in which tools were offered, in order. What
// clients ask besides, such as a title for the talk, is answered and not kept.
func (m *Player) Turns() []Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.turns)
}

// Told returns what the model was told of its calls, as of the newest turn.
func (m *Player) Told() []Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.turns) == 0 {
		return nil
	}
	return m.turns[len(m.turns)-1].Results
}

// Strange returns what was asked of the model that it has no answer for, as
// "METHOD PATH".
func (m *Player) Strange() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.strange)
}

func (m *Player) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", m.speak(responses{}))
	mux.HandleFunc("POST /v1/chat/completions", m.speak(completions{}))
	mux.HandleFunc("POST /v1/messages", m.speak(messages{}))
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"input_tokens": 1})
	})
	mux.HandleFunc("POST /v1beta/models/{method}", m.gemini)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.strange = append(m.strange, r.Method+" "+r.URL.Path)
		m.mu.Unlock()
		http.NotFound(w, r)
	})
	return mux
}

// heard is what matters of a client's request, in whatever interface it came.
type heard struct {
	offered []tool
	results []Result
	stream  bool
}

// tool is a tool as a client offers it to its model.
type tool struct{ namespace, name string }

func (t tool) String() string {
	if t.namespace == "" {
		return t.name
	}
	return t.namespace + "/" + t.name
}

// move is what the model does next: a call, or a text.
type move struct {
	text      string
	id        string
	tool      tool
	arguments json.RawMessage
}

func (m move) call() bool { return m.id != "" }

// dialect is one interface that models are asked by.
type dialect interface {
	hear(body []byte) (heard, error)
	say(w http.ResponseWriter, m move, stream bool)
}

// maxAsk bounds a request: clients send all their instructions with each.
const maxAsk = 16 << 20

func (m *Player) speak(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAsk))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		h, err := d.hear(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		d.say(w, m.next(h), h.stream)
	}
}

// next is what the script says to what was heard. It follows from the request
// alone, so that one which is sent again gets the same answer.
func (m *Player) next(h heard) move {
	if len(h.offered) == 0 {
		return move{text: "A talk with a phone"} // a title, or whatever else it is for
	}
	turn := Turn{At: time.Now(), Results: h.results}
	for _, t := range h.offered {
		turn.Tools = append(turn.Tools, t.String())
	}
	m.mu.Lock()
	m.turns = append(m.turns, turn)
	m.mu.Unlock()

	n := len(h.results)
	if n >= len(m.script) {
		return move{text: Last}
	}
	call, told := m.script[n], ""
	if n > 0 {
		told = strings.Join(h.results[n-1].Texts, "\n")
	}
	i := slices.IndexFunc(h.offered, func(t tool) bool { return is(t.name, call.Tool) })
	if i < 0 || !strings.Contains(told, call.If) {
		return move{text: Last}
	}
	arguments := strings.ReplaceAll(call.Arguments, "{{call_id}}", callID.FindString(told))
	return move{id: fmt.Sprintf("%s%d", ids, n+1), tool: h.offered[i], arguments: json.RawMessage(arguments)}
}

// ids begins the ids of the script's calls.
const ids = "call_"

// callID is a call's id in a text of nod.
var callID = regexp.MustCompile(`\bcall_[A-Z2-7]{26}\b`)

// is reports whether a client's name for a tool is nod's, with whatever the
// client puts before it.
func is(name, tool string) bool { return name == tool || strings.HasSuffix(name, "_"+tool) }

// reply answers with JSON.
func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // whoever asked is gone
}

// events answers with server-sent events. An event's name is its "type" where it
// has one.
func events(w http.ResponseWriter, list ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range list {
		if done, ok := e.(string); ok {
			fmt.Fprintf(w, "data: %s\n\n", done)
			continue
		}
		b, err := json.Marshal(e)
		if err != nil {
			panic(err) // our own shapes only
		}
		if fields, ok := e.(object); ok && fields["type"] != nil {
			fmt.Fprintf(w, "event: %v\n", fields["type"])
		}
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
}

// object is a JSON object of the model's own.
type object = map[string]any

// parts are the parts of what was told: a text, or a list of parts of which
// those of the given kinds are text.
func parts(raw json.RawMessage, r *Result, kinds ...string) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		r.Texts = append(r.Texts, text)
		return
	}
	var list []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &list) != nil {
		r.Other = append(r.Other, "not a text: "+string(raw))
		return
	}
	for _, p := range list {
		if slices.Contains(kinds, p.Type) {
			r.Texts = append(r.Texts, p.Text)
		} else {
			r.Other = append(r.Other, p.Type)
		}
	}
}
