package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
)

// ending is what becomes of a call that waits when something happens.
type ending struct {
	outcome nod.Outcome
	why     nod.Why
	// after is how long after it the ledger has the end.
	after time.Duration
	// told is how the text begins that the waiting agent is given; empty where
	// nobody is there to be told, or looks.
	told string
	// phone is what the screen shows from then on.
	phone string
}

// What the phone shows and the agent is told, ending by ending.
const (
	goneCancelled = "The card is gone: cancelled."
	held          = "The card waits with Confirm off: gone. The card is gone: expired."
	tookBack      = "You took it back before the person answered. Nothing was done."
)

var (
	cancelled = ending{nod.Withdrawn, nod.WhyCancelled, 0, "", goneCancelled}
	atOnce    = ending{nod.Withdrawn, nod.WhyGone, 0, "", held}
	afterTen  = ending{nod.Withdrawn, nod.WhyGone, 10 * time.Second, "", held}
	afterFive = ending{nod.Withdrawn, nod.WhyGone, 5 * time.Second, "", held}
)

// all gives every way the same ending.
func all(e ending, ways ...way) map[way]ending {
	if len(ways) == 0 {
		ways = everyWay
	}
	m := map[way]ending{}
	for _, w := range ways {
		m[w] = e
	}
	return m
}

// endings is the endings table: what can happen to a call that waits for the
// person, attached to its agent's connection, by each way in which it may have
// been asked.
var endings = []struct {
	name string
	do   func(p *presence, c *pending)
	near bool // the agent is on the gateway's machine
	ends map[way]ending
}{
	{"the client takes it back", func(_ *presence, c *pending) { c.cancel() }, false, map[way]ending{
		bySessions: cancelled, byStateless: atOnce, byPipe: cancelled, byStatelessPipe: atOnce,
		byHTTP: {nod.Withdrawn, nod.WhyCancelled, 0, tookBack, goneCancelled},
	}},
	{"the connection is lost", func(_ *presence, c *pending) { c.drop() }, false, map[way]ending{
		bySessions: afterTen, byStateless: atOnce, byHTTP: afterTen,
	}},
	{"the connection is lost, on the same machine", func(_ *presence, c *pending) { c.drop() }, true, map[way]ending{
		bySessions: afterFive, byStateless: atOnce, byHTTP: afterTen,
	}},
	{"the session ends", func(_ *presence, c *pending) { c.a.end() }, false, map[way]ending{bySessions: atOnce}},
	{"the pipe ends", func(_ *presence, c *pending) { c.a.end() }, false, map[way]ending{byPipe: atOnce, byStatelessPipe: atOnce}},
	{"the proxy is told to stop", func(_ *presence, c *pending) { c.drop() }, false, map[way]ending{byPipe: atOnce, byStatelessPipe: atOnce}},
	{"lost, then taken back within the grace", func(_ *presence, c *pending) { c.drop(); later(3 * time.Second); c.cancel() }, false,
		map[way]ending{bySessions: {nod.Withdrawn, nod.WhyCancelled, 3 * time.Second, "", goneCancelled}}},
	{"lost, and the session ends within the grace", func(_ *presence, c *pending) { c.drop(); later(3 * time.Second); c.a.end() }, false,
		map[way]ending{bySessions: {nod.Withdrawn, nod.WhyGone, 3 * time.Second, "", held}}},
	{"call_cancel", func(p *presence, _ *pending) { p.status("call_cancel", p.open().ID) }, false,
		all(ending{nod.Withdrawn, nod.WhyCancelled, 0, tookBack, goneCancelled})},
	{"the agent is paused", func(p *presence, _ *pending) { p.order("/console/agents/Laptop/pause") }, false,
		all(ending{nod.Denied, nod.WhyPaused, 0, "The person paused this agent while the card waited.", "The card is gone: paused."})},
	{"all are paused", func(p *presence, _ *pending) { p.order("/console/pause") }, false,
		all(ending{nod.Denied, nod.WhyPaused, 0, "The person paused this agent while the card waited.", "The card is gone: paused."})},
	{"the agent gets a new token", func(p *presence, _ *pending) { p.order("/console/agents/Laptop/rotate") }, false,
		all(atOnce, bySessions, byStateless, byPipe, byStatelessPipe)},
	{"the app is switched off", func(p *presence, _ *pending) { p.orderBody("/console/agents/Laptop/off", `{"apps":["clock:act"]}`) }, false,
		all(ending{nod.Denied, nod.WhyAccessOff, 0, "The person switched the clock app off for this agent while the card waited.", "The card is gone: access_off."})},
	{"the agent is removed", func(p *presence, _ *pending) { p.order("/console/agents/Laptop/revoke") }, false,
		all(ending{nod.Withdrawn, nod.WhyAgentRemoved, 0, "The person removed this agent before answering.", "The card is gone: agent_removed."})},
	{"the phone is removed", func(p *presence, _ *pending) { p.order("/console/phones/Pixel/revoke") }, false,
		all(ending{nod.Withdrawn, nod.WhyPhoneRemoved, 0, "The phone was removed before the person answered.", "The card is gone: phone_removed."})},
	{"the gateway is killed and starts again", func(p *presence, _ *pending) { p.stop(); p.start() }, false,
		all(ending{nod.Withdrawn, nod.WhyRestart, 0, "", "The card is gone: over."}, bySessions, byStateless)},
}

