package gateway

import (
	"fmt"
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/link"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// Kinds of log entries about phones.
const (
	logPairingStarted = "pairing.started"
	logPairingUsed    = "pairing.used"
	logPhonePaired    = "phone.paired"
	logPhoneRejected  = "phone.rejected"
	logPhoneRecovered = "phone.recovered"
	logPhoneRevoked   = "phone.revoked"
	logPhoneRenamed   = "phone.renamed"
)

// waiting is a phone that has proven its link and is not approved yet. It is
// not stored: a restart voids it, and a new link is made.
type waiting struct {
	pairing store.Pairing
	want    wire.PhoneBody // what its phone record must say
	self    bool           // it approves itself: the first phone, or one that recovers
	digits  string
	state   auth.PairState
}

// StartPairing makes an invitation for one phone.
func (t *Turn) StartPairing(person nod.PersonID, recover bool) (store.Pairing, error) {
	if _, ok := t.person(person); !ok {
		return store.Pairing{}, nod.Errorf(nod.CodeNotFound, "there is no such person", `list people with "nod people"`)
	}
	secret := auth.NewSecret()
	p := store.Pairing{ID: auth.PairID(secret), Person: person, Secret: secret, Recover: recover,
		Created: t.now, Expires: t.now.Add(auth.PairingTTL)}
	t.pairings[p.ID] = p
	t.entry(log.Entry{Person: person, Kind: logPairingStarted, Facts: map[string]string{"recover": fmt.Sprint(recover)}}, nil)
	return p, nil
}

var errPairing = nod.Errorf(nod.CodeForbidden, "this pairing link is used, expired or not of this gateway", `make a new one with "nod pair"`)

// errNameTaken leaves the link as it is: a person is in front of that screen and chooses another name.
var errNameTaken = nod.Errorf(nod.CodeConflict, "this person has a phone of that name already", "choose another name; the link is still good")

var errNotFirst = nod.Errorf(nod.CodeForbidden, "another phone was paired meanwhile, so this one needs its yes", `make a new link with "nod pair"`)

// Pair takes a phone's request: the link is used up, the phone is known, and it
// counts as soon as its record is signed by itself or by another phone.
func (t *Turn) Pair(q auth.PairRequest) (auth.PairReply, error) {
	p, ok := t.pairing(q.ID)
	if !ok || p.Used != 0 || t.now >= p.Expires || len(p.Secret) == 0 {
		return auth.PairReply{}, errPairing
	}
	if err := q.Check(p.Secret); err != nil {
		return auth.PairReply{}, err
	}
	if q.Host == nod.HostWeb && t.freePhoneName(p.Person, q.Name) != q.Name {
		return auth.PairReply{}, errNameTaken
	}
	person, _ := t.person(p.Person)
	key, err := wire.Decode64(q.Key)
	if err != nil {
		return auth.PairReply{}, err
	}
	self := p.Recover || !t.hasPhone(p.Person)
	phone := nod.Phone{ID: nod.NewPhoneID(), Person: p.Person, Name: t.freePhoneName(p.Person, q.Name), Host: q.Host, Key: key, Created: t.now}
	reply, err := auth.NewPairReply(p.Secret, q, auth.PairReply{Phone: phone.ID, Person: person.ID, PersonName: person.Name,
		GatewayKey: wire.Encode64(t.core.signer.Public()), First: self})
	if err != nil {
		return auth.PairReply{}, err
	}
	digits, err := auth.Digits(q, reply)
	if err != nil {
		return auth.PairReply{}, err
	}
	p.Used, p.Phone = t.now, phone.ID
	t.pairings[p.ID], t.phones[phone.ID] = p, phone
	w := waiting{pairing: p, self: self, digits: digits, state: auth.PairWaiting,
		want: wire.PhoneBody{Phone: phone.ID, Person: p.Person, Name: q.Name, Host: q.Host, Key: q.Key, Signer: phone.ID}}
	t.waiting[p.ID] = w
	t.logPhone(logPairingUsed, phone, nil)
	t.tellWaiting(w)
	return reply, nil
}

// waits returns a phone's pairing as it is in this turn.
func (t *Turn) waits(pairing string) (waiting, bool) {
	return newest(t.waiting, t.core.waiting, pairing)
}

func (t *Turn) hasPhone(person nod.PersonID) bool {
	has := false
	t.eachPhone(person, func(p nod.Phone) { has = has || p.Approved && p.Revoked == 0 })
	return has
}

// freePhoneName keeps the names of a person's phones apart, so that one can be named.
func (t *Turn) freePhoneName(person nod.PersonID, name string) string {
	taken := map[string]bool{}
	t.eachPhone(person, func(p nod.Phone) {
		lower := strings.ToLower(p.Name) // as findPhone reads them
		taken[lower] = taken[lower] || p.Revoked == 0 && p.Approved
	})
	free := name
	for n := 2; taken[strings.ToLower(free)]; n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

// PairRecord takes the record that a phone signed for itself. A phone that
// recovers pauses every agent and tells the other phones.
func (t *Turn) PairRecord(r auth.RecordRequest) error {
	w, ok := t.waits(r.ID)
	if !ok || w.state != auth.PairWaiting || !w.self || t.now >= w.pairing.Expires {
		return errPairing
	}
	if !w.pairing.Recover && t.hasPhone(w.pairing.Person) {
		return errNotFirst // another one was quicker: from then on a phone needs a yes
	}
	phone, ok := t.phone(w.want.Phone)
	if !ok || phone.Revoked != 0 {
		return errPairing
	}
	key, err := wire.ParsePublic(phone.Key)
	if err != nil {
		return err
	}
	if err := auth.CheckRecord(r.Record, w.want, key); err != nil {
		return err
	}
	t.approve(r.ID, phone, r.Record, phone.ID)
	if w.pairing.Recover {
		t.entry(log.Entry{Person: phone.Person, Phone: phone.ID, Kind: logPhoneRecovered}, nil)
		t.eachAgent(phone.Person, func(a nod.Agent) {
			if a.Revoked == 0 {
				t.pauseAgent(a, "recovered")
			}
		})
	}
	return nil
}

// Approve takes a phone record that another phone signed for one that waits.
func (t *Turn) Approve(by nod.PhoneID, record wire.Signed, body wire.PhoneBody) error {
	approver, ok := t.phone(by)
	if !ok || !approver.Approved || approver.Revoked != 0 {
		return errPairing
	}
	for id := range t.core.waiting {
		w, _ := t.waits(id)
		if w.want.Phone != body.Phone || w.state != auth.PairWaiting || w.self || w.pairing.Person != approver.Person || t.now >= w.pairing.Expires {
			continue
		}
		w.want.Signer = by
		key, err := wire.ParsePublic(approver.Key)
		if err != nil {
			return err
		}
		if err := auth.CheckRecord(record, w.want, key); err != nil {
			return err
		}
		phone, ok := t.phone(body.Phone)
		if !ok || phone.Revoked != 0 {
			return errPairing
		}
		t.approve(id, phone, record, by)
		return nil
	}
	return errPairing
}

// approve makes a phone count, and tells the person's others of it.
func (t *Turn) approve(pairing string, phone nod.Phone, record wire.Signed, by nod.PhoneID) {
	phone.Name = t.freePhoneName(phone.Person, phone.Name) // another may have got it meanwhile
	phone.Approved, phone.Record = true, jsonOf(record)
	t.phones[phone.ID] = phone
	t.settle(pairing, auth.PairApproved)
	t.logPhone(logPhonePaired, phone, map[string]string{"by": string(by)})
	t.eachPhone(phone.Person, func(p nod.Phone) {
		if p.ID != phone.ID && p.Approved && p.Revoked == 0 {
			t.send(p.ID, wire.Frame{Kind: wire.KindRecords, Record: &record})
		}
	})
}

func (t *Turn) settle(pairing string, state auth.PairState) {
	w, _ := t.waits(pairing)
	w.state = state
	t.waiting[pairing] = w
	t.tellWaiting(w)
}

// tellWaiting lets the person's phones know that the list of those that wait
// for a yes is another one, so that no page has to ask again and again.
func (t *Turn) tellWaiting(w waiting) {
	if w.self {
		return
	}
	t.eachPhone(w.pairing.Person, func(p nod.Phone) {
		if p.ID != w.want.Phone && p.Approved && p.Revoked == 0 && p.Screen {
			t.send(p.ID, wire.Frame{Kind: wire.KindRecords, Reason: reasonPairing})
		}
	})
}

// reasonPairing is the reason of a records frame that says: ask who waits.
const reasonPairing = "pairing"

// Reject turns down a phone that waits.
func (t *Turn) Reject(person nod.PersonID, pairing string) error {
	w, ok := t.waits(pairing)
	if !ok || w.state != auth.PairWaiting || w.pairing.Person != person {
		return errPairing
	}
	phone, _ := t.phone(w.want.Phone)
	phone.Revoked = t.now
	t.phones[phone.ID] = phone
	t.settle(pairing, auth.PairRejected)
	t.logPhone(logPhoneRejected, phone, nil)
	return nil
}

// RevokePhone removes a phone for good: its link is closed, what it was to act
// on is withdrawn, and nothing it signed counts any more: no go is sent on its
// word. It returns the calls whose go was sent before.
func (t *Turn) RevokePhone(person nod.PersonID, word string) (nod.Phone, []nod.CallID, error) {
	p, err := t.phoneNamed(person, word)
	if err != nil {
		return nod.Phone{}, nil, err
	}
	return p, t.revokePhone(p), nil
}

func (t *Turn) revokePhone(p nod.Phone) []nod.CallID {
	p.Revoked = t.now
	t.phones[p.ID] = p
	t.narrow(func() {
		t.core.phones[p.ID] = p
		if l := t.core.links[p.ID]; l != nil && l.conn != nil {
			l.conn.Close(link.Revoked)
		}
	}, func(t *Turn) { t.revokePhone(p) })
	t.logPhone(logPhoneRevoked, p, nil)
	t.unsubscribe(p.ID, "removed")
	var inFlight []nod.CallID
	t.eachOpen(func(c nod.Call) {
		if c.Phone != p.ID && c.DecidedBy != p.ID {
			return
		}
		if after := t.step(c, call.Event{Kind: call.Withdraw, Why: nod.WhyPhoneRemoved}); !after.Final() {
			inFlight = append(inFlight, c.ID)
		}
	})
	if signed, err := wire.Sign(t.core.signer, wire.KindRevoked, wire.RevokedBody{Phone: p.ID}); err == nil {
		t.out = append(t.out, Out{Phone: p.ID, Frame: wire.FrameOf(signed), Close: link.Revoked})
	}
	t.after = append(t.after, func() {
		if l := t.core.links[p.ID]; l != nil {
			l.bearer = ""
		}
	})
	return inFlight
}

// RenamePhone changes what a phone is called. Its record keeps the name it was paired with.
func (t *Turn) RenamePhone(person nod.PersonID, word, name string) (nod.Phone, error) {
	p, err := t.phoneNamed(person, word)
	if err != nil {
		return nod.Phone{}, err
	}
	if err := auth.ValidName(name); err != nil {
		return nod.Phone{}, err
	}
	if other, taken := t.findPhone(person, name); taken && other.ID != p.ID {
		return nod.Phone{}, nod.Errorf(nod.CodeConflict, fmt.Sprintf("there is a phone named %q already", name), "choose another name")
	}
	p.Name = name
	t.phones[p.ID] = p
	t.logPhone(logPhoneRenamed, p, nil)
	return p, nil
}

// Waiting lists a person's phones that wait for a yes.
func (k *Core) Waiting(person nod.PersonID, now nod.Time) []auth.Waiting {
	var list []auth.Waiting
	for id, w := range k.waiting {
		if w.pairing.Person == person && w.state == auth.PairWaiting && !w.self && now < w.pairing.Expires {
			list = append(list, auth.Waiting{ID: id, Phone: string(w.want.Phone), Name: w.want.Name, Host: w.want.Host, Key: w.want.Key, Digits: w.digits,
				LeftMS: w.pairing.Expires.Sub(now).Milliseconds()})
		}
	}
	slices.SortFunc(list, func(a, b auth.Waiting) int {
		return int(k.waiting[a.ID].pairing.Created - k.waiting[b.ID].pairing.Created)
	})
	return list
}

// PairState says where a pairing stands.
func (k *Core) PairState(pairing string, now nod.Time) auth.PairState {
	w, ok := k.waiting[pairing]
	if !ok || w.state == auth.PairWaiting && now >= w.pairing.Expires {
		return auth.PairExpired
	}
	return w.state
}

func (t *Turn) logPhone(kind string, p nod.Phone, facts map[string]string) {
	if facts == nil {
		facts = map[string]string{}
	}
	facts["host"] = string(p.Host)
	t.entry(log.Entry{Person: p.Person, Kind: kind, Phone: p.ID, Facts: facts}, map[string]string{"name": p.Name, "key": wire.Encode64(p.Key)})
}
