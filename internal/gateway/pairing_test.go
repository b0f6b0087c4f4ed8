package gateway

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

func TestLinkIsUsedOnce(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		pairing, err := h.StartPairing(t.Context(), h.person, false)
		if err != nil {
			t.Fatal(err)
		}
		request := func() auth.PairRequest {
			key, _ := wire.GenerateKey()
			q, err := auth.NewPairRequest(pairing.Secret, key.Public(), "Pixel", nod.HostWeb)
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		first, second := request(), request()
		if _, err := h.Pair(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Pair(t.Context(), second); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("a second phone on one link = %v", err)
		}
		if _, err := h.Pair(t.Context(), first); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("a replayed request = %v", err)
		}
	})
}

func TestLinkExpires(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		pairing, err := h.StartPairing(t.Context(), h.person, false)
		if err != nil {
			t.Fatal(err)
		}
		key, _ := wire.GenerateKey()
		q, _ := auth.NewPairRequest(pairing.Secret, key.Public(), "Pixel", nod.HostWeb)
		pass(15 * time.Minute)
		if _, err := h.Pair(t.Context(), q); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("an expired link = %v", err)
		}
	})
}

// A person in front of a browser chooses another name where theirs is taken, on
// the same link. A program cannot choose: it gets a number.
func TestNameThatIsTaken(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		h.pair("Pixel", false)
		pairing, err := h.StartPairing(t.Context(), h.person, true)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(name string, host nod.Host) error {
			key, _ := wire.GenerateKey()
			q, err := auth.NewPairRequest(pairing.Secret, key.Public(), name, host)
			if err != nil {
				t.Fatal(err)
			}
			_, err = h.Pair(t.Context(), q)
			return err
		}
		for _, name := range []string{"Pixel", "pixel"} { // names are read without their case
			if err := ask(name, nod.HostWeb); nod.CodeOf(err) != nod.CodeConflict {
				t.Errorf("a browser called %s where there is a Pixel = %v", name, err)
			}
		}
		if err := ask("Pixel 2", nod.HostWeb); err != nil {
			t.Errorf("another name on the same link = %v", err)
		}
		for _, name := range []string{"Pixel", "pixel"} {
			_, reply, _ := h.present(name, true)
			if got := h.core.phones[reply.Phone].Name; got != name+" 2" {
				t.Errorf("a program called %s is called %q", name, got)
			}
		}
	})
}

// Two phones of one name that wait at the same time are told apart once they count.
func TestTwoOfOneName(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		first := h.pair("Pixel", false)
		first.connect()
		one, _, q1 := h.present("Tablet", false)
		two, _, q2 := h.present("Tablet", false)
		h.approve(first, one, q1, nil)
		h.approve(first, two, q2, nil)
		synctest.Wait()
		var names []string
		for _, p := range h.Phones(h.person) {
			names = append(names, p.Name)
		}
		slices.Sort(names)
		if !slices.Equal(names, []string{"Pixel", "Tablet", "Tablet 2"}) {
			t.Errorf("the phones are %v", names)
		}
	})
}

func (h *house) approve(by, p *pixel, q auth.PairRequest, change func(*wire.PhoneBody)) {
	h.t.Helper()
	body := wire.PhoneBody{Phone: p.id, Person: h.person, Name: p.name, Host: nod.HostSim, Key: q.Key, Signer: by.id}
	if change != nil {
		change(&body)
	}
	record, err := wire.Sign(by.key, wire.RecordPhone, body)
	if err != nil {
		h.t.Fatal(err)
	}
	by.frame(wire.Frame{Kind: wire.KindRecords, Record: &record})
}

func TestSecondPhoneIsApprovedOnTheFirst(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		first := h.pair("Pixel", false)
		first.connect()
		second, reply, q := h.present("Tablet", false)
		if reply.First {
			t.Fatal("a second phone approves itself")
		}
		own, _ := wire.Sign(second.key, wire.RecordPhone, wire.PhoneBody{Phone: second.id, Person: h.person, Name: "Tablet", Host: nod.HostSim, Key: q.Key, Signer: second.id})
		if err := h.PairRecord(t.Context(), auth.RecordRequest{ID: q.ID, Record: own}); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("its own record = %v, want refused", err)
		}
		if err := (phones{h.Gateway}).Hello(t.Context(), second, wire.HelloBody{Phone: second.id, Range: wire.OwnRange()}); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("a hello before the yes = %v, want refused", err)
		}
		waiting := h.Waiting(h.person)
		digits, _ := auth.Digits(q, reply)
		if len(waiting) != 1 || waiting[0].Digits != digits || len(digits) != 6 {
			t.Fatalf("waiting %+v, digits %q", waiting, digits)
		}
		other, _ := wire.GenerateKey()
		h.approve(first, second, q, func(b *wire.PhoneBody) { b.Key = wire.Encode64(other.Public()) })
		if h.PairState(q.ID) != auth.PairWaiting {
			t.Fatal("a record for another key was taken")
		}
		h.approve(first, second, q, nil)
		if state := h.PairState(q.ID); state != auth.PairApproved {
			t.Fatalf("state %s", state)
		}
		first.take(wire.KindRecords)
		if welcome := second.connect(); len(welcome.Phones) != 2 {
			t.Errorf("the welcome has %d phone records, want 2", len(welcome.Phones))
		}
	})
}

func TestReject(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		h.pair("Pixel", false)
		_, _, q := h.present("Tablet", false)
		if err := h.Reject(t.Context(), h.person, q.ID); err != nil {
			t.Fatal(err)
		}
		if state := h.PairState(q.ID); state != auth.PairRejected {
			t.Errorf("state %s", state)
		}
		if len(h.Phones(h.person)) != 1 {
			t.Error("a rejected phone is listed")
		}
	})
}

