package main

import (
	"fmt"
	"io/fs"
	"os"

	"nod.dev/nod/spec"
)

// protocolCmd is "nod protocol".
type protocolCmd struct {
	Validate protocolValidateCmd `cmd:"" help:"Check that the contract agrees with itself."`
}

type protocolValidateCmd struct {
	Folder string `arg:"" optional:"" help:"A folder with the manifests; without one, those of this program." type:"existingdir"`
}

// Run checks the contract and prints each thing that is wrong.
func (c *protocolValidateCmd) Run(p *program) error {
	var files fs.FS = spec.Files()
	if c.Folder != "" {
		files = os.DirFS(c.Folder)
	}
	problems := spec.Validate(files)
	if p.global.JSON {
		lines := []string{}
		for _, problem := range problems {
			lines = append(lines, problem.String())
		}
		if err := p.printJSON(map[string]any{"ok": len(problems) == 0, "problems": lines}); err != nil {
			return err
		}
	} else {
		for _, problem := range problems {
			fmt.Fprintln(p.stdout, problem)
		}
		if len(problems) == 0 {
			s := spec.Get()
			fmt.Fprintf(p.stdout, "the contract is sound: %d tools, %d actions\n", len(s.Tools), len(s.Phone.Actions))
		}
	}
	if len(problems) > 0 {
		return exitWith(exitFailed)
	}
	return nil
}
