package main

import (
	"os"

	"nod.dev/nod/client"
	"nod.dev/nod/internal/stdio"
)

// mcpCmd is "nod mcp".
type mcpCmd struct {
	Serve  mcpServeCmd  `cmd:"" default:"withargs" help:"Speak MCP on stdin and stdout."`
	Config mcpConfigCmd `cmd:"" help:"Print the configuration of an MCP client, or write it."`
}

type mcpServeCmd struct {
	TokenFile string `help:"The file that the agent's token is read from; without it, NOD_TOKEN, or the file that --save wrote." type:"path" placeholder:"FILE"`
}

// Run speaks MCP on stdin and stdout until stdin ends or the program is told to
// stop; either takes back what still waits for the person.
func (c *mcpServeCmd) Run(p *program) error {
	if _, err := client.New(client.Config{URL: p.global.URL}); err != nil {
		return err
	}
	token, err := agentToken(c.TokenFile)
	if err != nil {
		return err
	}
	return stdio.Run(p.ctx, stdio.Config{URL: p.global.URL, Token: token, In: os.Stdin, Out: p.stdout, Logger: p.logger("text")})
}
