package gateway

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// What the phone's own contract allows goes without a card, by its own word.
func TestAllowedWithoutACard(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p, other := h.pair("Pixel", false), h.pair("Tablet", true)
		other.connect()
		pass(time.Second)
		p.connect() // the newest
		p.record(wire.RecordResume, wire.RecordBody{Agent: h.agent})
		c := h.tool(spec.ToolNotify, `{"title":"Tea","body":"is ready"}`)
		o := p.offer()
		if o.Verdict != nod.Allow || o.Rule != nod.RuleNever || !slices.Equal(o.Screens, []nod.PhoneID{p.id}) {
			t.Fatalf("%s by %s on %v", o.Verdict, o.Rule, o.Screens)
		}
		other.none(wire.KindOffer)
		p.standing(o)
		if body := p.goBody(); body.Upload != "" {
			t.Error("a go brings a token for files that its tool has none of")
		}
		p.result(o, wire.ResultDone, true, "shown")
		if c := h.want(c.ID, nod.Done, ""); c.Text != spec.Get().Text(spec.TextDone, nil) {
			t.Errorf("told %q: nothing of it is the phone's", c.Text)
		}
		_ = h.HandedOver(t.Context(), h.agent, c.ID)
		h.tool(spec.ToolNotify, `{"title":"Tea","body":"is ready"}`)
		if o := p.offer(); o.Verdict != nod.Ask || o.Rule != nod.RuleBadge || o.Repeat == nil {
			t.Errorf("the same again is %s by %s", o.Verdict, o.Rule)
		}
		h.tool(spec.ToolNotify, `{"title":"Tea","body":"is cold"}`)
		if o := p.offer(); o.Verdict != nod.Allow {
			t.Errorf("another one is %s by %s", o.Verdict, o.Rule)
		}
		c = h.tool(spec.ToolNotify, `{"title":"Tea","body":"is gone"}`, func(a *Ask) { a.Mode = nod.ObserveOnly })
		h.want(c.ID, nod.Denied, "")
	})
}

// What does something or needs the person counts like a card; what only looks at
// the clock does not, and is not kept from it.
func TestBudgetOfTheAllowed(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		for i := range 10 {
			h.tool(spec.ToolNotify, fmt.Sprintf(`{"title":"%d","body":"x"}`, i))
			o := p.offer()
			p.standing(o)
			p.take(wire.KindGo)
			p.result(o, wire.ResultDone, true, "")
		}
		if c := h.tool(spec.ToolNotify, `{"title":"one","body":"more"}`); c.Outcome != nod.Denied || c.Verdict.Rule != nod.RuleCardRate {
			t.Errorf("the eleventh is %s by %s", c.Outcome, c.Verdict.Rule)
		}
		for range policy.MaxReads {
			c := h.tool(spec.ToolPhoneNow, `{}`)
			o := p.offer()
			if c.Outcome != "" || len(o.Badges) != 0 {
				t.Fatalf("the clock: %s by %s, %v", c.Outcome, c.Verdict.Rule, o.Badges)
			}
			p.standing(o)
			p.take(wire.KindGo)
			p.reads(o, `{"time":"2026-11-30T20:00:00Z"}`)
			if h.released(c); len(h.laptop().Taint) != 0 {
				t.Error("the time of day marks an agent")
			}
			_ = h.HandedOver(t.Context(), h.agent, c.ID)
		}
		if c := h.tool(spec.ToolPhoneNow, `{}`); c.Outcome != nod.Denied || c.Verdict.Rule != nod.RuleCardRate || c.Verdict.Until != h.Now().Add(policy.CardWindow) {
			t.Errorf("the clock once more is %s by %s until %s", c.Outcome, c.Verdict.Rule, c.Verdict.Until)
		}
		pass(policy.CardWindow)
		p.connect()
		if c := h.tool(spec.ToolPhoneNow, `{}`); c.Outcome != "" {
			t.Errorf("the clock ten minutes later is %s by %s", c.Outcome, c.Verdict.Rule)
		}
	})
}

// Where the phone's own picker is the consent, no card comes before it; the access
// is asked of all the same, and an act has no picker.
func TestPickers(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.pickers = []string{spec.ToolContactsSearch, spec.ToolCalendarCreate}
		p.connect()
		if c := h.tool(spec.ToolContactsSearch, `{"query":"Ana"}`); c.Outcome != nod.Denied || c.Verdict.Rule != nod.RuleAccessOff {
			t.Errorf("without access: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		p.access(h.agent, map[string]nod.AccessState{"contacts:read": nod.AccessAsk})
		c := h.tool(spec.ToolContactsSearch, `{"query":"Ana"}`)
		o := p.offer()
		if o.Verdict != nod.Allow || o.Rule != nod.RuleNever {
			t.Fatalf("%s by %s", o.Verdict, o.Rule)
		}
		p.standing(o)
		p.take(wire.KindGo)
		p.reads(o, `{"query":"Ana","count":1}`)
		if c = h.want(c.ID, nod.Done, ""); h.released(c).Gone || !slices.Equal(h.laptop().Tainted(h.Now()), []string{"contacts"}) {
			t.Errorf("what was picked does not mark its agent: %v", h.laptop().Taint)
		}
		h.tool(spec.ToolCalendarCreate, `{"title":"x","start":"2026-12-01"}`)
		if o := p.offer(); o.Verdict != nod.Ask {
			t.Errorf("an act is %s by %s", o.Verdict, o.Rule)
		}
		p.pickers = nil
		p.connect()
		h.tool(spec.ToolContactsSearch, `{"query":"Rui"}`)
		p.offer() // the calendar's, again
		if o := p.offer(); o.Verdict != nod.Ask || o.Rule != nod.RuleDefault {
			t.Errorf("on a phone that has none: %s by %s", o.Verdict, o.Rule)
		}
	})
}

