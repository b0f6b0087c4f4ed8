package server_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// client is the Go client of the agent in the bubble.
func (p *presence) client() *client.Client {
	p.t.Helper()
	web := p.public.Client()
	plain := &http.Client{Transport: web.Transport}
	p.t.Cleanup(plain.CloseIdleConnections)
	web.Transport = checked{t: p.t, over: web.Transport}
	c, err := client.New(client.Config{URL: "http://localhost", Token: p.token, HTTP: web})
	p.check(err)
	return c
}

// A call can be waited for in pieces, and a detached one needs nobody.
func TestAPIPoll(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		agent := p.client()
		c, err := agent.Open(t.Context(), client.Request{Tool: "phone_action", Arguments: []byte(alarm), Detached: true})
		if err != nil || c.Ended() {
			t.Fatalf("%+v, %v", c, err)
		}
		if !strings.HasPrefix(c.Text, "STILL WAITING (call_id "+string(c.ID)+").") {
			t.Errorf("told %q", c.Text)
		}
		synctest.Wait()
		began := time.Now()
		c, err = agent.Wait(t.Context(), c.ID, time.Second)
		if err != nil || c.State != nod.Shown || time.Since(began) != time.Second {
			t.Errorf("after a wait of 1 s: %s after %v, %v", c.State, time.Since(began), err)
		}
		c, err = agent.Wait(t.Context(), c.ID, time.Hour)
		if err != nil || c.Ended() || time.Since(began) != 51*time.Second {
			t.Errorf("after a wait of an hour: %s after %v, %v", c.State, time.Since(began), err)
		}
		if c, err = agent.Wait(t.Context(), c.ID, 50*time.Second); err != nil || c.Ended() {
			t.Errorf("%s, %v", c.Outcome, err)
		}
		c, err = agent.Wait(t.Context(), c.ID, 50*time.Second)
		if err != nil || c.Outcome != nod.Expired || time.Since(began) > 121*time.Second {
			t.Errorf("ended %s after %v, %v", c.Outcome, time.Since(began), err)
		}
	})
}

// A caller that polls and stops polling has gone away.
func TestAPIPollerDies(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		agent := p.client()
		c, err := agent.Open(t.Context(), client.Request{Tool: "phone_action", Arguments: []byte(alarm)})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 { // as long as it asks, all is well
			if c, err = agent.Wait(t.Context(), c.ID, 20*time.Second); err != nil || c.Ended() {
				t.Fatalf("%s, %v", c.Outcome, err)
			}
		}
		state := func(after time.Duration) nod.Call {
			time.Sleep(after)
			synctest.Wait()
			c, err := p.gateway.Call(t.Context(), p.agent, c.ID) // not by HTTP: that would be asking
			p.check(err)
			return c
		}
		if c := state(9 * time.Second); c.Final() {
			t.Errorf("withdrawn after 9 s: %s, %s", c.Outcome, c.Why)
		}
		if c := state(2 * time.Second); c.Outcome != nod.Withdrawn || c.Why != nod.WhyGone {
			t.Errorf("11 s after the last question: %s, %s, want withdrawn, gone", c.Outcome, c.Why)
		}
	})
}
