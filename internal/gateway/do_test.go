package gateway

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// TestDone is the main job: asked, shown, confirmed, carried out, told.
func TestDone(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		c := h.ask(alarm)
		o := p.offer()
		if o.Action != "alarm" || o.Fields["time"] != "07:30" || o.Rule != nod.RuleAlways || o.AgentName != "Laptop" {
			t.Errorf("the offer is %+v", o)
		}
		p.delivered(o)
		p.shown(o)
		p.confirm(o)
		goFrame := p.take(wire.KindGo)
		public, _ := wire.ParsePublic(h.key.Public())
		var body wire.GoBody
		if err := goFrame.Signed().OpenAs(wire.KindGo, public, &body); err != nil || body.Call != c.ID || body.Digest != digestOf(o) {
			t.Fatalf("go %+v, %v", body, err)
		}
		if now := h.now(c.ID); now.State != nod.Working {
			t.Errorf("after go the state is %s, want working", now.State)
		}
		p.result(o, wire.ResultDone, true, "Alarm set for 07:30.")
		ended := h.want(c.ID, nod.Done, "")
		if !strings.HasPrefix(ended.Text, "The phone did it.") || !strings.HasSuffix(ended.Text, "The phone says: Alarm set for 07:30.") {
			t.Errorf("the agent is told %q", ended.Text)
		}
		if ack := p.take(wire.KindAck); ack.Of != wire.KindResult || ack.Call != c.ID {
			t.Errorf("ack %+v", ack)
		}
		want := []string{"call.offered", "call.delivered", "call.shown", "call.decided", "call.go", "call.ended"}
		if got := h.entries(c.ID); !slices.Equal(got, want) {
			t.Errorf("the log has %v, want %v", got, want)
		}
	})
}

