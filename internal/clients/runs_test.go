//go:build clients && linux

package clients

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/spec"
)

// patience is how long a client may take on a machine that is busy.
const patience = 3 * time.Minute

// slack is how far over its time something may be on a busy machine.
const slack = 3 * time.Second

// answered is a run in which the person, or nod, answers and the model hears it.
type answered struct {
	name    string
	person  string
	script  Script
	wait    int // seconds in one call
	outcome nod.Outcome
	isError bool
	acts    int
	cards   int
	// still is true when the model is told STILL WAITING first, once or more.
	still bool
	// long is how long the person takes, where the client does nothing meanwhile.
	long time.Duration
}

var once = Script{{Tool: spec.ToolPhoneAction, Arguments: torch}}

var answers = []answered{
	{name: "done", person: "slow:500ms", script: once, outcome: nod.Done, acts: 1, cards: 1},
	{name: "declined", person: "decline:not now", script: once, outcome: nod.Declined, cards: 1},
	{name: "refused", person: "confirm", script: Script{{Tool: spec.ToolPhoneAction, Arguments: `{"action": "torch"}`}}, outcome: nod.Refused, isError: true},
	{name: "STILL WAITING, then done", person: "slow:5s", wait: 2, script: slices.Concat(once, follow, follow), outcome: nod.Done, acts: 1, cards: 1, still: true},
	{name: "expired", person: "ignore", script: once, outcome: nod.Expired, cards: 1, long: 2 * time.Minute},
}

// follow asks how a call stands that still waits.
var follow = Script{{Tool: spec.ToolCallStatus, Arguments: `{"call_id": "{{call_id}}", "wait_seconds": 30}`, If: "STILL WAITING"}}

// TestAnswered has each client hear each answer, and give its model nod's words
// in its own wrapping and nothing else.
func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		for _, k := range answers {
			t.Run(p.name+"/HTTP/"+k.name, func(t *testing.T) { k.run(t, p, false) })
		}
		for _, k := range answers {
			if k.acts > 0 {
				t.Run(p.name+"/pipe/"+k.name, func(t *testing.T) { k.run(t, p, true) })
			}
		}
	}
}

func (k answered) run(t *testing.T, p *program, stdio bool) {
	t.Parallel()
	row := begin(t, p, stdio, k.name)
	a := newAttempt(t, p, stdio, k.wait, k.person, k.script)
	if k.long > 2*time.Minute {
		must(t, a.house.Console.SetWait(t.Context(), "", 2*k.long))
	}
	a.start(t, a.args...)
	if k.long > 0 {
		until(t, "the card", patience, func() bool { return len(a.house.screen.all()) == 1 })
		row.idle()
	}
	a.end(t, k.long+patience)
	row.idle()
	if !a.cmd.ProcessState.Success() {
		t.Errorf("%s ended with %v", p.name, a.cmd.ProcessState)
	}
	a.checkTools(t)
	call := a.ledger(t, k.outcome)
	results := a.model.Told()
	if k.still {
		if len(results) < 2 || len(results[0].Texts) == 0 {
			t.Fatalf("the model was told %#v, want that it still waits and then more", results)
		}
		for _, r := range results[:len(results)-1] {
			a.checkTold(t, r, stillWaiting(call.ID), false)
		}
		results = results[len(results)-1:]
	}
	if len(results) != 1 {
		t.Fatalf("the model was told %#v, want one result", results)
	}
	a.checkTold(t, results[0], regexp.QuoteMeta(call.Text), k.isError)
	a.checkActs(t, k.cards, k.acts)
	row.say(string(k.outcome))
}

// TestLong has a person take six minutes, longer than any client bears silence.
// Three wait in one call, as long as nod says that it waits; Codex, which never
// waits longer than five minutes, is told STILL WAITING before that.
func TestLong(t *testing.T) {
	t.Parallel()
	const six = 6 * time.Minute
	script := once
	for range 12 {
		script = slices.Concat(script, follow)
	}
	k := answered{name: "done after six minutes", person: "slow:" + six.String(), script: script, outcome: nod.Done, acts: 1, cards: 1, long: six}
	for _, p := range programs {
		k.still = p.key == "codex"
		t.Run(p.name+"/HTTP", func(t *testing.T) { k.run(t, p, false) })
		t.Run(p.name+"/pipe", func(t *testing.T) { k.run(t, p, true) })
	}
}

// stillWaiting is a pattern of what nod says of a call that still waits.
func stillWaiting(call nod.CallID) string {
	text := spec.Get().Text(spec.TextStillWaiting, map[string]string{"call_id": string(call), "progress": "PROGRESS", "deadline": "DEADLINE"})
	return strings.NewReplacer("PROGRESS", "[^.]+\\.", "DEADLINE", "[0-9:]+ UTC[^.;]*").Replace(regexp.QuoteMeta(text))
}

