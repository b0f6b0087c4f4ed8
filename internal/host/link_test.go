package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// TestBackoff holds how a phone comes back: soon at first, then less often, by
// at most five minutes and a tenth, or ten seconds where a screen shows it; and
// at once when woken.
func TestBackoff(t *testing.T) {
	for _, screen := range []bool{false, true} {
		t.Run(fmt.Sprint("screen ", screen), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "")
				most := 10 * time.Second
				if !screen {
					h.cfg.UI, most = nil, 5*time.Minute
				}
				wake := make(chan struct{})
				h.cfg.Wake = wake
				h.g.pipes.setDown(true)
				h.run("")
				after(40 * time.Minute)
				dials := h.g.pipes.attempts()
				for i := 1; i < len(dials); i++ {
					want := min(time.Second<<min(i-1, 10), most)
					if got := dials[i].Sub(dials[i-1]); got < want || got > want+want/10 {
						t.Errorf("wait %d was %v, want %v and at most a tenth more", i, got, want)
					}
				}
				if len(dials) < 12 {
					t.Errorf("%d attempts in 40 minutes", len(dials))
				}
				h.g.pipes.setDown(false)
				wake <- struct{}{}
				synctest.Wait()
				if len(h.g.hellos()) != 1 {
					t.Error("a phone that was woken did not connect")
				}
				h.stop()
			})
		})
	}
}

// TestCloseCodes holds what a phone does when the gateway closes with a code.
func TestCloseCodes(t *testing.T) {
	for _, c := range []struct {
		code websocket.StatusCode
		wait time.Duration // until it comes back; 0 for never
	}{
		{1000, time.Second}, {1001, time.Second}, {1011, time.Second}, {4003, time.Second}, {4004, time.Second}, {4005, time.Second},
		{4000, time.Minute}, {4008, time.Minute}, {4002, 5 * time.Minute},
		{4001, 0}, {4006, 0}, {4007, 0},
	} {
		t.Run(fmt.Sprint(c.code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "")
				h.run("")
				h.g.mu.Lock()
				conn := h.g.links["phone_1"]
				h.g.mu.Unlock()
				conn.Close(c.code, "because")
				if c.wait == 0 {
					if err := <-h.ended; err == nil || !strings.Contains(err.Error(), "because") {
						t.Errorf("it ended with %v", err)
					}
					h.cancel()
					h.cancel = nil
					h.g.server.Close()
					return
				}
				after(c.wait - time.Millisecond)
				if len(h.g.hellos()) != 1 {
					t.Error("it came back too soon")
				}
				after(c.wait/10 + 2*time.Millisecond)
				if len(h.g.hellos()) != 2 {
					t.Error("it did not come back")
				}
				h.stop()
			})
		})
	}
}

// TestConsoleAsks holds that agents may ask again only by the person's word.
func TestConsoleAsks(t *testing.T) {
	for _, yes := range []bool{false, true} {
		t.Run(fmt.Sprint("yes ", yes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "")
				h.person.Resume = yes
				h.run("")
				h.g.send("phone_1", wire.Frame{Kind: wire.KindRecords, Reason: wire.RecordResume})
				synctest.Wait()
				if got := h.g.frames(wire.KindRecords) == 1; got != yes {
					t.Errorf("a record was sent: %v", got)
				}
				h.stop()
			})
		})
	}
}

// TestSilence holds that a link on which nothing comes is given up after 25 s,
// and that one with beats lives.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "")
		h.run("")
		after(10 * time.Minute)
		if len(h.g.hellos()) != 1 {
			t.Fatalf("%d hellos over a link that lives", len(h.g.hellos()))
		}
		if n := h.g.frames(wire.KindBeat); n < 49 {
			t.Errorf("%d beats were answered", n)
		}
		h.g.mu.Lock()
		h.g.deaf = true
		h.g.mu.Unlock()
		after(27 * time.Second)
		if len(h.g.hellos()) != 2 {
			t.Errorf("%d hellos after 27 s of silence", len(h.g.hellos()))
		}
		h.stop()
	})
}

