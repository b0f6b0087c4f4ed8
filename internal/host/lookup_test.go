package host_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// phoneOffer is an offer of phone_action.
func phoneOffer(call nod.CallID, action string, f nod.Fields) wire.OfferBody {
	a, _ := spec.Get().Action(action)
	o := alarm(call)
	o.Action, o.Fields, o.Summary, o.Risk = action, f, action, a.Risk
	return o
}

func to(numbers ...any) nod.Fields { return nod.Fields{"to": numbers, "text": "Late"} }

// TestLookUp holds that a name is its number before the card, or there is no
// card: what is on the card is what is carried out, and nothing else.
func TestLookUp(t *testing.T) {
	bo := host.Row{Field: "to", Given: "Bo", Name: "Bo Lindqvist", Label: "mobile", Value: "+46 70 000 00 03"}
	for _, c := range []struct {
		name   string
		offer  wire.OfferBody
		system string
		why    nod.Why
		rows   []host.Row
		after  func(sim.State) bool
	}{
		{"a number", phoneOffer("call_1", "sms_draft", to("+351 910 000 001")), "contacts=deny", "", nil,
			func(s sim.State) bool { return s.Texts[0].To[0] == "+351 910 000 001" }},
		{"a name", phoneOffer("call_1", "sms_draft", to("Bo", "+351 910 000 001")), "", "", []host.Row{bo},
			func(s sim.State) bool { return s.Texts[0].To[0] == bo.Value && s.Texts[0].To[1] == "+351 910 000 001" }},
		{"a name, asked slowly", phoneOffer("call_1", "sms_draft", to("Bo")), "contacts=slow:30s,background", "", []host.Row{bo},
			func(s sim.State) bool { return s.Texts[0].To[0] == bo.Value }},
		{"several", phoneOffer("call_1", "sms_draft", to("Ana")), "", nod.WhyMoreThanOne, nil, nil},
		{"two numbers", phoneOffer("call_1", "sms_draft", to("Ana Costa")), "", nod.WhyMoreThanOne, nil, nil},
		{"nobody", phoneOffer("call_1", "sms_draft", to("Bo", "Cy")), "", nod.WhyNotFound, nil, nil},
		{"a wildcard", phoneOffer("call_1", "sms_draft", to("%")), "", nod.WhyNotFound, nil, nil},
		{"not allowed", phoneOffer("call_1", "sms_draft", to("Bo")), "contacts=deny", nod.WhyNotAllowed, nil, nil},
		{"nobody answers", phoneOffer("call_1", "sms_draft", to("Bo")), "contacts=ignore", nod.WhyNobodyAnswered, nil, nil},
		{"background", phoneOffer("call_1", "sms_draft", to("Bo")), "contacts=allow,background,notifications=off", nod.WhyBackground, nil, nil},
		{"an event", toolOffer("call_1", spec.ToolCalendarDelete, nod.Fields{"id": int64(2)}), "", "",
			[]host.Row{{Field: "id", Given: "2", Name: "Team meeting", Label: "2000-01-03T10:00", Repeats: true}},
			func(s sim.State) bool { return len(s.Appointments) == 2 }},
		{"no event", toolOffer("call_1", spec.ToolCalendarUpdate, nod.Fields{"id": int64(9), "title": "x"}), "", nod.WhyNotFound, nil, nil},
		{"an event, not allowed", toolOffer("call_1", spec.ToolCalendarDelete, nod.Fields{"id": int64(2)}), "calendar=deny", nod.WhyNotAllowed, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := sim.ParseSystem(c.system)
				if err != nil {
					t.Fatal(err)
				}
				h := newHouse(t, "confirm")
				h.apps = sim.New(sim.Config{Zone: time.UTC, System: s})
				h.cfg.Driver = h.apps
				h.run("")
				h.g.offer(c.offer)
				after(119 * time.Second)
				cards := h.person.Cards()
				if c.why != "" {
					h.want("call_1", wire.ResultFailed, false)
					r, _ := h.g.result("call_1")
					if len(cards) != 0 || r.Why != c.why || (r.Message != "") != (c.offer.Tool == spec.ToolPhoneAction) || h.apps.Count() != 0 {
						t.Errorf("%d cards, %+v", len(cards), r)
					}
					h.stop()
					return
				}
				if r, ok := h.g.result("call_1"); !ok || r.Status == wire.ResultFailed {
					t.Fatalf("it ended %+v", r)
				}
				if len(cards) != 1 || len(cards[0].Rows) != len(c.rows) || !c.after(h.apps.State()) {
					t.Fatalf("the cards are %+v, the phone %+v", cards, h.apps.State())
				}
				for i, row := range c.rows {
					if cards[0].Rows[i] != row {
						t.Errorf("the card says %+v", cards[0].Rows[i])
					}
				}
				h.stop()
			})
		})
	}
}

