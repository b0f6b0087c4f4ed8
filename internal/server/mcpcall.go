package server

import (
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/mcphttp"
	"nod.dev/nod/internal/mcptask"
	"nod.dev/nod/spec"
)

// beatEvery is how often a waiting call says that it waits. Clients cut a
// silent connection after 60 seconds, some proxies after 30.
const beatEvery = 8 * time.Second

// maxProgress bounds a progress sentence in characters: clients show it in one line.
const maxProgress = 120

// callTool answers tools/call. It never returns a protocol error: once the
// heart-beat has begun the library could not send one, and a model reads words.
func (s *Server) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	agent, err := agentOf(req)
	if err != nil {
		return nil, err // no beat yet, and nobody to answer in words
	}
	x := &exchange{s: s, ctx: ctx, req: req, agent: agent}
	if extra := req.GetExtra(); extra != nil {
		x.header = extra.Header
		x.stream = s.mcp.Use(extra.Header)
		defer x.stream.Done()
	}
	x.token = req.Params.GetProgressToken()
	defer x.answered(s.waits.begin())
	switch tool, _ := s.spec.Tool(req.Params.Name); tool.Name {
	case spec.ToolCallStatus:
		return x.status(), nil
	case spec.ToolCallCancel:
		return x.cancel(), nil
	}
	return x.call(), nil
}

// exchange is one tool call over MCP while it is answered. One goroutine owns it.
type exchange struct {
	s      *Server
	ctx    context.Context
	req    *mcp.CallToolRequest
	agent  nod.Agent
	header http.Header
	stream *mcphttp.Stream // nil when the call came by no HTTP exchange that we wrap
	token  any             // the client's progress token, nil for none
	beats  int
	holds  bool // it opened the call, and decides over it
	away   bool // its connection was lost, and the grace runs
}

// ending says why a wait is over.
type ending int

const (
	endFinal     ending = iota // the call has its outcome
	endBudget                  // the client's time is used up, or it follows the call by its id
	endCancelled               // the client took the call back
	endGone                    // its session is over, or its connection where there are no sessions
	endClosing                 // the server closes
	endLeft                    // its connection was lost for good, and another one holds the call
)

// call sends the call to the gateway and waits for the person as long as the
// client can.
func (x *exchange) call() *mcp.CallToolResult {
	by, err := readSetUp(x.header)
	if err != nil {
		return x.s.broken(x.ctx, err)
	}
	c, err := x.s.gateway.Open(x.ctx, gateway.Ask{
		Agent: x.agent.ID, Tool: x.req.Params.Name, Arguments: arguments(x.req),
		Phone: by.phone, Mode: by.mode,
	})
	if err != nil {
		return x.s.broken(x.ctx, err)
	}
	if c.Final() {
		return x.hand(c)
	}
	x.s.holds.open(c.ID)
	x.holds = true
	if mcptask.Declared(x.req) {
		return x.asTask(c)
	}
	c, why := x.wait(c, budget(by.wait, x.agent, x.client(), x.token != nil))
	switch why {
	case endBudget:
		c = x.letGo(c)
	case endCancelled:
		c = x.takeBack(c, nod.WhyCancelled)
	case endGone:
		c = x.takeBack(c, nod.WhyGone)
	case endClosing:
		c = x.takeBack(c, nod.WhyRestart)
	case endFinal:
		x.s.holds.forget(c.ID)
	}
	return x.hand(c)
}

// wait beats until the call has ended or the wait is over for another reason. It
// goes on when the connection is lost: the client may still say that it takes
// the call back, which ends the grace at once, or come back for it.
func (x *exchange) wait(c nod.Call, most time.Duration) (nod.Call, ending) {
	changes, stop, err := x.s.gateway.Watch(x.ctx, x.agent.ID, c.ID)
	if err != nil {
		return c, endBudget // it goes on without us, and call_status can say more
	}
	defer stop()
	beat, over := time.NewTicker(beatEvery), time.NewTimer(most)
	defer beat.Stop()
	defer over.Stop()
	var gone, ended <-chan struct{}
	if x.stream != nil {
		gone, ended = x.stream.Gone(), x.stream.Ended()
		_ = x.stream.Beat("ok") // a broken connection shows in gone
	}
	x.progress(c)
	for {
		select {
		case next, ok := <-changes:
			if !ok {
				return c, endBudget
			}
			moved := next.State != c.State || next.Push != c.Push
			if c = next; c.Final() {
				return c, endFinal
			}
			if x.away && !c.Attached {
				return c, endBudget // its agent came back and asked for it by its id
			}
			if moved {
				x.progress(c)
			}
		case <-beat.C:
			x.beat(c)
		case <-over.C:
			if x.away {
				return c, endLeft
			}
			return c, endBudget
		case <-x.s.closing:
			return c, endClosing
		case <-x.ctx.Done():
			return c, x.cancelled(ended)
		case <-ended:
			return c, endGone
		case <-gone:
			if x.stateless() || !x.holds {
				return c, endGone
			}
			if !c.Attached {
				return c, endBudget
			}
			gone, x.away = nil, true
			x.s.holds.lose(x.agent.ID, c.ID, x.grace())
			over.Reset(x.grace() + time.Second) // by then the call has ended, or is another's
		}
	}
}

