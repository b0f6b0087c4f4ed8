package spec

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"

	"nod.dev/nod"
)

//go:embed tools.json actions.json texts.json capabilities.json events.json schemas/*.json
var embedded embed.FS

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the description of the HTTP API as OpenAPI 3.1.
func OpenAPI() []byte { return openAPI }

// Files returns the manifests as they are embedded: tools.json, actions.json,
// texts.json, capabilities.json, events.json and schemas/*.json.
func Files() fs.FS { return embedded }

// Spec is the contract, parsed. It is made once and never changes.
type Spec struct {
	Version  int64    // of the manifests; see [Validate]
	Protocol string   // the name of the version range: "nod-runtime-protocol"
	Apps     []string // what access can be switched for: "maps", "clock", ...
	Tools    []Tool
	Phone    Phone
	Events   Events

	Capabilities []Capability

	tools   map[string]int // by name and by alias
	actions map[string]int
	texts   texts
}

// Tool is something an agent can name.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	Kind         nod.Kind        `json:"kind"`
	Risk         nod.Risk        `json:"risk"`
	Private      bool            `json:"private"` // its result is the person's private data
	Egress       bool            `json:"egress"`  // it can carry data out
	Confirm      nod.Confirm     `json:"confirm"`
	App          string          `json:"app"` // empty where each action has its own, and for the gateway's tools
	Capability   string          `json:"capability"`
	Permission   Permission      `json:"permission"` // what the phone's system asks the person for
	WaitsSeconds int             `json:"waits"`      // how long it may take after the decision
	Blobs        int             `json:"blobs"`      // how many pictures its result may carry
	Fields       []ToolField     `json:"fields"`     // what it reads, in the card's order; none for phone_action
	Required     []Group         `json:"required"`   // in the order in which they are named when missing
	InputSchema  json.RawMessage `json:"input_schema"`
	Aliases      []string        `json:"aliases"`
	Deprecated   bool            `json:"deprecated"`
	SupersededBy string          `json:"superseded_by,omitempty"`
	Gateway      bool            `json:"gateway"` // answered without a phone: call_status, call_cancel
}

// Capability is something a host can declare.
type Capability struct {
	ID          string   `json:"id"`
	Risk        nod.Risk `json:"risk"`
	Description string   `json:"description"`
}

var get = sync.OnceValue(func() *Spec {
	s, err := load(embedded)
	if err != nil {
		// The manifests are compiled in and a test reads them: this is a broken build.
		panic(err)
	}
	return s
})

// Get returns the embedded contract.
func Get() *Spec { return get() }

// Tool finds a tool by its name or one of its aliases.
func (s *Spec) Tool(name string) (Tool, bool) {
	i, ok := s.tools[name]
	if !ok {
		return Tool{}, false
	}
	return s.Tools[i], true
}

// Action finds an action of phone_action.
func (s *Spec) Action(name string) (Action, bool) {
	i, ok := s.actions[name]
	if !ok {
		return Action{}, false
	}
	return s.Phone.Actions[i], true
}

// Load reads a contract from files that are named as [Files] names them.
// It does not judge it: [Validate] does.
func Load(files fs.FS) (*Spec, error) { return load(files) }

func load(files fs.FS) (*Spec, error) {
	var tools struct {
		Version  int64    `json:"version"`
		Protocol string   `json:"protocol"`
		Apps     []string `json:"apps"`
		Tools    []Tool   `json:"tools"`
	}
	var capabilities struct {
		Capabilities []Capability `json:"capabilities"`
	}
	s := &Spec{tools: map[string]int{}, actions: map[string]int{}}
	for _, m := range []struct {
		name string
		into any
	}{
		{"tools.json", &tools},
		{"actions.json", &s.Phone},
		{"texts.json", &s.texts},
		{"capabilities.json", &capabilities},
		{"events.json", &s.Events},
	} {
		if err := readManifest(files, m.name, m.into); err != nil {
			return nil, err
		}
	}
	s.Version, s.Protocol, s.Apps, s.Tools = tools.Version, tools.Protocol, tools.Apps, tools.Tools
	s.Capabilities = capabilities.Capabilities
	for i, t := range s.Tools {
		for _, name := range append([]string{t.Name}, t.Aliases...) {
			s.tools[name] = i
		}
	}
	for i := range s.Phone.Actions {
		s.actions[s.Phone.Actions[i].Name] = i
	}
	return s, nil
}

func readManifest(files fs.FS, name string, into any) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("spec: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("spec: %s: %w", name, err)
	}
	return nil
}
