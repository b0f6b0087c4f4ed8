// Command nod lets an agent ask a person for things on the person's phone.
//
// "nod serve" is the gateway; every other command speaks to one. This package
// is wiring: each file holds one command, which reads its flags, calls a
// package and prints.
//
// What goes where: stdout carries the result and nothing else, so that it can
// be piped; everything said about it goes to stderr, as "nod: ..." in lower
// case, with "nod: hint: ..." for what to do next. The exit code says how a
// call ended (exit.go).
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // a phone's zone must be known where the system has no table

	"github.com/alecthomas/kong"
)

func main() { os.Exit(run(os.Args[1:])) }

// program is what every command gets: where to write, and when to stop.
type program struct {
	ctx    context.Context
	stdout io.Writer
	stderr io.Writer
	global *globals
}

// run is the whole program but for the exit.
func run(args []string) int {
	forgetEmpty()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &program{ctx: ctx, stdout: os.Stdout, stderr: os.Stderr}
	err := p.main(args)
	if err == nil {
		return exitDone
	}
	// A stop that was asked for has nothing to add.
	if quiet, ok := errors.AsType[*quietExit](err); ok {
		return quiet.code
	}
	p.complain(err)
	return exitCode(err)
}

// forgetEmpty makes a variable that is set to nothing one that is not set, as
// people expect who clear it for one command.
func forgetEmpty() {
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); value == "" && strings.HasPrefix(name, "NOD_") {
			_ = os.Unsetenv(name)
		}
	}
}

func (p *program) main(args []string) error {
	var c cli
	p.global = &c.globals
	config, err := readConfig(configPath(args))
	if err != nil {
		return err
	}
	code := -1
	parser, err := kong.New(&c,
		kong.Name("nod"),
		kong.Description("An agent asks. The person nods on the phone. Then, and only then, it happens."),
		kong.UsageOnError(),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(status int) { code = status; panic(exited{}) }),
		kong.PostBuild(environment),
		kong.Resolvers(config),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"data": dataFolder(), "config": defaultConfigPath()},
		kong.Bind(p),
	)
	if err != nil {
		return fmt.Errorf("building the command line: %w", err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	ctx, err := parse(parser, args)
	if code >= 0 {
		return &quietExit{code}
	}
	if err != nil {
		return &usageError{err: err, help: helpLine(err)}
	}
	if c.URL == "" {
		c.URL = cmp.Or(knownAddress(c.Data), defaultURL)
	}
	return ctx.Run(p)
}

// helpLine is the command line that explains the command that err is about.
func helpLine(err error) string {
	line := "nod"
	if e, ok := errors.AsType[*kong.ParseError](err); ok {
		for _, part := range e.Context.Path {
			if part.Command != nil {
				line += " " + part.Command.Name
			}
		}
	}
	return line + " --help"
}

// exited carries kong's own exit, which --help makes, up to main.
type exited struct{}

func parse(parser *kong.Kong, args []string) (ctx *kong.Context, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exited); !ok {
				panic(r)
			}
		}
	}()
	return parser.Parse(args)
}
