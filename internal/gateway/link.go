package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/link"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// phones is the gateway as its phones' links see it.
type phones struct{ g *Gateway }

var _ link.Handler = phones{}

// Key returns the key of a paired phone.
func (h phones) Key(id nod.PhoneID) (wire.PublicKey, error) {
	h.g.mu.RLock()
	p, ok := h.g.core.phones[id]
	h.g.mu.RUnlock()
	if !ok || p.Revoked != 0 {
		return nil, nod.Errorf(nod.CodeForbidden, "this phone is not paired, or was removed", `pair it again with "nod pair"`)
	}
	return wire.ParsePublic(p.Key)
}

// Hello opens a phone's link. The hello was verified.
func (h phones) Hello(ctx context.Context, c link.Conn, hello wire.HelloBody) error {
	g := h.g
	return g.turn(ctx, func(t *Turn) error {
		proof, err := g.proof(ctx, t, hello)
		if err != nil {
			// The phone sees a head that it cannot check and takes no offers.
			g.log.Warn("a phone has seen a log that this one does not extend", "phone", hello.Phone, "err", err)
		}
		return t.Hello(c, hello, proof)
	})
}

// proof shows that the log extends the head that a phone has seen.
func (g *Gateway) proof(ctx context.Context, t *Turn, hello wire.HelloBody) ([]string, error) {
	p, ok := t.phone(hello.Phone)
	if !ok || hello.Head == nil {
		return nil, nil
	}
	var head wire.Head
	if signed, ok := t.core.heads[p.Person]; ok {
		if err := wire.Decode([]byte(signed.Body), &head); err != nil {
			return nil, err
		}
	}
	if hello.Head.Size > head.Size {
		return nil, fmt.Errorf("the phone has seen %d entries, there are %d", hello.Head.Size, head.Size)
	}
	return log.ConsistencyProof(hello.Head.Size, head.Size, g.cfg.Ledger.Hashes(ctx, p.Person))
}

// Frame takes one frame of a phone's that follows its hello.
func (h phones) Frame(ctx context.Context, c link.Conn, phone nod.PhoneID, f wire.Frame) {
	g := h.g
	var err error
	switch f.Kind {
	case wire.KindDelivered:
		err = g.turn(ctx, func(t *Turn) error { t.Progress(call.Delivered, phone, f.Epoch, f.Call); return nil })
	case wire.KindShown:
		err = g.turn(ctx, func(t *Turn) error { t.Progress(call.Shown, phone, f.Epoch, f.Call); return nil })
	case wire.KindDecision:
		err = g.decision(ctx, phone, f)
	case wire.KindResult:
		err = g.Result(ctx, f.Signed(), f.Text, f.Salt)
	case wire.KindCapabilities:
		err = g.turn(ctx, func(t *Turn) error { t.Declares(c, phone, f.Capabilities); return nil })
	case wire.KindPresence:
		if f.Visible != nil {
			err = g.turn(ctx, func(t *Turn) error { t.Presence(c, phone, *f.Visible); return nil })
		}
	case wire.KindRecords:
		err = g.record(ctx, phone, f)
	}
	if err != nil && !errors.Is(err, errStopped) && ctx.Err() == nil {
		g.log.Warn("a frame was not taken", "kind", f.Kind, "phone", phone, "call", f.Call, "err", err)
	}
}

// decision checks who signed a decision before the loop sees it.
func (g *Gateway) decision(ctx context.Context, phone nod.PhoneID, f wire.Frame) error {
	key, err := phones{g}.Key(phone)
	if err != nil {
		return err
	}
	var body wire.DecisionBody
	if err := f.Signed().OpenAs(wire.KindDecision, key, &body); err != nil {
		return err
	}
	return g.turn(ctx, func(t *Turn) error { t.Decide(phone, f.Epoch, body, f.Signed()); return nil })
}

