package gateway

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/link"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Hello opens a phone's link for a new epoch: it is welcomed, and offered what
// is still open. The hello's signature was checked.
func (t *Turn) Hello(conn Conn, h wire.HelloBody, proof []string) error {
	p, ok := t.phone(h.Phone)
	switch {
	case !ok || p.Revoked != 0:
		return nod.Errorf(nod.CodeForbidden, "this phone is not paired", `pair it again with "nod pair"`)
	case !p.Approved:
		return nod.Errorf(nod.CodeForbidden, "this phone waits for a yes on another phone", "open nod on a phone that is paired and approve it there")
	}
	p.Epoch++
	p.Seen = t.now
	p.Screen, p.Capabilities = h.Screen, t.bounded(h.Capabilities)
	p.AppVersion, p.Zone, p.Locale = clip(h.AppVersion, 64), clip(h.Zone, 64), clip(h.Locale, 64)
	t.phones[p.ID] = p

	l := &live{conn: conn, epoch: p.Epoch, visible: h.Visible, bearer: newBearer()}
	t.after = append(t.after, func() {
		if old := t.core.links[p.ID]; old != nil {
			if old.conn != nil && old.conn != conn {
				old.conn.Close(link.Replaced)
			}
			l.minute, l.records = old.minute, old.records
			if l.told == 0 {
				l.stale, l.told = old.stale, old.told
			}
		}
		t.core.links[p.ID] = l
	})
	// What this turn had for the old link would overtake the welcome. The
	// welcome and what follows it say all of it again.
	t.out = slices.DeleteFunc(t.out, func(o Out) bool { return o.Phone == p.ID })
	open := t.openOn(p.ID)
	if err := t.welcome(p, l, h, proof, open); err != nil {
		return err
	}
	t.reload(p, l)
	for _, c := range open {
		t.step(c, call.Event{Kind: call.Connected, Phone: p.ID})
	}
	return nil
}

// openOn lists the calls without an outcome whose offer a phone holds.
func (t *Turn) openOn(phone nod.PhoneID) []nod.Call {
	var open []nod.Call
	t.eachOpen(func(c nod.Call) {
		if slices.Contains(audience(c), phone) {
			open = append(open, c)
		}
	})
	return open
}

func (t *Turn) welcome(p nod.Phone, l *live, h wire.HelloBody, proof []string, open []nod.Call) error {
	person, _ := t.person(p.Person)
	body := wire.WelcomeBody{
		Phone: p.ID, Nonce: h.Nonce, Epoch: p.Epoch, At: t.now,
		Version: min(wire.MaxVersion, h.Range.MaxVersion), Gateway: t.core.program,
		Person: person.Name, Open: []nod.CallID{}, Phones: t.records(p.Person), Proof: proof,
		SetBack: t.core.wentBack(p.Person), SetBackTo: t.core.wentBackTo(p.Person), Paused: person.PausedAll,
	}
	if head, ok := t.core.heads[p.Person]; ok {
		if err := wire.Decode([]byte(head.Body), &body.Head); err != nil {
			return &nod.Error{Code: nod.CodeInternal, Message: "the log's own head cannot be read", Err: err}
		}
	}
	for _, c := range open {
		body.Open = append(body.Open, c.ID)
	}
	signed, err := wire.Sign(t.core.signer, wire.KindWelcome, body)
	if err != nil {
		return err
	}
	f := wire.FrameOf(signed)
	f.Bearer = l.bearer
	t.send(p.ID, f)
	return nil
}

// records lists the signed records of a person's phones, oldest first, and of
// those removed since that approved one of them: without theirs the chain to
// the first phone would be broken.
func (t *Turn) records(person nod.PersonID) []wire.Signed {
	var phones []nod.Phone
	t.eachPhone(person, func(p nod.Phone) {
		if p.Approved && len(p.Record) > 0 {
			phones = append(phones, p)
		}
	})
	slices.SortFunc(phones, func(a, b nod.Phone) int { return -cmp.Compare(a.Created, b.Created) })
	needed := map[nod.PhoneID]bool{}
	records := []wire.Signed{}
	for _, p := range phones { // newest first: a signer is older than whom it approved
		var s wire.Signed
		var body wire.PhoneBody
		if p.Revoked != 0 && !needed[p.ID] || wire.Decode(p.Record, &s) != nil || wire.Decode([]byte(s.Body), &body) != nil {
			continue
		}
		needed[body.Signer] = true
		records = append(records, s)
	}
	slices.Reverse(records)
	return records
}

