package gateway

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// uploads makes the token by which the acting phone sends the files of a call's
// result, and returns its hash, which is all that is written; nil where the tool
// has none.
func (t *Turn) uploads(c nod.Call) []byte {
	tool, _ := t.core.spec.Tool(c.Tool)
	if tool.Blobs == 0 || len(c.Upload) > 0 {
		return c.Upload
	}
	t.tokens[c.ID] = t.core.nonce()
	return wire.Digest([]byte(t.tokens[c.ID]))
}

// upload is the token that a call's go carries; empty for none.
func (t *Turn) upload(id nod.CallID) string {
	token, _ := newest(t.tokens, t.core.uploads, id)
	return token
}

// Upload takes one file of a result that is still to come: the nth, from 0, each
// once. The token was in the go. What is taken is on the disk when it returns.
func (g *Gateway) Upload(ctx context.Context, id nod.CallID, n int, token, mime string, data []byte) error {
	most, err := g.takesBlobs(id, token)
	switch {
	case err != nil:
		return err
	case n < 0 || n >= most:
		return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("a result of this call has at most %d files, counted from 0", most), "")
	case len(data) == 0:
		return nod.Errorf(nod.CodeInvalid, "the file is empty", "")
	case len(data) > wire.MaxBlob:
		return nod.Errorf(nod.CodeTooLarge, fmt.Sprintf("the file has %d bytes; at most %d are allowed", len(data), wire.MaxBlob), "make the picture smaller")
	case !isBlob(mime, data):
		return nod.Errorf(nod.CodeMediaType, "the file is not a picture of the type that it is said to be", "image/jpeg, image/png and image/webp are taken")
	}
	if err := g.cfg.Ledger.PutBlob(ctx, id, n, data); err != nil {
		return err
	}
	if _, err := g.takesBlobs(id, token); err != nil {
		g.letGo(ctx, id) // it ended meanwhile, and nobody looks for this any more
		return err
	}
	return nil
}

// takesBlobs says how many files a call's result may have, if the token is that
// of its go and the result is still to come.
func (g *Gateway) takesBlobs(id nod.CallID, token string) (int, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	c, ok := g.core.calls[id]
	working := c.State == nod.Decided || c.State == nod.Working
	if !ok || !working || g.core.phones[c.Phone].Revoked != 0 || len(c.Upload) == 0 ||
		subtle.ConstantTimeCompare(c.Upload, wire.Digest([]byte(token))) != 1 {
		return 0, nod.Errorf(nod.CodeForbidden, "no file is taken for this call, or not with this token", "the call is over, or its go brought another token")
	}
	tool, _ := g.cfg.Spec.Tool(c.Tool)
	return min(tool.Blobs, wire.MaxBlobs), nil
}

// isBlob reports whether data is a picture of the given type, as far as its first
// bytes say.
func isBlob(mime string, data []byte) bool {
	return slices.Contains(wire.BlobTypes, mime) && http.DetectContentType(data) == mime
}
