package host_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// toolOffer is an offer of a tool, asked or allowed as the default mode does.
func toolOffer(call nod.CallID, tool string, f nod.Fields) wire.OfferBody {
	t, _ := spec.Get().Tool(tool)
	o := alarm(call)
	o.Tool, o.Action, o.Fields, o.Summary, o.Risk = tool, tool, f, tool, t.Risk
	if t.Confirm == nod.ConfirmNever {
		o.Verdict, o.Rule = nod.Allow, nod.RuleNever
	}
	if o.Fields == nil {
		o.Fields = nod.Fields{}
	}
	return o
}

// TestReadTravels holds that what was read goes beside the signed result, is
// said again until it has arrived, also by a program that died in between, and
// is forgotten then: by the journal too.
func TestReadTravels(t *testing.T) {
	for _, faults := range []string{"", "drop:result", "drop:ack", "close:result", "kill:ended", "kill:over"} {
		t.Run(faults, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "confirm")
				h.apps = sim.New(sim.Config{Zone: time.UTC, Clipboard: "hunter2"})
				h.cfg.Driver = h.apps
				var out strings.Builder
				h.cfg.Logger = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
				h.run(faults)
				h.g.offer(toolOffer("call_1", spec.ToolClipboardRead, nil))
				after(time.Minute)
				h.want("call_1", wire.ResultDone, true)
				if text := h.g.text("call_1"); text != `{"text":"hunter2","chars":7,"cut":false}` {
					t.Errorf("the gateway got %q", text)
				}
				h.stop()
				if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), "call_1") {
					t.Errorf("it logged:\n%s", &out)
				}
				records, err := h.journal.Records()
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range records {
					if r.Text != "" {
						t.Errorf("the journal still knows what was read: %+v", r)
					}
				}
			})
		})
	}
}

// TestReadWaitsInTheJournal holds that what was read is kept, in the journal and
// in its short form alike, while the gateway has not taken it.
func TestReadWaitsInTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.apps = sim.New(sim.Config{Zone: time.UTC, Clipboard: "hunter2"})
		h.cfg.Driver = h.apps
		h.run("drop:result@*")
		h.g.offer(toolOffer("call_1", spec.ToolClipboardRead, nil))
		after(time.Minute)
		h.cancel()
		<-h.ended
		h.run("")
		after(time.Minute)
		h.want("call_1", wire.ResultDone, true)
		if !strings.Contains(h.g.text("call_1"), "hunter2") || h.apps.Count() != 1 {
			t.Errorf("the gateway got %q, and it was read %d times", h.g.text("call_1"), h.apps.Count())
		}
		h.stop()
	})
}

// TestReadIsNeverUnknown holds that a read that was cut off is a failure, and
// nothing was read out.
func TestReadIsNeverUnknown(t *testing.T) {
	for _, faults := range []string{"kill:armed", "kill:before-ended"} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t, "confirm")
			h.run(faults)
			h.g.offer(toolOffer("call_1", spec.ToolContactsSearch, nod.Fields{"query": "ana"}))
			after(time.Minute)
			h.want("call_1", wire.ResultFailed, false)
			h.stop()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.cfg.Driver = &slowDriver{panic: true}
		h.run("")
		h.g.offer(toolOffer("call_1", spec.ToolCalendars, nil))
		synctest.Wait()
		h.want("call_1", wire.ResultFailed, false)
		h.stop()
	})
}

