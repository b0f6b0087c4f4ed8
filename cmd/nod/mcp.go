package main

import (
	"os"

	"nod.dev/nod/internal/stdio"
)

// mcpCmd is "nod mcp".
type mcpCmd struct{}

// Run speaks MCP on stdin and stdout until stdin ends or the program is told to
// stop; either takes back what still waits for the person.
func (c *mcpCmd) Run(p *program) error {
	token, err := agentToken()
	if err != nil {
		return err
	}
	return stdio.Run(p.ctx, stdio.Config{URL: p.global.URL, Token: token, In: os.Stdin, Out: p.stdout, Logger: p.logger("text")})
}