// cancelled says what the end of the call's context means: that its client took
// it back, or what ended says too, whichever is seen first.
func (x *exchange) cancelled(ended <-chan struct{}) ending {
	select {
	case <-ended:
		return endGone
	default:
	}
	if x.stateless() {
		return endGone
	}
	return endCancelled
}

// beat shows that the call still waits: by progress where the client asked for
// it, since some count nothing else, else by a comment.
func (x *exchange) beat(c nod.Call) {
	switch {
	case x.away:
	case x.token != nil:
		x.progress(c)
	case x.stream != nil:
		_ = x.stream.Beat("waiting") // a broken connection shows in gone
	}
}

// progress tells the client where the call stands.
func (x *exchange) progress(c nod.Call) {
	if x.token == nil || x.away {
		return
	}
	x.beats++
	_ = x.req.Session.NotifyProgress(x.ctx, &mcp.ProgressNotificationParams{
		ProgressToken: x.token, Progress: float64(x.beats), Message: clip(x.s.progress(c), maxProgress),
	})
}

// letGo lets the call live on without this connection once its client was told by
// which id, and returns it as it is. A client that went away before knows none:
// then the call is that of a connection that was lost.
func (x *exchange) letGo(c nod.Call) nod.Call {
	if now, err := x.s.gateway.Call(context.WithoutCancel(x.ctx), x.agent.ID, c.ID); err == nil {
		c = now
	}
	if x.stream == nil || x.away || !c.Attached || c.Final() {
		return x.detach(c)
	}
	x.stream.OnServed(func(delivered bool) {
		switch {
		case delivered:
			x.detach(c)
		case x.stateless():
			x.takeBack(c, nod.WhyGone)
		default:
			x.s.holds.lose(x.agent.ID, c.ID, x.grace())
		}
	})
	return c
}

// detach lets the call live on without this connection, and returns it as it is.
func (x *exchange) detach(c nod.Call) nod.Call {
	x.s.holds.forget(c.ID)
	if now, err := x.s.gateway.Detach(context.WithoutCancel(x.ctx), x.agent.ID, c.ID); err == nil {
		return now
	}
	return c
}

// stateless reports whether the call came by a revision without sessions, where
// closing the stream is how a call is taken back (MCP 2026-07-28).
func (x *exchange) stateless() bool { return mcphttp.Stateless(x.header.Get("Mcp-Protocol-Version")) }

// answered calls end once the answer is written, which the library does after the
// tool has returned, or nobody is there to read it.
func (x *exchange) answered(end func()) {
	if x.stream == nil {
		end()
		return
	}
	x.stream.OnServed(func(bool) { end() })
}

// leave ends the exchange's part in a call. If the call is then its to withdraw,
// leave returns how many times it was opened; else 0.
func (x *exchange) leave(call nod.CallID, why nod.Why) (opened int) {
	switch {
	case why == nod.WhyRestart: // every other connection ends with this one
		x.s.holds.forget(call)
		return 1
	case x.away:
		return x.s.holds.giveUp(call)
	}
	return x.s.holds.leave(call)
}

// takeBack withdraws the call, unless another connection still waits for it or
// none decides over it any more.
func (x *exchange) takeBack(c nod.Call, why nod.Why) nod.Call {
	opened := x.leave(c.ID, why)
	if opened == 0 {
		return c
	}
	now, err := x.s.gateway.TakeBack(context.WithoutCancel(x.ctx), x.agent.ID, c.ID, why, opened)
	if err != nil {
		if gateway.IsStopped(err) {
			return c // its next start takes it back
		}
		x.s.log.Warn("a call could not be taken back", "call", c.ID, "err", err)
		return c
	}
	return now
}

// hand returns the call's result, and has the gateway told once all of it was
// written. Where nobody is there to read it, nothing that the phone read leaves.
func (x *exchange) hand(c nod.Call) *mcp.CallToolResult {
	if x.away || x.ctx.Err() != nil {
		return about(c, words(x.s.told(c), isError(c)))
	}
	r, whole, err := x.s.result(x.ctx, c)
	if err != nil {
		x.s.log.Error("what a phone read could not be handed out", "call", c.ID, "err", err)
		return about(c, words(x.s.withheld(err), true))
	}
	if whole {
		x.told(c)
	}
	return r
}

// told has the gateway told, once the answer was written, that it said how the
// call ended.
func (x *exchange) told(c nod.Call) {
	if c.Final() && x.stream != nil {
		x.stream.OnDelivered(func() { x.s.handedOver(c) })
	}
}

func (x *exchange) grace() time.Duration {
	if x.stream != nil && x.stream.Loopback() {
		return graceLoopback
	}
	return graceRemote
}

// client is the name the client gave itself.
func (x *exchange) client() string {
	if p := x.req.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return p.ClientInfo.Name
	}
	return ""
}

// arguments are the call's arguments as they came; none is an empty object.
func arguments(req *mcp.CallToolRequest) []byte {
	if len(req.Params.Arguments) == 0 {
		return []byte("{}")
	}
	return req.Params.Arguments
}