// Result takes a signed result, on whatever way it came: the signature is the
// authentication, so that a page which is being closed can send it by beacon.
// The text that was read, and its salt, stand beside what is signed; what of it
// is kept is on the disk before the result counts.
func (g *Gateway) Result(ctx context.Context, signed wire.Signed, text, salt string) error {
	body, err := g.openResult(signed)
	if err != nil {
		return err
	}
	whole, err := g.takeIn(ctx, body, text, salt)
	if err != nil {
		return err
	}
	err = g.result(ctx, body, signed, whole)
	if whole {
		g.letGo(ctx, body.Call)
	}
	return err
}

// openResult reads a result that its phone signed.
func (g *Gateway) openResult(signed wire.Signed) (body wire.ResultBody, err error) {
	var claimed wire.ResultBody
	if err := wire.Decode([]byte(signed.Body), &claimed); err != nil {
		return body, nod.Errorf(nod.CodeInvalid, "this is no result: its body cannot be read", "")
	}
	key, err := phones{g}.Key(claimed.Phone)
	if err != nil {
		return body, err
	}
	if err := signed.OpenAs(wire.KindResult, key, &body); err != nil {
		return body, nod.Errorf(nod.CodeForbidden, "the result's signature is not that of its phone", "")
	}
	return body, nil
}

func (g *Gateway) result(ctx context.Context, body wire.ResultBody, signed wire.Signed, whole bool) error {
	return g.turn(ctx, func(t *Turn) error {
		if t.Result(body, signed, whole) {
			return nil
		}
		c, err := g.cfg.Ledger.Call(ctx, body.Call)
		if err != nil || c.Phone != body.Phone {
			g.log.Warn("a result for a call that is not in the ledger", "call", body.Call, "phone", body.Phone)
			t.send(body.Phone, wire.Frame{Kind: wire.KindAck, Of: wire.KindResult, Call: body.Call})
			return nil
		}
		g.mu.Lock()
		g.core.keep(c) // ended more than an hour ago
		g.mu.Unlock()
		t.Result(body, signed, false)
		return nil
	})
}

// record takes a record that the phone at the other end signed.
func (g *Gateway) record(ctx context.Context, phone nod.PhoneID, f wire.Frame) error {
	if f.Record == nil {
		return nod.Errorf(nod.CodeInvalid, "a records frame without a record", "")
	}
	key, err := phones{g}.Key(phone)
	if err != nil {
		return err
	}
	if f.Record.Kind == wire.RecordPhone {
		var body wire.PhoneBody
		if err := f.Record.OpenAs(wire.RecordPhone, key, &body); err != nil {
			return err
		}
		return g.turn(ctx, func(t *Turn) error { return t.Approve(phone, *f.Record, body) })
	}
	var body wire.RecordBody
	if err := f.Record.Open(key, &body); err != nil {
		return err
	}
	return g.turn(ctx, func(t *Turn) error {
		first := len(t.out)
		err := t.Record(phone, *f.Record, body)
		// The record's id stands where another ack has its call's. It goes before
		// what follows from the record: a phone that removed itself is hung up on.
		ack := wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords, Call: nod.CallID(body.ID)}
		if code := nod.CodeOf(err); code == nod.CodeInvalid || code == nod.CodeNotFound {
			ack.Reason = wire.ReasonRefused // for good: what the phone says next waits for this ack
		} else if err != nil {
			return err
		}
		t.out = slices.Insert(t.out, first, Out{Phone: phone, Frame: ack})
		return err
	})
}

// Seen tells that a phone answered a beat.
func (h phones) Seen(c link.Conn, phone nod.PhoneID) {
	_ = h.g.turn(context.Background(), func(t *Turn) error { t.Seen(phone); return nil })
}

// Lost tells that a link is over.
func (h phones) Lost(c link.Conn, phone nod.PhoneID) {
	_ = h.g.turn(context.Background(), func(t *Turn) error { t.Lost(c, phone); return nil })
}
