package host_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/wire"
)

// house is a gateway and one simulated phone in a bubble.
type house struct {
	t       *testing.T
	g       *gateway
	apps    *sim.Phone
	person  *sim.Person
	journal *host.Memory
	cfg     host.Config
	cancel  context.CancelFunc
	ended   chan error
}

// newHouse makes a house whose person follows script; faults may be empty.
func newHouse(t *testing.T, script string) *house {
	t.Helper()
	s, err := sim.ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, g: newGateway(t), apps: sim.New(sim.Config{Zone: time.UTC}), person: sim.NewPerson(s), journal: &host.Memory{}}
	start := time.Now()
	h.cfg = host.Config{
		Identity: h.g.phone("phone_1"), Driver: h.apps, UI: h.person, Journal: h.journal, Dial: h.g.dialer(), Client: h.g.client(), Version: "test",
		Clock: func() host.Now {
			since := time.Since(start)
			return host.Now{Boot: since, Awake: since, Wall: nod.TimeOf(time.Now())}
		},
	}
	return h
}

// run starts the phone and waits until it is connected.
func (h *house) run(faults string) {
	h.t.Helper()
	f, err := sim.ParseFaults(faults)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel, h.ended = cancel, make(chan error, 1)
	go func() { h.ended <- sim.Run(ctx, h.cfg, f) }()
	h.t.Cleanup(h.stop)
	synctest.Wait()
}

func (h *house) stop() {
	if h.cancel == nil {
		return
	}
	h.cancel()
	if err := <-h.ended; err != nil {
		h.t.Errorf("the phone ended with: %v", err)
	}
	h.cancel = nil
	h.g.server.Close()
	synctest.Wait()
}

// alarm is an offer that the phone itself decides.
func alarm(call nod.CallID) wire.OfferBody {
	return wire.OfferBody{
		Call: call, Agent: "agent_1", AgentName: "Laptop", Phone: "phone_1", Screens: []nod.PhoneID{"phone_1"},
		Tool: "phone_action", Action: "alarm", Fields: nod.Fields{"time": "07:30"}, Summary: "alarm",
		Verdict: nod.Ask, Rule: nod.RuleAlways, Risk: nod.Low, TTLSeconds: 120, Nonce: "n",
	}
}

// after lets time pass in the bubble.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (h *house) want(call nod.CallID, status wire.ResultStatus, started bool) {
	h.t.Helper()
	r, ok := h.g.result(call)
	if !ok {
		h.t.Fatalf("%s has no result", call)
	}
	if r.Status != status || r.Started != started {
		h.t.Errorf("%s ended %s, started %v (%s); want %s, %v", call, r.Status, r.Started, r.Message, status, started)
	}
}

func TestConfirm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.run("")
		h.g.offer(alarm("call_1"))
		synctest.Wait()
		h.want("call_1", wire.ResultDone, true)
		if alarms := h.apps.State().Alarms; len(alarms) != 1 || alarms[0].Time != "07:30" {
			t.Errorf("the alarms are %v", alarms)
		}
		for _, kind := range []string{wire.KindDelivered, wire.KindShown, wire.KindDecision, wire.KindResult} {
			if n := h.g.frames(kind); n != 1 {
				t.Errorf("%d %s frames", n, kind)
			}
		}
		if r, ok := h.person.Ended("call_1"); !ok || r.Status != wire.ResultDone {
			t.Errorf("the card turned into %+v", r)
		}
		h.stop()
	})
}

func TestDeclineSlowIgnore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "decline:not now,slow:5s,ignore")
		h.run("")
		h.g.offer(alarm("call_1"))
		synctest.Wait()
		d := h.g.decision("call_1")
		if d == nil || d.Choice != nod.ChoiceDecline || d.Reason != "not now" {
			t.Fatalf("the decision is %+v", d)
		}
		h.g.offer(alarm("call_2"))
		after(4 * time.Second)
		if _, ok := h.g.result("call_2"); ok {
			t.Error("a slow person was quick")
		}
		after(time.Second)
		h.want("call_2", wire.ResultDone, true)
		h.g.offer(alarm("call_3"))
		after(120 * time.Second)
		if why, _ := h.person.Gone("call_3"); why != host.ReasonExpired {
			t.Errorf("the ignored card went away because of %q", why)
		}
		if n := h.apps.Count(); n != 1 {
			t.Errorf("%d actions were done", n)
		}
		h.stop()
	})
}

func TestWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "slow:5s")
		h.run("")
		h.g.offer(alarm("call_1"))
		h.g.offer(alarm("call_2"))
		after(time.Second)
		h.g.withdraw("call_1", "cancelled", 0)
		h.g.withdraw("call_2", "gone", 10*time.Second)
		after(9 * time.Second)
		if why, _ := h.person.Gone("call_1"); why != "cancelled" {
			t.Errorf("the first card went away because of %q", why)
		}
		if _, gone := h.person.Gone("call_2"); gone {
			t.Error("the second card did not keep its place")
		}
		after(2 * time.Second)
		if why, _ := h.person.Gone("call_2"); why != host.ReasonExpired {
			t.Errorf("the second card went away because of %q", why)
		}
		if n := h.apps.Count(); n != 0 {
			t.Errorf("%d actions were done", n)
		}
		h.stop()
	})
}