// Lost tells that a phone's link is over.
func (t *Turn) Lost(conn Conn, phone nod.PhoneID) {
	if t.holds(conn, phone) {
		t.wakeFor(phone, t.now.Add(WakeAfter))
	}
	t.always = append(t.always, func() {
		if l := t.core.links[phone]; l != nil && l.conn == conn {
			l.conn, l.lost, l.bearer = nil, t.now, ""
		}
	})
}

// Seen tells that a phone answered a beat.
func (t *Turn) Seen(phone nod.PhoneID) {
	if p, ok := t.phone(phone); ok && p.Revoked == 0 {
		// In memory only: a write each twelve seconds and phone would say nothing worth a disk.
		t.always = append(t.always, func() {
			p := t.core.phones[phone]
			p.Seen = t.now
			t.core.phones[phone] = p
		})
	}
}

// current reports whether a frame is from a phone's newest link: what an older
// one still says of offers and decisions is dropped (design section 6).
func (t *Turn) current(phone nod.PhoneID, epoch int64) bool {
	p, ok := t.phone(phone)
	l := t.core.links[phone]
	return ok && p.Revoked == 0 && l != nil && l.conn != nil && l.epoch == epoch && p.Epoch == epoch
}

// Progress records that an offer was delivered or its card shown.
func (t *Turn) Progress(kind call.Kind, phone nod.PhoneID, epoch int64, id nod.CallID) {
	if !t.current(phone, epoch) {
		return
	}
	c, ok := t.call(id)
	if !ok || !slices.Contains(audience(c), phone) {
		t.over(phone, id)
		return
	}
	t.awake(c, phone, kind)
	if t.keepsPlaceOf(c) {
		return // it crossed the word that keeps the card's place; another would take the place away
	}
	t.step(c, call.Event{Kind: kind, Phone: phone})
}

// over tells a phone that a call is over that is not in memory any more.
func (t *Turn) over(phone nod.PhoneID, id nod.CallID) {
	t.sendSigned(phone, wire.KindWithdraw, wire.CallBody{Call: id, Reason: call.ReasonOver})
}

// Decide commits a decision whose signature was checked against the phone's
// key, if it is the first valid one: from a screen that was asked, over exactly
// the bytes that were offered, in time, and nobody stopped it meanwhile.
func (t *Turn) Decide(phone nod.PhoneID, epoch int64, d wire.DecisionBody, signed wire.Signed) {
	if !t.current(phone, epoch) || d.Phone != phone {
		return
	}
	c, ok := t.call(d.Call)
	if !ok {
		t.over(phone, d.Call)
		return
	}
	body, _ := offered(c)
	digest, err := wire.Decode64(d.Digest)
	// What stands, stands by the acting phone's own records; what is asked is asked on the screens.
	mayDecide := slices.Contains(body.Screens, phone)
	if d.Choice == nod.ChoiceStanding {
		mayDecide = phone == c.Phone
	}
	if err != nil || !bytes.Equal(digest, c.Digest) || !mayDecide {
		return
	}
	if d.Choice == nod.ChoiceStanding && d.Basis != c.Verdict.Basis {
		return
	}
	if why, stopped := t.stopped(c); stopped && c.State.Open() && d.Choice != nod.ChoiceDecline {
		t.step(c, call.Event{Kind: call.SwitchOff, Why: why})
		return
	}
	t.step(c, call.Event{
		Kind: call.Decide, Phone: phone, Choice: d.Choice, Signed: jsonOf(signed), Work: t.work(c),
		Message: cutMessage(d.Reason, t.core.spec.Phone.MessageMaxChars), Upload: t.uploads(c),
	})
}

// stopped reports whether somebody stopped a call's agent or phone since it was
// offered. Stopping closes what is open in the same turn; this is for a stop
// that could not be written and acts in memory alone.
func (t *Turn) stopped(c nod.Call) (nod.Why, bool) {
	agent, _ := t.agent(c.Agent)
	person, _ := t.person(c.Person)
	phone, _ := t.phone(c.Phone)
	tool, _ := t.core.spec.Tool(c.Tool)
	switch {
	case agent.Revoked != 0 || phone.Revoked != 0 || agent.Paused || person.PausedAll || t.core.wentBack(c.Person):
		return nod.WhyPaused, true
	case agent.Access.State(c.App, c.Kind, tool.Private) == nod.AccessOff:
		return nod.WhyAccessOff, true
	}
	return "", false
}

