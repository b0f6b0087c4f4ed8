package simulation

import (
	"encoding/json"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// gate is the gateway's process round the shipped core: it dies and starts
// again, and its disk can say no.
type gate struct {
	w    *World
	key  keyPair
	disk *disk
	held map[nod.CallID]string // what phones read: on a disk of its own, which forgets nothing
	core *gateway.Core         // nil while it is down
	life int                   // rises with each start, so that what an earlier life planned is void
	wake int                   // rises with each plan to wake, so that only the newest counts
}

const person = nod.PersonID("person_1")

func newGate(w *World) *gate {
	return &gate{w: w, key: newKey(w.opt.RealKeys, 0), disk: newDisk(), held: map[nod.CallID]string{}}
}

// furnish puts a person, agents and the two phones into the ledger.
func (g *gate) furnish() {
	g.disk.people[person] = nod.Person{ID: person, Name: "Ana", WaitSeconds: int(cardWaits.Seconds())}
	for _, p := range []*phone{g.w.screen, g.w.rig} {
		record, err := json.Marshal(p.record)
		if err != nil {
			panic(err)
		}
		g.disk.phones[p.id] = nod.Phone{ID: p.id, Person: person, Name: string(p.id), Host: nod.HostSim, Key: p.key.Public(), Approved: true, Record: record}
	}
}

func (g *gate) start() {
	g.life++
	core, err := gateway.NewCore(gateway.CoreConfig{Spec: spec.Get(), Signer: g.key, Nonce: g.w.nonce, CallID: g.w.callID, Version: "sim",
		PushKey: pushKey, Base: "https://nod.example"}, g.disk.state())
	if err != nil {
		panic(err)
	}
	g.core = core
	g.turn(func(t *gateway.Turn) { t.Recover() })
}

// die ends the process where it stands. What it had not written is gone.
func (g *gate) die() {
	if g.w.opt.Bug == BugGatewayDoesNotSync && g.disk.undo != nil {
		g.disk.undo()
	}
	g.core = nil
	g.life++
	g.w.screen.cut()
	g.w.rig.cut()
	g.w.queue.after(time.Second+g.w.upTo(5*time.Second), g.start)
}

// turn takes one turn of the core, with a process that can die at every edge.
// It reports whether the turn is in the ledger.
func (g *gate) turn(happenings ...func(*gateway.Turn)) bool {
	w := g.w
	if g.core == nil {
		return false
	}
	t := g.core.Begin(g.bugTime(w.now()))
	if w.opt.Bug != BugDeadlineForgotten {
		t.Tick()
	}
	for _, h := range happenings {
		h(t)
	}
	if w.chance("gateway dies before the write", 0.002) {
		g.bugSendEarly(t)
		g.die()
		return false
	}
	batch := t.Batch()
	if batch != nil {
		if w.chance("disk says no", 0.005) {
			g.bugSendEarly(t)
			g.core.Drop(t)
			g.plan(time.Second)
			return false
		}
		g.bugRows(batch.Calls)
		w.oracle.written(batch)
		if err := g.disk.commit(batch); err != nil {
			w.oracle.broken("ledger", "%v", err)
			return false
		}
		for _, c := range batch.Calls {
			w.oracle.told(c)
		}
	}
	if w.chance("gateway dies after the write", 0.002) {
		g.die()
		return true
	}
	out := g.core.Adopt(t, nil)
	g.core.Forget(w.now().Add(-policy.Memory))
	g.dispatch(out)
	g.wakeUp(t.Wakes())
	if g.core != nil {
		g.plan(0)
	}
	return true
}

// dispatch lets frames leave, one by one, with a process that can die between them.
func (g *gate) dispatch(out []gateway.Out) {
	life := g.life
	for _, o := range out {
		if g.life != life {
			return
		}
		if g.w.chance("gateway dies between two frames", 0.001) {
			g.die()
			return
		}
		p := g.w.phone(o.Phone)
		if p.conn == nil {
			continue
		}
		g.w.oracle.sent(o.Frame.Kind, g.disk.calls[callOf(o.Frame)], g.w.now())
		if p.conn.Send(o.Frame) && o.GoFor != "" {
			id := o.GoFor
			g.w.queue.after(0, func() { g.turn(func(t *gateway.Turn) { t.GoSent(id) }) })
		}
		if o.Close != "" {
			p.conn.Close(o.Close)
		}
	}
}

// callOf returns the call that a frame is about.
func callOf(f wire.Frame) nod.CallID {
	if f.Call != "" {
		return f.Call
	}
	var body struct {
		Call nod.CallID `json:"call"`
	}
	if wire.Decode([]byte(f.Body), &body) != nil {
		return ""
	}
	return body.Call
}

// plan wakes the core when something is due.
func (g *gate) plan(atLeast time.Duration) {
	next := g.core.Next()
	if next == 0 || g.w.opt.Bug == BugDeadlineForgotten {
		return
	}
	g.wake++
	wake, life := g.wake, g.life
	g.w.queue.after(max(next.Sub(g.w.now()), atLeast), func() {
		if g.wake == wake && g.life == life {
			g.turn()
			if g.core != nil && g.wake == wake {
				g.plan(time.Second)
			}
		}
	})
}

// take is a frame of a phone's arriving.
func (g *gate) take(c *conn, f wire.Frame) {
	p := c.phone
	if g.core == nil || f.Kind != wire.KindResult && p.conn != c {
		return
	}
	switch f.Kind {
	case wire.KindDelivered:
		g.turn(func(t *gateway.Turn) { t.Progress(call.Delivered, p.id, f.Epoch, f.Call) })
	case wire.KindShown:
		g.turn(func(t *gateway.Turn) { t.Progress(call.Shown, p.id, f.Epoch, f.Call) })
	case wire.KindDecision:
		var body wire.DecisionBody
		if f.Signed().OpenAs(wire.KindDecision, p.key.public, &body) == nil {
			g.turn(func(t *gateway.Turn) { t.Decide(p.id, f.Epoch, body, f.Signed()) })
		}
	case wire.KindResult:
		var body wire.ResultBody
		if f.Signed().OpenAs(wire.KindResult, p.key.public, &body) == nil {
			g.bugResult(&body)
			whole := g.takeIn(body, f.Text, f.Salt)
			g.turn(func(t *gateway.Turn) { t.Result(body, f.Signed(), whole) })
		}
	}
}

// takeIn keeps what came with a result, apart from the ledger, as the gateway's
// shell does.
func (g *gate) takeIn(r wire.ResultBody, text, salt string) bool {
	c := g.disk.calls[r.Call]
	if c.State != nod.Decided && c.State != nod.Working || r.Data == nil || r.Data.Check(text, salt) != nil {
		return false
	}
	g.held[r.Call] = text
	return true
}