func TestRecover(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		old := h.pair("Old", false)
		old.connect()
		fresh := h.pair("New", true)
		fresh.connect()
		old.take(wire.KindRecords)
		if a := h.Agents(h.person)[0]; !a.Paused {
			t.Error("recovering did not pause the agents")
		}
		if c := h.ask(alarm); c.Verdict.Rule != nod.RulePaused {
			t.Errorf("a call after recovering: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		resume, _ := wire.Sign(fresh.key, wire.RecordResume, wire.RecordBody{ID: "record_1", Phone: fresh.id, Agent: h.agent})
		fresh.frame(wire.Frame{Kind: wire.KindRecords, Record: &resume})
		if c := h.ask(alarm); c.Final() {
			t.Errorf("after the resume: %s by %s", c.Outcome, c.Verdict.Rule)
		}
	})
}

// TestOtherScreenDecides: a phone without a screen acts on another's decision.
func TestOtherScreenDecides(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		screen := h.pair("Pixel", false)
		screen.connect()
		rig, _, q := h.present("Rig", false)
		rig.noShow = true
		h.approve(screen, rig, q, nil)
		rig.connect()
		c := h.ask(alarm, func(a *Ask) { a.Phone = "rig" })
		o := rig.offer()
		if len(o.Screens) != 1 || o.Screens[0] != screen.id || o.Phone != rig.id {
			t.Fatalf("phone %s, screens %v", o.Phone, o.Screens)
		}
		shown := screen.offer()
		rig.confirm(o)
		rig.none(wire.KindGo)
		screen.shown(shown)
		screen.confirm(shown)
		screen.none(wire.KindGo)
		rig.take(wire.KindGo)
		rig.result(o, wire.ResultDone, true, "")
		h.want(c.ID, nod.Done, "")

		c = h.ask(timer, func(a *Ask) { a.Phone = "Rig" })
		rig.offer()
		screen.decide(screen.offer(), nod.ChoiceDecline, "")
		h.want(c.ID, nod.Declined, "")
		rig.take(wire.KindWithdraw)
	})
}

// TestTwoFirstPhones: of two phones that were told to approve themselves, the
// one that comes second needs the other's yes.
func TestTwoFirstPhones(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		one, _, q1 := h.present("One", false)
		two, reply, q2 := h.present("Two", false)
		if !reply.First {
			t.Fatal("no phone counts yet, and the second one was not told that it is the first")
		}
		record := func(p *pixel, q auth.PairRequest) error {
			signed, err := wire.Sign(p.key, wire.RecordPhone, wire.PhoneBody{Phone: p.id, Person: h.person, Name: p.name, Host: nod.HostSim, Key: q.Key, Signer: p.id})
			if err != nil {
				t.Fatal(err)
			}
			return h.PairRecord(t.Context(), auth.RecordRequest{ID: q.ID, Record: signed})
		}
		if err := record(one, q1); err != nil {
			t.Fatal(err)
		}
		if err := record(two, q2); nod.CodeOf(err) != nod.CodeForbidden {
			t.Errorf("a second phone approved itself: %v", err)
		}
		if n := len(h.Phones(h.person)); n != 1 {
			t.Errorf("%d phones count, want 1", n)
		}
	})
}

// TestRevokedWhileItWaits: a phone that was removed or turned down before its
// yes is not approved by one that comes after.
func TestRevokedWhileItWaits(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		first := h.pair("Pixel", false)
		first.connect()
		second, _, q := h.present("Tablet", false)
		if _, _, err := h.RevokePhone(t.Context(), h.person, string(second.id)); err != nil {
			t.Fatal(err)
		}
		h.approve(first, second, q, nil)
		if state := h.PairState(q.ID); state == auth.PairApproved {
			t.Error("a phone that was removed is approved")
		}
		h.restart()
		if p := h.core.phones[second.id]; p.Approved {
			t.Error("a phone that was removed counts as approved")
		}
	})
}

// TestOnlyTheActingPhoneStands: what is allowed without a card is allowed by
// the acting phone's own records. Another screen's word is no yes to it, and the
// acting host would drop its go.
func TestOnlyTheActingPhoneStands(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		screen := h.pair("Pixel", false)
		screen.connect()
		rig := h.second(screen, "Rig")
		rig.noShow = true
		rig.connect()
		var c nod.Call
		h.together(func(t *Turn) error {
			agent, _ := t.agent(h.agent)
			ask := Ask{Agent: h.agent, Tool: spec.ToolPhoneAction, Arguments: []byte(torch)}
			c = t.receive(agent, ask)
			act, _ := action.Check(spec.Get(), ask.Tool, ask.Arguments)
			c.Phone, c.Tool, c.Action = rig.id, act.Tool, act.Name
			verdict := nod.Verdict{Answer: nod.Allow, Rule: nod.RuleNever, Basis: policy.BasisSpec}
			offer, err := t.offer(c, agent, act, t.classify(act), []nod.PhoneID{screen.id}, verdict, ask)
			c = t.step(c, offer)
			return err
		})
		stand := func(p *pixel) {
			o := p.offer()
			signed, err := wire.Sign(p.key, wire.KindDecision, wire.DecisionBody{Call: o.Call, Digest: digestOf(o), Phone: p.id,
				Choice: nod.ChoiceStanding, Basis: policy.BasisSpec, Assurance: nod.AssuranceNative})
			if err != nil {
				t.Fatal(err)
			}
			p.frame(wire.FrameOf(signed))
		}
		stand(screen)
		rig.none(wire.KindGo)
		stand(rig)
		rig.take(wire.KindGo)
		if now := h.now(c.ID); now.DecidedBy != rig.id {
			t.Errorf("decided by %s", now.DecidedBy)
		}
	})
}
