package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/spec"
)

// callCmd is "nod call".
type callCmd struct {
	Words  []string      `arg:"" name:"word" help:"The tool, in one word or several, then its arguments as NAME=VALUE; a value is JSON, or else text."`
	Phone  string        `help:"The phone that is to do it, by name or id." placeholder:"PHONE" env:"NOD_PHONE"`
	Mode   string        `help:"Narrow what may happen unasked: observe_only, strict, ask_before_action, trusted_actions." placeholder:"MODE" env:"NOD_MODE"`
	Wait   time.Duration `help:"Stop waiting after so long; the card goes on." placeholder:"DURATION"`
	Within time.Duration `help:"The person has so long to answer, at most what they have set." placeholder:"DURATION"`
	Detach bool          `help:"Do not wait; the card goes on."`
	answerFlags
	Key *string `help:"Name the call: for 24 hours the same call under the same key is that call, and nobody is asked again." placeholder:"KEY"`
}

// Run sends a call and waits for the person.
func (c *callCmd) Run(p *program) error {
	tool, arguments, err := c.parse(p)
	if err != nil {
		return usage(err)
	}
	agent, err := p.agent()
	if err != nil {
		return err
	}
	if err := c.ready(); err != nil {
		return usage(err)
	}
	call, err := c.answer(p, agent, tool, arguments)
	if err != nil {
		return err
	}
	if tool == spec.ToolCallCancel {
		call = cancelled(call)
	}
	if err := c.show(p, agent, call); err != nil {
		return err
	}
	if tool == spec.ToolCallCancel { // its answer never holds what was read
		return exitWith(endExit(call))
	}
	return exitWith(callExit(call))
}

// cancelled is what became of a call that was to be taken back, saying so where
// it was too late for that.
func cancelled(call client.Call) client.Call {
	if call.Outcome != nod.Withdrawn {
		call.Text = spec.Get().Text(spec.TextTooLateToCancel, map[string]string{"outcome": call.Text})
	}
	return call
}

// parse reads the words. What they name and this program does not know, the
// gateway may: it can be newer.
func (c *callCmd) parse(p *program) (tool string, arguments map[string]json.RawMessage, err error) {
	tools := contractTools()
	tool, arguments, err = tools.parse(c.Words)
	if _, unknown := errors.AsType[*unknownTool](err); !unknown {
		return tool, arguments, err
	}
	agent, agentErr := p.agent()
	if agentErr != nil {
		return "", nil, err
	}
	list, listErr := agent.Tools(p.ctx)
	if listErr != nil {
		return "", nil, err
	}
	for _, t := range list {
		tools.add(t.Name, t.InputSchema)
	}
	return tools.parse(c.Words)
}

// answer finds what became of the call. Interrupted, it is what became of
// taking it back.
func (c *callCmd) answer(p *program, agent *client.Client, tool string, arguments map[string]json.RawMessage) (client.Call, error) {
	switch tool {
	case spec.ToolCallStatus, spec.ToolCallCancel:
		return c.known(p, agent, tool, arguments)
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return client.Call{}, fmt.Errorf("encoding the arguments: %w", err)
	}
	key := ""
	if c.Key != nil {
		if key = *c.Key; key == "" { // the variable it came from was never set
			return client.Call{}, nod.Errorf(nod.CodeInvalid, "the key of the call is empty", "give --key a fresh random id, or leave it out")
		}
	}
	// One that waits for a while only must outlive it.
	q := client.Request{Tool: tool, Arguments: raw, Phone: c.Phone, Mode: nod.Mode(c.Mode),
		WaitSeconds: int(c.Within.Round(time.Second) / time.Second), Detached: c.Detach || c.Wait > 0, Key: key}
	call, err := agent.Open(p.ctx, q)
	if err != nil || c.Detach || call.Ended() {
		return call, err
	}
	if isTerminal(p.stderr) {
		p.say("the question is on the phone; Ctrl-C takes it back")
	}
	return c.follow(p, agent, call)
}

// follow waits for the end of a call, or for as long as it is told to, after
// which the card goes on. An interrupt takes it back either way.
func (c *callCmd) follow(p *program, agent *client.Client, call client.Call) (client.Call, error) {
	if c.Wait > 0 {
		ctx, cancel := context.WithTimeout(p.ctx, c.Wait)
		defer cancel()
		seen, err := agent.Await(ctx, call)
		switch {
		case errors.Is(err, context.DeadlineExceeded) && p.ctx.Err() == nil:
			return agent.Call(p.ctx, call.ID)
		case p.ctx.Err() == nil:
			return seen, err
		}
		call = seen
	}
	call, err := agent.Follow(p.ctx, call)
	return call, interrupted(call, err)
}

// interrupted is what an interrupt came to: the call was taken back or ended, or
// it is too late for that, or nobody knows.
func interrupted(call client.Call, err error) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case call.Ended(), call.State == nod.Decided, call.State == nod.Working:
		return nil
	}
	return nod.Errorf(nod.CodeInternal, "the gateway did not say that the call was taken back",
		fmt.Sprintf("ask it: nod call call_status call_id=%s", call.ID))
}

// known answers the two tools that are about a call sent before.
func (c *callCmd) known(p *program, agent *client.Client, tool string, arguments map[string]json.RawMessage) (client.Call, error) {
	var id string
	_ = json.Unmarshal(arguments["call_id"], &id) // the bridge made it text
	switch {
	case id == "" && tool == spec.ToolCallStatus:
		return client.Call{}, p.openCalls(agent)
	case id == "":
		return client.Call{}, usage(errors.New("call_cancel needs call_id"))
	case tool == spec.ToolCallCancel:
		return agent.Cancel(p.ctx, nod.CallID(id))
	}
	wait := 45 * time.Second
	var seconds int64
	switch {
	case c.Detach:
		wait = 0
	case c.Wait > 0:
		wait = c.Wait
	case json.Unmarshal(arguments["wait_seconds"], &seconds) == nil:
		wait = time.Duration(seconds) * time.Second
	}
	return agent.Wait(p.ctx, nod.CallID(id), wait)
}

// openCalls lists the agent's calls that have not ended, and ends the command.
func (p *program) openCalls(agent *client.Client) error {
	calls, err := agent.OpenCalls(p.ctx)
	if err != nil {
		return err
	}
	if p.global.JSON {
		if err := p.printJSON(client.Calls{Calls: append([]client.Call{}, calls...)}); err != nil {
			return err
		}
		return &quietExit{exitDone}
	}
	if len(calls) == 0 {
		p.say("no call of this agent is open")
		return &quietExit{exitDone}
	}
	rows := [][]string{{"CALL", "WHAT", "STATE", "UNTIL"}}
	for _, call := range calls {
		rows = append(rows, []string{string(call.ID), call.Action, string(call.State), call.DeadlineAt.Local().Format("15:04:05")})
	}
	if err := p.table(rows); err != nil {
		return err
	}
	return &quietExit{exitDone}
}
