package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
)

// count counts the log's entries of a kind about a call.
func (p *presence) count(id nod.CallID, kind string) int {
	n := 0
	for _, line := range p.logged(id) {
		if word, _, _ := strings.Cut(line, " "); word == kind {
			n++
		}
	}
	return n
}

// Whoever asks again for what waits already joins it: in the same session, a new
// one, the other era, over the pipe and over HTTP. One card, one act, one answer
// for all of them; the log has each.
func TestRepeatJoins(t *testing.T) {
	for _, first := range everyWay {
		t.Run(string(first), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "slow:30s,ignore", func(t *testing.T, p *presence) {
				a := p.asker(first, "claude-code", nil)
				askers, calls := []*asker{a}, []*pending{a.call(alarm)}
				id := p.open().ID
				later(5 * time.Second)
				if first != byHTTP { // the same session or pipe once more; over HTTP there is none
					calls = append(calls, a.call(`{"action":"alarm","time":"07:30","summary":"in other words"}`))
				}
				for _, w := range everyWay {
					b := p.asker(w, "claude-code", nil)
					askers, calls = append(askers, b), append(calls, b.call(alarm))
				}
				for i, c := range calls {
					got := c.wait()
					if got.call != id || got.outcome != nod.Done || !strings.HasPrefix(got.text, "The phone did it.") {
						t.Errorf("%d, %s: told %s %q", i, c.a.way, got.outcome, got.text)
					}
				}
				if cards := p.person.Cards(); len(cards) != 1 {
					t.Errorf("%d cards were drawn, want 1", len(cards))
				}
				if decided, again := p.count(id, "call.decided"), p.count(id, "call.replayed"); decided != 1 || again != len(calls)-1 {
					t.Errorf("the log has %d decisions and %d repeats of %d calls", decided, again, len(calls))
				}
				// All of them know how it ended, so the next one is a new call, and says so.
				calls[0].a.call(alarm)
				if now := p.open(); now.ID == id {
					t.Error("what was answered is answered again")
				}
				if cards := p.person.Cards(); len(cards) != 2 || !slices.Contains(cards[1].Offer.Badges, nod.BadgeRepeat) {
					t.Errorf("the second card of %d is not marked as a repeat", len(cards))
				}
				for _, a := range askers {
					a.close()
				}
			})
		})
	}
}

// A client loses its connection and asks again within seconds, by whatever way.
// Nobody is rung twice: the call goes on, or its card's place is taken.
func TestRepeatAfterALostConnection(t *testing.T) {
	type lost struct {
		way  way
		lose func(c *pending)
	}
	drop := func(c *pending) { c.drop() }
	for name, row := range map[string]struct {
		lost
		joins bool // the call goes on
	}{
		"sessions, cut":                    {lost{bySessions, drop}, true},
		"sessions, ended":                  {lost{bySessions, func(c *pending) { c.a.end() }}, false},
		"stateless, cut":                   {lost{byStateless, drop}, false},
		"pipe, sessions, told to stop":     {lost{byPipe, drop}, false},
		"pipe, stateless, ended":           {lost{byStatelessPipe, func(c *pending) { c.a.end() }}, false},
		"HTTP, nobody asks for an instant": {lost{byHTTP, drop}, true},
	} {
		for _, again := range []way{bySessions, byStateless, byHTTP} {
			t.Run(name+", then "+string(again), func(t *testing.T) {
				t.Parallel()
				inBubble(t, "ignore", func(t *testing.T, p *presence) {
					a, c := p.asks(row.way, false)
					id := p.open().ID
					later(40 * time.Second)
					if row.way != byHTTP && c.got() != nil {
						t.Fatalf("told %+v", c.got())
					}
					row.lose(c)
					later(5 * time.Second)
					p.screen.all()
					b := p.asker(again, "claude-code", nil)
					d := b.call(alarm)
					now := p.open()
					if joins := now.ID == id; joins != row.joins {
						t.Errorf("joins: %v, want %v", joins, row.joins)
					}
					cards := p.person.Cards()
					if row.joins {
						if len(cards) != 1 {
							t.Errorf("%d cards were drawn, want 1", len(cards))
						}
						later(15 * time.Second)
						if now = p.call(id); now.Final() {
							t.Errorf("it ended %s %s although somebody waits for it", now.Outcome, now.Why)
						}
					} else if len(cards) != 2 || cards[1].Takes != id || slices.Contains(cards[1].Offer.Badges, nod.BadgeRepeat) {
						t.Errorf("the second card does not take the place of the first: %+v", cards[len(cards)-1])
					}
					d.drop()
					later(time.Minute)
					a.close()
					b.close()
				})
			})
		}
	}
}

