package main

import (
	"os"
	"path/filepath"
	"runtime"

	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
)

// defaultListen is where "nod serve" listens.
const defaultListen = "127.0.0.1:7333"

// defaultURL is where agents' commands look for a gateway that they know nothing of.
const defaultURL = "http://" + defaultListen

// globals are the flags of every command.
type globals struct {
	Config string `help:"Configuration file." type:"path" placeholder:"FILE" default:"${config}"`
	Data   string `help:"Data folder of the gateway on this machine." type:"path" placeholder:"FOLDER" default:"${data}"`
	URL    string `help:"Address of the gateway that an agent speaks to; without it, the one on the data folder." placeholder:"URL"`
	JSON   bool   `help:"Print JSON."`
	Log    string `help:"What to log: debug, info, warn, error." enum:"debug,info,warn,error" default:"info"`
}

// cli is the command line.
type cli struct {
	globals

	Serve    serveCmd    `cmd:"" help:"Run the gateway."`
	Demo     demoCmd     `cmd:"" help:"Show it all: a gateway, this browser as the phone, one call."`
	Pair     pairCmd     `cmd:"" help:"Pair a phone."`
	Phones   phonesCmd   `cmd:"" help:"List, rename and revoke phones."`
	Agents   agentsCmd   `cmd:"" help:"Add, list and stop agents."`
	People   peopleCmd   `cmd:"" help:"List the people who decide."`
	Tools    toolsCmd    `cmd:"" help:"List what an agent may ask for."`
	Call     callCmd     `cmd:"" help:"Ask for something, as an agent, and wait for the person."`
	Pause    pauseCmd    `cmd:"" help:"Stop all agents, or one."`
	Resume   resumeCmd   `cmd:"" help:"Ask on the phone to let agents go on."`
	Revoke   revokeCmd   `cmd:"" help:"Remove an agent or a phone for good."`
	Log      logCmd      `cmd:"" help:"Read and verify the log of everything that happened."`
	Info     infoCmd     `cmd:"" help:"Say what this program is and speaks."`
	Protocol protocolCmd `cmd:"" help:"Work on the contract all sides share."`
	Doctor   doctorCmd   `cmd:"" help:"Find out what does not work, from the data folder to the phone's screen."`
	Backup   backupCmd   `cmd:"" help:"Copy the ledger."`
	Restore  restoreCmd  `cmd:"" help:"Go back to a copy of the ledger."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Speak MCP on stdin and stdout, and configure MCP clients."`
	Phone    phoneCmd    `cmd:"" help:"Be a phone."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// console returns the client for the gateway of the data folder.
func (p *program) console() *client.Console {
	return client.NewConsole(auth.ConsolePath(p.global.Data))
}

// agent returns the client for the agent whose token is at hand.
func (p *program) agent() (*client.Client, error) {
	token, err := agentToken("")
	if err != nil {
		return nil, err
	}
	return client.New(client.Config{URL: p.global.URL, Token: token})
}

// dataFolder is where the gateway keeps its things: the XDG folder, or what the
// system has for that.
func dataFolder() string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "nod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "nod-data"
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "nod")
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "nod")
		}
	}
	return filepath.Join(home, ".local", "share", "nod")
}

// configFolder is where the person's settings and an agent's token are.
func configFolder() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "nod")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "nod-config"
	}
	return filepath.Join(dir, "nod")
}

func defaultConfigPath() string { return filepath.Join(configFolder(), "config.json") }
