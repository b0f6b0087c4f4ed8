package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// config is the configuration file: flags by their long names, in one JSON
// object. A flag on the command line beats the environment, which beats the
// file, which beats the default.
type config struct {
	path   string
	values map[string]any
}

// configPath finds the file before the command line is parsed, since the file
// is part of parsing it.
func configPath(args []string) (path string, named bool) {
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "--config="); ok {
			return v, true
		}
		if a == "--config" && i+1 < len(args) {
			return args[i+1], true
		}
	}
	if v := os.Getenv("NOD_CONFIG"); v != "" {
		return v, true
	}
	return defaultConfigPath(), false
}

// readConfig reads the file. That there is none is an error only where it was named.
func readConfig(path string, named bool) (*config, error) {
	c := &config{path: path, values: map[string]any{}}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return c, nil
	case err != nil:
		return nil, &nod.Error{Code: nod.CodeInvalid, Message: "the configuration file cannot be read",
			Hint: "--config and NOD_CONFIG name it", Err: err}
	}
	tree, err := wire.Parse(b)
	if err != nil {
		return nil, &nod.Error{Code: nod.CodeInvalid, Message: path + " is not JSON",
			Hint: `write it like {"listen": "127.0.0.1:7333"}`, Err: err}
	}
	values, ok := tree.(map[string]any)
	if !ok {
		return nil, nod.Errorf(nod.CodeInvalid, path+" is not a JSON object", `write it like {"listen": "127.0.0.1:7333"}`)
	}
	for key, value := range values {
		text, err := configValue(value)
		if err != nil {
			return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%s: %s is not a text, a number, true or false, or a list of texts", path, key), "")
		}
		c.values[strings.ReplaceAll(key, "_", "-")] = text
	}
	return c, nil
}

// configValue turns a JSON value into what a flag reads.
func configValue(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, int64, float64:
		return fmt.Sprint(v), nil
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if !ok {
				return "", errors.New("not a list of texts")
			}
			parts[i] = s
		}
		return strings.Join(parts, ","), nil
	}
	return "", errors.New("not a value")
}

// environment gives every flag of the program and of "nod serve" a variable of
// its name. Flags of other commands say what is done this once, and have one
// only where it says so.
func environment(k *kong.Kong) error {
	for _, flag := range settings(k.Model) {
		if len(flag.Envs) == 0 {
			name := "NOD_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			flag.Envs, flag.Tag.Envs = []string{name}, []string{name}
		}
	}
	return nil
}

// settings are the flags that the environment and the file can set.
func settings(app *kong.Application) []*kong.Flag {
	var flags []*kong.Flag
	add := func(n *kong.Node) {
		for _, f := range n.Flags {
			if f.Name != "help" {
				flags = append(flags, f)
			}
		}
	}
	add(app.Node)
	for _, child := range app.Children {
		if child.Name == "serve" {
			add(child)
		}
	}
	return flags
}

// Validate refuses keys that are no flag of the program or of "nod serve": one
// that was misspelt would be a setting that silently is not there.
func (c *config) Validate(app *kong.Application) error {
	var known []string
	for _, f := range settings(app) {
		if f.Name != "config" {
			known = append(known, f.Name)
		}
	}
	slices.Sort(known)
	for key := range c.values {
		if !slices.Contains(known, key) {
			return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%s: there is no setting %q", c.path, key),
				"the settings are "+strings.Join(known, ", "))
		}
	}
	return nil
}

// Resolve gives a flag its value from the file. Kong would let the file beat the
// environment: here it yields to it.
func (c *config) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	value, ok := c.values[flag.Name]
	if !ok || parent.Command != nil && parent.Command.Name != "serve" {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	return value, nil
}