// order is an order of the console.
func (p *presence) order(path string) { p.orderBody(path, `{}`) }

func (p *presence) orderBody(path, body string) {
	resp, err := p.console.Client().Post("http://localhost"+path, "application/json", strings.NewReader(body))
	p.check(err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.t.Errorf("%s: %s", path, resp.Status)
	}
}

// status asks about a call, or takes it back, by another connection of the agent.
func (p *presence) status(tool string, id nod.CallID) answered {
	a := p.asker(byStateless, "other", nil)
	defer a.close()
	arguments := `{}`
	if id != "" {
		arguments = `{"call_id":` + quote(string(id)) + `}`
	}
	if tool == "call_status" && id != "" {
		arguments = `{"wait_seconds":0,"call_id":` + quote(string(id)) + `}`
	}
	return a.tool(tool, arguments, false).wait()
}

// asks starts a call by a way whose connection counts as near or far.
func (p *presence) asks(w way, near bool) (*asker, *pending) {
	var header map[string]string
	if !near {
		header = map[string]string{"X-Forwarded-For": "192.0.2.7"}
	}
	a := p.asker(w, "claude-code", header)
	return a, a.call(alarm)
}

func TestEndings(t *testing.T) {
	for _, row := range endings {
		for _, w := range everyWay {
			want, ok := row.ends[w]
			if !ok {
				continue
			}
			t.Run(row.name+", "+string(w), func(t *testing.T) {
				t.Parallel()
				inBubble(t, "ignore", func(t *testing.T, p *presence) {
					a, c := p.asks(w, row.near)
					call := p.open()
					if call.State != nod.Shown {
						t.Fatalf("the call is %s", call.State)
					}
					later(7 * time.Second)
					p.screen.all()
					began := time.Now()
					row.do(p, c)
					later(30 * time.Second)
					p.wantEnding(call.ID, began, want, c)
					a.close()
				})
			})
		}
	}
}

// wantEnding checks the ledger, the log, the screen and what the agent was told.
func (p *presence) wantEnding(id nod.CallID, began time.Time, want ending, c *pending) {
	p.t.Helper()
	now := p.call(id)
	if now.Outcome != want.outcome || now.Why != want.why {
		p.t.Fatalf("ended %s %s, want %s %s", now.Outcome, now.Why, want.outcome, want.why)
	}
	if after := now.Ended.UTC().Sub(began).Round(time.Millisecond); after != want.after {
		p.t.Errorf("ended after %v, want %v", after, want.after)
	}
	kind := "call.ended"
	if want.outcome == nod.Denied {
		kind = "call.denied"
	}
	log := p.logged(id)
	if last := strings.TrimSpace(fmt.Sprint(kind, " ", want.outcome, " ", want.why)); log[len(log)-1] != last {
		p.t.Errorf("the log ends %q, want %q", log, last)
	}
	if got := strings.Join(p.screen.all(), " "); got != want.phone {
		p.t.Errorf("the screen shows %q, want %q", got, want.phone)
	}
	got := c.got()
	switch {
	case want.told == "": // nobody is there, or nobody looks: clients drop the answer to what they cancelled
	case got == nil:
		p.t.Errorf("it is told nothing (%s), want %q", c.failed, want.told)
	case !strings.HasPrefix(got.text, want.told) || got.text != now.Text:
		p.t.Errorf("it is told %q, want %q", got.text, want.told)
	}
}