// TestUpload holds that photos are sent before the result that names them, that
// an upload is tried again while the result may still come, and that a result
// whose photos did not arrive says that nothing was read out.
func TestUpload(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []int
		status  wire.ResultStatus
		took    time.Duration
	}{
		{"at once", nil, wire.ResultDone, 0},
		{"after trouble", []int{503, 500, 429, 204}, wire.ResultDone, 3500 * time.Millisecond},
		{"the answer was lost", []int{503, 409, 204}, wire.ResultDone, 500 * time.Millisecond},
		{"already there", []int{409}, wire.ResultFailed, 0},
		{"refused", []int{401}, wire.ResultFailed, 0},
		{"trouble without an end", []int{503}, wire.ResultFailed, host.GoWindow + 240*time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "")
				h.apps = sim.New(sim.Config{Zone: time.UTC, Photos: [][]byte{sim.Photo(16, 8), sim.Photo(8, 16), sim.Photo(8, 8)}})
				h.cfg.Driver = h.apps
				h.g.uploads = c.answers
				h.run("")
				h.g.offer(toolOffer("call_1", spec.ToolPhotoPick, nod.Fields{"max": int64(2)}))
				after(0)
				if c.took > 0 {
					after(c.took - time.Millisecond)
					if _, ok := h.g.result("call_1"); ok {
						t.Error("the result came before its time")
					}
					after(time.Millisecond)
				}
				h.want("call_1", c.status, c.status == wire.ResultDone)
				r, _ := h.g.result("call_1")
				if c.status == wire.ResultFailed {
					if r.Blobs != nil {
						t.Errorf("a failure names %v", r.Blobs)
					}
					h.stop()
					return
				}
				sent := h.g.sent("call_1")
				if len(r.Blobs) != 2 || (c.answers == nil && len(sent) != 2) {
					t.Fatalf("the result names %v, and %d came", r.Blobs, len(sent))
				}
				if c.answers == nil {
					for i, b := range r.Blobs {
						if err := b.Check(sent[i]); err != nil || bytes.Contains([]byte(b.Name), []byte("/")) {
							t.Errorf("%+v: %v", b, err)
						}
					}
				}
				if card := h.person.Cards(); len(card) != 1 || !card[0].Quiet {
					t.Errorf("the screen shows %+v", card)
				}
				h.stop()
			})
		})
	}
}

// TestStanding holds what a phone carries out unasked: what its own contract
// never asks for, and what the person does in the system's own picker.
func TestStanding(t *testing.T) {
	for _, c := range []struct {
		name    string
		offer   wire.OfferBody
		pickers []string
		done    bool
	}{
		{"now", toolOffer("call_1", spec.ToolPhoneNow, nil), nil, true},
		{"notify", toolOffer("call_1", spec.ToolNotify, nod.Fields{"title": "a", "body": "b"}), nil, true},
		{"contacts", toolOffer("call_1", spec.ToolContactsSearch, nod.Fields{"query": "ana"}), nil, false},
		{"contacts by the picker", toolOffer("call_1", spec.ToolContactsSearch, nod.Fields{"query": "ana"}), []string{"contacts.search"}, true},
		{"another picker", toolOffer("call_1", spec.ToolContactsSearch, nod.Fields{"query": "ana"}), []string{"photos.pick"}, false},
		{"an act", toolOffer("call_1", spec.ToolTimerSet, nod.Fields{"seconds": int64(5)}), nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "")
				h.apps = sim.New(sim.Config{Zone: time.UTC, Pickers: c.pickers})
				h.cfg.Driver = h.apps
				h.run("")
				c.offer.Verdict, c.offer.Rule = nod.Allow, nod.RuleNever
				h.g.offer(c.offer)
				synctest.Wait()
				if c.done {
					h.want("call_1", wire.ResultDone, true)
					d := h.g.decision("call_1")
					if cards := h.person.Cards(); len(cards) != 1 || !cards[0].Quiet || d.Choice != nod.ChoiceStanding || d.Basis != host.BasisSpec {
						t.Errorf("the screen shows %+v, the decision is %+v", cards, d)
					}
				} else {
					h.want("call_1", wire.ResultFailed, false)
				}
				if (h.apps.Count() == 1) != c.done {
					t.Errorf("%d were carried out", h.apps.Count())
				}
				h.stop()
			})
		})
	}
}

