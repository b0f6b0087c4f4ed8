package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"nod.dev/nod/internal/wire"
)

// version is set by a release build; a build from source says which commit.
var version string

// programVersion is what this program calls itself.
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				changed = "+changes"
			}
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision[:min(12, len(revision))] + changed
}

// versionCmd is "nod version".
type versionCmd struct{}

// Run prints the version.
func (c *versionCmd) Run(p *program) error {
	if p.global.JSON {
		return p.printJSON(map[string]string{"version": programVersion(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	_, err := fmt.Fprintln(p.stdout, "nod "+programVersion())
	return err
}

// infoCmd is "nod info".
type infoCmd struct{}

// info is what the program says of itself; runtime_protocol is seed 003's
// handshake.
type info struct {
	Name            string     `json:"name"`
	Version         string     `json:"version"`
	RuntimeProtocol wire.Range `json:"runtime_protocol"`
	Data            string     `json:"data"`
	Config          string     `json:"config"`
	URL             string     `json:"url"`
}

// Run says what the program is, speaks and uses.
func (c *infoCmd) Run(p *program) error {
	i := info{Name: "nod", Version: programVersion(), RuntimeProtocol: wire.OwnRange(),
		Data: p.global.Data, Config: p.global.Config, URL: p.global.URL}
	if p.global.JSON {
		return p.printJSON(i)
	}
	return p.table([][]string{
		{"version", i.Version},
		{"protocol", fmt.Sprintf("%s, %d to %d", i.RuntimeProtocol.Name, i.RuntimeProtocol.MinVersion, i.RuntimeProtocol.MaxVersion)},
		{"data", i.Data},
		{"config", i.Config},
		{"gateway", i.URL},
	})
}