// What ends a call that its agent follows by its id, because its client's time
// was used up, and what does not: the end of no connection does.
func TestDetachedEndings(t *testing.T) {
	type end struct {
		outcome nod.Outcome
		why     nod.Why
		text    string
	}
	lives := end{}
	for _, row := range []struct {
		name string
		do   func(p *presence, c *pending)
		ways []way
		want end
	}{
		{"its client takes back what it was answered", func(_ *presence, c *pending) {
			c.a.notify(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + quote(c.id) + `}}`)
		}, []way{bySessions, byPipe}, lives},
		{"the session ends, and nobody asks for minutes", func(_ *presence, c *pending) { c.a.end(); later(10 * time.Minute) }, []way{bySessions, byPipe, byStatelessPipe}, lives},
		{"the proxy is told to stop", func(_ *presence, c *pending) { c.drop(); later(time.Minute) }, []way{byPipe, byStatelessPipe}, lives},
		{"every connection is cut", func(_ *presence, c *pending) { c.a.web.CloseIdleConnections(); later(time.Minute) }, []way{bySessions, byStateless}, lives},
		{"a call_status of it is cancelled", func(p *presence, c *pending) {
			s := c.a.tool("call_status", `{"call_id":`+quote(string(p.open().ID))+`}`, false)
			later(3 * time.Second)
			s.cancel()
			later(time.Minute)
		}, []way{bySessions, byStateless, byPipe, byStatelessPipe}, lives},
		{"a call_status of it is dropped", func(p *presence, c *pending) {
			s := c.a.tool("call_status", `{"call_id":`+quote(string(p.open().ID))+`}`, false)
			later(3 * time.Second)
			s.abort()
			later(time.Minute)
		}, []way{bySessions, byStateless}, lives},
		{"the gateway is killed and starts again", func(p *presence, _ *pending) { p.stop(); p.start(); later(30 * time.Second) }, []way{bySessions, byStateless}, lives},
		{"the gateway stops in good order and starts again", func(p *presence, _ *pending) { p.server.Close(); p.stop(); p.start(); later(30 * time.Second) }, []way{bySessions, byStateless}, lives},
		{"call_cancel", func(p *presence, _ *pending) { p.status("call_cancel", p.open().ID) }, []way{bySessions}, end{nod.Withdrawn, nod.WhyCancelled, tookBack}},
		{"the agent is paused", func(p *presence, _ *pending) { p.order("/console/agents/Laptop/pause") }, []way{bySessions}, end{nod.Denied, nod.WhyPaused, "The person paused this agent"}},
		{"all are paused", func(p *presence, _ *pending) { p.order("/console/pause") }, []way{byStateless}, end{nod.Denied, nod.WhyPaused, "The person paused this agent"}},
		{"the app is switched off", func(p *presence, _ *pending) { p.orderBody("/console/agents/Laptop/off", `{"apps":["clock:act"]}`) }, []way{bySessions}, end{nod.Denied, nod.WhyAccessOff, "The person switched the clock app off"}},
		{"another app is switched off", func(p *presence, _ *pending) {
			p.orderBody("/console/agents/Laptop/off", `{"apps":["maps:act","clock:read"]}`)
		}, []way{byStateless}, lives},
		{"the agent is removed", func(p *presence, _ *pending) { p.order("/console/agents/Laptop/revoke") }, []way{byStateless}, end{nod.Withdrawn, nod.WhyAgentRemoved, "The person removed this agent"}},
		{"the phone is removed", func(p *presence, _ *pending) { p.order("/console/phones/Pixel/revoke") }, []way{bySessions}, end{nod.Withdrawn, nod.WhyPhoneRemoved, "The phone was removed"}},
		{"its time is over", func(_ *presence, _ *pending) { later(20 * time.Minute) }, []way{byStateless}, end{nod.Expired, nod.WhyNone, "The card was on the phone and nobody answered in time."}},
	} {
		for _, w := range row.ways {
			t.Run(row.name+", "+string(w), func(t *testing.T) {
				t.Parallel()
				inBubble(t, "ignore", func(t *testing.T, p *presence) {
					p.check(p.gateway.SetWait(t.Context(), p.owner, "", 1200))
					_, err := p.gateway.SetAgentWait(t.Context(), p.owner, "Laptop", 1)
					p.check(err)
					a, c := p.asks(w, false)
					if got := c.wait(); !strings.HasPrefix(got.text, "STILL WAITING (call_id "+string(p.open().ID)+"). Shown on Pixel, waiting for an answer. Nothing has been done yet") || got.isError {
						t.Fatalf("told %q", got.text)
					}
					id := p.open().ID
					row.do(p, c)
					now := p.call(id)
					if now.Outcome != row.want.outcome || now.Why != row.want.why || !strings.HasPrefix(now.Text, row.want.text) {
						t.Errorf("it is %s %s %s: %q, want %s %s", now.State, now.Outcome, now.Why, now.Text, row.want.outcome, row.want.why)
					}
					if row.want == lives {
						if lines := p.screen.all(); strings.Contains(strings.Join(lines, " "), "gone") {
							t.Errorf("the screen shows %q", lines)
						}
						if got := p.status("call_status", id); got.call != id || got.state != nod.Shown {
							t.Errorf("call_status says %s: %q", got.state, got.text)
						}
					}
					a.close()
				})
			})
		}
	}
}

