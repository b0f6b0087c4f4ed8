package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/spec"
)

// statusWait is how long call_status waits when it is not told.
const statusWait = 45 * time.Second

// status answers call_status: the result of a call, once it is there, or that
// it still waits. Without a call_id it lists the agent's open calls.
func (x *exchange) status() *mcp.CallToolResult {
	fields, refusal := x.check(spec.ToolCallStatus)
	if refusal != "" {
		return words(refusal, true)
	}
	id, given := fields["call_id"].(string)
	if !given {
		return words(x.s.openCallsText(x.s.gateway.OpenCalls(x.agent.ID)), false)
	}
	c, err := x.s.gateway.Call(x.ctx, x.agent.ID, nod.CallID(id))
	if err != nil {
		return x.noSuchCall(id, err)
	}
	if !c.Final() && c.Attached {
		c = x.detach(c) // its agent follows it by its id: no connection decides over it any more
	}
	wait := statusWait
	if n, ok := fields["wait_seconds"].(int64); ok {
		wait = time.Duration(n) * time.Second
	}
	if !c.Final() && wait > 0 {
		c, _ = x.wait(c, wait)
	}
	return x.hand(c)
}

// cancel answers call_cancel. Asked twice, it says the same twice.
func (x *exchange) cancel() *mcp.CallToolResult {
	fields, refusal := x.check(spec.ToolCallCancel)
	if refusal != "" {
		return words(refusal, true)
	}
	id, _ := fields["call_id"].(string)
	c, err := x.s.gateway.Cancel(x.ctx, x.agent.ID, nod.CallID(id))
	if err != nil {
		return x.noSuchCall(id, err)
	}
	x.s.holds.forget(c.ID)
	if c.Outcome != nod.Withdrawn {
		if !c.Data { // what was read, call_status tells
			x.told(c)
		}
		text := x.s.spec.Text(spec.TextTooLateToCancel, map[string]string{"outcome": x.s.told(c)})
		return about(c, words(text, false))
	}
	return x.hand(c)
}

// check reads the arguments of one of the gateway's own tools.
func (x *exchange) check(tool string) (nod.Fields, string) {
	act, refusal := action.Check(x.s.spec, tool, arguments(x.req))
	return act.Fields, refusal
}

func (x *exchange) noSuchCall(id string, err error) *mcp.CallToolResult {
	if nod.CodeOf(err) != nod.CodeNotFound {
		return x.s.broken(x.ctx, err)
	}
	return words(x.s.spec.Text(spec.TextNoSuchCall, map[string]string{"call_id": clip(id, 60)}), true)
}

// metaKey is where a result carries what a program may want to know; models see
// the text.
const metaKey = "dev.nod/call"

// isError says which endings a client may take for a mistake to be corrected.
// A no, or nobody answering, is none: models repeat what failed.
func isError(c nod.Call) bool {
	switch c.Outcome {
	case nod.Refused, nod.Failed, nod.Unavailable:
		return true
	}
	return false
}

func about(c nod.Call, r *mcp.CallToolResult) *mcp.CallToolResult {
	r.Meta = mcp.Meta{metaKey: map[string]any{"id": c.ID, "state": c.State, "outcome": c.Outcome}}
	return r
}

func words(text string, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: isError}
}

// broken answers a call that nod itself could not take.
func (s *Server) broken(ctx context.Context, err error) *mcp.CallToolResult {
	_, problem := explain(err)
	if problem.Code == nod.CodeInternal || problem.Code == nod.CodeStorage {
		s.log.LogAttrs(ctx, slog.LevelError, "a call could not be taken", slog.Any("err", err))
	}
	return words(s.spec.Text(spec.TextBroken, map[string]string{"reason": sentence(problem)}), true)
}
