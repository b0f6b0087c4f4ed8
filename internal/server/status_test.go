package server_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
)

// mcpWays are the ways that have tools.
var mcpWays = []way{bySessions, byStateless, byPipe, byStatelessPipe}

// short has every call of the agent answered after a second.
func (p *presence) short() {
	p.t.Helper()
	_, err := p.gateway.SetAgentWait(p.t.Context(), p.owner, "Laptop", 1)
	p.check(err)
}

// call_status waits for the end as long as it was told to, shows that it waits,
// and then says what the call itself would have said.
func TestCallStatusWaits(t *testing.T) {
	for _, w := range mcpWays {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "slow:100s", func(t *testing.T, p *presence) {
				p.short()
				a := p.asker(w, "test", nil)
				id := a.call(alarm).wait().call
				if got := a.tool("call_status", `{}`, false).wait(); got.text != "Your open calls. Give call_status the call_id of one to wait for its end:\n- "+string(id)+", alarm: Shown on Pixel, waiting for an answer." || got.isError {
					t.Errorf("listed %q", got.text)
				}
				ask := func(more string, token bool) (answered, *pending) {
					c := a.tool("call_status", `{"call_id":`+quote(string(id))+more+`}`, token)
					return c.wait(), c
				}
				began := time.Now().Add(-time.Second) // since it was asked
				for _, row := range []struct {
					more string
					want time.Duration
				}{
					{`,"wait_seconds":0`, 0}, {`,"wait_seconds":20`, 20 * time.Second}, {``, 45 * time.Second}, {`,"wait_seconds":3,"extra":[1]`, 3 * time.Second},
				} {
					got, c := ask(row.more, row.want == 20*time.Second)
					if got.at != row.want || got.state != nod.Shown || got.call != id || !strings.HasPrefix(got.text, "STILL WAITING (call_id "+string(id)+").") || got.isError {
						t.Errorf("%s: after %v %q", row.more, got.at, got.text)
					}
					if row.want > 0 && !w.pipe() {
						checkBeats(t, row.more, c, row.want == 20*time.Second, got.at)
					}
				}
				got, _ := ask(`,"wait_seconds":50`, false)
				if since := time.Since(began).Round(time.Second); since != 100*time.Second || got.outcome != nod.Done || !strings.HasPrefix(got.text, "The phone did it.") {
					t.Errorf("after %v %s: %q, want done after 100 s", since, got.outcome, got.text)
				}
				if got := a.tool("call_status", `{}`, false).wait(); !strings.HasPrefix(got.text, "You have no open calls") || got.isError {
					t.Errorf("listed %q", got.text)
				}
				a.close()
			})
		})
	}
}

// A final result is repeated word for word, as it would have come from the call,
// for 24 hours, to every connection of the agent and after restarts; and to
// nobody else.
func TestCallStatusRepeats(t *testing.T) {
	inBubble(t, "alarm=confirm,sms_draft=confirm,dial=decline:not now,timer=ignore,torch=ignore,media=slow:90s,open_url=confirm", func(t *testing.T, p *presence) {
		first := map[nod.CallID]answered{}
		say := func(w way, arguments string, outcome nod.Outcome) {
			t.Helper()
			a := p.asker(w, "claude-code", nil)
			c := a.tool("phone_action", arguments, true)
			if outcome == nod.Withdrawn {
				later(time.Second)
				p.status("call_cancel", p.open().ID)
			}
			got := c.wait()
			if got.outcome != outcome || got.call == "" {
				t.Fatalf("%s: %s %q, want %s", arguments, got.outcome, got.text, outcome)
			}
			first[got.call] = got
			a.close()
		}
		say(bySessions, alarm, nod.Done)
		say(byStateless, `{"action":"sms_draft","to":["+351 912 345 678"],"text":"On my way"}`, nod.Opened)
		say(bySessions, `{"action":"dial","number":"+351 910 000 001"}`, nod.Declined)
		say(byStateless, `{"action":"timer","seconds":60}`, nod.Expired)
		say(bySessions, `{"action":"torch","on":true}`, nod.Withdrawn)
		say(bySessions, `{"action":"add_stop"}`, nod.Refused)
		say(byStateless, `{"action":"calendar_event","title":"Lunch","start":"2027-02-30T12:00"}`, nod.Failed)
		p.carries.Store(int64(time.Minute))
		say(byStateless, `{"action":"open_url","url":"https://example.com/"}`, nod.Unknown)
		same := func(when string) {
			t.Helper()
			for _, w := range []way{bySessions, byStatelessPipe} {
				a := p.asker(w, "other", nil)
				for id, want := range first {
					got := a.tool("call_status", `{"call_id":`+quote(string(id))+`}`, false).wait()
					if got.at != 0 {
						t.Errorf("%s: the answer to %s took %v", when, id, got.at)
					}
					got.at = want.at
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %s: told %+v\nand first %+v", when, w, got, want)
					}
				}
				a.close()
			}
		}
		same("at once")
		// What the phone says later of an end that was unknown is added to it.
		later(2 * time.Minute)
		for id, was := range first {
			if was.outcome == nod.Unknown {
				got := p.status("call_status", id)
				if !strings.HasPrefix(got.text, "How it ended was unknown at first. The phone has now said") || got.outcome != nod.Unknown {
					t.Errorf("told %q", got.text)
				}
				got.at = 0
				first[id] = got
			}
		}
		p.stop()
		p.start()
		same("after a restart")
		later(90 * time.Minute)
		same("later than the gateway remembers")
		later(22 * time.Hour)
		same("after nearly a day")

		other, token, err := p.gateway.AddAgent(t.Context(), gateway.AgentSpec{Person: p.owner, Name: "Other"})
		p.check(err)
		mine := p.token
		p.token = token
		for id := range first {
			for _, tool := range []string{"call_status", "call_cancel"} {
				if got := p.status(tool, id); !strings.HasPrefix(got.text, fmt.Sprintf("You have no call %s.", id)) || !got.isError || got.call != "" {
					t.Errorf("%s tells %s of another's call: %q", tool, other.Name, got.text)
				}
			}
		}
		p.token = mine
	})
}

