package host

import (
	"bytes"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// TestReadCrashAnywhere takes one whole read and lets the program die at each of
// its effects, its journal shortened or not: it is read at most once, never
// unknown, and where it is done the text is still there to be sent.
func TestReadCrashAnywhere(t *testing.T) {
	o := offer("call_1", func(o *wire.OfferBody) {
		o.Tool, o.Action, o.Fields, o.Summary, o.Risk = spec.ToolContactsSearch, spec.ToolContactsSearch, nod.Fields{"query": "ana"}, "", nod.Medium
	})
	const text = `{"query":"ana","count":0,"people":[]}`
	salt := bytes.Repeat([]byte{7}, wire.SaltSize)
	for crash := 0; ; crash++ {
		b := newBench(t, true)
		b.connect(1)
		at, reads := 0, 0
		var mine wire.Signed
		var last *wire.Frame
		see := func(e Effect) {
			switch {
			case e.Do == CarryOut:
				reads++
			case e.Do == WriteRecord:
				b.journal = append(b.journal, e.Record)
				if e.Record.Kind == RecDecided {
					mine = *e.Record.Signed
				}
			case e.Do == SendFrame && e.Frame.Kind == wire.KindResult:
				last = &e.Frame
			}
		}
		dead := false
		for _, next := range []func() Event{
			func() Event { return Event{Kind: FrameIn, Frame: b.offerFrame(o)} },
			func() Event { return Event{Kind: Drawn, Call: o.Call} },
			func() Event { return Event{Kind: Chosen, Call: o.Call, Choice: nod.ChoiceConfirm} },
			func() Event { return Event{Kind: FrameIn, Frame: goFrame(o, mine)} },
			func() Event {
				return Event{Kind: Ended, Call: o.Call, Result: Result{Status: wire.ResultDone, Data: text, Salt: salt}}
			},
		} {
			for _, e := range b.m.Step(b.now, next()) {
				if at++; at-1 == crash {
					dead = true
					break
				}
				see(e)
			}
			if dead {
				break
			}
		}
		b.restart()
		b.journal = b.m.Snapshot()
		b.restart()
		for _, e := range b.connect(2, o.Call) {
			see(e)
		}
		if mine.Body != "" {
			for _, e := range b.frame(goFrame(o, mine)) {
				see(e)
			}
		}
		if reads > 1 {
			t.Fatalf("crash at effect %d: read %d times", crash, reads)
		}
		if last != nil {
			var body wire.ResultBody
			if err := last.Signed().OpenAs(wire.KindResult, public(keys.me), &body); err != nil {
				t.Fatal(err)
			}
			switch body.Status {
			case wire.ResultDone:
				if body.Data == nil || body.Data.Check(last.Text, last.Salt) != nil || last.Text != text {
					t.Fatalf("crash at effect %d: done, with %q", crash, last.Text)
				}
			case wire.ResultFailed:
				if body.Started || last.Text != "" {
					t.Fatalf("crash at effect %d: failed, with %q", crash, last.Text)
				}
			default:
				t.Fatalf("crash at effect %d: %s", crash, body.Status)
			}
		}
		if !dead {
			for _, e := range b.frame(wire.Frame{Kind: wire.KindAck, Call: o.Call, Of: wire.KindResult}) {
				see(e)
			}
			for _, r := range b.m.Snapshot() {
				if r.Text != "" {
					t.Errorf("it has arrived, and the journal still has %q", r.Text)
				}
			}
			return
		}
	}
}
