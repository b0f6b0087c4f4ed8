package gateway

import (
	"context"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/policy"
)

// Do takes one call from an agent to its outcome. Every door (MCP, the HTTP
// API, the CLI) goes through it or through its two halves, [Gateway.Open] and
// [Gateway.Wait], and nothing else reaches a phone.
//
// An error means that nod could not do its part, or that ctx ended first. How
// the call ended is in the call.
func (g *Gateway) Do(ctx context.Context, ask Ask) (nod.Call, error) {
	c, err := g.Open(ctx, ask)
	if err != nil || c.Final() {
		return c, err
	}
	return g.Wait(ctx, ask.Agent, c.ID)
}

// Open puts a call into the ledger and takes it as far as it goes without a
// person: to its outcome where it is refused, denied or cannot be, else to an
// offer on its way to a phone. It returns once that is in the ledger.
func (g *Gateway) Open(ctx context.Context, ask Ask) (nod.Call, error) {
	var c nod.Call
	err := g.keyed(ctx, &ask, func(t *Turn) (err error) { c, err = t.Open(ask); return err })
	return c, err
}

// Open is the path of every call, from top to bottom.
func (t *Turn) Open(ask Ask) (nod.Call, error) {
	agent, err := t.asking(ask.Agent)
	if err != nil {
		return nod.Call{}, err
	}
	c := t.receive(agent, ask)
	act, refusal := action.Check(t.core.spec, ask.Tool, ask.Arguments)
	if refusal == "" {
		refusal = t.checkAsk(agent, ask)
	}
	if refusal != "" {
		return t.refuse(c, ask, refusal)
	}
	class := t.classify(act)
	c.Tool, c.Action, c.Kind, c.App = act.Tool, act.Name, class.kind, class.app

	phone, paired := t.choose(agent, ask, act, class)
	c.Phone = phone.ID
	c.ActDigest = actDigest(agent, phone.ID, act)
	if known, ok, err := t.same(c, agent, act, ask); ok || err != nil {
		return known, err
	}

	verdict := policy.Decide(t.judge(agent, phone, ask, class, c))
	if verdict.Answer == nod.Deny {
		return t.close(c, call.Event{Kind: call.Deny, Verdict: verdict}, ask.Arguments), nil
	}
	if !paired {
		return t.close(c, call.Event{Kind: call.Unavailable, Why: nod.WhyNoPhone}, ask.Arguments), nil
	}
	if reason, can := t.can(phone, class); !can {
		return t.close(c, call.Event{Kind: call.Cannot, Message: reason}, ask.Arguments), nil
	}
	screens, away := t.reach(phone, verdict, class)
	if away != nod.WhyNone {
		return t.close(c, call.Event{Kind: call.Unavailable, Why: away}, ask.Arguments), nil
	}

	offer, err := t.offer(c, agent, act, class, screens, verdict, ask)
	if err != nil {
		return nod.Call{}, err
	}
	return t.step(c, offer), nil
}

// Wait blocks until the call has its outcome or ctx ends. With an error it
// returns the call as it stands.
func (g *Gateway) Wait(ctx context.Context, agent nod.AgentID, id nod.CallID) (nod.Call, error) {
	changes, stop, err := g.Watch(ctx, agent, id)
	if err != nil {
		return nod.Call{}, err
	}
	defer stop()
	var c nod.Call
	for {
		select {
		case c = <-changes:
			if c.Final() {
				return c, nil
			}
		case <-ctx.Done():
			return c, ctx.Err()
		}
	}
}