// work is how long the acting phone may take after the decision.
func (t *Turn) work(c nod.Call) time.Duration {
	p, _ := t.phone(c.Phone)
	tool, _ := t.core.spec.Tool(c.Tool)
	return resultGrace + LaunchTime(p.Host) + time.Duration(tool.WaitsSeconds)*time.Second
}

// Result takes a result whose signature was checked, on whatever connection it
// came; whole says that what it names came with it and is kept. It is false for a
// call that the ledger must be asked for.
func (t *Turn) Result(r wire.ResultBody, signed wire.Signed, whole bool) bool {
	c, ok := t.call(r.Call)
	if !ok {
		return false
	}
	digest, err := wire.Decode64(r.Digest)
	if err != nil || !bytes.Equal(digest, c.Digest) {
		return true
	}
	ev := call.Event{
		Kind: call.Result, Phone: r.Phone, Status: call.Status(r.Status), Started: r.Started, Why: r.Why,
		Signed: jsonOf(signed), Data: whole && brings(r),
	}
	if c.Tool == spec.ToolPhoneAction {
		ev.Message = cutMessage(r.Message, t.core.spec.Phone.MessageMaxChars)
	}
	t.step(c, ev)
	return true
}

// Declares replaces what a phone says it can do.
func (t *Turn) Declares(conn Conn, phone nod.PhoneID, capabilities []nod.Capability) {
	if p, ok := t.phone(phone); ok && t.holds(conn, phone) {
		p.Capabilities = t.bounded(capabilities)
		t.phones[phone] = p
	}
}

// maxCapabilities bounds what a phone may declare; the contract has far fewer.
const maxCapabilities = 256

// bounded cuts what a phone declares to what is kept of it: an agent is told the reasons.
func (t *Turn) bounded(list []nod.Capability) []nod.Capability {
	list = slices.Clone(list[:min(len(list), maxCapabilities)])
	for i := range list {
		list[i].ID = clip(list[i].ID, 64)
		list[i].Reason = cutMessage(list[i].Reason, t.core.spec.Phone.MessageMaxChars)
	}
	return list
}

// holds reports whether conn is a phone's newest link.
func (t *Turn) holds(conn Conn, phone nod.PhoneID) bool {
	l := t.core.links[phone]
	return l != nil && l.conn == conn
}

// Presence records whether a phone's screen shows the phone side.
func (t *Turn) Presence(conn Conn, phone nod.PhoneID, visible bool) {
	if t.holds(conn, phone) {
		t.always = append(t.always, func() { t.core.links[phone].visible = visible })
		if !visible {
			t.wakeFor(phone, t.now)
		}
	}
}

// Tick ends what is due, and writes what could not be written before. Every
// turn begins with it.
func (t *Turn) Tick() {
	for _, stop := range t.core.unwritten {
		stop(t)
	}
	for _, d := range t.core.dues.until(t.now, t.core.stands, math.MaxInt) {
		if c, ok := t.call(d.call); ok {
			t.step(c, call.Event{Kind: call.Tick})
		}
	}
	t.sendWakes()
	t.flush()
}

// Recover takes the calls that a restart found: those whose connection is gone
// are withdrawn, decided ones get no new go. After a restore, what the copy held
// as open may have happened since.
func (t *Turn) Recover() {
	t.lostAll()
	t.dropForeign()
	t.eachOpen(func(c nod.Call) {
		ev := call.Event{Kind: call.Restarted}
		if t.core.wentBack(c.Person) {
			ev.Kind = call.SetBack
		}
		if c = t.step(c, ev); c.State.Open() {
			for _, phone := range audience(c) {
				t.planWake(c, phone, true)
			}
		}
	})
}

// lostAll counts every phone's link as lost at this moment: a restart cut them
// all, and who was there will be back within the grace of a lost link.
func (t *Turn) lostAll() {
	for id, p := range t.core.phones {
		if p.Approved && p.Revoked == 0 && p.Epoch > 0 && t.core.links[id] == nil {
			t.after = append(t.after, func() { t.core.links[id] = &live{lost: t.now} })
		}
	}
}

// GoSent records that a go was handed to the acting phone's link.
func (t *Turn) GoSent(id nod.CallID) {
	if c, ok := t.call(id); ok {
		t.step(c, call.Event{Kind: call.GoSent})
	}
}
