package mcpconfig

import (
	"fmt"
	"slices"
	"strings"

	"nod.dev/nod"
)

// Name is what the entry is called in every client. It becomes part of the
// tools' names that a model sees: mcp__nod__phone_action.
const Name = "nod"

// TokenVariable is the environment variable that holds an agent's token.
const TokenVariable = "NOD_TOKEN"

// Transport is how a client speaks to nod.
type Transport string

// The transports.
const (
	HTTP  Transport = "http"  // Streamable HTTP at the gateway's /mcp
	Pipes Transport = "stdio" // "nod mcp" as the client's child
)

// Where says for whom an entry is.
type Where string

// The places.
const (
	Personal Where = "user"    // for this account, in all it does
	Project  Where = "project" // for whoever works in one folder; such a file is often shared
)

// Client is a program that can speak MCP, as nod configures it.
type Client struct {
	Name  string // as the command line has it: claude-code
	Title string // as people say it: Claude Code

	format format
	path   []string // the objects round the entry, outermost first
	http   func(setup) object
	pipes  func(setup) object
	// variable writes a reference to an environment variable into a value; nil
	// where the client has none.
	variable func(name string) string
	// fileValue writes a reference to a file's content; nil for none.
	fileValue func(path string) string
	// httpKeys and pipesKeys are the entry's keys that belong to one transport
	// alone: with the other they are gone.
	httpKeys, pipesKeys []string
	// tokenKeys carry the token or its name, and are gone when it comes in
	// another way, if nothing else is in them.
	tokenKeys         []string
	extra             *item // one more thing the file has to have
	personal, project place
	asksForTrust      bool // a project's file counts only once the person trusts the project
	notes             []string
}

// Request is what a configuration is made from.
type Request struct {
	Transport Transport // empty: HTTP where the client can
	Where     Where     // empty: Personal where the client has it
	URL       string    // the gateway's address, without a path
	Command   string    // how nod is started; empty: nod
	Token     Token
}

// Token says where the client gets the agent's token from. With none of them
// set it is the variable [TokenVariable].
type Token struct {
	Variable string // the client reads this environment variable
	File     string // nod mcp reads this file, or the client itself where it can
	Value    string // the token itself is in the configuration
}

// setup is a request made whole: every field has its value.
type setup struct {
	Request
	client Client
	value  string // the token or its reference, as it stands in a value
}

// Snippet is the configuration of one client.
type Snippet struct {
	Text      string    // a whole file that holds nothing but nod
	Transport Transport // which one it became
	Where     Where
	Secret    bool     // the token itself is in it
	Open      bool     // the word TOKEN stands where the token has to go
	Notes     []string // what the person has to know or do, each a sentence without its full stop
}

// placeholder stands where only the token itself would do and is not known.
const placeholder = "TOKEN"

// Clients lists the clients, in the order of the documentation.
func Clients() []Client { return slices.Clone(clients) }

// Find returns the client of that name.
func Find(name string) (Client, error) {
	var names []string
	for _, c := range clients {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Client{}, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("nod knows no client %q", name),
		"the clients are "+strings.Join(names, ", "))
}

// Can reports whether the client has the transport.
func (c Client) Can(t Transport) bool {
	return t == HTTP && c.http != nil || t == Pipes && c.pipes != nil
}

// Has reports whether the client reads a file at such a place.
func (c Client) Has(w Where) bool {
	return w == Personal && c.personal.known() || w == Project && c.project.known()
}

// Language is what the client's file is written in: json, toml or yaml.
func (c Client) Language() string {
	switch c.format {
	case tomlFormat:
		return "toml"
	case yamlFormat:
		return "yaml"
	}
	return "json"
}

// Snippet makes the client's configuration.
func (c Client) Snippet(r Request) (Snippet, error) {
	s, entry, err := c.prepare(r)
	if err != nil {
		return Snippet{}, err
	}
	text, err := c.format.whole(s.client, entry)
	if err != nil {
		return Snippet{}, err
	}
	return Snippet{
		Text: text, Transport: s.Transport, Where: s.Where,
		Secret: s.secret(), Open: s.open(), Notes: s.notes(),
	}, nil
}

// prepare makes the request whole and the entry from it.
func (c Client) prepare(r Request) (setup, object, error) {
	s := setup{Request: r, client: c}
	if s.Transport == "" {
		s.Transport = HTTP
		if c.http == nil {
			s.Transport = Pipes
		}
	}
	if s.Where == "" {
		s.Where = Personal
		if !c.personal.known() && c.project.known() {
			s.Where = Project
		}
	}
	if s.Command == "" {
		s.Command = "nod"
	}
	s.URL = strings.TrimRight(s.URL, "/")
	if !c.Can(s.Transport) {
		return s, nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("over %s there is no configuration of %s", s.Transport, c.Title), c.otherWay(s.Transport))
	}
	if err := s.findToken(); err != nil {
		return s, nil, err
	}
	if s.secret() || s.value == "" {
		s.client.extra = nil // nothing to ask for
	}
	if s.Transport == HTTP {
		return s, c.http(s), nil
	}
	return s, c.pipes(s), nil
}

func (c Client) otherWay(t Transport) string {
	if t == HTTP {
		return "it starts programs: use --stdio"
	}
	return "leave --stdio out"
}
