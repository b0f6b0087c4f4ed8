package host

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// TestTranscripts plays the phone's side of every transcript of spec: it is
// given the gateway's frames and the person's taps, and must answer as the
// transcript says. It launches at most once, and never without a go.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../../spec/transcripts/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d transcripts, %v; the contract has at least 30", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &play{t: t, bench: newBench(t, true)}
			p.connect(1)
			for _, f := range archive.Files {
				if f.Name == "offer" {
					p.offer = offerOf(t, f.Data)
				}
			}
			for _, f := range archive.Files {
				if f.Name == "play" && p.offer.Action != "" {
					p.run(string(f.Data))
				}
			}
			if p.launched > 1 || p.launched > 0 && !p.gone {
				t.Errorf("launched %d times, with a go: %t", p.launched, p.gone)
			}
		})
	}
}

// play is one transcript under way on a phone.
type play struct {
	*bench
	t        *testing.T
	offer    wire.OfferBody
	decision wire.Signed
	effects  []Effect // of the last thing that happened
	epoch    int64
	launched int
	gone     bool
}

// offerOf makes the offer that a transcript's section describes.
func offerOf(t *testing.T, data []byte) wire.OfferBody {
	t.Helper()
	o := offer("call_1")
	o.Fields = nil
	if err := wire.Decode(data, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func (p *play) run(script string) {
	p.t.Helper()
	p.epoch = 1
	for line := range strings.Lines(script) {
		who, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		word, rest, _ := strings.Cut(what, " ")
		switch who {
		case "gateway":
			p.gateway(word, rest)
		case "phone":
			p.phone(word, rest)
		case "person":
			p.person(word, rest)
		case "time":
			d, err := time.ParseDuration(what)
			if err != nil {
				p.t.Fatal(err)
			}
			p.pass(d)
			p.happen(p.step(Event{Kind: Tick}))
		}
	}
}

// happen keeps what followed from the last event, and counts the launches.
func (p *play) happen(effects []Effect) {
	p.effects = effects
	for _, e := range effects {
		if e.Do == CarryOut {
			p.launched++
		}
	}
}

func (p *play) gateway(kind, reason string) {
	body := wire.CallBody{Call: p.offer.Call, Reason: reason}
	switch kind {
	case wire.KindOffer:
		var takes nod.CallID
		if state := p.m.State(p.offer.Call); state == Over || state == Held {
			takes = p.offer.Call
			p.offer.Call += "x" // a new call, not the same offer again
		}
		f := p.offerFrame(p.offer)
		f.Takes = takes
		p.happen(p.frame(f))
	case wire.KindGo:
		p.gone = true
		p.happen(p.frame(goFrame(p.offer, p.decision)))
	case wire.KindDisarm, wire.KindWithdraw:
		if reason == "gone" {
			body.KeepMS = 10_000
		}
		p.happen(p.frame(callFrame(kind, body)))
	case wire.KindAck:
		p.happen(p.frame(wire.Frame{Kind: wire.KindAck, Call: p.offer.Call, Of: reason}))
	case wire.KindRevoked:
		p.happen(p.frame(wire.FrameOf(sign(keys.gateway, wire.KindRevoked, wire.RevokedBody{Phone: me}))))
	}
}

func (p *play) person(word, reason string) {
	p.t.Helper()
	p.happen(p.step(Event{Kind: Drawn, Call: p.offer.Call}))
	choice := nod.ChoiceConfirm
	if word == "decline" {
		choice = nod.ChoiceDecline
	}
	open := p.m.State(p.offer.Call) == Received
	p.happen(p.step(Event{Kind: Chosen, Call: p.offer.Call, Choice: choice, Reason: reason}))
	sent, ok := p.sent(wire.KindDecision)
	if ok != open {
		p.t.Fatalf("a tap on a card that is open: %t; a decision sent: %t (%s)", open, ok, say(p.effects))
	}
	if ok {
		p.decision = sent.Signed()
	}
}

// phone expects what the transcript says that the phone does.
func (p *play) phone(word, message string) {
	p.t.Helper()
	results := map[string]Result{
		"done": {Status: wire.ResultDone, Started: true}, "opened": {Status: wire.ResultOpened, Started: true},
		"failed": {Status: wire.ResultFailed}, "failed-started": {Status: wire.ResultFailed, Started: true},
	}
	switch word {
	case "delivered":
		p.expect(wire.KindDelivered)
	case "shown":
		p.happen(p.step(Event{Kind: Drawn, Call: p.offer.Call}))
		p.expect(wire.KindShown)
	case "standing":
		sent, ok := p.sent(wire.KindDecision)
		if !ok {
			p.t.Fatalf("the phone decides nothing by itself: %s", say(p.effects))
		}
		p.decision = sent.Signed()
	case "disconnects":
		p.happen(p.step(Event{Kind: Disconnected}))
	case "connects":
		p.epoch++
		p.happen(p.connect(p.epoch, p.offer.Call))
	case "unknown":
		p.happen(p.restart())
		p.epoch++
		p.happen(append(p.effects, p.connect(p.epoch, p.offer.Call)...))
		p.result(wire.ResultUnknown)
	case "says":
		return // no phone of ours says what it does not know
	default:
		r := results[word]
		r.Message = message
		if p.m.State(p.offer.Call) == Armed {
			p.happen(p.step(Event{Kind: Ended, Call: p.offer.Call, Result: r}))
			p.result(r.Status)
		}
	}
}

func (p *play) result(status wire.ResultStatus) {
	p.t.Helper()
	f, ok := p.sent(wire.KindResult)
	var body wire.ResultBody
	if !ok || f.Signed().OpenAs(wire.KindResult, public(keys.me), &body) != nil || body.Status != status || body.Digest != digest(p.offer) {
		p.t.Fatalf("the phone says %+v, want %s (%s)", body, status, say(p.effects))
	}
}

func (p *play) expect(kind string) {
	p.t.Helper()
	if _, ok := p.sent(kind); !ok {
		p.t.Fatalf("the phone sends no %s: %s", kind, say(p.effects))
	}
}

func (p *play) sent(kind string) (wire.Frame, bool) {
	for _, e := range p.effects {
		if e.Do == SendFrame && e.Frame.Kind == kind {
			return e.Frame, true
		}
	}
	return wire.Frame{}, false
}
