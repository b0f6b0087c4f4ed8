package main

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/mcpconfig"
)

// agentsCmd is "nod agents".
type agentsCmd struct {
	List   agentsListCmd   `cmd:"" default:"withargs" help:"List the agents."`
	Add    agentsAddCmd    `cmd:"" help:"Add an agent; its token is shown once."`
	Rename agentsRenameCmd `cmd:"" help:"Change how cards name an agent."`
	Wait   agentsWaitCmd   `cmd:"" help:"Set how long one answer to an agent may take over MCP."`
	Rotate agentsRotateCmd `cmd:"" help:"Give an agent a new token; the old one is dead."`
	Off    agentsOffCmd    `cmd:"" help:"Take from an agent some of what it may ask for."`
	Pause  agentsPauseCmd  `cmd:"" help:"Stop an agent until it is resumed on the phone."`
	Resume agentsResumeCmd `cmd:"" help:"Ask on the phone to let an agent go on."`
	Revoke agentsRevokeCmd `cmd:"" help:"Remove an agent for good."`
}

// ofPerson names whose things a command is about.
type ofPerson struct {
	Person string `help:"Whose, by name or id; needed when there is more than one person." placeholder:"NAME" env:"NOD_PERSON"`
}

// flag says the same again in a line to be typed.
func (c ofPerson) flag() string {
	if c.Person == "" {
		return ""
	}
	return " --person " + quoteArg(c.Person)
}

type agentsListCmd struct{ ofPerson }

// Run lists the agents.
func (c *agentsListCmd) Run(p *program) error {
	list, err := p.console().Agents(p.ctx, c.Person)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(map[string]any{"agents": list})
	}
	if len(list) == 0 {
		p.say("there are no agents")
		p.hint(`add one with "nod agents add NAME%s"`, c.flag())
		return nil
	}
	people, err := p.console().People(p.ctx)
	if err != nil {
		return err
	}
	all := map[nod.PersonID]bool{} // whose agents are all paused
	for _, one := range people {
		all[one.ID] = one.Paused
	}
	rows := [][]string{{"NAME", "MAY ASK FOR", "MODE", "ONE ANSWER", "LAST USED", "ID"}}
	for _, a := range list {
		mode := string(a.Mode)
		switch {
		case all[a.Person]:
			mode = "all paused"
		case a.Paused:
			mode = "paused"
		}
		rows = append(rows, []string{a.Name, accessWords(a), mode, answerWords(a), ago(a.LastUsedAt, time.Now()), string(a.ID)})
	}
	return p.table(rows)
}

// answerWords says how long one answer over MCP may take, in a cell of a table.
func answerWords(a client.Agent) string {
	if a.WaitSeconds == 0 {
		return "as its client"
	}
	return fmt.Sprintf("%d s", a.WaitSeconds)
}

// accessWords says what an agent may ask for in a cell of a table. Without a word
// on reads, those that are private are off.
func accessWords(a client.Agent) string {
	apps := map[string][]string{} // "act" and "read" with ask and off, to apps
	for what, state := range a.Access {
		app, kind, _ := strings.Cut(what, ":")
		apps[kind+" "+string(state)] = append(apps[kind+" "+string(state)], app)
	}
	list := func(of string) string {
		sort.Strings(apps[of])
		return strings.Join(apps[of], ", ")
	}
	var words []string
	switch on, off := list("act ask"), list("act off"); {
	case !a.Only && off != "":
		words = append(words, "acts in every app but "+off)
	case !a.Only:
		words = append(words, "acts in every app")
	case on != "":
		words = append(words, "acts in "+on)
	}
	if on := list("read ask"); on != "" {
		words = append(words, "reads "+on)
	}
	if off := list("read off"); off != "" && !a.Only {
		words = append(words, "reads no "+off)
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, "; ")
}

type agentsAddCmd struct {
	ofPerson
	keepToken
	Name  string   `arg:"" help:"How cards name the agent."`
	Apps  []string `help:"All that it may ask for, as in calendar:read,maps:act; without it, acts in every app and no private read." placeholder:"APP:WHAT"`
	Phone string   `help:"The one phone it asks, by name or id." placeholder:"PHONE"`
	Wait  waitArg  `help:"How long one answer over MCP may take, 1s to 20m; without it, as long as its client is known to bear." placeholder:"DURATION"`
	For   string   `help:"Print the configuration of this MCP client, too; \"nod mcp config\" lists them." placeholder:"CLIENT"`
}

