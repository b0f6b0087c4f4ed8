package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/internal/mcptask"
)

// What the Tasks extension tells a client of time.
const (
	// taskKept is how long the result of a call can be asked for at least,
	// counted from the call. The ledger drops none.
	taskKept = 24 * time.Hour
	// taskPoll is how often a client should ask: a person takes longer, and a
	// yes should be heard of while it is one.
	taskPoll = 3 * time.Second
)

// tasks are the calls of agents, to clients of the Tasks extension. A task is a
// call in the ledger and nothing beside it; its id is the call's.
type tasks struct{ s *Server }

// Get implements [mcptask.Ledger]. A call that has ended was handed over once
// the answer was written in full, as by call_status.
func (t tasks) Get(ctx context.Context, agent, id string) (mcptask.Task, error) {
	c, err := t.s.gateway.Call(ctx, nod.AgentID(agent), nod.CallID(id))
	if err != nil {
		return mcptask.Task{}, t.s.taskFault(ctx, err)
	}
	task, whole, err := t.s.task(ctx, c)
	if err != nil {
		return mcptask.Task{}, t.s.taskFault(ctx, err)
	}
	if extra := mcptask.Extra(ctx); extra != nil && c.Final() && whole && !c.HandedOver {
		stream := t.s.mcp.Use(extra.Header)
		defer stream.Done()
		if stream != nil {
			stream.OnDelivered(func() { t.s.handedOver(c) })
		}
	}
	return task, nil
}

// Update implements [mcptask.Ledger]. A call asks its client for nothing: the
// person answers on the phone. So there is nothing that these could answer.
func (t tasks) Update(ctx context.Context, agent, id string, _ map[string]any) error {
	if _, err := t.s.gateway.Call(ctx, nod.AgentID(agent), nod.CallID(id)); err != nil {
		return t.s.taskFault(ctx, err)
	}
	return nil
}

// Cancel implements [mcptask.Ledger]. It is what call_cancel does; how the call
// ended then, tasks/get says.
func (t tasks) Cancel(ctx context.Context, agent, id string) error {
	c, err := t.s.gateway.Call(ctx, nod.AgentID(agent), nod.CallID(id))
	if err == nil && !c.Final() {
		_, err = t.s.gateway.Cancel(context.WithoutCancel(ctx), c.Agent, c.ID)
	}
	if err != nil {
		return t.s.taskFault(ctx, err)
	}
	t.s.holds.forget(c.ID)
	return nil
}

// task is a call as the Tasks extension sees it. Whatever a plain call would
// have been answered is a result, and so completed; a call that was taken back
// has none, and its sentence stands as the message. That the phone has it, or
// shows it, changes the message and not the time: the ledger has none of either.
// It is whole unless something is there that its agent was not given.
func (s *Server) task(ctx context.Context, c nod.Call) (t mcptask.Task, whole bool, err error) {
	whole = true
	t = mcptask.Task{
		ID: string(c.ID), Status: mcptask.Working, TTL: taskKept, Poll: taskPoll,
		Created: c.Received.UTC(), Updated: max(c.Received, c.Offered, c.Decided, c.Ended).UTC(),
	}
	switch {
	case !c.Final():
		t.Message = s.progress(c)
	case c.Outcome == nod.Withdrawn:
		t.Status, t.Message = mcptask.Cancelled, s.told(c)
	default:
		t.Status = mcptask.Completed
		t.Result, whole, err = s.result(ctx, c)
	}
	return t, whole, err
}

// taskFault says what went wrong with a request about a task. A fault of nod's
// own is an error of the request, never the failure of the task: failed would
// be final, and the call goes on.
func (s *Server) taskFault(ctx context.Context, err error) error {
	if nod.CodeOf(err) == nod.CodeNotFound {
		return mcptask.ErrUnknown
	}
	s.log.LogAttrs(ctx, slog.LevelError, "a task could not be served", slog.Any("err", err))
	_, problem := explain(err)
	text := problem.Message
	if problem.Hint != "" {
		text += "; " + problem.Hint
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}
}

// asTask answers an open call with a task. The call belongs to its connection
// until the task was written in full: a client that closes the stream before has
// taken the call back (MCP 2026-07-28), and knows no id by which it could. From
// then on nothing of the connection ends it.
func (x *exchange) asTask(c nod.Call) *mcp.CallToolResult {
	task, _, err := x.s.task(x.ctx, c)
	if err != nil {
		return x.hand(x.detach(c))
	}
	answer, err := mcptask.Answer(x.ctx, task)
	if err != nil || x.stream == nil {
		return x.hand(x.detach(c)) // STILL WAITING, with the id
	}
	x.letGo(c)
	return answer
}