// TestLookUpIsCutOff holds that a look-up ends with its call, and that one that
// the program's end cut off is made again.
func TestLookUpIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		s, _ := sim.ParseSystem("contacts=ignore")
		h.apps = sim.New(sim.Config{Zone: time.UTC, System: s})
		h.cfg.Driver = h.apps
		h.run("")
		for _, call := range []nod.CallID{"call_1", "call_2", "call_3"} {
			h.g.offer(phoneOffer(call, "sms_draft", to("Bo")))
		}
		after(time.Second)
		h.g.withdraw("call_1", "cancelled", 0)
		h.g.send("phone_1", wire.FrameOf(h.g.sign(wire.KindDisarm, wire.CallBody{Call: "call_2", Reason: "paused"})))
		synctest.Wait()
		if _, ok := h.g.result("call_1"); ok {
			t.Error("a call that was taken back has a result")
		}
		h.want("call_2", wire.ResultFailed, false)
		h.cancel()
		<-h.ended
		h.apps.SetSystem(sim.System{})
		h.run("")
		after(time.Second)
		h.want("call_3", wire.ResultOpened, true)
		if cards := h.person.Cards(); len(cards) != 1 || h.apps.Count() != 1 {
			t.Errorf("the cards are %+v", cards)
		}
		h.stop()
	})
}

// TestNamesNeedTheirOwnCard holds that a yes on another screen, whose card has
// the name and no number, sends nothing to anybody; an event that is named by
// its id is exact wherever it is confirmed.
func TestNamesNeedTheirOwnCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "")
		screen := newHouse(t, "confirm")
		screen.g.server.Close()
		screen.g = h.g
		screen.cfg.Identity, screen.cfg.Dial = h.g.phone("phone_2"), h.g.dialer()
		h.cfg.UI = nil
		h.g.records = []wire.Signed{h.record(h.cfg.Identity, h.cfg.Identity), h.record(screen.cfg.Identity, h.cfg.Identity)}
		h.run("")
		screen.run("")
		for call, o := range map[nod.CallID]wire.OfferBody{
			"call_1": phoneOffer("call_1", "sms_draft", to("Bo")),
			"call_2": toolOffer("call_2", spec.ToolCalendarDelete, nod.Fields{"id": int64(1)}),
		} {
			o.Screens = []nod.PhoneID{"phone_2"}
			h.g.offer(o)
			synctest.Wait()
			if _, ok := h.g.result(call); !ok {
				t.Errorf("%s has no result", call)
			}
		}
		h.want("call_1", wire.ResultFailed, false)
		h.want("call_2", wire.ResultDone, true)
		if s := h.apps.State(); s.Texts != nil || len(s.Appointments) != 2 {
			t.Errorf("the phone is %+v", s)
		}
		screen.stop()
		h.stop()
	})
}

// TestRings is case 17 on a card: a screen can say the day on which an alarm
// rings, whatever the agent called it.
func TestRings(t *testing.T) {
	now := time.Date(2026, 9, 22, 20, 0, 0, 0, time.UTC) // a Tuesday
	for _, c := range []struct {
		offer wire.OfferBody
		rings string
	}{
		{phoneOffer("call_1", "alarm", nod.Fields{"time": "22:00", "label": "tomorrow"}), "2026-09-22T22:00"},
		{phoneOffer("call_1", "alarm", nod.Fields{"time": "07:30", "days": []any{"sat"}}), "2026-09-26T07:30"},
		{toolOffer("call_1", spec.ToolAlarmSet, nod.Fields{"hour": int64(7), "minute": int64(5)}), "2026-09-23T07:05"},
		{phoneOffer("call_1", "torch", nod.Fields{"on": true}), ""},
	} {
		at, ok := host.Card{Offer: c.offer}.Rings(now)
		if ok != (c.rings != "") || (ok && at.Format("2006-01-02T15:04") != c.rings) {
			t.Errorf("%v rings at %v, %v", c.offer.Fields, at, ok)
		}
	}
}
