package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// The time-outs table: each client that is known, in both eras, with a progress
// token and without, waits for one card of 20 minutes that nobody answers.
func TestWaits(t *testing.T) {
	const card = 1200 * time.Second
	rows := []struct {
		client string
		token  bool
		want   time.Duration // until STILL WAITING; card for the card's own end
	}{
		{"claude-code", true, card},
		{"claude-code", false, 50 * time.Second},
		{"opencode", true, card},
		{"opencode", false, 50 * time.Second},
		{"gemini-cli-mcp-client", true, 570 * time.Second},
		{"gemini-cli-mcp-client", false, 570 * time.Second},
		{"codex-mcp-client", true, 280 * time.Second},
		{"codex-mcp-client", false, 280 * time.Second},
		{"goose", true, 270 * time.Second},
		{"Visual Studio Code", true, 240 * time.Second},
		{"vscode", false, 240 * time.Second},
		{"cursor-vscode", true, 50 * time.Second},
		{"claude-ai", true, 45 * time.Second},
		{"Claude Desktop", false, 45 * time.Second},
		{"", false, 45 * time.Second},
	}
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		p.check(p.gateway.SetWait(t.Context(), p.owner, "", int(card/time.Second)))
		var askers []*asker
		var calls []*pending
		for _, w := range []way{bySessions, byStateless} {
			for _, row := range rows {
				a := p.asker(w, row.client, nil)
				askers = append(askers, a)
				calls = append(calls, a.tool("phone_action", alarm, row.token))
			}
		}
		for i, c := range calls {
			row := rows[i%len(rows)]
			got := c.wait()
			what := string(c.a.way) + ", " + row.client
			outcome, text := nod.Outcome(""), "STILL WAITING (call_id "
			if row.want == card {
				outcome, text = nod.Expired, "The card was on the phone and nobody answered in time."
			}
			if got.at != row.want || got.outcome != outcome || !strings.HasPrefix(got.text, text) || got.isError {
				t.Errorf("%s, token %v: after %v %q (%s), want after %v %q", what, row.token, got.at, got.text, got.outcome, row.want, text)
			}
			checkBeats(t, what, c, row.token, got.at)
		}
		if cards := p.person.Cards(); len(cards) != 1 {
			t.Errorf("%d cards for one act, want 1", len(cards))
		}
		for _, a := range askers {
			a.close()
		}
	})
}

// checkBeats wants a first byte at once and a beat at least every 8 seconds:
// progress that rises where there is a token, else comments alone.
func checkBeats(t *testing.T, what string, c *pending, token bool, until time.Duration) {
	t.Helper()
	last, number := time.Duration(0), 0.0
	for i, b := range c.beats {
		if i == 0 && (b.at != 0 || !b.comment || b.text != "ok") {
			t.Errorf("%s: begins with %+v", what, b)
		}
		if b.at-last > 8*time.Second || b.at > until {
			t.Errorf("%s: a beat at %v after one at %v, answered at %v", what, b.at, last, until)
		}
		last = b.at
		switch {
		case i == 0:
		case b.comment == token:
			t.Errorf("%s: token %v, beat %+v", what, token, b)
		case token:
			if b.number <= number || len([]rune(b.text)) > 120 || b.text == "" {
				t.Errorf("%s: after progress %v: %+v", what, number, b)
			}
			number = b.number
		}
	}
	if len(c.beats) == 0 || until-last > 8*time.Second {
		t.Errorf("%s: the last beat was at %v, answered at %v", what, last, until)
	}
}