// The person answered, and the agent's connection was lost before it heard: who
// asks again within ten minutes is told how it ended, and nothing is done twice.
func TestRepeatOfWhatWasNotHeard(t *testing.T) {
	for _, again := range everyWay {
		t.Run(string(again), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "slow:5s,ignore", func(t *testing.T, p *presence) {
				a, c := p.asks(bySessions, false)
				id := p.open().ID
				later(2 * time.Second)
				c.drop()
				later(5 * time.Minute)
				if now := p.call(id); now.Outcome != nod.Done || now.HandedOver {
					t.Fatalf("it is %s, handed over %v", now.Outcome, now.HandedOver)
				}
				b := p.asker(again, "claude-code", nil)
				got := b.call(alarm).wait()
				if got.call != id || got.outcome != nod.Done || !strings.Contains(got.text, "the person was not asked again, and nothing more was done") || got.isError {
					t.Errorf("told %s %q", got.outcome, got.text)
				}
				if said := p.status("call_status", id); strings.Contains(said.text, "asked again") {
					t.Errorf("what a repeat is told became the call's own answer: %q", said.text)
				}
				if cards := p.person.Cards(); len(cards) != 1 {
					t.Errorf("%d cards were drawn, want 1", len(cards))
				}
				// Now it was heard: the next one asks.
				b.call(alarm)
				if cards := p.person.Cards(); len(cards) != 2 || !slices.Contains(cards[1].Offer.Badges, nod.BadgeRepeat) {
					t.Errorf("%d cards, the last is not marked as a repeat", len(cards))
				}
				a.close()
				b.close()
			})
		})
	}
}

// An idempotency key names one call, open and ended, heard or not; another call
// under it is a conflict and goes nowhere.
func TestRepeatWithAKey(t *testing.T) {
	inBubble(t, "slow:20s,ignore", func(t *testing.T, p *presence) {
		a := p.asker(byHTTP, "", nil)
		first := a.post(alarm, true, "k1")
		later(time.Second)
		second := a.post(alarm, true, "k1")
		id := p.open().ID
		for _, c := range []*pending{first, second} {
			if got := c.wait(); got.call != id || got.outcome != nod.Done {
				t.Errorf("told %s %s %q", got.call, got.outcome, got.text)
			}
		}
		for _, after := range []time.Duration{time.Second, time.Hour, 22 * time.Hour} {
			later(after)
			if got := a.post(alarm, true, "k1").wait(); got.call != id || got.outcome != nod.Done {
				t.Errorf("%v later: told %s %s %q", after, got.call, got.outcome, got.text)
			}
		}
		r := a.request(t.Context(), http.MethodPost, "/v1/calls", `{"tool":"phone_action","arguments":{"action":"timer","seconds":60}}`)
		r.Header.Set("Idempotency-Key", "k1")
		resp, err := a.web.Do(r)
		p.check(err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusConflict {
			t.Errorf("the same key for another call: %s", resp.Status)
		}
		if cards := p.person.Cards(); len(cards) != 1 {
			t.Errorf("%d cards were drawn, want 1", len(cards))
		}
		a.close()
	})
}

// Case 1 of what people report: a client gives up after a minute, and its model
// repeats itself five seconds later. One card, one act, two calls in the log.
func TestCase1RetryAfterATimeout(t *testing.T) {
	const text = `{"action":"sms_draft","to":["+351 910 000 001"],"text":"Late 10 min"}`
	for _, w := range []way{bySessions, byStateless} {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "slow:90s", func(t *testing.T, p *presence) {
				a := p.asker(w, "claude-code", map[string]string{"Nod-Wait": "300"})
				c := a.call(text)
				later(time.Minute)
				c.drop()
				later(5 * time.Second)
				d := a.call(text)
				if got := d.wait(); got.outcome != nod.Opened {
					t.Errorf("told %s %q", got.outcome, got.text)
				}
				decided, asked := 0, 0
				calls, err := p.gateway.Calls(t.Context(), p.owner, p.agent, 10)
				p.check(err)
				for _, call := range calls {
					decided += p.count(call.ID, "call.decided")
					asked += p.count(call.ID, "call.offered") + p.count(call.ID, "call.replayed")
				}
				if decided != 1 || asked != 2 {
					t.Errorf("the log has %d decisions of %d calls, want 1 of 2", decided, asked)
				}
				a.close()
			})
		})
	}
}
