package simulation

import (
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// Bug is a mistake planted round the shipped code, to see that the oracle finds
// it. None of it is in the product.
type Bug string

// The mistakes. Each is one that a system of this kind has really made.
const (
	BugNone               Bug = ""
	BugSendBeforeWrite    Bug = "frames leave although the ledger was not written"
	BugGatewayDoesNotSync Bug = "the gateway's disk forgets what it said it kept"
	BugPhoneDoesNotSync   Bug = "the phone's journal forgets that it armed"
	BugLaunchBeforeArmed  Bug = "the phone launches before it journals"
	BugEditAfterConsent   Bug = "what is carried out is not what was shown"
	BugDeclineConfirms    Bug = "the phone takes a decline for a confirm"
	BugDeadlineForgotten  Bug = "a tap after the deadline counts"
	BugUnknownIsFailed    Bug = "no word of the end is told as nothing happened"
	BugFailedIsDone       Bug = "what failed is told as done"
	BugCancelIsWithdrawn  Bug = "a cancel that came too late is told as withdrawn"
	BugRevokeLater        Bug = "a revoke returns before it acts"
	BugPushIsDelivered    Bug = "a wake-up that a push service took counts as delivered"
	BugReleaseUnlogged    Bug = "what was read is handed out although that could not be logged"
	BugReadIsKept         Bug = "what was read gets into the ledger"
	BugReadIsUnknown      Bug = "no word of a read's end is told as unknown"
)

// Bugs lists the mistakes.
var Bugs = []Bug{
	BugSendBeforeWrite, BugGatewayDoesNotSync, BugPhoneDoesNotSync, BugLaunchBeforeArmed, BugEditAfterConsent,
	BugDeclineConfirms, BugDeadlineForgotten, BugUnknownIsFailed, BugFailedIsDone, BugCancelIsWithdrawn, BugRevokeLater,
	BugPushIsDelivered, BugReleaseUnlogged, BugReadIsKept, BugReadIsUnknown,
}

// bugTime lets the gateway's clock stand still for deadlines.
func (g *gate) bugTime(now nod.Time) nod.Time {
	if g.w.opt.Bug == BugDeadlineForgotten {
		return now - now%nod.Time((10*time.Minute).Milliseconds())
	}
	return now
}

func (g *gate) bugSendEarly(t *gateway.Turn) {
	if g.w.opt.Bug != BugSendBeforeWrite {
		return
	}
	for _, o := range t.Out() {
		if p := g.w.phone(o.Phone); p.conn != nil {
			p.conn.Send(o.Frame)
		}
	}
}

func (g *gate) bugRows(calls []nod.Call) {
	for i := range calls {
		if g.w.opt.Bug == BugPushIsDelivered && calls[i].State == nod.Offered && len(calls[i].Pushed) > 0 {
			calls[i].State = nod.Delivered
		}
		if g.w.opt.Bug == BugReadIsKept && calls[i].Data {
			calls[i].Message = g.held[calls[i].ID]
		}
		if g.w.opt.Bug == BugReadIsUnknown && calls[i].Why == nod.WhyNothingRead {
			calls[i].Outcome = nod.Unknown
		}
	}
	if g.w.opt.Bug != BugUnknownIsFailed {
		return
	}
	for i := range calls {
		if calls[i].Outcome == nod.Unknown {
			calls[i].Outcome, calls[i].Started = nod.Failed, false
		}
	}
}

// bugChoice is what the phone makes of a tap.
func (p *phone) bugChoice(choice nod.Choice) nod.Choice {
	if p.w.opt.Bug == BugDeclineConfirms {
		return nod.ChoiceConfirm
	}
	return choice
}

func (g *gate) bugResult(r *wire.ResultBody) {
	if g.w.opt.Bug == BugFailedIsDone && r.Status == wire.ResultFailed && r.Started {
		r.Status = wire.ResultDone
	}
}

// bugCancelled tells the agent that its call was withdrawn, whatever the ledger says.
func (g *gate) bugCancelled(c nod.Call) {
	if g.w.opt.Bug == BugCancelIsWithdrawn && !c.Final() {
		c.State, c.Outcome = nod.Closed, nod.Withdrawn
		g.w.oracle.told(c)
	}
}

// bugRemove says at once that an agent is removed, and does it a minute later.
func (g *gate) bugRemove(id nod.AgentID) bool {
	if g.w.opt.Bug != BugRevokeLater || g.w.oracle.stopped[id] {
		return false
	}
	g.w.oracle.stopped[id] = true
	g.w.ask(id)
	g.w.queue.after(time.Minute, func() { g.w.remove(id, string(id)) })
	return true
}

// bugOrder launches before the record that says so is written.
func (p *phone) bugOrder(effects []host.Effect) []host.Effect {
	if p.w.opt.Bug != BugLaunchBeforeArmed {
		return effects
	}
	var early, rest []host.Effect
	for _, e := range effects {
		if e.Do == host.CarryOut {
			early = append(early, e)
		} else if e.Do != host.WriteRecord || e.Record.Kind != host.RecArmed {
			rest = append(rest, e)
		}
	}
	return append(early, rest...)
}

// bugEdit changes what is carried out after the person agreed to it.
func (p *phone) bugEdit(card host.Card) string {
	if p.w.opt.Bug == BugEditAfterConsent {
		return card.Digest + "x"
	}
	bytes, err := wire.Canonical(card.Offer)
	if err != nil {
		return ""
	}
	return wire.Encode64(wire.Digest(bytes))
}
