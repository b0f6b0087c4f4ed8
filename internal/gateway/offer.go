package gateway

import (
	"fmt"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/wire"
)

// LaunchTime is how long a host may take to launch, on top of the ten seconds
// in which its result is due (design section 3, step 6). A browser may need a
// second tap, and asks what became of it.
func LaunchTime(h nod.Host) time.Duration {
	if h == nod.HostWeb {
		return 90 * time.Second
	}
	return 10 * time.Second
}

// resultGrace is how long a result may take besides the launch and the tool's own waits.
const resultGrace = 10 * time.Second

// maxOffer bounds an offer's bytes (security: the whole of it fits on a card).
const maxOffer = 8 << 10

// offer makes the one set of bytes that a phone is shown, signs for and carries out.
func (t *Turn) offer(c nod.Call, agent nod.Agent, act nod.Action, cl class, screens []nod.PhoneID, v nod.Verdict, ask Ask) (call.Event, error) {
	ttl := t.ttl(agent.Person, ask.Wait)
	body := wire.OfferBody{
		Call: c.ID, Agent: agent.ID, AgentName: agent.Name, Phone: c.Phone, Screens: screens,
		Tool: act.Tool, Action: act.Name, Fields: act.Fields, Summary: act.Summary,
		Verdict: v.Answer, Rule: v.Rule, Risk: cl.risk, Badges: v.Badges,
		TTLSeconds: int64(ttl.Seconds()), Nonce: t.core.nonce(),
	}
	if body.Badges == nil {
		body.Badges = []nod.Badge{}
	}
	if slices.Contains(v.Badges, nod.BadgeRepeat) {
		repeat, _ := t.before(c)
		body.Repeat = &repeat
	}
	if slices.Contains(v.Badges, nod.BadgeTaint) {
		body.Taint = agent.Tainted(t.now)
	}
	bytes, err := wire.Canonical(body)
	if err == nil && len(bytes) > maxOffer {
		err = fmt.Errorf("%d bytes, more than %d", len(bytes), maxOffer)
	}
	if err != nil {
		return call.Event{}, &nod.Error{Code: nod.CodeInternal, Message: "this action could not be made into an offer", Err: err}
	}
	return call.Event{Kind: call.Offer, Verdict: v, Offer: bytes, Digest: wire.Digest(bytes), Deadline: t.now.Add(ttl)}, nil
}

// ttl is how long a card waits: what the person has set, or less when asked for less.
func (t *Turn) ttl(person nod.PersonID, asked time.Duration) time.Duration {
	p, _ := t.person(person)
	ttl := time.Duration(p.WaitSeconds) * time.Second
	if ttl == 0 {
		ttl = time.Duration(t.core.spec.Phone.WaitSeconds) * time.Second
	}
	if asked > 0 && asked < ttl {
		ttl = max(asked, MinWait).Round(time.Second)
	}
	return ttl
}

// offered reads back a call's offer.
func offered(c nod.Call) (wire.OfferBody, bool) {
	var body wire.OfferBody
	if len(c.Offer) == 0 || wire.Decode(c.Offer, &body) != nil {
		return wire.OfferBody{}, false
	}
	return body, true
}

// follow does one effect of a step: an entry in the log, or frames that leave
// once the turn is in the ledger.
func (t *Turn) follow(c nod.Call, e call.Effect) {
	switch e.Do {
	case call.Log:
		t.logCall(e.LogKind, c)
	case call.SendOffer:
		t.sendOffer(c, e.Phone)
	case call.SendGo:
		t.sendGo(c)
	case call.SendDisarm:
		t.sendSigned(c.Phone, wire.KindDisarm, wire.CallBody{Call: c.ID, Reason: e.Reason})
	case call.SendWithdraw:
		t.sendWithdraw(c, e)
	case call.SendAck:
		of := wire.KindResult
		if e.Of == string(call.Decide) {
			of = wire.KindDecision
		}
		t.send(e.Phone, wire.Frame{Kind: wire.KindAck, Of: of, Call: c.ID})
	}
}

// audience lists the phones that hold a call's offer: the acting one and the screens.
func audience(c nod.Call) []nod.PhoneID {
	body, ok := offered(c)
	if !ok {
		return nil
	}
	phones := []nod.PhoneID{body.Phone}
	for _, s := range body.Screens {
		if s != body.Phone {
			phones = append(phones, s)
		}
	}
	return phones
}

// sendOffer sends the offer to one phone of its audience, or to all of it.
func (t *Turn) sendOffer(c nod.Call, only nod.PhoneID) {
	takes := t.takePlace(c)
	signed, err := wire.SignBytes(t.core.signer, wire.KindOffer, c.Offer)
	if err != nil {
		return // the call expires unseen; the shell has logged what is wrong with the key
	}
	for _, phone := range audience(c) {
		if only != "" && phone != only {
			continue
		}
		f := wire.FrameOf(signed)
		f.LeftMS, f.Takes = c.Deadline.Sub(t.now).Milliseconds(), takes
		if p, ok := t.phone(phone); ok {
			f.Epoch = p.Epoch // that of the hello in this turn, where there is one
		}
		t.send(phone, f)
		t.planWake(c, phone, only != "")
		t.hush(wakeID{c.ID, phone}, takes)
	}
}

func (t *Turn) sendGo(c nod.Call) {
	var decision wire.Signed
	if err := wire.Decode(c.Decision, &decision); err != nil {
		return
	}
	signed, err := wire.Sign(t.core.signer, wire.KindGo, wire.GoBody{Call: c.ID, Digest: wire.Encode64(c.Digest), Decision: decision, Upload: t.upload(c.ID)})
	if err != nil {
		return
	}
	t.out = append(t.out, Out{Phone: c.Phone, Frame: wire.FrameOf(signed), GoFor: c.ID})
}

func (t *Turn) sendWithdraw(c nod.Call, e call.Effect) {
	body := wire.CallBody{Call: c.ID, Reason: e.Reason, KeepMS: e.Keep.Milliseconds()}
	if p, ok := t.phone(c.DecidedBy); ok && e.Reason == call.ReasonAnswered {
		body.By = p.Name
	}
	phones := audience(c)
	if e.Phone != "" {
		phones = []nod.PhoneID{e.Phone}
	}
	for _, phone := range phones {
		// The acting host keeps an offer that another screen confirmed: its go follows.
		actsNext := phone == c.Phone && e.Reason == call.ReasonAnswered && !c.Final()
		if phone != e.Except && !actsNext {
			t.sendSigned(phone, wire.KindWithdraw, body)
		}
	}
}

func (t *Turn) sendSigned(phone nod.PhoneID, kind string, body any) {
	signed, err := wire.Sign(t.core.signer, kind, body)
	if err != nil {
		return
	}
	t.send(phone, wire.FrameOf(signed))
}
