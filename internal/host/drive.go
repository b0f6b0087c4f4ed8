package host

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host/device"
	"nod.dev/nod/internal/wire"
)

// carryOut hands an armed action to the driver.
func (h *host) carryOut(card Card) {
	tool, _ := h.self.Spec.Tool(card.Offer.Tool)
	limit := GoWindow + time.Duration(tool.WaitsSeconds)*time.Second
	ctx, stop := context.WithTimeout(h.work, limit)
	h.running[card.Call] = stop
	h.log.Info("carrying out", "call", card.Call, "action", card.Offer.Action)
	h.drivers.Go(func() {
		defer stop()
		r := h.drive(ctx, card)
		h.post(func() {
			delete(h.running, card.Call)
			h.step(Event{Kind: Ended, Call: card.Call, Result: r})
		})
	})
}

// drive runs the driver and sends the blobs of its result. One that panics may
// have done anything.
func (h *host) drive(ctx context.Context, card Card) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("the driver panicked", "action", card.Offer.Action, "panic", p)
			r = Result{Status: wire.ResultUnknown, Started: true, Message: saysBroke}
		}
	}()
	r = h.cfg.Driver.CarryOut(ctx, card)
	if r.Why == nod.WhyNobodyAnswered && ctx.Err() == context.Canceled {
		// Somebody may well have been about to: it was called off while it waited.
		return Result{Status: wire.ResultFailed, Message: saysDisarmed}
	}
	if !device.Fits(r.Data, r.Blobs) {
		h.log.Error("the driver's answer is too large to be sent", "action", card.Offer.Action)
		return Result{Status: wire.ResultUnknown, Started: true, Message: saysBroke}
	}
	if r.Data != "" {
		r.Salt = make([]byte, wire.SaltSize)
		rand.Read(r.Salt) // never fails (crypto/rand)
	}
	for n, b := range r.Blobs {
		if err := h.upload(ctx, card, n, b); err != nil {
			h.log.Warn("a blob could not be sent", "call", card.Call, "reason", err)
			return Result{Status: wire.ResultFailed, Message: saysNotSent}
		}
	}
	return r
}

// picks reports whether a capability was declared as the system's own picker.
func (h *host) picks(capability string) bool {
	return slices.ContainsFunc(h.declared, func(c nod.Capability) bool { return c.ID == capability && c.Picker })
}