// Only a phone switches on. What it switches off ends what waits, and the agent's
// door hears of its list.
func TestAccessRecord(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		lists := 0
		h.OnAgents(func(n AgentNews) {
			if n.List {
				lists++
			}
		})
		c := h.tool(calendar, `{}`)
		h.want(c.ID, nod.Denied, "")
		p.access(h.agent, map[string]nod.AccessState{"calendar:read": nod.AccessAsk, "clock:act": nod.AccessOff})
		if lists != 1 {
			t.Errorf("%d changes of the list, want 1", lists)
		}
		c = h.tool(calendar, `{}`)
		o := p.offer()
		if alarm := h.ask(alarm); alarm.Outcome != nod.Denied {
			t.Errorf("an alarm is %s", alarm.Outcome)
		}
		p.access(h.agent, map[string]nod.AccessState{"calendar:read": nod.AccessOff, "clock:act": nod.AccessAsk})
		h.want(c.ID, nod.Denied, nod.WhyAccessOff)
		p.take(wire.KindWithdraw)
		p.confirm(o)
		p.none(wire.KindGo)
		h.ask(alarm)
		p.offer()
		h.restart()
		if a := h.laptop().Access; a.State("calendar", nod.Read, true) != nod.AccessOff || a.State("clock", nod.Act, false) != nod.AccessAsk {
			t.Errorf("after a restart %+v", a)
		}
		p.connect()
		for name, body := range map[string]wire.RecordBody{
			"nothing":          {Agent: h.agent},
			"no agent":         {Switches: map[string]nod.AccessState{"maps:act": nod.AccessAsk}},
			"no such app":      {Agent: h.agent, Switches: map[string]nod.AccessState{"bank:act": nod.AccessAsk}},
			"no such state":    {Agent: h.agent, Switches: map[string]nod.AccessState{"maps:act": "always"}},
			"off and nonsense": {Agent: h.agent, Switches: map[string]nod.AccessState{"maps:act": nod.AccessOff, "maps": nod.AccessAsk}},
		} {
			before := h.laptop().Access
			if p.record(wire.RecordAccess, body) || h.laptop().Access.Switches["maps:act"] != before.Switches["maps:act"] {
				t.Errorf("%s was taken", name)
			}
		}
		stranger := h.addAgent("Stranger")
		_, _ = h.RevokeAgent(t.Context(), h.person, "Stranger", false)
		namesake := h.addAgent(string(stranger.ID))
		for _, agent := range []nod.AgentID{stranger.ID, "Laptop"} {
			if p.record(wire.RecordAccess, wire.RecordBody{Agent: agent, Switches: map[string]nod.AccessState{"calendar:read": nod.AccessAsk}}) {
				t.Errorf("%s, which is no agent's id, was switched on", agent)
			}
		}
		for _, a := range h.Agents(h.person) {
			if a.ID == namesake.ID && a.Access.State("calendar", nod.Read, true) != nod.AccessOff {
				t.Error("an agent has what was signed for another")
			}
		}
	})
}

// A tool that every phone says it can never do is not in the list; a call of it is
// answered in words all the same.
func TestToolsThatNoPhoneHas(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		listed := func(tool string) bool {
			return slices.ContainsFunc(h.Tools(h.laptop()), func(t spec.Tool) bool { return t.Name == tool })
		}
		if !listed(spec.ToolTimerSet) {
			t.Error("not listed before any phone said what it can do")
		}
		p, other := h.pair("Pixel", false), h.pair("Tablet", true)
		p.unable, other.unable = []string{spec.ToolTimerSet}, []string{spec.ToolTimerSet}
		other.unable = nil
		other.connect()
		p.connect()
		p.record(wire.RecordResume, wire.RecordBody{Agent: h.agent})
		if !listed(spec.ToolTimerSet) {
			t.Error("not listed although one phone can")
		}
		other.unable = []string{spec.ToolTimerSet}
		other.connect()
		if listed(spec.ToolTimerSet) || !listed(spec.ToolNotify) || !listed(spec.ToolPhoneAction) {
			t.Error("listed although no phone can, or too little is")
		}
		c := h.tool(spec.ToolTimerSet, `{"seconds":60}`)
		h.want(c.ID, nod.Failed, nod.WhyCannot)
		h.restart()
		if listed(spec.ToolTimerSet) {
			t.Error("listed again after a restart, when no phone is there")
		}
	})
}

// What needs the person wakes their phone, card or not; what needs nobody does not.
func TestAllowedRings(t *testing.T) {
	withPush(t, func(t *testing.T, h *waking, p *pixel) {
		p.access(h.agent, map[string]nod.AccessState{"photos:read": nod.AccessAsk})
		away(p)
		pass(2 * LostGrace)
		c := h.tool(photos, `{}`)
		if c.Outcome != "" || c.Verdict.Answer != nod.Allow {
			t.Fatalf("a picker on a phone that sleeps: %s by %s", c.Outcome, c.Verdict.Rule)
		}
		pass(time.Second)
		h.wantKinds(h.browser, "card", "a picker")
		c = h.tool(spec.ToolPhoneNow, `{}`)
		h.want(c.ID, nod.Unavailable, nod.WhyNotReachable)
	})
}
