package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// brings reports whether a result names something that comes beside it.
func brings(r wire.ResultBody) bool { return r.Data != nil || len(r.Blobs) > 0 }

// takeIn puts what came with a result onto the disk, apart from the ledger, and
// reports whether all of it that the result names is there now. What nobody waits
// for is not kept: a read that was stopped leaves nothing.
func (g *Gateway) takeIn(ctx context.Context, r wire.ResultBody, text, salt string) (whole bool, err error) {
	if !brings(r) || r.Status != wire.ResultDone || !g.awaits(r) || !g.fits(ctx, r, text, salt) {
		return false, nil
	}
	if r.Data == nil {
		return true, nil
	}
	return true, g.cfg.Ledger.PutText(ctx, r.Call, text, salt)
}

// awaits reports whether a result is the one that its call waits for, and may
// bring something.
func (g *Gateway) awaits(r wire.ResultBody) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	c, ok := g.core.calls[r.Call]
	digest, err := wire.Decode64(r.Digest)
	tool, _ := g.cfg.Spec.Tool(c.Tool)
	return ok && c.Phone == r.Phone && (c.State == nod.Decided || c.State == nod.Working) &&
		err == nil && bytes.Equal(digest, c.Digest) && c.Tool != spec.ToolPhoneAction && len(r.Blobs) <= tool.Blobs
}

// fits reports whether what came is what was signed.
func (g *Gateway) fits(ctx context.Context, r wire.ResultBody, text, salt string) bool {
	if r.Data != nil && (r.Data.Check(text, salt) != nil || !isObject(text)) {
		return false
	}
	for n, b := range r.Blobs {
		data, err := g.cfg.Ledger.Blob(ctx, r.Call, n)
		if err != nil || b.Check(data) != nil || !isBlob(b.Mime, data) {
			return false
		}
	}
	return true
}

// isObject reports whether a text is JSON, and an object.
func isObject(text string) bool {
	return utf8.ValidString(text) && strings.HasPrefix(text, "{") && json.Valid([]byte(text))
}

// letGo erases what came for a call that ended without it.
func (g *Gateway) letGo(ctx context.Context, id nod.CallID) {
	g.mu.RLock()
	c, ok := g.core.calls[id]
	g.mu.RUnlock()
	if !ok || !c.Final() || c.Data {
		return
	}
	if err := g.cfg.Ledger.DropPrivate(context.WithoutCancel(ctx), id); err != nil {
		g.log.Error("what a phone read for a call that is over could not be erased; it is tried again", "call", id, "err", err)
	}
}
