package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/spec"
)

// readingAgent is an agent that may read the calendar and the time.
func (p *presence) readingAgent() {
	p.t.Helper()
	a, token, err := p.gateway.AddAgent(p.t.Context(), gateway.AgentSpec{Person: p.owner, Name: "Reader", Apps: []string{"calendar:read", "clock:read", "calendar:act"}})
	p.check(err)
	p.agent, p.token = a.ID, token
}

// What was read can be told again for ten minutes, by the same door or another,
// and is gone then; who was never told has a day.
func TestReadAgainAndGone(t *testing.T) {
	for _, w := range mcpWays {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "confirm", func(t *testing.T, p *presence) {
				p.readingAgent()
				a := p.asker(w, "claude-code", nil)
				got := a.tool(spec.ToolCalendarList, `{}`, true).wait()
				if _, _, data := toldOf(t, got.text); got.outcome != nod.Done || !strings.Contains(data, `"events":[`) {
					t.Fatalf("told %s %q", got.outcome, got.text)
				}
				status := func(id nod.CallID) answered {
					return a.tool("call_status", `{"call_id":`+quote(string(id))+`}`, false).wait()
				}
				over := func(id nod.CallID) (c struct{ Text, Data string }) {
					a.do(http.MethodGet, "/v1/calls/"+string(id), "", &c)
					return c
				}
				later(9 * time.Minute)
				toldOf(t, status(got.call).text)
				if c := over(got.call); !json.Valid([]byte(c.Data)) {
					t.Errorf("over HTTP: %+v", c)
				}
				later(2 * time.Minute)
				gone := spec.Get().Text(spec.TextDoneDataGone, nil)
				if again := status(got.call); again.text != gone || again.outcome != nod.Done {
					t.Errorf("after eleven minutes told %s %q", again.outcome, again.text)
				}
				if c := over(got.call); c.Text != gone || c.Data != "" {
					t.Errorf("after eleven minutes over HTTP: %+v", c)
				}
				// One that nobody asked for is kept for a day.
				c, err := p.gateway.Open(t.Context(), gateway.Ask{Agent: p.agent, Tool: spec.ToolCalendarList, Arguments: []byte(`{"limit":3}`), Detached: true})
				p.check(err)
				later(23 * time.Hour)
				toldOf(t, status(c.ID).text)
				a.close()
			})
		})
	}
}

// A read that is taken back while the phone reads is over at once, and what the
// phone still sends is let go; and where its agent's connection is lost, nothing
// is released to nobody.
func TestReadTakenBack(t *testing.T) {
	for _, w := range []way{bySessions, byStateless} {
		t.Run(string(w), func(t *testing.T) {
			t.Parallel()
			inBubble(t, "confirm", func(t *testing.T, p *presence) {
				p.readingAgent()
				p.carries.Store(int64(8 * time.Second))
				a := p.asker(w, "claude-code", nil)
				c := a.tool(spec.ToolCalendarList, `{}`, true)
				later(time.Second)
				id := p.open().ID
				if got := a.tool("call_cancel", `{"call_id":`+quote(string(id))+`}`, false).wait(); got.outcome != nod.Withdrawn || !strings.Contains(got.text, "Nothing was read out") {
					t.Errorf("told %s %q", got.outcome, got.text)
				}
				if got := c.wait(); got.outcome != nod.Withdrawn {
					t.Errorf("the call is told %s %q", got.outcome, got.text)
				}
				later(20 * time.Second)
				if now := p.call(id); now.Outcome != nod.Withdrawn || now.Data || now.Released != 0 {
					t.Errorf("afterwards it is %s, data %t, released %v", now.Outcome, now.Data, now.Released)
				}

				c = a.tool(spec.ToolCalendarList, `{"limit":4}`, true)
				later(time.Second)
				id = p.open().ID
				c.drop()
				later(time.Minute)
				if now := p.call(id); now.Released != 0 || now.HandedOver {
					t.Errorf("after its connection was lost it is %s, released %v, handed over %t", now.Outcome, now.Released, now.HandedOver)
				}
			})
		})
	}
}
