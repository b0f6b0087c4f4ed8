package host

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// TestStanding holds when this phone signs without a card: only under its own spec.
func TestStanding(t *testing.T) {
	tools, err := os.ReadFile("../../spec/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		confirm  nod.Confirm
		kind     nod.Kind
		private  bool
		standing *wire.Signed
		want     State
	}{
		{nod.ConfirmNever, nod.Act, false, nil, Decided},
		{nod.ConfirmPolicy, nod.Read, false, nil, Decided},
		{nod.ConfirmPolicy, nod.Read, true, nil, Finished},
		{nod.ConfirmPolicy, nod.Act, false, nil, Finished},
		{nod.ConfirmAlways, nod.Act, false, nil, Finished},
		{nod.ConfirmAlways, nod.Read, false, nil, Finished},
		{nod.ConfirmNever, nod.Act, false, &wire.Signed{Kind: "grant"}, Finished},
	} {
		t.Run(fmt.Sprint(c.confirm, c.kind, c.private, c.standing != nil), func(t *testing.T) {
			b := newBench(t, true)
			b.self.Spec = specWith(t, tools, c.confirm, c.kind, c.private)
			b.self.Recheck = func(wire.OfferBody) error { return nil }
			b.m = NewMachine(b.self)
			b.connect(1)
			o := offer("call_1", func(o *wire.OfferBody) { o.Verdict, o.Rule = nod.Allow, nod.RuleNever })
			f := b.offerFrame(o)
			f.Standing = c.standing
			effects := b.frame(f)
			if got := b.m.State(o.Call); got != c.want {
				t.Fatalf("the call is %q, want %q: %s", got, c.want, say(effects))
			}
			if c.want != Decided {
				return
			}
			mine := *b.m.calls[o.Call].decision
			var body wire.DecisionBody
			if err := mine.OpenAs(wire.KindDecision, public(keys.me), &body); err != nil {
				t.Fatal(err)
			}
			if body.Choice != nod.ChoiceStanding || body.Basis != BasisSpec || body.Digest != digest(o) {
				t.Errorf("the decision is %+v", body)
			}
			if got := say(b.frame(goFrame(o, mine))); !strings.HasSuffix(got, "write armed, carry_out") {
				t.Errorf("the go: %s", got)
			}
		})
	}
}

// specWith is the contract with phone_action changed.
func specWith(t *testing.T, tools []byte, confirm nod.Confirm, kind nod.Kind, private bool) *spec.Spec {
	t.Helper()
	changed := string(tools)
	for from, to := range map[string]string{
		`"confirm": "always"`: fmt.Sprintf(`"confirm": %q`, confirm),
		`"kind": "act"`:       fmt.Sprintf(`"kind": %q`, kind),
		`"private": false`:    fmt.Sprintf(`"private": %v`, private),
	} {
		changed = strings.Replace(changed, from, to, 1)
	}
	files := fstest.MapFS{"tools.json": {Data: []byte(changed)}}
	for _, name := range []string{"actions.json", "texts.json", "capabilities.json", "events.json"} {
		data, err := os.ReadFile("../../spec/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	s, err := spec.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	if tool, _ := s.Tool("phone_action"); tool.Confirm != confirm || tool.Kind != kind || tool.Private != private {
		t.Fatalf("the spec was not changed: %+v", tool)
	}
	return s
}

// TestWords holds that what is typed or told is cut at 500 runes.
func TestWords(t *testing.T) {
	b := newBench(t, true)
	b.connect(1)
	o := offer("call_1")
	b.take(o)
	b.step(Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceDecline, Reason: strings.Repeat("é", 501)})
	var body wire.DecisionBody
	if err := open(*b.m.calls[o.Call].decision, &body); err != nil {
		t.Fatal(err)
	}
	if body.Reason != strings.Repeat("é", 500) {
		t.Errorf("the reason has %d bytes", len(body.Reason))
	}
}
