package gateway

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

var updateReceipt = flag.Bool("update-receipt", false, "write spec/vectors/receipt.json anew")

// phoneOf is a phone's row as the phone API has it.
func (h *house) phoneOf(person nod.PersonID, id nod.PhoneID) nod.Phone {
	h.t.Helper()
	for _, p := range h.Phones(person) {
		if p.ID == id {
			return p.Phone
		}
	}
	h.t.Fatalf("there is no phone %s", id)
	return nod.Phone{}
}

// done takes a call to its end on a phone.
func (h *house) done(p *pixel, arguments string) nod.Call {
	h.t.Helper()
	c := h.ask(arguments)
	o := p.offer()
	p.delivered(o)
	p.shown(o)
	p.confirm(o)
	p.take(wire.KindGo)
	p.result(o, wire.ResultDone, true, "Alarm set for 07:30.")
	return h.want(c.ID, nod.Done, "")
}

// A receipt proves a whole call to whoever knows the gateway's key and the
// phone's: what was offered, decided and done, and that it is in the log.
func TestReceipt(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.done(p, alarm)
		h.done(p, timer) // the log goes on
		receipt, _, err := h.ReceiptOf(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(receipt.Entries) != 6 || receipt.Offer != string(c.Offer) || receipt.Decision == nil || receipt.Result == nil {
			t.Fatalf("the receipt has %d entries: %+v", len(receipt.Entries), receipt)
		}
		keys := h.PhoneKeys(h.person)
		key := func(id nod.PhoneID) (wire.PublicKey, error) { return wire.ParsePublic(keys[id]) }
		public, err := wire.ParsePublic(h.PublicKey())
		if err != nil {
			t.Fatal(err)
		}
		if err := receipt.Check(c.ID, public, key); err != nil {
			t.Error(err)
		}
		if err := receipt.Check(nod.NewCallID(), public, key); err == nil {
			t.Error("it proves another call too")
		}
		if *updateReceipt {
			writeVector(t, c.ID, h.PublicKey(), keys, receipt)
		}
	})
}

func writeVector(t *testing.T, id nod.CallID, gateway []byte, keys map[nod.PhoneID][]byte, receipt any) {
	t.Helper()
	phones := map[nod.PhoneID]string{}
	for phone, key := range keys {
		phones[phone] = wire.Encode64(key)
	}
	data, err := json.MarshalIndent(map[string]any{"call": id, "gateway": wire.Encode64(gateway), "phones": phones, "receipt": receipt}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../spec/vectors/receipt.json", append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// I9 for what a phone looks up: another person's calls, and those in which
// another phone of the same person acted and decided, do not exist for it.
func TestAPhonesPastIsItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		mine := h.pair("Pixel", false)
		mine.connect()
		c := h.done(mine, alarm)
		person, theirs := h.stranger()
		second := h.pair("Tablet", true)
		for name, phone := range map[string]nod.Phone{
			"another person's phone": h.phoneOf(person, theirs.id), "a second phone": h.phoneOf(h.person, second.id),
		} {
			if _, err := h.CallOf(t.Context(), phone, c.ID); nod.CodeOf(err) != nod.CodeNotFound {
				t.Errorf("%s finds the call: %v", name, err)
			}
			if calls, err := h.CallsOf(t.Context(), phone, PhoneCalls{}); err != nil || len(calls) != 0 {
				t.Errorf("%s lists %d calls, %v", name, len(calls), err)
			}
			if apps, err := h.AppsOf(t.Context(), phone); err != nil || len(apps) != 0 {
				t.Errorf("%s has calls of %v, %v", name, apps, err)
			}
			if _, err := h.CallsOf(t.Context(), phone, PhoneCalls{Before: c.ID}); nod.CodeOf(err) != nod.CodeNotFound {
				t.Errorf("%s learns that the call exists: %v", name, err)
			}
		}
		agents, phones := h.Names(person)
		if len(agents) != 0 || len(phones) != 1 {
			t.Errorf("another person is told the names %v, %v", agents, phones)
		}
		calls, err := h.CallsOf(t.Context(), h.phoneOf(h.person, mine.id), PhoneCalls{App: "clock"})
		if err != nil || len(calls) != 1 || calls[0].ID != c.ID {
			t.Errorf("the phone itself lists %v, %v", calls, err)
		}
	})
}

// A screen that decided over what another phone did has it in its past.
func TestTheDecidingPhonesPast(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		acts := h.pair("Box", false)
		acts.noShow = true
		acts.connect()
		screen := h.pair("Pixel", true)
		screen.unable = []string{"alarm"}
		screen.connect()
		resume(h, screen)
		c := h.ask(alarm, func(a *Ask) { a.Phone = string(acts.id) })
		screen.decide(screen.offer(), nod.ChoiceDecline, "")
		h.want(c.ID, nod.Declined, "")
		for _, p := range []*pixel{acts, screen} {
			if _, err := h.CallOf(t.Context(), h.phoneOf(h.person, p.id), c.ID); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
	})
}

// resume lets the house's agents ask again, which a recovering phone paused.
func resume(h *house, p *pixel) {
	h.t.Helper()
	record, err := wire.Sign(p.key, wire.RecordResume, wire.RecordBody{ID: "record_resume", Phone: p.id, Agent: h.agent})
	if err != nil {
		h.t.Fatal(err)
	}
	p.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
	p.take(wire.KindAck)
}

// That the ledger cannot be read is not said to be a call that there is not.
func TestPastThatCannotBeRead(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		phone := h.Phones(h.person)[0].Phone
		if _, err := h.CallOf(t.Context(), phone, nod.NewCallID()); nod.CodeOf(err) != nod.CodeNotFound {
			t.Errorf("a call that there is not: %v", err)
		}
		if err := h.ledger.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.CallOf(t.Context(), phone, nod.NewCallID()); err == nil || nod.CodeOf(err) == nod.CodeNotFound {
			t.Errorf("a ledger that cannot be read: %v", err)
		}
	})
}