func TestEndings(t *testing.T) {
	rows := []struct {
		name    string
		play    func(h *house, p *pixel, c nod.Call, o wire.OfferBody)
		outcome nod.Outcome
		why     nod.Why
		text    string
	}{
		{"declined", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.shown(o)
			p.decide(o, nod.ChoiceDecline, "")
			p.take(wire.KindAck)
			p.none(wire.KindGo)
		}, nod.Declined, "", "The person said no. Nothing was done. Do not try it again unless they ask."},
		{"declined with a reason", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.decide(o, nod.ChoiceDecline, "not before ten")
		}, nod.Declined, "", "not before ten"},
		{"expired", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.shown(o)
			pass(2 * time.Minute)
			p.take(wire.KindWithdraw)
		}, nod.Expired, "", "nobody answered in time. Nothing was done."},
		{"unseen", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.delivered(o)
			pass(2 * time.Minute)
		}, nod.Unseen, "", "no sign that the card was ever on its screen"},
		{"a late tap", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.shown(o)
			pass(2 * time.Minute)
			p.take(wire.KindWithdraw)
			p.confirm(o)
			p.none(wire.KindGo)
			p.take(wire.KindWithdraw)
		}, nod.Expired, "", "Nothing was done."},
		{"opened", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			p.result(o, wire.ResultOpened, true, "")
		}, nod.Opened, "", "The phone opened the clock app with it."},
		{"failed, not started", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			p.result(o, wire.ResultFailed, false, "There is no clock app.")
		}, nod.Failed, nod.WhyNotPossible, "The phone could not do it. Nothing was done. Tell the person, and try again only if they ask.\n\nThe phone says: There is no clock app."},
		{"failed, started", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			p.result(o, wire.ResultFailed, true, "")
		}, nod.Failed, nod.WhyNotPossible, "Part of it may have happened."},
		{"a status nobody knows", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			p.result(o, "finished", false, "")
		}, nod.Failed, nod.WhyNotPossible, "Part of it may have happened."},
		{"unknown", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			pass(20 * time.Second)
		}, nod.Unknown, "", "It may have happened."},
		{"unknown, then done", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			pass(20 * time.Second)
			h.want(c.ID, nod.Unknown, "")
			p.result(o, wire.ResultDone, true, "")
		}, nod.Unknown, "", "The phone has now said that it did it, so do not repeat it."},
		{"unknown, then failed", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			pass(20 * time.Second)
			p.result(o, wire.ResultFailed, false, "")
		}, nod.Unknown, "", "could not do it and started nothing."},
		{"unknown, then begun and failed", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			pass(20 * time.Second)
			p.result(o, wire.ResultFailed, true, "")
		}, nod.Unknown, "", "began it and could not finish, so part of it may have happened."},
		{"cancelled", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.shown(o)
			if _, err := h.Cancel(h.t.Context(), h.agent, c.ID); err != nil {
				h.t.Fatal(err)
			}
			p.take(wire.KindWithdraw)
			p.confirm(o)
			p.none(wire.KindGo)
		}, nod.Withdrawn, nod.WhyCancelled, "You took it back before the person answered. Nothing was done."},
		{"connection gone", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			if err := h.Gone(h.t.Context(), h.agent, c.ID); err != nil {
				h.t.Fatal(err)
			}
			f := p.take(wire.KindWithdraw)
			if !strings.Contains(f.Body, `"keep_ms":10000`) {
				h.t.Errorf("the card's place is not kept: %s", f.Body)
			}
		}, nod.Withdrawn, nod.WhyGone, "Nothing was done."},
		{"cancelled too late", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			if _, err := h.Cancel(h.t.Context(), h.agent, c.ID); err != nil {
				h.t.Fatal(err)
			}
			p.take(wire.KindDisarm)
			p.result(o, wire.ResultDone, true, "")
		}, nod.Done, "", "The phone did it."},
		{"two taps", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.confirm(o)
			p.confirm(o)
			p.take(wire.KindGo)
			p.result(o, wire.ResultDone, true, "")
		}, nod.Done, "", "The phone did it."},
		{"agent removed", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			if n, err := h.RevokeAgent(h.t.Context(), h.person, "Laptop", false); err != nil || n != 0 {
				h.t.Fatal(n, err)
			}
			p.confirm(o)
			p.none(wire.KindGo)
		}, nod.Withdrawn, nod.WhyAgentRemoved, "Nothing was done."},
		{"phone removed", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			if _, _, err := h.RevokePhone(h.t.Context(), h.person, "Pixel"); err != nil {
				h.t.Fatal(err)
			}
			p.take(wire.KindRevoked)
			p.confirm(o)
		}, nod.Withdrawn, nod.WhyPhoneRemoved, "Nothing was done."},
		{"paused", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			if _, err := h.PauseAll(h.t.Context(), h.person, "console"); err != nil {
				h.t.Fatal(err)
			}
			p.confirm(o)
			p.none(wire.KindGo)
		}, nod.Denied, nod.WhyPaused, "paused"},
		{"the phone gives up", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.result(o, wire.ResultFailed, false, "")
		}, nod.Failed, nod.WhyNotPossible, "Nothing was done."},
		{"done without a decision is not believed", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.result(o, wire.ResultDone, true, "")
			p.shown(o)
			pass(2 * time.Minute)
		}, nod.Expired, "", "Nothing was done."},
		{"a decision over other bytes", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.shown(o)
			p.decideOver(o, wire.Encode64(wire.Digest([]byte("other"))), nod.ChoiceConfirm, "")
			p.none(wire.KindGo)
			pass(2 * time.Minute)
		}, nod.Expired, "", "Nothing was done."},
		{"a decision of an older epoch", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.connect()
			p.shown(o)
			p.epoch--
			p.confirm(o)
			p.none(wire.KindGo)
			pass(2 * time.Minute)
		}, nod.Expired, "", "Nothing was done."},
		{"a forged decision", func(h *house, p *pixel, c nod.Call, o wire.OfferBody) {
			p.shown(o)
			own := p.key
			p.key, _ = wire.GenerateKey()
			p.confirm(o)
			p.key = own
			p.none(wire.KindGo)
			pass(2 * time.Minute)
		}, nod.Expired, "", "Nothing was done."},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *house) {
				p := h.pair("Pixel", false)
				p.connect()
				c := h.ask(alarm)
				r.play(h, p, c, p.offer())
				if ended := h.want(c.ID, r.outcome, r.why); !strings.Contains(ended.Text, r.text) {
					t.Errorf("the agent is told %q, want %q in it", ended.Text, r.text)
				}
			})
		})
	}
}