// TestNoSuchTime holds that nobody is asked for a time that the phone's clocks do
// not have, or have twice, and that the result says which.
func TestNoSuchTime(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	for call, c := range map[nod.CallID]struct {
		offer wire.OfferBody
		why   nod.Why
	}{
		"call_1": {toolOffer("call_1", spec.ToolCalendarCreate, nod.Fields{"title": "x", "start": "2026-03-29T01:30"}), nod.WhyNoSuchTime},
		"call_2": {toolOffer("call_2", spec.ToolCalendarCreate, nod.Fields{"title": "x", "start": "2026-10-25T01:30"}), nod.WhyTwoSuchTimes},
		"call_3": {toolOffer("call_3", spec.ToolCalendarUpdate, nod.Fields{"id": int64(1), "end": "2026-10-25T01:30"}), nod.WhyTwoSuchTimes},
		"call_4": {toolOffer("call_4", spec.ToolCalendarList, nod.Fields{"to": "2026-03-29T01:30"}), nod.WhyNoSuchTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(t, "confirm")
			h.apps = sim.New(sim.Config{Zone: lisbon, Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, lisbon) }})
			h.cfg.Driver = h.apps
			h.run("")
			h.g.offer(c.offer)
			synctest.Wait()
			h.want(call, wire.ResultFailed, false)
			if r, _ := h.g.result(call); r.Why != c.why || len(h.person.Cards()) != 0 {
				t.Errorf("%s: %+v, after %d cards", call, r, len(h.person.Cards()))
			}
			h.stop()
		})
	}
}

// TestTooLarge holds that an answer that cannot travel ends its call, and not the
// link again and again.
func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.cfg.Driver = large{h.apps}
		h.run("")
		h.g.offer(toolOffer("call_1", spec.ToolClipboardRead, nil))
		synctest.Wait()
		h.want("call_1", wire.ResultFailed, false)
		if n := len(h.g.hellos()); n != 1 {
			t.Errorf("the phone connected %d times", n)
		}
		h.stop()
	})
}

// large answers with more than a frame takes.
type large struct{ *sim.Phone }

// CarryOut implements [host.Driver].
func (large) CarryOut(context.Context, host.Card) host.Result {
	return host.Result{Status: wire.ResultDone, Data: `{"text":"` + strings.Repeat("x", wire.MaxText) + `"}`}
}

// TestCalledOffWhileAsking holds that a wait for the person that was called off
// is not said to be one that nobody answered.
func TestCalledOffWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		s, _ := sim.ParseSystem("calendar=ignore")
		h.apps = sim.New(sim.Config{Zone: time.UTC, System: s})
		h.cfg.Driver = h.apps
		h.run("")
		h.g.offer(toolOffer("call_1", spec.ToolCalendarCreate, nod.Fields{"title": "x", "start": "2026-09-24"}))
		after(5 * time.Second)
		h.g.send("phone_1", wire.FrameOf(h.g.sign(wire.KindDisarm, wire.CallBody{Call: "call_1", Reason: "paused"})))
		synctest.Wait()
		h.want("call_1", wire.ResultFailed, false)
		if r, _ := h.g.result("call_1"); r.Why != "" || r.Message == "" {
			t.Errorf("it ended %+v", r)
		}
		h.stop()
	})
}

// TestSetAccess holds that what a person switches is signed by their phone.
func TestSetAccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "")
		o := &opener{UI: h.person}
		h.cfg.UI = o
		h.run("")
		o.screen.SetAccess("agent_1", map[string]nod.AccessState{"calendar:read": nod.AccessAsk, "maps:act": nod.AccessOff})
		synctest.Wait()
		var body wire.RecordBody
		h.g.mu.Lock()
		for _, f := range h.g.got {
			if f.Kind == wire.KindRecords {
				if err := f.Record.OpenAs(wire.RecordAccess, h.g.phones["phone_1"], &body); err != nil {
					t.Error(err)
				}
			}
		}
		h.g.mu.Unlock()
		if body.Agent != "agent_1" || body.Phone != "phone_1" || body.Switches["calendar:read"] != nod.AccessAsk || body.Switches["maps:act"] != nod.AccessOff {
			t.Errorf("it signed %+v", body)
		}
		h.stop()
	})
}

// opener is a screen that does something before there is a card.
type opener struct {
	host.UI
	screen *host.Screen
}

// Open implements [host.Opener].
func (o *opener) Open(s *host.Screen) { o.screen = s }
