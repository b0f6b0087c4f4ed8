package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/mcpconfig"
)

// mcpConfigCmd is "nod mcp config".
type mcpConfigCmd struct {
	Client    string `arg:"" optional:"" help:"The client; without one, they are listed with their files."`
	Stdio     bool   `help:"Have the client start \"nod mcp\" and speak on its pipes; without it, over HTTP where the client can."`
	Project   bool   `help:"For the folder this is run in, not for all this account does."`
	Write     bool   `help:"Put it into the client's file, which keeps everything else."`
	File      string `help:"The file to write, where it is not the usual one." type:"path" placeholder:"FILE"`
	TokenFile string `help:"The file that the token is read from." type:"existingfile" placeholder:"FILE" xor:"token-file"`
	TokenEnv  string `help:"The environment variable that the client reads the token from; NOD_TOKEN when not said." placeholder:"NAME" xor:"token-file,with-token"`
	WithToken bool   `help:"Put the token itself in: from --token-file, NOD_TOKEN, or the file that --save wrote." xor:"with-token"`
}

// Run prints a client's configuration, or writes it.
func (c *mcpConfigCmd) Run(p *program) error {
	system, err := mcpconfig.ThisSystem()
	if err != nil {
		return err
	}
	if c.Client == "" {
		return p.listClients(system)
	}
	mcpClient, err := p.findClient(c.Client)
	if err != nil {
		return err
	}
	request, err := c.request(p, mcpClient)
	if err != nil {
		return err
	}
	snippet, err := mcpClient.Snippet(request)
	if err != nil {
		return err
	}
	file := c.File
	if file == "" {
		file = mcpClient.File(snippet.Where, system)
	}
	if !c.Write {
		return p.printConfig(mcpClient, snippet, file)
	}
	if file == "" {
		return nod.Errorf(nod.CodeInvalid, "where "+mcpClient.Title+" keeps this is not known", "name the file with --file, or put what is printed without --write where it belongs")
	}
	return p.writeConfig(mcpClient, request, snippet, file)
}

// findClient finds a client, for a gateway whose address one could use.
func (p *program) findClient(name string) (mcpconfig.Client, error) {
	c, err := mcpconfig.Find(name)
	if err == nil {
		_, err = client.New(client.Config{URL: p.global.URL})
	}
	return c, err
}

