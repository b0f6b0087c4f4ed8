package mcpconfig

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"nod.dev/nod"
)

// place is where a client looks for a file, on each system, written with ~ for
// the home folder, %APPDATA%, and slashes. A path that begins with neither is
// in the project's folder.
type place struct {
	all                    string // on every system that has no row of its own
	linux, darwin, windows string
	xdg                    string // below $XDG_CONFIG_HOME, where the client heeds it and the system is not Windows
	variable, file         string // a variable of the client's own that names the folder, and the file in it
	orElse                 string // another ending; a file that is there with it is the one
}

func (p place) known() bool { return p.all != "" || p.linux != "" }

// on is the path as the documentation writes it.
func (p place) on(goos string) string {
	switch {
	case goos == "windows" && p.windows != "":
		return p.windows
	case goos == "darwin" && p.darwin != "":
		return p.darwin
	case p.linux != "":
		return p.linux
	}
	return p.all
}

// System is what decides where files lie.
type System struct {
	OS     string // as runtime.GOOS has it
	Home   string
	Folder string // the project's
	Getenv func(string) string
}

// ThisSystem is the one that the program runs on.
func ThisSystem() (System, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return System{}, &nod.Error{Code: nod.CodeInvalid, Message: "this account has no home folder", Hint: "set HOME", Err: err}
	}
	folder, err := os.Getwd()
	if err != nil {
		return System{}, &nod.Error{Code: nod.CodeInvalid, Message: "the folder nod was started in is gone", Err: err}
	}
	return System{OS: runtime.GOOS, Home: home, Folder: folder, Getenv: os.Getenv}, nil
}

// File returns the client's file on the system; empty where it has none there.
func (c Client) File(w Where, s System) string {
	p := c.personal
	if w == Project {
		p = c.project
	}
	written := p.on(s.OS)
	if written == "" {
		return ""
	}
	full := s.expand(written)
	if dir := s.Getenv("XDG_CONFIG_HOME"); p.xdg != "" && s.OS != "windows" && s.OS != "darwin" && filepath.IsAbs(dir) {
		full = filepath.Join(dir, filepath.FromSlash(p.xdg))
	}
	if dir := s.Getenv(p.variable); p.variable != "" && dir != "" {
		full = filepath.Join(dir, filepath.FromSlash(p.file))
	}
	if p.orElse != "" {
		if other := strings.TrimSuffix(full, filepath.Ext(full)) + p.orElse; exists(other) && !exists(full) {
			return other
		}
	}
	return full
}

// Written is the file's path as documentation has it, with ~ and slashes.
func (c Client) Written(w Where, goos string) string {
	if w == Project {
		return c.project.on(goos)
	}
	return c.personal.on(goos)
}

// expand makes a written path one of this system.
func (s System) expand(written string) string {
	if rest, ok := strings.CutPrefix(written, "~/"); ok {
		return filepath.Join(s.Home, filepath.FromSlash(rest))
	}
	if rest, ok := strings.CutPrefix(written, "%APPDATA%/"); ok {
		dir := s.Getenv("APPDATA")
		if dir == "" {
			dir = filepath.Join(s.Home, "AppData", "Roaming")
		}
		return filepath.Join(dir, filepath.FromSlash(rest))
	}
	return filepath.Join(s.Folder, filepath.FromSlash(path.Clean(written)))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
