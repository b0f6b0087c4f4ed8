package mcpconfig

import (
	"fmt"
	"net"
	"net/url"

	"nod.dev/nod"
)

// findToken decides what stands where the token goes. A reference beats the
// token itself: a configuration is copied, shared and backed up.
func (s *setup) findToken() error {
	c, t := s.client, &s.Token
	if t.Value != "" {
		s.value = t.Value
		return nil
	}
	if t.File != "" {
		switch {
		case s.Transport == Pipes: // nod mcp reads it
		case c.fileValue != nil:
			s.value = c.fileValue(t.File)
		default:
			return nod.Errorf(nod.CodeInvalid, "over http no token comes from a file to "+c.Title,
				"with --stdio nod reads the file itself, with --with-token the token is put in, and without --token-file it comes from the environment")
		}
		return nil
	}
	if t.Variable == "" {
		t.Variable = TokenVariable
	}
	if !isVariable(t.Variable) {
		return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%q is no name of an environment variable", t.Variable), "it has letters, digits and _ alone")
	}
	if own := t.Variable != TokenVariable; own && (c.variable == nil || c.extra != nil) {
		hint := "without --token-env it asks for the token once, and keeps it"
		if c.variable == nil {
			hint = "use --token-file with --stdio, or --with-token"
		}
		return nod.Errorf(nod.CodeInvalid, "no token comes from a variable to "+c.Title, hint)
	}
	if c.variable == nil {
		s.value = placeholder
		return nil
	}
	s.value = c.variable(t.Variable)
	if (c.Name == codex || c.Name == goose) && s.Transport == Pipes && t.Variable != TokenVariable {
		return nod.Errorf(nod.CodeInvalid, "a variable reaches a program of "+c.Title+" under its own name alone", "use --token-file, or the variable "+TokenVariable)
	}
	return nil
}

// secret reports whether the token itself is in the configuration.
func (s *setup) secret() bool { return s.Token.Value != "" }

// open reports whether the token still has to be put in by hand.
func (s *setup) open() bool { return s.value == placeholder }

// arguments are those of "nod mcp".
func (s *setup) arguments() []string {
	args := []string{"mcp", "--url", s.URL}
	if s.Token.Value == "" && s.Token.File != "" {
		args = append(args, "--token-file", s.Token.File)
	}
	return args
}

// environment is what a child of the client is given; nothing where nod reads a file.
func (s *setup) environment() object {
	if s.value == "" {
		return nil
	}
	return object{{key: TokenVariable, value: s.value}}
}

// bearer is the header that carries the token.
func (s *setup) bearer() object {
	return object{{key: "Authorization", value: "Bearer " + s.value}}
}

// address is where the gateway speaks MCP.
func (s *setup) address() string { return s.URL + "/mcp" }

// notes are what the person has to know.
func (s *setup) notes() []string {
	var list []string
	switch {
	case s.open() && s.Transport == Pipes:
		list = append(list, "put the token in the place of "+placeholder+`; or keep it out of this file: "nod agents add NAME --token-file FILE --for `+s.client.Name+`"`)
	case s.open():
		list = append(list, `put the token in the place of `+placeholder+`; "nod agents add NAME" prints one`)
	case s.secret():
		list = append(list, "the token itself is in it: whoever can read it can ask as this agent")
	case s.value == "":
		list = append(list, "nod reads the token from "+s.Token.File)
	case s.client.extra != nil:
		list = append(list, s.client.Title+` asks for the token once and keeps it; "nod agents add NAME" prints one`)
	case s.Token.File != "":
		list = append(list, s.client.Title+" reads the token from "+s.Token.File)
	case s.client.Name == librechat:
		list = append(list, `each person puts their token into LibreChat's own settings of nod; "nod agents add NAME" prints one`)
	default:
		list = append(list, fmt.Sprintf(`the token has to be in the variable %s where %s is started; "nod agents add NAME" prints one`, s.Token.Variable, s.client.Title))
	}
	if s.secret() && s.Where == Project {
		list = append(list, "keep this file to yourself: what lies in a project is often shared")
	}
	if inTheClear(s.URL) {
		list = append(list, "over plain http the token can be read on its way; give the gateway an https address")
	}
	if s.client.asksForTrust && s.Where == Project {
		list = append(list, s.client.Title+" uses it only once you trust this project there")
	}
	return append(list, s.client.notes...)
}

// inTheClear reports whether what is sent to the address leaves this machine
// without encryption.
func inTheClear(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