// TestEnded has each client interrupted, and killed, while its card is open. The
// card goes when the design says, the ledger says why, and a tap that comes too
// late does nothing.
func TestEnded(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name+"/HTTP/Ctrl-C", func(t *testing.T) { stop(t, p, false, "Ctrl-C", syscall.SIGINT, p.interrupt) })
		t.Run(p.name+"/HTTP/killed", func(t *testing.T) { stop(t, p, false, "killed", syscall.SIGKILL, p.kill) })
		t.Run(p.name+"/pipe/Ctrl-C", func(t *testing.T) { stop(t, p, true, "Ctrl-C", syscall.SIGINT, p.pipeInterrupt) })
		t.Run(p.name+"/pipe/killed", func(t *testing.T) { stop(t, p, true, "killed", syscall.SIGKILL, p.pipeKill) })
	}
}

func stop(t *testing.T, p *program, stdio bool, name string, signal syscall.Signal, want ending) {
	t.Parallel()
	row := begin(t, p, stdio, name)
	a := newAttempt(t, p, stdio, 0, "ignore", once)
	a.start(t, a.args...)
	until(t, "the card", patience, func() bool { return len(a.house.screen.all()) == 1 })
	began := time.Now()
	whom := a.cmd.Process.Pid
	if signal == syscall.SIGINT {
		whom = -whom // a terminal tells all that run in front
	}
	must(t, syscall.Kill(whom, signal))
	a.end(t, patience/6)
	row.idle()
	first := func() card { return a.house.screen.all()[0] }
	until(t, "Confirm is off", want.grace+slack, func() bool { return !first().off().IsZero() })
	off := first().off().Sub(began)
	if off < want.grace-500*time.Millisecond {
		t.Errorf("Confirm was off after %v, before the grace of %v was over", off, want.grace)
	}
	first().confirm()
	kept := time.Duration(0)
	if want.keeps {
		kept = keepsPlace
	}
	until(t, "the card is gone", kept+slack, func() bool { return !first().ended.IsZero() })
	if gone := first().ended.Sub(began); gone-off < kept-time.Second {
		t.Errorf("the card was gone after %v, for %q, want its place kept for %v after %v", gone, first().why, kept, off)
	}
	if call := a.ledger(t, nod.Withdrawn); call.Why != want.why {
		t.Errorf("the ledger says %q, want %q", call.Why, want.why)
	}
	if told := a.model.Told(); len(told) != 0 {
		t.Errorf("the model was told %#v by a client that was stopped", told)
	}
	a.checkActs(t, 1, 0)
	row.say(fmt.Sprintf("withdrawn, %s; Confirm off after %.1f s, gone after %.1f s", want.why, off.Seconds(), first().ended.Sub(began).Seconds()))
}

// off is when the card could no longer be confirmed; zero while it can.
func (c card) off() time.Time {
	if !c.held.IsZero() && (c.ended.IsZero() || c.held.Before(c.ended)) {
		return c.held
	}
	return c.ended
}

// TestAskedAgain has each client that has a time-out of its own give up on a
// card, and its model ask for the same again. The first card is gone, or the
// second takes its place; the person says yes once, and it is done once.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		if p.hasty == nil {
			continue
		}
		t.Run(p.name+"/HTTP", func(t *testing.T) {
			t.Parallel()
			row := begin(t, p, false, "given up, asked again")
			a := newAttempt(t, p, false, 0, "ignore,slow:1s", slices.Concat(once, once))
			p.hasty(t, a)
			a.start(t, a.args...)
			a.end(t, patience)
			row.idle()
			a.checkActs(t, 2, 1)
			results, cards := a.model.Told(), a.house.screen.all()
			if len(results) != 2 || len(cards) != 2 {
				t.Fatalf("the model was told %#v of %d cards, want two results and two cards", results, len(cards))
			}
			first, err := a.house.client.Call(t.Context(), cards[0].call)
			must(t, err)
			if first.Outcome != nod.Withdrawn || first.Why != p.gaveUp.why {
				t.Errorf("the first call is %q, %q; want it withdrawn, %q", first.Outcome, first.Why, p.gaveUp.why)
			}
			if took := cards[1].takes == cards[0].call; took != p.gaveUp.keeps {
				t.Errorf("the second card took the first one's place: %v, want %v", took, p.gaveUp.keeps)
			}
			t.Logf("of the first call the model was told %#v", results[0])
			if told := strings.Join(results[0].Texts, "\n"); told == "" || strings.Contains(told, "The phone did it") {
				t.Errorf("of the first call the model was told %q", told)
			}
			second, err := a.house.client.Call(t.Context(), cards[1].call)
			must(t, err)
			a.checkTold(t, results[1], regexp.QuoteMeta(second.Text), false)
			row.say(fmt.Sprintf("withdrawn, %s; then %s", first.Why, second.Outcome))
		})
	}
}

