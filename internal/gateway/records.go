package gateway

import (
	"slices"
	"strconv"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// Kinds of log entries about records.
const (
	logRecord  = "record.made"
	logSetBack = "set_back"
)

// Record takes a pause, resume, revoke or access that a phone signed; the
// signature was checked against that phone's key. Only a phone widens: resuming
// and switching on are records, while pausing, revoking and switching off may come
// from anywhere.
func (t *Turn) Record(by nod.PhoneID, signed wire.Signed, r wire.RecordBody) error {
	p, ok := t.phone(by)
	if !ok || !p.Approved || p.Revoked != 0 || r.Phone != by {
		return nod.Errorf(nod.CodeForbidden, "this record is not signed by a paired phone", "")
	}
	if r.ID == "" || len(r.ID) > 80 {
		return nod.Errorf(nod.CodeInvalid, "a record needs an id", "")
	}
	if t.core.records[r.ID] || slices.ContainsFunc(t.batch.Records, func(taken store.Record) bool { return taken.ID == r.ID }) {
		return nil
	}
	if !t.heard(p, signed.Kind, r) {
		return nod.Errorf(nod.CodeTooMany, "this phone sends more records than a person can mean", "it sends them again later")
	}
	var err error
	switch signed.Kind {
	case wire.RecordPause:
		if r.Agent == "" {
			_, err = t.PauseAll(p.Person, p.Name)
		} else {
			_, _, err = t.PauseAgent(p.Person, string(r.Agent))
		}
	case wire.RecordResume:
		err = t.resume(p, r)
	case wire.RecordRevoke:
		if r.Target != "" {
			_, _, err = t.RevokePhone(p.Person, string(r.Target))
		} else {
			_, _, err = t.RevokeAgent(p.Person, string(r.Agent))
		}
	case wire.RecordAccess:
		err = t.setAccess(p, r)
	default:
		err = nod.Errorf(nod.CodeInvalid, "there is no record of the kind "+clip(signed.Kind, 40), "")
	}
	if err != nil {
		return err
	}
	t.after = append(t.after, func() { t.core.records[r.ID] = true })
	t.batch.Records = append(t.batch.Records, store.Record{ID: r.ID, Person: p.Person, Kind: signed.Kind, Signed: jsonOf(signed), At: t.now})
	t.entry(log.Entry{Person: p.Person, Kind: logRecord, Phone: by, Agent: r.Agent, Facts: map[string]string{"record": signed.Kind, "id": string(r.ID)}},
		map[string]string{"record": string(jsonOf(signed))})
	return nil
}

// maxRecords is how many records of one phone are taken in a minute, so that a
// phone in a loop cannot fill the disk.
const maxRecords = 60

// heard counts a phone's record into its minute, and reports whether it is to
// be taken. What stops something that goes on is never refused.
func (t *Turn) heard(p nod.Phone, kind string, r wire.RecordBody) bool {
	often := t.often(p.ID)
	person, _ := t.person(p.Person)
	agent, _ := t.agent(r.Agent)
	stops := kind == wire.RecordRevoke || kind == wire.RecordPause && !person.PausedAll && !agent.Paused ||
		kind == wire.RecordAccess && narrows(agent.Access, r.Switches)
	return stops || !often
}

// often counts something that a phone wants written into its minute, and reports
// whether that is more than a person can mean.
func (t *Turn) often(phone nod.PhoneID) bool {
	l := t.core.links[phone]
	if l == nil {
		return false
	}
	if t.now.Sub(l.minute) >= time.Minute {
		l.minute, l.records = t.now, 0
	}
	l.records++
	return l.records > maxRecords
}

// resume lets agents ask again: one, all, or all after a restore that the
// person accepts (design section 3, "Set back").
func (t *Turn) resume(by nod.Phone, r wire.RecordBody) error {
	if r.Agent != "" {
		a, err := t.signedFor(by.Person, r.Agent)
		if err != nil {
			return err
		}
		a.Paused = false
		t.agents[a.ID] = a
		t.logAgent(logResumed, a, nil)
		return nil
	}
	p, _ := t.person(by.Person)
	p.PausedAll = false
	t.people[p.ID] = p
	t.entry(log.Entry{Person: p.ID, Kind: logResumed, Phone: by.ID}, nil)
	if r.SetBack == nil {
		return nil
	}
	t.eachAgent(by.Person, func(a nod.Agent) {
		if a.Revoked == 0 && a.Paused {
			a.Paused = false
			t.agents[a.ID] = a
		}
	})
	if at := t.core.setBackAt; at != "" {
		t.batch.Meta[acceptedKey(by.Person)] = at
		t.after = append(t.after, func() { t.core.accepted[by.Person] = at })
	}
	t.entry(log.Entry{Person: p.ID, Kind: logSetBack, Phone: by.ID}, map[string]any{"accepted": r.SetBack})
	return nil
}

// signedFor finds the agent that a record widens by its id and nothing else: no
// other agent has what was signed for it, whatever it is called.
func (t *Turn) signedFor(person nod.PersonID, id nod.AgentID) (nod.Agent, error) {
	if a, ok := t.agent(id); ok && a.Person == person && a.Revoked == 0 {
		return a, nil
	}
	return nod.Agent{}, nod.Errorf(nod.CodeNotFound, "the record is about no agent that this person has", "")
}

// acceptedKey is the ledger's small fact that a person accepted a restore.
func acceptedKey(person nod.PersonID) string { return "accepted/" + string(person) }

// wentBack reports whether the ledger was restored from a copy and the person
// has not accepted that.
func (k *Core) wentBack(person nod.PersonID) bool {
	return k.setBackAt != "" && k.accepted[person] != k.setBackAt
}

// wentBackTo returns the ledger time of the last thing that a restored ledger
// still knew, 0 when it was not restored.
func (k *Core) wentBackTo(person nod.PersonID) nod.Time {
	ms, err := strconv.ParseInt(k.setBackAt, 10, 64)
	if err != nil || !k.wentBack(person) {
		return 0
	}
	return nod.Time(ms)
}