// TestHandshakeRefused holds that a phone talks to none but its own gateway.
func TestHandshakeRefused(t *testing.T) {
	for name, greet := range map[string]func(g *gateway, f *wire.Frame){
		"another key": func(_ *gateway, f *wire.Frame) { f.Key = "" + f.Nonce },
		"another version": func(_ *gateway, f *wire.Frame) {
			if f.Range != nil {
				f.Range = &wire.Range{Name: wire.Protocol, MinVersion: 2, MaxVersion: 3}
			}
		},
		"no challenge": func(_ *gateway, f *wire.Frame) {
			if f.Kind == wire.KindChallenge {
				f.Kind = wire.KindBeat
			}
		},
		"an old welcome": func(g *gateway, f *wire.Frame) {
			if f.Kind == wire.KindWelcome {
				*f = wire.FrameOf(g.sign(wire.KindWelcome, wire.WelcomeBody{Phone: "phone_1", Nonce: "another", Version: 1}))
			}
		},
		"a forged welcome": func(g *gateway, f *wire.Frame) {
			if f.Kind == wire.KindWelcome {
				f.Sig = g.sign(wire.KindGo, wire.GoBody{}).Sig
			}
		},
		"a version of its own": func(g *gateway, f *wire.Frame) {
			if f.Kind == wire.KindWelcome {
				*f = wire.FrameOf(g.sign(wire.KindWelcome, wire.WelcomeBody{Phone: "phone_1", Nonce: g.hello[len(g.hello)-1].Nonce, Version: 7}))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "confirm")
				h.g.greet = func(f *wire.Frame) { greet(h.g, f) }
				ups := 0
				h.cfg.OnLink = func(bool) { ups++ }
				h.run("")
				after(3 * time.Second)
				if ups != 0 {
					t.Error("the link came up")
				}
				h.stop()
			})
		})
	}
}

// TestLogHead holds that a gateway whose log does not go on from what was seen
// gets nothing carried out until the person accepts it, and is asked for the
// acceptance; and that one whose log does go on is never suspected.
func TestLogHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.g.grow(3)
		h.run("")
		h.g.grow(2)
		h.g.hangUp("phone_1")
		after(2 * time.Second)
		h.g.offer(alarm("call_1"))
		synctest.Wait()
		h.want("call_1", wire.ResultDone, true)
		if head := h.g.hellos()[1].Head; head == nil || head.Size != 3 {
			t.Errorf("the second hello has the head %+v", head)
		}

		h.g.setBack(4)
		h.g.hangUp("phone_1")
		after(5 * time.Second)
		h.g.offer(alarm("call_2"))
		synctest.Wait()
		if n := h.g.frames(wire.KindDelivered); n != 1 {
			t.Errorf("%d offers were taken", n)
		}
		h.person.AcceptSetBack = true
		h.g.hangUp("phone_1")
		after(10 * time.Second)
		if n := h.g.frames(wire.KindRecords); n != 1 {
			t.Errorf("%d records were sent", n)
		}
		h.g.offer(alarm("call_3"))
		synctest.Wait()
		h.want("call_3", wire.ResultDone, true)
		h.stop()
	})
}

// TestSaysSetBack holds that a gateway which says itself that it was restored is
// believed, even by a phone that saw nothing newer.
func TestSaysSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.g.restored = true
		h.run("")
		h.g.offer(alarm("call_1"))
		after(time.Second)
		if n := h.g.frames(wire.KindDelivered); n != 0 {
			t.Errorf("%d offers were taken", n)
		}
		h.person.AcceptSetBack = true
		h.g.hangUp("phone_1")
		after(5 * time.Second)
		h.g.offer(alarm("call_2"))
		synctest.Wait()
		h.want("call_2", wire.ResultDone, true)
		h.stop()
	})
}

// TestRevoked holds that a phone that was removed ends, and stays ended.
func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "slow:1s")
		h.run("")
		h.g.offer(alarm("call_1"))
		synctest.Wait()
		h.g.send("phone_1", wire.FrameOf(h.g.sign(wire.KindRevoked, wire.RevokedBody{Phone: "phone_1"})))
		after(2 * time.Second)
		if err := <-h.ended; !errors.Is(err, host.ErrRevoked) {
			t.Errorf("it ended with %v", err)
		}
		if err := host.Run(context.Background(), h.cfg); !errors.Is(err, host.ErrRevoked) {
			t.Errorf("started again it ended with %v", err)
		}
		if n := h.apps.Count(); n != 0 {
			t.Errorf("%d actions were done", n)
		}
		h.cancel()
		h.cancel = nil
		h.g.server.Close()
	})
}

// TestJournalFails holds that a phone whose journal cannot be written does
// nothing more and says why.
func TestJournalFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "slow:1s")
		h.run("")
		h.g.offer(alarm("call_1"))
		synctest.Wait()
		full := fmt.Errorf("disk full")
		h.journal.Fail(full)
		after(2 * time.Second)
		if err := <-h.ended; !errors.Is(err, full) {
			t.Errorf("it ended with %v", err)
		}
		if n := h.g.frames(wire.KindDecision); n != 0 {
			t.Error("a decision was sent that is not in the journal")
		}
		h.cancel()
		h.cancel = nil
		h.g.server.Close()
	})
}