func TestEndedAtOnce(t *testing.T) {
	rows := []struct {
		name    string
		prepare func(h *house) *pixel
		args    string
		change  func(*Ask)
		outcome nod.Outcome
		why     nod.Why
		text    string
	}{
		{"no phone", func(h *house) *pixel { return nil }, alarm, nil, nod.Unavailable, nod.WhyNoPhone, "nod pair"},
		{"not reachable", func(h *house) *pixel { return h.pair("Pixel", false) }, alarm, nil, nod.Unavailable, nod.WhyNotReachable, "cannot be reached now"},
		{"link lost over a minute ago", func(h *house) *pixel {
			p := h.pair("Pixel", false)
			p.connect()
			p.disconnect()
			pass(61 * time.Second)
			return p
		}, alarm, nil, nod.Unavailable, nod.WhyNotReachable, "Nothing was done."},
		{"refused", nil, `{"action":"alarm"}`, nil, nod.Refused, "", "alarm needs time."},
		{"not JSON", nil, `{"action":"alarm","action":"dial"}`, nil, nod.Refused, "", "Nothing was sent to the phone."},
		{"unknown mode", nil, alarm, func(a *Ask) { a.Mode = "yolo" }, nod.Refused, "", "observe_only, strict, ask_before_action, trusted_actions"},
		{"a part of a mode's word", nil, alarm, func(a *Ask) { a.Mode = "only" }, nod.Refused, "", "observe_only, strict, ask_before_action, trusted_actions"},
		{"unknown phone", nil, alarm, func(a *Ask) { a.Phone = "Nokia" }, nod.Refused, "", "Nokia"},
		{"cannot", func(h *house) *pixel {
			p := h.pair("Pixel", false)
			p.unable = []string{"alarm"}
			p.connect()
			return p
		}, alarm, nil, nod.Failed, nod.WhyCannot, "there is no such app here"},
		{"paused", func(h *house) *pixel {
			p := h.pair("Pixel", false)
			p.connect()
			if _, _, err := h.PauseAgent(h.t.Context(), h.person, "laptop"); err != nil {
				h.t.Fatal(err)
			}
			return p
		}, alarm, nil, nod.Denied, "", "paused this agent"},
		{"access off", func(h *house) *pixel {
			p := h.pair("Pixel", false)
			p.connect()
			a := h.addAgent("Maps only", "maps:act")
			h.agent = a.ID
			return p
		}, alarm, nil, nod.Denied, "", "For this agent the clock app is off"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *house) {
				var p *pixel
				if r.prepare != nil {
					p = r.prepare(h)
				} else {
					p = h.pair("Pixel", false)
					p.connect()
				}
				change := func(a *Ask) {}
				if r.change != nil {
					change = r.change
				}
				c := h.ask(r.args, change)
				if c.Outcome != r.outcome || c.Why != r.why || !strings.Contains(c.Text, r.text) {
					t.Errorf("%s %q %q, want %s %q with %q", c.Outcome, c.Why, c.Text, r.outcome, r.why, r.text)
				}
				if p != nil {
					p.none(wire.KindOffer)
				}
				if got := h.entries(c.ID); len(got) != 1 {
					t.Errorf("the log has %v about it, want one entry", got)
				}
			})
		})
	}
}

func TestAllowedAppsOfPhoneAction(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		agent := h.addAgent("Nothing", "calendar:read")
		for _, tool := range h.Tools(agent) {
			if tool.Name == spec.ToolPhoneAction {
				t.Error("phone_action is listed for an agent whose acts are all off")
			}
		}
	})
}
