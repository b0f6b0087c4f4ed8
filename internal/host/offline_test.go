package host_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// A phone whose gateway is away for a day, and whose screen nobody looks at,
// tries at most 300 times, and comes back at once when its network does.
func TestDayOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, "")
		wake := make(chan struct{})
		h.cfg.UI, h.cfg.Wake = nil, wake
		h.run("")
		h.g.hangUp("phone_1")
		h.g.pipes.setDown(true)
		before := len(h.g.pipes.attempts())
		after(24 * time.Hour)
		tries := len(h.g.pipes.attempts()) - before
		t.Logf("%d attempts in a day offline", tries)
		if tries > 300 || tries < 200 {
			t.Errorf("%d attempts in a day offline, at most 300 are wanted, and one each five minutes and a half", tries)
		}
		h.g.pipes.setDown(false)
		wake <- struct{}{}
		synctest.Wait()
		if len(h.g.hellos()) != 2 {
			t.Error("it did not come back with the network")
		}
		h.stop()
	})
}