// checkTools compares the tools of nod that the model was offered with those of
// an agent that may not read what is the person's.
func (a *attempt) checkTools(t *testing.T) {
	t.Helper()
	turns := a.model.Turns()
	if len(turns) == 0 {
		t.Fatalf("%s asked its model nothing", a.client.name)
	}
	var want []string
	for _, tool := range spec.Get().Tools {
		if !tool.Private {
			want = append(want, a.client.prefix+tool.Name)
		}
	}
	slices.Sort(want)
	for _, turn := range turns {
		var got []string
		for _, name := range turn.Tools {
			if strings.HasPrefix(name, a.client.prefix) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("the model was offered %q of nod's, want %q; all: %q", got, want, turn.Tools)
		}
	}
}

// checkTold compares what the model was told with the client's wrapping of a
// text, which is given as a pattern.
func (a *attempt) checkTold(t *testing.T, r Result, text string, isError bool) {
	t.Helper()
	w := a.client.told(isError)
	ok := len(r.Texts) == len(w.texts) && r.Error == w.isError && len(r.Other) == 0
	for i := 0; ok && i < len(w.texts); i++ {
		ok = regexp.MustCompile(`^(?s:` + strings.ReplaceAll(w.texts[i], "TEXT", text) + `)$`).MatchString(r.Texts[i])
	}
	if !ok {
		t.Errorf("the model was told %#v, want %q with TEXT for %q, an error: %v", r, w.texts, text, w.isError)
	}
}

// checkActs compares what the person saw and what the phone did.
func (a *attempt) checkActs(t *testing.T, cards, acts int) {
	t.Helper()
	if got := len(a.house.screen.all()); got != cards {
		t.Errorf("%d cards, want %d", got, cards)
	}
	if got := a.house.Phone.Count(); got != acts {
		t.Errorf("the phone acted %d times, want %d", got, acts)
	}
	verified, err := a.house.Console.Verify(t.Context(), "")
	must(t, err)
	if !verified.OK {
		t.Errorf("the log does not hold: %q", verified.Problems)
	}
}

// ledger returns the one call of the house. Its log has exactly one end, and
// one go for what was done.
func (a *attempt) ledger(t *testing.T, want nod.Outcome) client.Call {
	t.Helper()
	var page client.LogPage
	counts := map[string]int{}
	var id nod.CallID
	read := func() bool {
		var err error
		page, err = a.house.Console.Log(t.Context(), client.LogQuery{From: 0, Limit: 200})
		must(t, err)
		clear(counts)
		for _, e := range page.Entries {
			if e.Call != "" {
				counts[e.Kind]++
				id = e.Call
			}
		}
		return counts["call.ended"]+counts["call.refused"] > 0
	}
	until(t, "the log has the call's end", slack, read)
	goes := 0
	if want == nod.Done {
		goes = 1
	}
	if counts["call.ended"]+counts["call.refused"] != 1 || counts["call.go"] != goes || counts["call.offered"] > 1 {
		t.Errorf("the log has %v, want one end and %d go", counts, goes)
	}
	call, err := a.house.client.Call(t.Context(), id)
	must(t, err)
	if call.Outcome != want {
		t.Errorf("the outcome is %q (%s), want %q", call.Outcome, call.Text, want)
	}
	for _, e := range page.Entries {
		if e.Call == id && (e.Kind == "call.ended" || e.Kind == "call.refused") && e.Facts["outcome"] != string(want) {
			t.Errorf("the log says %q, want %q", e.Facts["outcome"], want)
		}
	}
	return call
}

// escape is a colour.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestList has each client list its MCP servers with the configuration that "nod
// mcp config" wrote: they connect to nod then, all but Codex, which says what it
// would do.
func TestList(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		for _, stdio := range []bool{false, true} {
			name := p.name + "/HTTP"
			if stdio {
				name = p.name + "/pipe"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				row := begin(t, p, stdio, "mcp list")
				a := newAttempt(t, p, stdio, 0, "ignore", nil)
				a.start(t, "mcp", "list")
				a.end(t, patience)
				listed := escape.ReplaceAllString(a.output.String(), "")
				want := strings.ReplaceAll(p.lists(stdio), "URL", regexp.QuoteMeta(a.house.URL))
				if !regexp.MustCompile(want).MatchString(listed) || !a.cmd.ProcessState.Success() {
					t.Errorf("%s ended with %v and lists what is no %q:\n%s", p.name, a.cmd.ProcessState, want, listed)
				}
				row.say("listed")
			})
		}
	}
}
