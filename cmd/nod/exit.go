package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// Exit codes. Those up to 8 say how a call ended.
const (
	exitDone        = 0 // done, opened, answered; or the command did its part
	exitFailed      = 1
	exitUsage       = 2 // the command line or the call is wrong
	exitDeclined    = 3
	exitNoAnswer    = 4 // expired, unseen
	exitUnavailable = 5
	exitDenied      = 6
	exitUnknown     = 7
	exitWithdrawn   = 8
	exitWaiting     = 9  // the card still waits
	exitBroken      = 10 // nod's own fault, or no gateway answers
	exitInterrupted = 130
)

var outcomeExit = map[nod.Outcome]int{
	nod.Done: exitDone, nod.Opened: exitDone, nod.Answered: exitDone,
	nod.Failed:   exitFailed,
	nod.Refused:  exitUsage,
	nod.Declined: exitDeclined,
	nod.Expired:  exitNoAnswer, nod.Unseen: exitNoAnswer,
	nod.Unavailable: exitUnavailable,
	nod.Denied:      exitDenied,
	nod.Unknown:     exitUnknown,
	nod.Withdrawn:   exitWithdrawn,
}

// callExit is the exit code for how a call ended, or that it has not, where its
// answer is to hold what was read.
func callExit(c client.Call) int {
	if c.Ended() && nothingRead(c) {
		return exitFailed
	}
	return endExit(c)
}

// endExit is the exit code for how a call ended, or that it has not.
func endExit(c client.Call) int {
	if !c.Ended() {
		return exitWaiting
	}
	if code, ok := outcomeExit[c.Outcome]; ok {
		return code
	}
	return exitBroken
}

// quietExit ends the program with a code and without a word: what there was to
// say was said.
type quietExit struct{ code int }

// Error implements error.
func (q *quietExit) Error() string { return fmt.Sprintf("exit code %d", q.code) }

// exitWith is nil for 0, else a quiet exit.
func exitWith(code int) error {
	if code == exitDone {
		return nil
	}
	return &quietExit{code}
}

// usageError is a command line that is wrong.
type usageError struct {
	err  error
	help string // the command line that explains it; empty for the program's own
}

// Error implements error.
func (u *usageError) Error() string { return u.err.Error() }

// Unwrap returns the cause.
func (u *usageError) Unwrap() error { return u.err }

func usage(err error) error { return &usageError{err: err} }

// exitCode is the code for an error.
func exitCode(err error) int {
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	switch client.CodeOf(err) {
	case nod.CodeInvalid, nod.CodeUnauthorized, nod.CodeForbidden, nod.CodeNotFound, nod.CodeConflict, nod.CodeTooLarge:
		return exitUsage
	}
	return exitBroken
}

// complain says on stderr what went wrong and what to do next.
func (p *program) complain(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	p.say("%s", plain(err.Error()))
	if hint := hintOf(err); hint != "" {
		p.hint("%s", plain(hint))
	}
}

// say writes a line about the result to stderr.
func (p *program) say(format string, args ...any) {
	fmt.Fprintf(p.stderr, "nod: "+format+"\n", args...)
}

// hint writes what to do next.
func (p *program) hint(format string, args ...any) {
	fmt.Fprintf(p.stderr, "nod: hint: "+format+"\n", args...)
}

func hintOf(err error) string {
	if e, ok := errors.AsType[*client.Error](err); ok {
		return e.Hint
	}
	if e, ok := errors.AsType[*nod.Error](err); ok {
		return e.Hint
	}
	if u, ok := errors.AsType[*usageError](err); ok {
		return `"` + cmp.Or(u.help, "nod --help") + `" says how it is written`
	}
	return ""
}

// plain writes a sentence as this program's lines are: in lower case at its
// beginning, unless that is a name, and without a full stop.
func plain(s string) string {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] == ' ' || s[1] >= 'a' && s[1] <= 'z') {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}
