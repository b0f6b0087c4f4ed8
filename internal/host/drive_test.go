package host_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// slowDriver takes a minute for everything, and notices being stopped.
type slowDriver struct {
	// begun says whether it had started when it was stopped.
	begun bool
	panic bool

	mu    sync.Mutex
	can   []nod.Capability
	calls int
}

func (d *slowDriver) Capabilities() []nod.Capability {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.can)
}

func (d *slowDriver) CarryOut(ctx context.Context, _ host.Card) host.Result {
	d.mu.Lock()
	d.calls++
	d.mu.Unlock()
	if d.panic {
		panic("the clock app is not what it was")
	}
	<-ctx.Done()
	return host.Result{Status: wire.ResultFailed, Started: d.begun, Message: "It was stopped."}
}

// TestDisarm holds that what is called off while it runs says truthfully whether
// it had begun.
func TestDisarm(t *testing.T) {
	for _, begun := range []bool{false, true} {
		t.Run(fmt.Sprint("begun ", begun), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, "confirm")
				h.cfg.Driver = &slowDriver{begun: begun}
				h.run("")
				h.g.offer(alarm("call_1"))
				after(2 * time.Second)
				h.g.send("phone_1", wire.FrameOf(h.g.sign(wire.KindDisarm, wire.CallBody{Call: "call_1", Reason: "paused"})))
				synctest.Wait()
				h.want("call_1", wire.ResultFailed, begun)
				h.stop()
				kind := host.RecDisarmed
				if begun {
					kind = host.RecEnded
				}
				records, err := h.journal.Records()
				if err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(records, func(r host.Record) bool { return r.Kind == kind }) {
					t.Errorf("the journal has no %s", kind)
				}
			})
		})
	}
}

// TestStopWhileRunning holds that a phone that is told to stop stops its driver,
// and still journals and says how that ended, and bye.
func TestStopWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.cfg.Driver = &slowDriver{}
		h.run("")
		h.g.offer(alarm("call_1"))
		after(2 * time.Second)
		h.cancel()
		synctest.Wait()
		h.want("call_1", wire.ResultFailed, false)
		if n := h.g.frames(wire.KindBye); n != 1 {
			t.Errorf("%d byes", n)
		}
		h.stop()
	})
}

// TestRevokedWhileRunning holds that a phone that is removed while it acts says
// how that ended before it leaves.
func TestRevokedWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.cfg.Driver = &slowDriver{begun: true}
		h.run("")
		h.g.offer(alarm("call_1"))
		after(2 * time.Second)
		h.g.send("phone_1", wire.FrameOf(h.g.sign(wire.KindRevoked, wire.RevokedBody{Phone: "phone_1"})))
		synctest.Wait()
		h.want("call_1", wire.ResultFailed, true)
		if err := <-h.ended; err != host.ErrRevoked {
			t.Errorf("it ended with %v", err)
		}
		h.cancel()
		h.cancel = nil
		h.g.server.Close()
	})
}

// TestTooSlow holds that a driver is stopped when its result is due.
func TestTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.cfg.Driver = &slowDriver{begun: true}
		h.run("")
		h.g.offer(alarm("call_1"))
		after(host.GoWindow)
		h.want("call_1", wire.ResultFailed, true)
		h.stop()
	})
}

// TestDriverBreaks holds that a driver that panics may have done anything.
func TestDriverBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		h.cfg.Driver = &slowDriver{panic: true}
		h.run("")
		h.g.offer(alarm("call_1"))
		synctest.Wait()
		h.want("call_1", wire.ResultUnknown, true)
		h.stop()
	})
}

// TestCapabilitiesChange holds that the gateway hears when the phone can do more.
func TestCapabilitiesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "")
		d := &slowDriver{can: []nod.Capability{{ID: "torch.switch", State: nod.NeedsPermission, Reason: "Allow the camera."}}}
		h.cfg.Driver = d
		h.run("")
		if got := h.g.hellos()[0].Capabilities; len(got) != 1 || got[0].State != nod.NeedsPermission {
			t.Errorf("the hello declares %+v", got)
		}
		after(time.Minute)
		d.mu.Lock()
		d.can = []nod.Capability{{ID: "torch.switch", State: nod.Ready}}
		d.mu.Unlock()
		after(time.Minute)
		if n := h.g.frames(wire.KindCapabilities); n != 1 {
			t.Errorf("%d declarations", n)
		}
		h.stop()
	})
}

// TestJournalStaysShort holds that a long journal is shortened, tombstones apart.
func TestJournalStaysShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "confirm")
		for i := range 5000 {
			h.journal.Append(host.Record{Kind: host.RecHead, Head: &wire.Head{Size: int64(i)}})
		}
		h.journal.Append(host.Record{Kind: host.RecOver, Call: "call_old"})
		h.g.grow(1)
		h.g.setBack(1)
		h.run("")
		h.stop()
		records, err := h.journal.Records()
		if err != nil {
			t.Fatal(err)
		}
		if len(records) > 10 || !slices.ContainsFunc(records, func(r host.Record) bool { return r.Call == "call_old" }) {
			t.Errorf("%d records are left", len(records))
		}
	})
}

// TestLogTellsNoValues holds that what a phone logs names calls and actions, and
// nothing of what was asked.
func TestLogTellsNoValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		h := newHouse(t, "confirm")
		h.cfg.Logger = slog.New(slog.NewTextHandler(&out, nil))
		h.run("")
		o := alarm("call_1")
		o.Fields = nod.Fields{"time": "07:30", "label": "zahnarzt"}
		h.g.offer(o)
		synctest.Wait()
		h.stop()
		if !strings.Contains(out.String(), "call_1") || strings.Contains(out.String(), "zahnarzt") || strings.Contains(out.String(), "07:30") {
			t.Errorf("it logged:\n%s", &out)
		}
	})
}