// What the person set for an agent holds for its next call, and its own set-up's
// header over that. Neither is a right: the console makes it longer or shorter.
func TestWaitsAsSet(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		p.check(p.gateway.SetWait(t.Context(), p.owner, "", 1200))
		set := func(body string) (status int) {
			resp, err := p.console.Client().Post("http://localhost/console/agents/Laptop/wait", "application/json", strings.NewReader(body))
			p.check(err)
			resp.Body.Close()
			return resp.StatusCode
		}
		wait := func(w way, header string) time.Duration {
			var more map[string]string
			if header != "" {
				more = map[string]string{"Nod-Wait": header}
			}
			a := p.asker(w, "codex-mcp-client", more)
			defer a.close()
			got := a.tool("phone_action", alarm, false).wait()
			if !strings.HasPrefix(got.text, "STILL WAITING") {
				t.Errorf("%s, Nod-Wait %q: told %q", w, header, got.text)
			}
			return got.at
		}
		for _, row := range []struct {
			set    string
			header string
			want   time.Duration
		}{
			{"", "", 280 * time.Second},
			{`{"seconds":90}`, "", 90 * time.Second},
			{"", "20", 20 * time.Second},
			{"", " 7 ", 7 * time.Second},
			{`{"seconds":100}`, "", 100 * time.Second},
			{`{"seconds":30}`, "", 30 * time.Second},
			{"", "60", 60 * time.Second},
			{`{"seconds":0}`, "", 280 * time.Second},
		} {
			if row.set != "" && set(row.set) != http.StatusOK {
				t.Fatalf("%s was not taken", row.set)
			}
			for _, w := range []way{bySessions, byStateless} {
				if w == byStateless && row.want > 100*time.Second {
					continue // the card would end first
				}
				if got := wait(w, row.header); got != row.want {
					t.Errorf("%s, Nod-Wait %q: waits %v, want %v", w, row.header, got, row.want)
				}
			}
		}
		for _, body := range []string{`{"seconds":-1}`, `{"seconds":1201}`, `{"seconds":"soon"}`, `{}x`} {
			if status := set(body); status != http.StatusBadRequest {
				t.Errorf("%s: answered %d", body, status)
			}
		}
	})
}

// A header that means nothing is refused in the same words on every door, and
// nothing reaches the phone.
func TestWaitHeaderRefused(t *testing.T) {
	inBubble(t, "ignore", func(t *testing.T, p *presence) {
		for _, value := range []string{"soon", "0", "-3", "60s", "1.5", "10, 20"} {
			header := map[string]string{"Nod-Wait": value}
			sentence := `the header Nod-Wait says "` + value + `"`
			for _, w := range []way{bySessions, byStateless} {
				a := p.asker(w, "test", header)
				got := a.tool("phone_action", alarm, true).wait()
				if !got.isError || !strings.HasPrefix(got.text, "nod could not take this request, so nothing was sent to the phone for it.") ||
					!strings.Contains(got.text, sentence) || !strings.Contains(got.text, "give one whole number of seconds") {
					t.Errorf("%s, Nod-Wait %q: told %q", w, value, got.text)
				}
				a.close()
			}
			a := p.asker(byHTTP, "", header)
			var answer struct{ Error client.Error }
			if status := a.do(http.MethodPost, "/v1/calls", alarmCall, &answer); status != http.StatusBadRequest ||
				answer.Error.Code != nod.CodeInvalid || answer.Error.Message != sentence || !strings.HasPrefix(answer.Error.Hint, "give one whole number") {
				t.Errorf("HTTP, Nod-Wait %q: %d %+v", value, status, answer.Error)
			}
			a.close()
		}
		if calls, err := p.gateway.Calls(context.Background(), p.owner, p.agent, 10); err != nil || len(calls) != 0 {
			t.Errorf("%d calls, %v", len(calls), err)
		}
	})
}

// Case 7 of what people report: progress keeps a client, and a card, alive for
// as long as a person takes, and says what people read.
func TestCase7ProgressKeepsAlive(t *testing.T) {
	inBubble(t, "slow:200s", func(t *testing.T, p *presence) {
		p.check(p.gateway.SetWait(t.Context(), p.owner, "", 300))
		for _, w := range []way{bySessions, byStateless} {
			a := p.asker(w, "claude-code", nil)
			c := a.tool("phone_action", `{"action":"timer","seconds":`+map[way]string{bySessions: "60", byStateless: "61"}[w]+`}`, true)
			got := c.wait()
			if got.outcome != nod.Done || got.at < 200*time.Second || got.at > 201*time.Second {
				t.Errorf("%s: %s after %v: %s", w, got.outcome, got.at, got.text)
			}
			checkBeats(t, string(w), c, true, got.at)
			shown := 0
			for _, b := range c.beats {
				if b.text == "Shown on Pixel, waiting for an answer." {
					shown++
				}
			}
			if shown < 25 {
				t.Errorf("%s: told %d times that the card is shown: %+v", w, shown, c.beats)
			}
			a.close()
		}
	})
}
