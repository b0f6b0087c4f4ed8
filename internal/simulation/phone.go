package simulation

import (
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// phone is a phone's program round the shipped machine, and the person who
// holds it.
type phone struct {
	w       *World
	id      nod.PhoneID
	key     keyPair
	screen  bool
	record  wire.Signed
	journal *host.Memory
	machine *host.Machine // nil while the program is down
	life    int
	wake    int
	conn    *conn
	epoch   int64
	skew    time.Duration // how wrong the wall clock is
	asleep  bool          // it does not come back by itself
	running map[nod.CallID]bool
}

func newPhone(w *World, id nod.PhoneID, screen bool, seed byte) *phone {
	p := &phone{w: w, id: id, key: newKey(w.opt.RealKeys, seed), screen: screen, journal: &host.Memory{}, running: map[nod.CallID]bool{}}
	signer := p
	if w.screen != nil {
		signer = w.screen
	}
	record, err := wire.Sign(signer.key, wire.RecordPhone, wire.PhoneBody{Phone: id, Person: person, Name: string(id),
		Host: nod.HostSim, Key: wire.Encode64(p.key.Public()), Signer: signer.id})
	if err != nil {
		panic(err)
	}
	p.record = record
	return p
}

func (w *World) phone(id nod.PhoneID) *phone {
	if id == w.rig.id {
		return w.rig
	}
	return w.screen
}

// now is what the phone's clocks say.
func (p *phone) now() host.Now {
	return host.Now{Boot: p.w.queue.now, Awake: p.w.queue.now, Wall: p.w.now().Add(p.skew)}
}

// start starts the program with what its journal holds.
func (p *phone) start() {
	p.life++
	p.running = map[nod.CallID]bool{}
	records, err := p.journal.Records()
	if err != nil {
		panic(err)
	}
	self := host.Self{
		Phone: p.id, Signer: p.key, Gateway: p.w.gate.key.public, Spec: spec.Get(), Screen: p.screen,
		ParseKey: p.w.parseKey, Recheck: func(wire.OfferBody) error { return nil },
	}
	machine, effects, err := host.Restore(self, records, p.now())
	if err != nil {
		p.w.oracle.broken("journal", "%v", err)
		return
	}
	p.machine = machine
	p.run(effects)
	p.dial()
}

// parseKey finds the key that the bytes on the wire stand for.
func (w *World) parseKey(b []byte) (wire.PublicKey, error) {
	for _, k := range []keyPair{w.screen.key, w.rig.key, w.gate.key} {
		if string(k.Public()) == string(b) {
			return k.public, nil
		}
	}
	return wire.ParsePublic(b)
}

// die ends the program where it stands.
func (p *phone) die() {
	p.cut()
	p.machine = nil
	p.life++
	p.w.queue.after(time.Second+p.w.upTo(30*time.Second), p.start)
}

// dial says hello after a while, for as long as the link is down. A phone that
// fell asleep does so when it is woken, or when its person looks at it.
func (p *phone) dial() {
	wait := p.w.upTo(3 * time.Second)
	if p.asleep = p.screen && p.w.chance("phone falls asleep", 0.2); p.asleep {
		wait = p.w.upTo(10 * time.Minute)
	}
	p.connectAfter(wait)
}

func (p *phone) connectAfter(wait time.Duration) {
	life := p.life
	p.w.queue.after(wait, func() {
		if p.life != life || p.conn != nil {
			return
		}
		p.asleep = false
		if p.w.gate.core == nil || p.w.chance("phone finds no gateway", 0.1) {
			p.dial()
			return
		}
		c := &conn{phone: p}
		var capabilities []nod.Capability
		for _, a := range spec.Get().Phone.Actions {
			capabilities = append(capabilities, nod.Capability{ID: a.Capability, State: nod.Ready})
		}
		for _, tool := range spec.Get().Tools {
			if tool.Capability != "" {
				capabilities = append(capabilities, nod.Capability{ID: tool.Capability, State: nod.Ready})
			}
		}
		hello := wire.HelloBody{Phone: p.id, Range: wire.OwnRange(), Host: nod.HostSim, Screen: p.screen, Visible: p.w.often(0.7), Capabilities: capabilities}
		p.conn = c
		ok := p.w.gate.turn(func(t *gateway.Turn) {
			if err := t.Hello(c, hello, nil); err != nil {
				p.w.oracle.broken("hello", "%v", err)
			}
		})
		if !ok || c.closed {
			p.cut()
		}
	})
}

// cut ends the link, as both sides will notice.
func (p *phone) cut() {
	if p.conn == nil {
		return
	}
	c := p.conn
	c.closed = true
	p.conn = nil
	if p.machine != nil {
		p.step(host.Event{Kind: host.Disconnected})
		p.dial()
	}
	p.w.queue.after(p.w.upTo(2*time.Second), func() {
		p.w.gate.turn(func(t *gateway.Turn) { t.Lost(c, p.id) })
	})
}

// take is a frame of the gateway's arriving.
func (p *phone) take(c *conn, f wire.Frame) {
	if p.machine == nil || p.conn != c {
		return
	}
	if f.Kind != wire.KindWelcome {
		p.step(host.Event{Kind: host.FrameIn, Frame: f})
		return
	}
	var welcome wire.WelcomeBody
	if f.Signed().OpenAs(wire.KindWelcome, p.w.gate.key.public, &welcome) == nil {
		p.epoch = welcome.Epoch
		p.subscribeAgain()
		p.step(host.Event{Kind: host.Connected, Welcome: welcome})
	}
}

func (p *phone) step(ev host.Event) {
	if p.machine == nil {
		return
	}
	if p.w.chance("phone's wall clock jumps", 0.001) {
		p.skew = p.w.upTo(2*time.Hour) - time.Hour
	}
	p.run(p.machine.Step(p.now(), ev))
	p.planTick()
}

func (p *phone) planTick() {
	if p.machine == nil {
		return
	}
	at, ok := p.machine.Next()
	if !ok {
		return
	}
	p.wake++
	wake, life := p.wake, p.life
	p.w.queue.after(max(at-p.w.queue.now, time.Millisecond), func() {
		if p.wake == wake && p.life == life {
			p.step(host.Event{Kind: host.Tick})
		}
	})
}

// run does effects in order, with a program that can die between any two.
func (p *phone) run(effects []host.Effect) {
	life := p.life
	for _, e := range p.bugOrder(effects) {
		if p.life != life {
			return
		}
		if p.w.chance("phone dies between two effects", 0.002) {
			p.die()
			return
		}
		p.do(e)
	}
}

func (p *phone) do(e host.Effect) {
	switch e.Do {
	case host.WriteRecord:
		if p.w.opt.Bug == BugPhoneDoesNotSync && e.Record.Kind == host.RecArmed {
			return
		}
		if err := p.journal.Append(e.Record); err != nil {
			p.die()
		}
	case host.SendFrame:
		p.w.up(p, e.Frame)
	case host.DrawCard:
		p.draw(e.Card)
	case host.CarryOut:
		p.launch(e.Card)
	case host.Stop:
		delete(p.running, e.Call)
	}
}
