package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/mcptask"
	"nod.dev/nod/spec"
)

// oneCall is a gateway that has one call, or an error in its place.
type oneCall struct {
	Gateway
	call nod.Call
	err  error
}

func (o oneCall) Call(context.Context, nod.AgentID, nod.CallID) (nod.Call, error) {
	return o.call, o.err
}

func (o oneCall) Cancel(context.Context, nod.AgentID, nod.CallID) (nod.Call, error) {
	return o.call, o.err
}

func (o oneCall) Phones(nod.PersonID) []gateway.PhoneStatus { return nil }

func serverOf(g Gateway) *Server {
	return &Server{gateway: g, spec: spec.Get(), log: slog.New(slog.DiscardHandler), holds: newHolds(func(nod.AgentID, nod.CallID) {})}
}

// TestTaskRow has a task for every state and every outcome that a call can have.
func TestTaskRow(t *testing.T) {
	s := serverOf(oneCall{})
	want := map[nod.Outcome]mcptask.Status{nod.Withdrawn: mcptask.Cancelled}
	for _, outcome := range nod.Outcomes {
		c := nod.Call{ID: "call_A", State: nod.Closed, Outcome: outcome, Text: "As it was: " + string(outcome), Received: 1000, Offered: 2000, Decided: 3000, Ended: 4000}
		status := want[outcome]
		if status == "" {
			status = mcptask.Completed
		}
		task, whole, err := s.task(t.Context(), c)
		if err != nil || !whole {
			t.Errorf("%s: whole %t, %v", outcome, whole, err)
		}
		if task.Status != status || task.Fault != nil || task.ID != "call_A" {
			t.Errorf("%s: the task is %+v, want %s", outcome, task, status)
		}
		if !task.Created.Equal(time.UnixMilli(1000)) || !task.Updated.Equal(time.UnixMilli(4000)) {
			t.Errorf("%s: made %v, changed %v", outcome, task.Created, task.Updated)
		}
		if status == mcptask.Cancelled {
			if task.Message != c.Text || task.Result != nil {
				t.Errorf("%s: told %q and %v, want the call's text and no result", outcome, task.Message, task.Result)
			}
			continue
		}
		now, _, _ := s.result(t.Context(), c)
		plain, _ := json.Marshal(now)
		result, _ := json.Marshal(task.Result)
		if d := cmp.Diff(string(plain), string(result)); d != "" || task.Message != "" {
			t.Errorf("%s: message %q, result (-plain +task):\n%s", outcome, task.Message, d)
		}
	}
	for _, state := range []nod.State{nod.Received, nod.Offered, nod.Delivered, nod.Shown, nod.Decided, nod.Working} {
		c := nod.Call{ID: "call_A", State: state, Received: 1000}
		if task, _, _ := s.task(t.Context(), c); task.Status != mcptask.Working || task.Message != s.progress(c) || task.Message == "" || task.Result != nil {
			t.Errorf("%s: the task is %+v, want working and the progress", state, task)
		}
	}
}

// TestTaskFaults has what a client is told when nod cannot serve it: that a task
// is not there only where it is not.
func TestTaskFaults(t *testing.T) {
	for _, tt := range []struct {
		err     error
		unknown bool
		message string
	}{
		{nod.Errorf(nod.CodeNotFound, "there is no call", ""), true, ""},
		{nod.Errorf(nod.CodeStorage, "the disk is full", "make room"), false, "the disk is full; make room"},
		{errors.New("sql: at line 3"), false, "nod could not do this; the gateway's own log says why"},
	} {
		l := tasks{serverOf(oneCall{err: tt.err})}
		_, get := l.Get(t.Context(), "agent_A", "call_A")
		for method, err := range map[string]error{
			"get": get, "update": l.Update(t.Context(), "agent_A", "call_A", nil), "cancel": l.Cancel(t.Context(), "agent_A", "call_A"),
		} {
			if errors.Is(err, mcptask.ErrUnknown) != tt.unknown {
				t.Errorf("%s with %v: %v, want unknown: %v", method, tt.err, err, tt.unknown)
			}
			if tt.unknown {
				continue
			}
			var fault *jsonrpc.Error
			if !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInternalError || fault.Message != tt.message {
				t.Errorf("%s with %v: %v, want an internal error that says %q", method, tt.err, err, tt.message)
			}
		}
	}
}
