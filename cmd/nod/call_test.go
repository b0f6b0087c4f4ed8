package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// Every outcome has the exit code that the design gives it.
func TestCallExit(t *testing.T) {
	want := map[nod.Outcome]int{
		nod.Done: 0, nod.Opened: 0, nod.Answered: 0, nod.Failed: 1, nod.Refused: 2, nod.Declined: 3,
		nod.Expired: 4, nod.Unseen: 4, nod.Unavailable: 5, nod.Denied: 6, nod.Unknown: 7, nod.Withdrawn: 8,
	}
	for _, o := range nod.Outcomes {
		if got := callExit(client.Call{State: nod.Closed, Outcome: o}); got != want[o] {
			t.Errorf("%s: exit code %d, want %d", o, got, want[o])
		}
	}
	if got := callExit(client.Call{State: nod.Shown}); got != 9 {
		t.Errorf("still waiting: exit code %d, want 9", got)
	}
}

func TestExitCode(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{usage(nod.Errorf(nod.CodeInternal, "x", "")), 2},
		{nod.Errorf(nod.CodeInvalid, "x", ""), 2},
		{&client.Error{Code: nod.CodeUnauthorized}, 2},
		{&client.Error{Code: nod.CodeNotFound}, 2},
		{&client.Error{Code: nod.CodeTooMany}, 10},
		{&client.Error{Code: client.Unreachable}, 10},
		{nod.Errorf(nod.CodeStorage, "x", ""), 10},
		{nod.Errorf(nod.CodeInternal, "x", ""), 10},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: exit code %d, want %d", tt.err, got, tt.want)
		}
	}
}

// What an interrupt came to is said as far as it is known, and never more.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct {
		state nod.State
		err   error
		code  int
	}{
		{nod.Closed, context.Canceled, exitWithdrawn},
		{nod.Working, context.Canceled, exitWaiting},
		{nod.Decided, context.Canceled, exitWaiting},
		{nod.Shown, context.Canceled, exitBroken}, // the gateway did not answer
		{nod.Shown, nod.Errorf(nod.CodeNotFound, "there is no such call", ""), exitUsage},
	} {
		call := client.Call{ID: "call_A", State: tt.state}
		if call.Ended() {
			call.Outcome = nod.Withdrawn
		}
		code := callExit(call)
		if err := interrupted(call, tt.err); err != nil {
			code = exitCode(err)
		}
		if code != tt.code {
			t.Errorf("%s, %v: exit code %d, want %d", tt.state, tt.err, code, tt.code)
		}
	}
	if code := exitCode(context.Canceled); code != exitInterrupted {
		t.Errorf("an interrupted command ends with %d", code)
	}
}

// A stop that could not be written acts, and the person is told so.
func TestActsAlready(t *testing.T) {
	for _, tt := range []struct {
		err  error
		says bool
	}{
		{&client.Error{Code: nod.CodeStorage, Message: "the disk is full"}, true},
		{&client.Error{Code: nod.CodeNotFound, Message: "there is no agent"}, false},
	} {
		var b bytes.Buffer
		p := &program{stderr: &b}
		if err := p.actsAlready(tt.err); err != tt.err {
			t.Errorf("%v became %v", tt.err, err)
		}
		if says := strings.Contains(b.String(), "it acts already"); says != tt.says {
			t.Errorf("%v: %q", tt.err, b.String())
		}
	}
}