// request says what was asked for in the package's terms.
func (c *mcpConfigCmd) request(p *program, mcpClient mcpconfig.Client) (mcpconfig.Request, error) {
	r := mcpconfig.Request{URL: p.global.URL, Token: mcpconfig.Token{Variable: c.TokenEnv, File: c.TokenFile}}
	if c.Stdio {
		r.Transport = mcpconfig.Pipes
	}
	if c.Project {
		r.Where = mcpconfig.Project
		if !mcpClient.Has(r.Where) && mcpClient.Has(mcpconfig.Personal) {
			return r, nod.Errorf(nod.CodeInvalid, "a project has no configuration of "+mcpClient.Title+" in it", "leave --project out")
		}
	}
	if !c.Project && mcpClient.Has(mcpconfig.Personal) {
		r.Command = ownPath() // not every program that starts it has the same PATH
	}
	if c.TokenFile != "" {
		path, err := filepath.Abs(c.TokenFile)
		if err != nil {
			return r, err
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !c.WithToken {
			return r, nod.Errorf(nod.CodeInvalid, path+" is no file that can be read each time the client starts", "put the token into one, or into the configuration with --with-token")
		}
		if _, err := readToken(path); err != nil {
			return r, err
		}
		r.Token.File = path
	}
	return r, c.findToken(mcpClient, &r)
}

// findToken puts the token in where that was asked for, and, to write a file,
// where the client can be told in no other way.
func (c *mcpConfigCmd) findToken(mcpClient mcpconfig.Client, r *mcpconfig.Request) error {
	if c.WithToken {
		token, err := agentToken(r.Token.File)
		r.Token = mcpconfig.Token{Value: token}
		return err
	}
	s, err := mcpClient.Snippet(*r)
	if err != nil || !s.Open {
		return err
	}
	switch token := strings.TrimSpace(os.Getenv("NOD_TOKEN")); {
	case token != "" && c.Write:
		r.Token.Value = token
	case token == "" && s.Transport == mcpconfig.Pipes:
		if _, err := readToken(tokenPath()); err == nil {
			r.Token.File = tokenPath()
		}
	}
	return nil
}

// printConfig prints what there is to paste, and says on stderr where and what else.
func (p *program) printConfig(mcpClient mcpconfig.Client, s mcpconfig.Snippet, file string) error {
	if p.global.JSON {
		return p.printJSON(map[string]any{
			"client": mcpClient.Name, "transport": s.Transport, "where": s.Where, "file": file, "config": s.Text, "secret": s.Secret, "notes": s.Notes,
		})
	}
	if _, err := fmt.Fprint(p.stdout, s.Text); err != nil {
		return err
	}
	if file != "" {
		p.say("for %s: it goes into %s, beside what is there; --write puts it in", mcpClient.Title, file)
	}
	p.printNotes(s)
	return nil
}

// printNotes says on stderr what the person has to know or do.
func (p *program) printNotes(s mcpconfig.Snippet) {
	for _, n := range s.Notes {
		p.hint("%s", n)
	}
}

// writeConfig puts it into the file. What cannot go in is printed instead.
func (p *program) writeConfig(mcpClient mcpconfig.Client, r mcpconfig.Request, s mcpconfig.Snippet, file string) error {
	w, err := mcpClient.Write(file, r)
	if nod.CodeOf(err) == nod.CodeConflict && !p.global.JSON {
		if _, err := fmt.Fprint(p.stdout, s.Text); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(map[string]any{
			"client": mcpClient.Name, "transport": s.Transport, "where": s.Where, "file": w.Path, "changed": w.Changed, "created": w.Created, "backup": w.Backup, "twin": w.Twin, "secret": s.Secret, "notes": s.Notes,
		})
	}
	switch {
	case w.Created:
		p.say("%s is new, and has nod in it", w.Path)
	case w.Changed:
		p.say("nod is in %s now; as it was, it lies in %s", w.Path, filepath.Base(w.Backup))
	default:
		p.say("%s has it already", w.Path)
	}
	if w.Closed {
		p.say("others could read that file, and cannot any more")
	}
	if w.Twin != "" {
		p.say("%s in it leads to the same gateway: the client lists its tools twice", w.Twin)
		p.hint("remove one of the two")
	}
	p.printNotes(s)
	return nil
}

// listClients prints the clients and where their files lie here.
func (p *program) listClients(system mcpconfig.System) error {
	type row struct {
		Client     string                `json:"client"`
		Title      string                `json:"title"`
		Transports []mcpconfig.Transport `json:"transports"`
		Personal   string                `json:"user_file"`
		Project    string                `json:"project_file"`
	}
	var list []row
	table := [][]string{{"CLIENT", "SPEAKS", "FILE", "IN THIS FOLDER"}}
	for _, c := range mcpconfig.Clients() {
		r := row{Client: c.Name, Title: c.Title, Personal: c.File(mcpconfig.Personal, system), Project: c.File(mcpconfig.Project, system)}
		var words []string
		for _, t := range []mcpconfig.Transport{mcpconfig.HTTP, mcpconfig.Pipes} {
			if c.Can(t) {
				r.Transports = append(r.Transports, t)
				words = append(words, string(t))
			}
		}
		list = append(list, r)
		project := ""
		if r.Project != "" {
			project = c.Written(mcpconfig.Project, system.OS)
		}
		table = append(table, []string{c.Name, strings.Join(words, ", "), orDash(r.Personal), orDash(project)})
	}
	if p.global.JSON {
		return p.printJSON(map[string]any{"clients": list})
	}
	if err := p.table(table); err != nil {
		return err
	}
	p.hint(`"nod mcp config CLIENT" prints what goes into the file, and with --write puts it in`)
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// ownPath is how another program starts this one: by the name it has on PATH,
// whole, or where it lies. One that "go run" made is gone before that.
func ownPath() string {
	exe, err := os.Executable()
	if err != nil || strings.HasPrefix(exe, os.TempDir()) || strings.Contains(exe, "go-build") {
		return "nod"
	}
	found, err := exec.LookPath("nod")
	if err != nil {
		return exe
	}
	a, err1 := os.Stat(found)
	b, err2 := os.Stat(exe)
	if found, err = filepath.Abs(found); err == nil && err1 == nil && err2 == nil && os.SameFile(a, b) {
		return found // a link there outlives the version it leads to
	}
	return exe
}
