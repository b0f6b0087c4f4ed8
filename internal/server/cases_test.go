package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
)

// Case 2 of what people report: the wait is over, and then the person taps. The
// card is gone, nothing is done, and the agent was told so; a tap in the very
// moment is late, too.
func TestCase2LateTap(t *testing.T) {
	for _, tap := range []string{"slow:60s", "slow:75s"} {
		t.Run(tap, func(t *testing.T) {
			t.Parallel()
			inBubble(t, tap, func(t *testing.T, p *presence) {
				a := p.asker(byHTTP, "", map[string]string{"Nod-Wait": "60"})
				got := a.call(alarm).wait()
				if got.outcome != nod.Expired || got.at != 60*time.Second || !strings.HasPrefix(got.text, "The card was on the phone and nobody answered in time. Nothing was done.") {
					t.Errorf("after %v told %s %q", got.at, got.outcome, got.text)
				}
				later(time.Minute)
				if n := p.apps.Count(); n != 0 {
					t.Errorf("the phone did %d things", n)
				}
				if lines := p.screen.all(); lines[len(lines)-1] != "The card is gone: expired." {
					t.Errorf("the screen shows %q", lines)
				}
				if log := p.logged(got.call); log[len(log)-1] != "call.ended expired" {
					t.Errorf("the log has %q", log)
				}
			})
		})
	}
}

// Case 5: the gateway is killed with a card up and starts again. The card goes as
// soon as the phone is back, a tap does nothing, the old session is not known,
// and whoever asks by the id hears what became of it.
func TestCase5RestartMidCard(t *testing.T) {
	inBubble(t, "slow:100s", func(t *testing.T, p *presence) {
		a := p.asker(bySessions, "codex-mcp-client", nil)
		c := a.call(alarm)
		id := p.open().ID
		later(10 * time.Second)
		p.stop()
		p.start()
		a.web = p.public.Client()
		later(20 * time.Second)
		if got := c.got(); got != nil {
			t.Errorf("told %q by a connection that is dead", got.text)
		}
		if why, gone := p.person.Gone(id); !gone || why != "over" {
			t.Errorf("the card: gone %v, %q", gone, why)
		}
		later(2 * time.Minute)
		if n := p.apps.Count(); n != 0 {
			t.Errorf("the phone did %d things", n)
		}
		if status := a.do(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, nil); status != http.StatusNotFound {
			t.Errorf("the old session answers %d, want 404", status)
		}
		if got := p.status("call_status", id); got.outcome != nod.Withdrawn || !strings.HasPrefix(got.text, "nod restarted before the person answered, so it was taken back. Nothing was done.") {
			t.Errorf("told %s %q", got.outcome, got.text)
		}
	})
}

// Case 6: a session that is not known is 404 and nothing else, and a client that
// begins anew is served, whatever it still says of the old one. Without sessions
// there is nothing to know.
func TestCase6UnknownSession(t *testing.T) {
	inBubble(t, "confirm", func(t *testing.T, p *presence) {
		a := p.asker(byHTTP, "", map[string]string{"Mcp-Session-Id": "NOSUCH"})
		for _, row := range []struct {
			body string
			want int
		}{
			{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phone_action","arguments":` + alarm + `}}`, http.StatusNotFound},
			{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, http.StatusNotFound},
			{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, http.StatusNotFound},
			{`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, http.StatusOK},
		} {
			if got := a.do(http.MethodPost, "/mcp", row.body, nil); got != row.want {
				t.Errorf("%s: answered %d, want %d", row.body, got, row.want)
			}
		}
		b := p.asker(byStateless, "claude-code", map[string]string{"Mcp-Session-Id": "NOSUCH"})
		if got := b.call(alarm).wait(); got.outcome != nod.Done {
			t.Errorf("without sessions: %s %q", got.outcome, got.text)
		}
		if n := p.apps.Count(); n != 1 {
			t.Errorf("the phone did %d things, want 1", n)
		}
	})
}

// Case 8: a client that is cut after 60 seconds gets an answer before, with what
// to do next, and the end by its id.
func TestCase8SixtySecondClient(t *testing.T) {
	for _, w := range mcpWays {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "slow:80s", func(t *testing.T, p *presence) {
				a := p.asker(w, "claude-ai", nil)
				got := a.tool("phone_action", alarm, true).wait()
				if got.at >= 55*time.Second || got.isError || got.outcome != "" {
					t.Errorf("after %v told %q", got.at, got.text)
				}
				for _, want := range []string{"STILL WAITING (call_id " + string(got.call) + ")", "Nothing has been done yet", "Call call_status with this call_id", "do not send the same request again"} {
					if !strings.Contains(got.text, want) {
						t.Errorf("told %q, want it to say %q", got.text, want)
					}
				}
				end := a.tool("call_status", `{"call_id":`+quote(string(got.call))+`}`, true).wait()
				if end.outcome != nod.Done || end.at >= 55*time.Second {
					t.Errorf("after %v %s: %q", end.at, end.outcome, end.text)
				}
			})
		})
	}
}

// Case 10: nothing listens. A call is answered within the moment, in the words of
// the contract, and nothing is drawn or sent. The tools are listed all the same:
// the list depends on access and not on who is there.
func TestCase10NothingListening(t *testing.T) {
	inBubble(t, "confirm", func(t *testing.T, p *presence) {
		p.order("/console/phones/Pixel/revoke")
		for _, w := range everyWay {
			a := p.asker(w, "claude-code", nil)
			got := a.call(alarm).wait()
			if got.at != 0 || got.outcome != nod.Unavailable || !strings.HasPrefix(got.text, "No phone is paired") || got.isError != (w != byHTTP) {
				t.Errorf("%s: after %v told %s %q, isError %v", w, got.at, got.outcome, got.text, got.isError)
			}
			if log := p.logged(got.call); !slices.Equal(log, []string{"call.unavailable unavailable no_phone"}) {
				t.Errorf("%s: the log has %q", w, log)
			}
		}
		if cards := p.person.Cards(); len(cards) != 0 {
			t.Errorf("%d cards were drawn", len(cards))
		}
	})
}

// A client that asked for progress is told of each step, in a sentence of its
// own, at once; after the end of none.
func TestProgressOfEachStep(t *testing.T) {
	inBubble(t, "slow:20s", func(t *testing.T, p *presence) {
		p.carries.Store(int64(12 * time.Second))
		for i, w := range mcpWays {
			a := p.asker(w, "claude-code", nil)
			c := a.tool("phone_action", `{"action":"timer","seconds":`+[]string{"1", "2", "3", "4"}[i]+`}`, true)
			got := c.wait()
			later(30 * time.Second)
			var steps []string
			at := map[string]time.Duration{}
			for _, b := range c.beats {
				if !b.comment && (len(steps) == 0 || steps[len(steps)-1] != b.text) {
					steps, at[b.text] = append(steps, b.text), b.at
				}
				if b.at > got.at {
					t.Errorf("%s: told %q after the end", w, b.text)
				}
			}
			const shown, working = "Shown on Pixel, waiting for an answer.", "Confirmed; Pixel is carrying it out."
			if at[shown] != 0 || at[working] != 20*time.Second || steps[len(steps)-1] != working || !slices.Contains(steps, shown) {
				t.Errorf("%s: told %q at %v", w, steps, at)
			}
			if got.outcome != nod.Done || got.at != 32*time.Second {
				t.Errorf("%s: %s after %v", w, got.outcome, got.at)
			}
			a.close()
		}
	})
}
