package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// mostAnHour is what an idle link may carry in an hour, both ways.
const mostAnHour = 60_000

// What presence costs: an idle hour of one link, every byte of it, with the
// WebSocket's own.
func TestIdleHour(t *testing.T) {
	inBubble(t, "confirm", func(t *testing.T, p *presence) {
		p.all("at first", true)
		time.Sleep(time.Minute)
		before := p.air.bytes.Load()
		time.Sleep(time.Hour)
		synctest.Wait()
		bytes := p.air.bytes.Load() - before
		t.Logf("%d bytes in an idle hour", bytes)
		if bytes > mostAnHour || bytes < 1000 {
			t.Errorf("an idle hour takes %d bytes, at most %d are wanted", bytes, mostAnHour)
		}
		p.all("after an hour", true)
	})
}

// A network that dies without a word: nobody calls the phone connected half a
// minute later, and everybody does as soon as it is back, on whatever network.
func TestDeadAir(t *testing.T) {
	inBubble(t, "confirm", func(t *testing.T, p *presence) {
		for _, at := range []time.Duration{0, 3 * time.Second, 11 * time.Second} { // of the beat's twelve seconds
			time.Sleep(12*time.Second + at)
			p.all("before", true)
			p.air.die()
			time.Sleep(30 * time.Second)
			p.all("half a minute after the air died", false)
			p.air.dead.Store(false)
			p.wake <- struct{}{}
			p.all("back again", true)
		}
	})
}

// From one network to another within seconds: the old link is dead and looks
// alive, the new one counts at once, and the card goes on over it.
func TestHandover(t *testing.T) {
	inBubble(t, "slow:40s", func(t *testing.T, p *presence) {
		var call client.Call
		p.ask(p.public, "POST", "/v1/calls", alarmCall, &call)
		synctest.Wait()
		p.air.die()
		time.Sleep(2 * time.Second)
		p.all("the gateway cannot know yet", true)
		p.air.dead.Store(false)
		time.Sleep(26 * time.Second) // the phone gives the silent link up and comes back by itself
		p.all("on the other network", true)
		for !call.Ended() {
			p.ask(p.public, "GET", "/v1/calls/"+string(call.ID)+"?wait=10", "", &call)
		}
		if call.Outcome != nod.Done {
			t.Errorf("the card that was up meanwhile ended %s: %s", call.Outcome, call.Text)
		}
		if cards := p.person.Cards(); len(cards) != 1 {
			t.Errorf("%d cards were drawn for one call", len(cards))
		}
	})
}
