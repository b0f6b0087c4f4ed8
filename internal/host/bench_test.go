package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

const (
	me    nod.PhoneID = "phone_me"
	other nod.PhoneID = "phone_other"
)

// keys are made once: they are not what is tested.
var keys = func() (k struct{ gateway, me, other, stranger *wire.Key }) {
	for _, p := range []**wire.Key{&k.gateway, &k.me, &k.other, &k.stranger} {
		key, err := wire.GenerateKey()
		if err != nil {
			panic(err)
		}
		*p = key
	}
	return k
}()

func public(k *wire.Key) wire.PublicKey {
	p, err := wire.ParsePublic(k.Public())
	if err != nil {
		panic(err)
	}
	return p
}

func sign(k *wire.Key, kind string, body any) wire.Signed {
	s, err := wire.Sign(k, kind, body)
	if err != nil {
		panic(err)
	}
	return s
}

// bench is a machine, the journal that its effects wrote, and a gateway's hand.
type bench struct {
	t       testing.TB
	self    Self
	m       *Machine
	now     Now
	journal []Record
}

func newBench(t testing.TB, screen bool) *bench {
	b := &bench{
		t:    t,
		self: Self{Phone: me, Signer: keys.me, Gateway: public(keys.gateway), Spec: spec.Get(), Screen: screen},
		now:  Now{Boot: time.Hour, Awake: time.Hour, Wall: 1_800_000_000_000},
	}
	b.m = NewMachine(b.self)
	return b
}

// pass lets time go by.
func (b *bench) pass(d time.Duration) {
	b.now.Boot += d
	b.now.Awake += d
	b.now.Wall = b.now.Wall.Add(d)
}

// step does an event and everything that follows.
func (b *bench) step(ev Event) []Effect {
	effects := b.m.Step(b.now, ev)
	b.keep(effects)
	return effects
}

func (b *bench) keep(effects []Effect) {
	for _, e := range effects {
		if e.Do == WriteRecord {
			b.journal = append(b.journal, e.Record)
		}
	}
}

func (b *bench) frame(f wire.Frame) []Effect { return b.step(Event{Kind: FrameIn, Frame: f}) }

// restart is a program that dies and comes back with its journal.
func (b *bench) restart() []Effect {
	m, effects, err := Restore(b.self, b.journal, b.now)
	if err != nil {
		b.t.Fatalf("restore: %v", err)
	}
	b.m = m
	b.keep(effects)
	return effects
}

func (b *bench) connect(epoch int64, open ...nod.CallID) []Effect {
	return b.step(Event{Kind: Connected, Welcome: wire.WelcomeBody{Phone: me, Epoch: epoch, Open: open, Phones: records()}})
}

// records are the person's phones: me first, then the other one, approved by me.
func records() []wire.Signed {
	return []wire.Signed{
		phoneRecord(me, keys.me, me, keys.me),
		phoneRecord(other, keys.other, me, keys.me),
	}
}

func phoneRecord(id nod.PhoneID, key *wire.Key, by nod.PhoneID, signer *wire.Key) wire.Signed {
	return sign(signer, wire.RecordPhone, wire.PhoneBody{
		Phone: id, Person: "person_1", Name: string(id), Host: nod.HostSim, Key: wire.Encode64(key.Public()), Signer: by,
	})
}

// offer is an alarm for half past seven, which this phone and the other may decide.
func offer(call nod.CallID, change ...func(*wire.OfferBody)) wire.OfferBody {
	o := wire.OfferBody{
		Call: call, Agent: "agent_1", AgentName: "Laptop", Phone: me, Screens: []nod.PhoneID{me},
		Tool: "phone_action", Action: "alarm", Fields: nod.Fields{"time": "07:30"}, Summary: "alarm",
		Verdict: nod.Ask, Rule: nod.RuleAlways, Risk: nod.Low, Badges: []nod.Badge{}, TTLSeconds: 120, Nonce: "n",
	}
	for _, f := range change {
		f(&o)
	}
	return o
}

func bothDecide(o *wire.OfferBody) { o.Screens = []nod.PhoneID{me, other} }

func otherDecides(o *wire.OfferBody) { o.Screens = []nod.PhoneID{other} }

func otherActs(o *wire.OfferBody) { o.Phone = other }

func (b *bench) offerFrame(o wire.OfferBody) wire.Frame {
	f := wire.FrameOf(sign(keys.gateway, wire.KindOffer, o))
	f.Epoch, f.LeftMS = b.m.epoch, o.TTLSeconds*1000
	return f
}

func digest(o wire.OfferBody) string {
	b, err := wire.Canonical(o)
	if err != nil {
		panic(err)
	}
	return wire.Encode64(wire.Digest(b))
}

func otherDecision(o wire.OfferBody, choice nod.Choice) wire.Signed {
	return sign(keys.other, wire.KindDecision, wire.DecisionBody{
		Call: o.Call, Digest: digest(o), Phone: other, Choice: choice, Assurance: nod.AssuranceNative,
	})
}

func goFrame(o wire.OfferBody, decision wire.Signed) wire.Frame {
	return wire.FrameOf(sign(keys.gateway, wire.KindGo, wire.GoBody{Call: o.Call, Digest: digest(o), Decision: decision}))
}

func callFrame(kind string, body wire.CallBody) wire.Frame {
	return wire.FrameOf(sign(keys.gateway, kind, body))
}

// take brings an offer onto the screen.
func (b *bench) take(o wire.OfferBody) {
	b.frame(b.offerFrame(o))
	b.step(Event{Kind: Drawn, Call: o.Call})
}

// choose answers a card and returns the decision that was signed.
func (b *bench) choose(call nod.CallID, choice nod.Choice) wire.Signed {
	for _, e := range b.step(Event{Kind: Chosen, Call: call, Choice: choice}) {
		if e.Do == WriteRecord && e.Record.Kind == RecDecided {
			return *e.Record.Signed
		}
	}
	b.t.Fatalf("no decision on %s", call)
	return wire.Signed{}
}

// say writes effects in one line.
func say(effects []Effect) string {
	var words []string
	for _, e := range effects {
		switch e.Do {
		case WriteRecord:
			word := "write " + string(e.Record.Kind)
			if r, ok := resultIn(e.Record.Signed); ok {
				word += fmt.Sprintf("(%s %v)", r.Status, r.Started)
			}
			if e.Record.Kind == RecOver {
				word += "(" + e.Record.Reason + ")"
			}
			words = append(words, word)
		case SendFrame:
			words = append(words, "send "+e.Frame.Kind)
		case RemoveCard, HoldCard:
			words = append(words, string(e.Do)+" "+e.Reason)
		default:
			words = append(words, string(e.Do))
		}
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}

func resultIn(s *wire.Signed) (wire.ResultBody, bool) {
	var body wire.ResultBody
	if s == nil || s.Kind != wire.KindResult {
		return body, false
	}
	return body, open(*s, &body) == nil
}

// result returns the result that effects send.
func result(t testing.TB, effects []Effect) wire.ResultBody {
	t.Helper()
	for _, e := range effects {
		if e.Do == SendFrame && e.Frame.Kind == wire.KindResult {
			var body wire.ResultBody
			if err := e.Frame.Signed().OpenAs(wire.KindResult, public(keys.me), &body); err != nil {
				t.Fatal(err)
			}
			return body
		}
	}
	t.Fatalf("no result among: %s", say(effects))
	return wire.ResultBody{}
}