// A gateway that stops in good order says so before it goes: what waited for its
// agent's connection is taken back, what was decided is not said to be undone.
func TestStopInOrder(t *testing.T) {
	for _, w := range everyWay {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "ignore", func(t *testing.T, p *presence) {
				a, c := p.asks(w, false)
				id := p.open().ID
				p.screen.all()
				p.server.Close()
				want, outcome := "nod restarted before the person answered, so it was taken back. Nothing was done.", nod.Withdrawn
				if w == byHTTP { // it asks again and again: its next question finds the next start
					want, outcome = "STILL WAITING", ""
				}
				if got := c.got(); got == nil || !strings.HasPrefix(got.text, want) || got.outcome != outcome {
					t.Errorf("told %+v, want %q", got, want)
				}
				if lines := strings.Join(p.screen.all(), " "); w != byHTTP && lines != "The card is gone: restart." {
					t.Errorf("the screen shows %q", lines)
				}
				c.abort()
				p.stop()
				p.start()
				if now := p.call(id); now.Outcome != nod.Withdrawn || now.Why != nod.WhyRestart {
					t.Errorf("after the next start it is %s %s", now.Outcome, now.Why)
				}
				a.close()
			})
		})
	}
}

// Whoever waits for one call together hears the same when the gateway stops:
// nobody is told that the card still waits.
func TestStopInOrderForAll(t *testing.T) {
	for _, w := range mcpWays {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "ignore", func(t *testing.T, p *presence) {
				_, first := p.asks(w, false)
				id := p.open().ID
				p.asker(byHTTP, "", nil).call(alarm)
				waiting := []*pending{first, p.asker(bySessions, "claude-code", nil).call(alarm), p.asker(byStateless, "claude-code", nil).call(alarm)}
				later(time.Second)
				p.server.Close()
				for _, c := range waiting {
					if got := c.got(); got == nil || got.call != id || got.outcome != nod.Withdrawn || !strings.HasPrefix(got.text, "nod restarted before the person answered") {
						t.Errorf("%s: told %+v", c.a.way, got)
					}
				}
			})
		})
	}
}