// TestFaults holds what the agent may be told, and how often something was
// done, under every fault.
func TestFaults(t *testing.T) {
	const none = wire.ResultStatus("")
	for _, c := range []struct {
		faults  string
		status  wire.ResultStatus
		started bool
		done    int
	}{
		{"drop:delivered,drop:shown", wire.ResultDone, true, 1},
		{"drop:offer", none, false, 0},
		{"drop:decision", wire.ResultDone, true, 1},        // said again
		{"drop:go", wire.ResultDone, true, 1},              // the decision is said again, and so is the go
		{"drop:go@*", wire.ResultFailed, false, 0},         // gave up
		{"drop:result", wire.ResultDone, true, 1},          // said again
		{"drop:ack", wire.ResultDone, true, 1},             // said again
		{"duplicate:offer", wire.ResultDone, true, 1},      //
		{"duplicate:decision", wire.ResultDone, true, 1},   //
		{"duplicate:go", wire.ResultDone, true, 1},         //
		{"duplicate:result", wire.ResultDone, true, 1},     //
		{"duplicate:ack", wire.ResultDone, true, 1},        //
		{"delay:offer:5s", wire.ResultDone, true, 1},       //
		{"delay:decision:5s", wire.ResultDone, true, 1},    //
		{"delay:go:5s", wire.ResultDone, true, 1},          // another overtakes it
		{"delay:go:11s@*", wire.ResultFailed, false, 0},    // all too late
		{"delay:result:30s", wire.ResultDone, true, 1},     //
		{"close:offer", wire.ResultDone, true, 1},          //
		{"close:shown", wire.ResultDone, true, 1},          //
		{"close:decision", wire.ResultDone, true, 1},       // back within ten seconds
		{"close:go", wire.ResultDone, true, 1},             //
		{"close:result", wire.ResultDone, true, 1},         //
		{"kill:before-received", wire.ResultDone, true, 1}, // offered again
		{"kill:received", wire.ResultDone, true, 1},        //
		{"kill:before-decided", wire.ResultDone, true, 1},  // asked again
		{"kill:decided", wire.ResultFailed, false, 0},      // a confirm does not outlive the program
		{"kill:before-armed", wire.ResultFailed, false, 0},
		{"kill:armed", wire.ResultUnknown, true, 0},        // it cannot know
		{"kill:before-ended", wire.ResultUnknown, true, 1}, // it cannot know
		{"kill:ended", wire.ResultDone, true, 1},
		{"kill:before-over", wire.ResultDone, true, 1},
		{"kill:over", wire.ResultDone, true, 1},
		{"clock:decision:1h", wire.ResultFailed, false, 0},
		{"clock:decision:-1h", wire.ResultDone, true, 1},
		{"clock:offer:-24h", wire.ResultDone, true, 1},
		{"sleep:decision:3s", wire.ResultFailed, false, 0},
		{"sleep:shown:1h", none, false, 0}, // the card's time is over
	} {
		t.Run(c.faults, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "slow:100ms")
				h.run(c.faults)
				h.g.offer(alarm("call_1"))
				after(5 * time.Minute)
				if n := h.apps.Count(); n != c.done {
					t.Errorf("it was done %d times, want %d", n, c.done)
				}
				if c.status == none {
					if r, ok := h.g.result("call_1"); ok {
						t.Errorf("it ended %+v", r)
					}
				} else {
					h.want("call_1", c.status, c.started)
				}
				h.stop()
				records, err := h.journal.Records()
				if err != nil {
					t.Fatal(err)
				}
				if c.status != none && records[len(records)-1].Kind != host.RecOver {
					t.Errorf("the journal ends with %s: the ack was not heard of", records[len(records)-1].Kind)
				}
			})
		})
	}
}

// TestNoScreen holds that a phone without a screen acts for another one.
func TestNoScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "")
		screen := newHouse(t, "confirm")
		screen.g.server.Close()
		screen.g = h.g
		screen.cfg.Identity, screen.cfg.Dial = h.g.phone("phone_2"), h.g.dialer()
		h.cfg.UI = nil
		h.g.records = []wire.Signed{
			h.record(h.cfg.Identity, h.cfg.Identity), h.record(screen.cfg.Identity, h.cfg.Identity),
		}
		h.run("")
		screen.run("")
		o := alarm("call_1")
		o.Screens = []nod.PhoneID{"phone_2"}
		h.g.offer(o)
		synctest.Wait()
		h.want("call_1", wire.ResultDone, true)
		if h.apps.Count() != 1 || screen.apps.Count() != 0 {
			t.Errorf("the acting phone did %d, the screen %d", h.apps.Count(), screen.apps.Count())
		}
		if h.g.hellos()[0].Screen || !h.g.hellos()[1].Screen {
			t.Error("the hellos do not say who has a screen")
		}
		screen.stop()
		h.stop()
	})
}

// record is a phone record of id, signed by the phone that approved it.
func (h *house) record(id, by *host.Identity) wire.Signed {
	der, err := wire.Decode64(by.Key)
	if err != nil {
		h.t.Fatal(err)
	}
	key, err := wire.ParseKey(der)
	if err != nil {
		h.t.Fatal(err)
	}
	s, err := wire.Sign(key, wire.RecordPhone, wire.PhoneBody{
		Phone: id.Phone, Person: id.Person, Name: id.Name, Host: id.Host,
		Key: wire.Encode64(h.g.phones[id.Phone].Bytes()), Signer: by.Phone,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}