// keepToken says where a new token goes instead of onto the screen.
type keepToken struct {
	Save      bool   `help:"Keep the token for the commands of this account instead of showing it."`
	TokenFile string `help:"Keep the token in this file instead of showing it." type:"path" placeholder:"FILE"`
}

// file is where it goes; empty for the screen.
func (k keepToken) file() string {
	if k.TokenFile == "" && k.Save {
		return tokenPath()
	}
	return k.TokenFile
}

// Run adds an agent and shows its token, this once.
func (c *agentsAddCmd) Run(p *program) error {
	if c.Apps != nil && len(c.Apps) == 0 { // the variable it came from was never set, and without a list it may do more
		return nod.Errorf(nod.CodeInvalid, "the list of apps is empty", "say what the agent may ask for, as in calendar:read,maps:act, or leave --apps out")
	}
	if c.For != "" { // what can be wrong is, before there is an agent
		if _, err := p.newConfig(c.For, c.file(), ""); err != nil {
			return err
		}
	}
	file, err := newTokenFile(c.file())
	if err != nil {
		return err
	}
	defer file.drop()
	a, err := p.console().AddAgent(p.ctx, client.AgentRequest{Name: c.Name, Person: c.Person, Apps: c.Apps, Phone: c.Phone, WaitSeconds: int(c.Wait)})
	if err != nil {
		return err
	}
	if err := p.showToken(a, file, c.For); err != nil || c.Apps != nil || p.global.JSON {
		return err
	}
	p.hint("what it may read is switched on in nod on the phone, under Agents")
	return nil
}

// showToken hands a new token over, to stdout or to the file, and with it what
// an MCP client has to be told.
func (p *program) showToken(a client.NewAgent, kept *tokenFile, mcpClient string) error {
	token, file := a.Token, ""
	if kept != nil {
		file = kept.path
		if err := kept.keep(token); err != nil {
			return &nod.Error{Code: nod.CodeInternal, Message: "the new token of " + a.Agent.Name + " could not be kept in " + file, Err: err,
				Hint: fmt.Sprintf("make another with \"nod agents rotate %s\"", quoteArg(a.Agent.Name))}
		}
		a.Token = ""
		p.say("%s may ask now; its token is in %s", a.Agent.Name, file)
	}
	var snippet mcpconfig.Snippet
	if mcpClient != "" {
		var err error
		if snippet, err = p.newConfig(mcpClient, file, token); err != nil {
			return err
		}
	}
	if p.global.JSON {
		return p.printJSON(struct {
			client.NewAgent
			Config string `json:"config,omitempty"`
		}{a, snippet.Text})
	}
	if file == "" {
		if _, err := fmt.Fprintln(p.stdout, a.Token); err != nil {
			return err
		}
		p.say("this is the token of %s; it is not shown again", a.Agent.Name)
		if mcpClient == "" {
			p.hint("\"nod mcp config\" says how an MCP client gets it; remove the agent with \"nod agents revoke %s\"", quoteArg(a.Agent.Name))
		}
	}
	if mcpClient == "" {
		return nil
	}
	if _, err := fmt.Fprint(p.stdout, snippet.Text); err != nil {
		return err
	}
	p.printNotes(snippet)
	return nil
}

// newConfig is a client's configuration with a token that was just made: from
// its file where it is in one, by the client's own reference where it has one.
func (p *program) newConfig(name, file, token string) (mcpconfig.Snippet, error) {
	c, err := p.findClient(name)
	if err != nil {
		return mcpconfig.Snippet{}, err
	}
	r := mcpconfig.Request{URL: p.global.URL, Token: mcpconfig.Token{File: file}}
	if file != "" {
		r.Transport = mcpconfig.Pipes // nod reads it there, and the client needs no variable
	}
	if c.Has(mcpconfig.Personal) {
		r.Command = ownPath()
	}
	s, err := c.Snippet(r)
	if err == nil && s.Open {
		r.Token.Value = token // it was shown a line above
		s, err = c.Snippet(r)
	}
	return s, err
}

// quoteArg makes a word that a shell takes as one.
func quoteArg(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:/=,@+", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

type agentsRenameCmd struct {
	ofPerson
	Agent string `arg:"" help:"The agent, by name or id."`
	Name  string `arg:"" help:"Its new name."`
}

// Run renames an agent.
func (c *agentsRenameCmd) Run(p *program) error {
	a, err := p.console().RenameAgent(p.ctx, c.Person, c.Agent, c.Name)
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(a)
	}
	p.say("cards name it %s now", a.Name)
	return nil
}

