package main

import (
	"fmt"
	"os"
	"path/filepath"

	"nod.dev/nod"
	"nod.dev/nod/internal/store"
)

// backupCmd is "nod backup".
type backupCmd struct {
	File string `arg:"" help:"A file that does not exist yet." type:"path"`
}

// Run has the gateway write a copy while it goes on.
func (c *backupCmd) Run(p *program) error {
	path, err := filepath.Abs(c.File)
	if err != nil {
		return fmt.Errorf("finding the folder: %w", err)
	}
	if err := p.console().Backup(p.ctx, path); err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(map[string]string{"file": path})
	}
	if _, err := fmt.Fprintln(p.stdout, path); err != nil {
		return err
	}
	p.hint("the gateway's key is no part of it; without gateway.key of the data folder, every phone must be paired again")
	return nil
}

// restoreCmd is "nod restore".
type restoreCmd struct {
	File string `arg:"" help:"What \"nod backup\" wrote." type:"path"`
}

// Run puts a copy in the ledger's place. The gateway must not run: the store
// locks its folder and says so.
func (c *restoreCmd) Run(p *program) error {
	if info, err := os.Stat(c.File); err != nil || info.IsDir() {
		return nod.Errorf(nod.CodeNotFound, "there is no file "+c.File, `name one that "nod backup" wrote`)
	}
	if err := store.Restore(p.ctx, p.global.Data, c.File); err != nil {
		return err
	}
	if p.global.JSON {
		return p.printJSON(map[string]string{"data": p.global.Data})
	}
	p.say("the ledger is that of the backup; what happened since is forgotten, so every agent is paused")
	p.hint(`start "nod serve", then accept it on a phone: it says to when nod was set back`)
	return nil
}
