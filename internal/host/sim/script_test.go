package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
)

func TestParseScript(t *testing.T) {
	got, err := ParseScript(" confirm, decline:not now: it is late ,ignore,slow:2s,decline,dial=decline:no,dial=confirm,torch=ignore,")
	if err != nil {
		t.Fatal(err)
	}
	want := Script{
		Steps: []Answer{
			{Choice: nod.ChoiceConfirm},
			{Choice: nod.ChoiceDecline, Reason: "not now: it is late"},
			{},
			{Choice: nod.ChoiceConfirm, After: 2 * time.Second},
			{Choice: nod.ChoiceDecline},
		},
		Actions: map[string][]Answer{
			"dial":  {{Choice: nod.ChoiceDecline, Reason: "no"}, {Choice: nod.ChoiceConfirm}},
			"torch": {{}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, wrong := range []string{"yes", "confirm:now", "slow", "slow:soon", "slow:-1s", "buy=confirm", "ignore:x"} {
		if _, err := ParseScript(wrong); nod.CodeOf(err) != nod.CodeInvalid || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	s, err := ParseScript("decline:2+2=5")
	if err != nil || s.Steps[0].Reason != "2+2=5" {
		t.Errorf("a reason with = in it: %+v, %v", s, err)
	}
}

// TestScriptOrder holds that steps come in turn, the last for ever, and that an
// action's own come first.
func TestScriptOrder(t *testing.T) {
	s, err := ParseScript("decline,confirm,dial=ignore,dial=decline:no")
	if err != nil {
		t.Fatal(err)
	}
	p := NewPerson(s)
	for i, want := range []struct {
		call, action string
		choice       nod.Choice
	}{
		{"1", "alarm", nod.ChoiceDecline},
		{"2", "dial", ""},
		{"3", "alarm", nod.ChoiceConfirm},
		{"2", "dial", ""}, // drawn again
		{"4", "dial", nod.ChoiceDecline},
		{"5", "dial", nod.ChoiceDecline},
		{"6", "torch", nod.ChoiceConfirm},
	} {
		card := host.Card{Call: nod.CallID(want.call)}
		card.Offer.Action = want.action
		if got := p.answer(card); got.Choice != want.choice {
			t.Errorf("step %d: %q, want %q", i, got.Choice, want.choice)
		}
	}
	if a := NewPerson(Script{}).answer(host.Card{Call: "1"}); a.Choice != "" {
		t.Errorf("a person without a script said %q", a.Choice)
	}
}

func TestParseFaults(t *testing.T) {
	all, err := ParseFaults("drop:offer, duplicate:go@2,close:decision@*,delay:result:3s,clock:decision:-1h,sleep:shown:30s,kill:armed,kill:before-ended@3")
	if err != nil {
		t.Fatal(err)
	}
	var got []Fault
	for _, f := range all.faults {
		got = append(got, *f)
	}
	want := []Fault{
		{Kind: Drop, At: "offer", Nth: 1},
		{Kind: Duplicate, At: "go", Nth: 2},
		{Kind: Close, At: "decision"},
		{Kind: Delay, At: "result", For: 3 * time.Second, Nth: 1},
		{Kind: Clock, At: "decision", For: -time.Hour, Nth: 1},
		{Kind: Sleep, At: "shown", For: 30 * time.Second, Nth: 1},
		{Kind: Kill, At: "armed", Nth: 1},
		{Kind: Kill, At: "ended", Before: true, Nth: 3},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Fault{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, wrong := range []string{
		"drop", "drop:lunch", "drop:offer:3s", "delay:offer", "delay:offer:soon", "delay:offer:-3s", "sleep:go:-1s",
		"kill:offer", "kill:before-lunch", "break:offer", "drop:offer@0", "drop:offer@x",
	} {
		if _, err := ParseFaults(wrong); nod.CodeOf(err) != nod.CodeInvalid || !strings.Contains(err.Error(), strings.Split(wrong, ":")[0]) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestStrike holds when a fault strikes.
func TestStrike(t *testing.T) {
	f, err := ParseFaults("drop:go@2,close:go@*,clock:go:1h")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	f.Tell = func(line string) { lines = append(lines, line) }
	var got []string
	for range 3 {
		var struck []string
		for _, fault := range f.strike("go", Drop, Close, Clock) {
			struck = append(struck, string(fault.Kind))
		}
		got = append(got, strings.Join(struck, " "))
	}
	if diff := cmp.Diff([]string{"close clock", "drop close", "close"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := f.Clock(func() host.Now { return host.Now{} })(); n.Wall != 3_600_000 || n.Boot != 0 {
		t.Errorf("the clocks are off by %+v", n)
	}
	if len(lines) != 5 {
		t.Errorf("it told %q", lines)
	}
}