// waitArg is a wait on the command line, in seconds: a duration of whole
// seconds, or "client" for what the client is known to bear.
type waitArg int

// UnmarshalText implements [encoding.TextUnmarshaler], for kong.
func (w *waitArg) UnmarshalText(text []byte) error {
	if string(text) == "client" {
		*w = 0
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < time.Second || d%time.Second != 0 {
		return fmt.Errorf("%q is no time of whole seconds; write it like 280s or 5m, or client", text)
	}
	*w = waitArg(d / time.Second)
	return nil
}

type agentsWaitCmd struct {
	ofPerson
	Agent string  `arg:"" help:"The agent, by name or id."`
	Wait  waitArg `arg:"" help:"1s to 20m, or client for as long as its client is known to bear." placeholder:"DURATION"`
}

// Run sets how long one answer to an agent may take.
func (c *agentsWaitCmd) Run(p *program) error {
	a, err := p.console().SetAgentWait(p.ctx, c.Person, c.Agent, int(c.Wait))
	if err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(a)
	}
	if a.WaitSeconds == 0 {
		p.say("an answer to %s takes as long as its client is known to bear", a.Name)
		return nil
	}
	p.say("an answer to %s takes %d seconds at the most; then it hears that the card still waits", a.Name, a.WaitSeconds)
	return nil
}

type agentsRotateCmd struct {
	ofPerson
	keepToken
	Agent string `arg:"" help:"The agent, by name or id."`
}

// Run gives an agent a new token.
func (c *agentsRotateCmd) Run(p *program) error {
	file, err := newTokenFile(c.file())
	if err != nil {
		return err // the old token goes on
	}
	defer file.drop()
	a, err := p.console().RotateAgent(p.ctx, c.Person, c.Agent)
	if err != nil {
		return err
	}
	return p.showToken(a, file, "")
}

type agentsOffCmd struct {
	ofPerson
	Agent string   `arg:"" help:"The agent, by name or id."`
	Apps  []string `arg:"" help:"What it may not ask for any more, as in calendar:read maps:act." placeholder:"APP:WHAT"`
}

// Run takes from an agent some of what it may ask for.
func (c *agentsOffCmd) Run(p *program) error {
	s, err := p.console().SwitchOff(p.ctx, c.Person, c.Agent, c.Apps)
	if err != nil {
		return p.actsAlready(err)
	}
	return p.stopped(s, c.Agent+" may not ask for "+strings.Join(c.Apps, ", ")+" any more")
}

type agentsPauseCmd struct {
	ofPerson
	Agent string `arg:"" help:"The agent, by name or id."`
}

// Run pauses an agent.
func (c *agentsPauseCmd) Run(p *program) error {
	s, err := p.console().PauseAgent(p.ctx, c.Person, c.Agent)
	if err != nil {
		return p.actsAlready(err)
	}
	return p.stopped(s, c.Agent+" is paused; it is resumed on the phone")
}

type agentsRevokeCmd struct {
	ofPerson
	Agent string `arg:"" help:"The agent, by name or id."`
	Wait  bool   `help:"Return once what was let go before has ended."`
}

// Run revokes an agent.
func (c *agentsRevokeCmd) Run(p *program) error {
	s, err := p.console().RevokeAgent(p.ctx, c.Person, c.Agent, c.Wait)
	if err != nil {
		return p.actsAlready(err)
	}
	return p.stopped(s, c.Agent+" is removed; its token is dead")
}

type agentsResumeCmd struct {
	ofPerson
	Agent string `arg:"" help:"The agent that is meant, by name or id; which ones go on is chosen on the phone."`
}

// Run asks on the phone to let an agent go on.
func (c *agentsResumeCmd) Run(p *program) error { return p.askToResume(c.Person, c.Agent) }

// actsAlready adds to the error of a stop that could not be written what is true
// of it all the same.
func (p *program) actsAlready(err error) error {
	if client.CodeOf(err) == nod.CodeStorage {
		p.say("it acts already; it is not on the disk yet, and would be forgotten if the gateway ended before it is")
	}
	return err
}

// stopped says that something was stopped, and what may still happen.
func (p *program) stopped(s client.Stopped, sentence string) error {
	if p.global.JSON {
		return p.printJSON(s)
	}
	p.say("%s", sentence)
	switch {
	case s.InFlight == 1:
		p.say("one action was let go before and may still be carried out")
	case s.InFlight > 1:
		p.say("%d actions were let go before and may still be carried out", s.InFlight)
	}
	return nil
}
