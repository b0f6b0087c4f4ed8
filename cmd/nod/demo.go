package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/spec"
)

// demoCmd is "nod demo".
type demoCmd struct {
	Yes    bool   `help:"No browser: a simulated phone, and every way a call can end."`
	Listen string `help:"Address to listen on; a free port of this machine when that is taken." default:"127.0.0.1:7333"`
	NoOpen bool   `name:"no-open" help:"Print the link instead of opening a browser."`
}

// demo is a gateway on a folder that goes away with it.
type demo struct {
	p       *program
	running *running
	console *client.Console
	began   time.Time
}

// Run shows the main job from end to end.
func (c *demoCmd) Run(p *program) error {
	d, end, err := c.start(p)
	if err != nil {
		return err
	}
	defer end()
	if c.Yes {
		return d.everything()
	}
	return d.browser(c.NoOpen)
}

// start runs a gateway in a temporary folder.
func (c *demoCmd) start(p *program) (*demo, func(), error) {
	dir, err := os.MkdirTemp("", "nod-demo-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for the demo: %w", err)
	}
	logger := slog.New(slog.DiscardHandler)
	if p.global.Log != "info" {
		logger = p.logger("text")
	}
	config := gatewayConfig{data: dir, listen: c.Listen, log: logger}
	if c.Yes || !free(c.Listen) {
		config.listen = "127.0.0.1:0"
	}
	r, err := openGateway(p.ctx, config)
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	r.serve()
	end := func() {
		r.close()
		os.RemoveAll(dir)
	}
	return &demo{p: p, running: r, console: client.NewConsole(auth.ConsolePath(dir)), began: time.Now()}, end, nil
}

// free reports whether nobody listens on an address.
func free(address string) bool {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	l.Close()
	return true
}

// example is what the demo asks for.
const example = `{"action": "navigate", "destination": {"query": "Lisboa Oriente"}, "stops": [{"query": "Miradouro da Graça"}], "mode": "walk", "summary": "So that you are at the station at nine."}`

// browser makes a browser of this machine the phone, asks it for one thing, and
// goes on serving.
func (d *demo) browser(noOpen bool) error {
	p := d.p
	pairing, err := d.console.Pair(p.ctx, "", false)
	if err != nil {
		return err
	}
	p.say("open this in a browser of this machine; it becomes the phone:")
	if _, err := fmt.Fprintln(p.stdout, pairing.Link); err != nil {
		return err
	}
	if !noOpen && isTerminal(p.stderr) {
		openBrowser(p.ctx, pairing.Link)
	}
	p.say("a real phone needs an https address: tailscale serve, or a reverse proxy, and nod serve --public-url")
	agent, token, err := d.agent("Demo", nil)
	if err != nil {
		return err
	}
	if err := d.connected(pairing); err != nil {
		return d.interrupted(err)
	}
	p.say("the phone is there; the agent Demo asks for a route with one stop now. Look at the browser")
	call, err := agent.Do(p.ctx, client.Request{Tool: spec.ToolPhoneAction, Arguments: json.RawMessage(example)})
	if err != nil {
		return d.interrupted(err)
	}
	p.say("it ended: %s. The agent is told:", call.Outcome)
	if _, err := fmt.Fprintln(p.stdout, call.Text); err != nil {
		return err
	}
	d.next(token)
	select {
	case <-p.ctx.Done():
		return nil
	case err := <-d.running.failed:
		return fmt.Errorf("serving: %w", err)
	}
}

// interrupted makes Ctrl-C a way to end a demo like any other.
func (d *demo) interrupted(err error) error {
	if d.p.ctx.Err() != nil && errors.Is(err, d.p.ctx.Err()) {
		return nil
	}
	return err
}

// agent adds an agent and speaks as it.
func (d *demo) agent(name string, apps []string) (*client.Client, string, error) {
	a, err := d.console.AddAgent(d.p.ctx, client.AgentRequest{Name: name, Apps: apps})
	if err != nil {
		return nil, "", err
	}
	c, err := client.New(client.Config{URL: d.running.url, Token: a.Token})
	return c, a.Token, err
}

// connected waits until the phone that used the link is there.
func (d *demo) connected(pairing client.Pairing) error {
	known := "open"
	for known != "approved" {
		s, err := d.console.Pairing(d.p.ctx, pairing.ID, known, 45*time.Second)
		if err != nil {
			return err
		}
		if s.State == "expired" || s.State == "rejected" {
			return nod.Errorf(nod.CodeInvalid, "nobody opened the link in time", "start the demo again")
		}
		known = s.State
	}
	for {
		phones, err := d.console.Phones(d.p.ctx, "")
		if err != nil {
			return err
		}
		if contains(phones, func(p client.Phone) bool { return p.Connected }) {
			return nil
		}
		select {
		case <-d.p.ctx.Done():
			return d.p.ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// next prints what to try now.
func (d *demo) next(token string) {
	url := d.running.url
	d.p.say("nod goes on; Ctrl-C ends it. Try this in another terminal:")
	d.p.say("  NOD_URL=%s NOD_TOKEN=%s %s call phone_action action=open_url url=https://example.org", url, token, self())
	d.p.say("or connect an MCP client to %s/mcp with the header \"Authorization: Bearer %s\"", url, token)
}

// self is how this program was started, as a person would type it.
func self() string {
	path, err := os.Executable()
	if err != nil || strings.Contains(path, "go-build") {
		return "go run ./cmd/nod"
	}
	return filepath.Base(path)
}

// openBrowser asks the system to show a page. That there is no browser is not an
// error: the link is printed too.
func openBrowser(ctx context.Context, link string) {
	command := map[string][]string{
		"darwin":  {"open"},
		"windows": {"rundll32", "url.dll,FileProtocolHandler"},
	}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], link)...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