// What is wrong with the arguments is said in words.
func TestCallStatusArguments(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		a := p.asker(byStateless, "test", nil)
		for _, row := range []struct{ tool, arguments, want string }{
			{"call_status", `{"call_id":"call_NOSUCH"}`, "You have no call call_NOSUCH."},
			{"call_status", `{"call_id":"` + strings.Repeat("x", 500) + `"}`, "call_id is longer than"},
			{"call_status", `{"call_id":7}`, "call_id must be text."},
			{"call_status", `{"call_id":["call_A"]}`, "call_id must be text."},
			{"call_status", `{"wait_seconds":51}`, "wait_seconds must be a whole number from 0 to 50."},
			{"call_status", `{"wait_seconds":-1}`, "wait_seconds must be a whole number from 0 to 50."},
			{"call_status", `{"wait_seconds":1.5}`, "wait_seconds must be a whole number from 0 to 50."},
			{"call_status", `{"wait_seconds":"45"}`, "wait_seconds must be a whole number from 0 to 50."},
			{"call_status", `[]`, "The arguments must be one JSON object"},
			{"call_cancel", `{}`, "call_cancel needs call_id."},
			{"call_cancel", `{"call_id":true}`, "call_id must be text."},
			{"call_cancel", `{"call_id":"call_NOSUCH"}`, "You have no call call_NOSUCH."},
		} {
			c := a.tool(row.tool, row.arguments, false)
			<-c.done
			if got := c.got(); got == nil || !strings.HasPrefix(got.text, row.want) || !got.isError || len(got.text) > 400 {
				t.Errorf("%s %.60s: told %+v %s, want %q", row.tool, row.arguments, got, c.failed, row.want)
			}
		}
		// An id that is empty is none: the open calls are listed.
		for _, arguments := range []string{`{}`, `{"call_id":""}`, `{"call_id":null}`} {
			if got := a.tool("call_status", arguments, false).wait(); !strings.HasPrefix(got.text, "You have no open calls") || got.isError {
				t.Errorf("%s: told %q", arguments, got.text)
			}
		}
		a.close()
	})
}

// A call is taken back before the person answers, or it is told what becomes of
// it: never that nothing was done when something was.
func TestCallCancel(t *testing.T) {
	const tooLate = "It is too late to take this back. "
	for _, w := range mcpWays {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "ignore,confirm", func(t *testing.T, p *presence) {
				a := p.asker(w, "claude-code", nil)
				cancel := func(id nod.CallID) answered {
					return a.tool("call_cancel", `{"call_id":`+quote(string(id))+`}`, false).wait()
				}
				// Before: the waiting call hears of it too, and asked again it says the same.
				c := a.call(alarm)
				id := p.open().ID
				for range 2 {
					if got := cancel(id); !strings.HasPrefix(got.text, tookBack) || got.outcome != nod.Withdrawn || got.isError {
						t.Errorf("told %q (%s)", got.text, got.outcome)
					}
				}
				if got := c.wait(); !strings.HasPrefix(got.text, tookBack) {
					t.Errorf("the call is told %q", got.text)
				}
				if lines := strings.Join(p.screen.all(), " "); !strings.HasSuffix(lines, goneCancelled) {
					t.Errorf("the screen shows %q", lines)
				}
				// While: it was confirmed, and the phone is at it.
				p.carries.Store(int64(15 * time.Second))
				c = a.call(`{"action":"timer","seconds":60}`)
				id = p.open().ID
				later(time.Second)
				if got := cancel(id); !strings.HasPrefix(got.text, tooLate+"STILL WAITING (call_id "+string(id)+"). Confirmed; Pixel is carrying it out. How it ends is not known yet.") || got.outcome != "" {
					t.Errorf("told %q (%s)", got.text, got.outcome)
				}
				// After: it is done, and said to be.
				if got := c.wait(); got.outcome != nod.Done || !strings.HasPrefix(got.text, "The phone did it.") {
					t.Errorf("the call is told %q", got.text)
				}
				if got := cancel(id); !strings.HasPrefix(got.text, tooLate+"The phone did it.") || got.outcome != nod.Done {
					t.Errorf("told %q (%s)", got.text, got.outcome)
				}
				a.close()
			})
		})
	}
}
