package host

import (
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// TestSetBack holds that nothing is taken until the person accepts, over a
// restart too, and that the acceptance is said until it is acked.
func TestSetBack(t *testing.T) {
	b := newBench(t, true)
	b.step(Event{Kind: HeadSeen, Head: wire.Head{Size: 9, Root: "r9"}})
	older := wire.Head{Size: 3, Root: "r3"}
	b.step(Event{Kind: SetBackSeen, Head: older})
	b.connect(1)
	o := offer("call_1")
	if got := say(b.frame(b.offerFrame(o))); got != "-" {
		t.Errorf("an offer: %s", got)
	}
	if got := say(b.restart()); got != "ask_set_back" {
		t.Errorf("restart: %s", got)
	}
	b.connect(2)
	effects := b.step(Event{Kind: Accepted})
	if got := say(effects); got != "write accept, send records" {
		t.Fatalf("accepted: %s", got)
	}
	var body wire.RecordBody
	if err := effects[1].Frame.Record.OpenAs(wire.RecordResume, public(keys.me), &body); err != nil {
		t.Fatal(err)
	}
	if body.SetBack == nil || *body.SetBack != older || body.Phone != me || body.ID == "" {
		t.Errorf("the record is %+v", body)
	}
	if got := *b.m.Head(); got != older {
		t.Errorf("the head is %+v", got)
	}
	b.journal = b.m.Snapshot()
	b.restart()
	if got := say(b.connect(3)); got != "send records" {
		t.Errorf("connect: %s", got)
	}
	b.frame(wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords, Call: "record_x"})
	if got := say(b.connect(4)); got != "send records" {
		t.Errorf("after the ack of another record: %s", got)
	}
	b.frame(wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords, Call: nod.CallID(body.ID)})
	b.restart()
	if got := say(b.connect(5)); got != "-" {
		t.Errorf("after its ack: %s", got)
	}
	if got := say(b.frame(b.offerFrame(o))); got != "write received, send delivered, draw" {
		t.Errorf("an offer: %s", got)
	}
}

// TestOutbox holds that records are said one after the other, each until acked.
func TestOutbox(t *testing.T) {
	b := newBench(t, true)
	b.step(Event{Kind: Pause})
	b.pass(time.Second)
	b.step(Event{Kind: Pause})
	b.connect(1)
	ack := wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords}
	if got := say(b.frame(ack)); got != "write sent, send records" {
		t.Errorf("the first ack: %s", got)
	}
	if got := say(b.frame(ack)); got != "write sent" {
		t.Errorf("the second ack: %s", got)
	}
	if got := say(b.frame(ack)); got != "-" {
		t.Errorf("the third ack: %s", got)
	}
}
