package gateway

import (
	"bytes"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// CheckResult reads a result that a phone signed before it knows how the call
// ends, for [Gateway.Result] to take once somebody says that it ended so. It
// must be the phone's own, over the bytes it carries out at this moment.
func (g *Gateway) CheckResult(phone nod.Phone, id nod.CallID, signed wire.Signed) (wire.ResultBody, error) {
	var body wire.ResultBody
	key, err := wire.ParsePublic(phone.Key)
	if err != nil {
		return body, err
	}
	if err := signed.OpenAs(wire.KindResult, key, &body); err != nil {
		return body, nod.Errorf(nod.CodeForbidden, "the result's signature is not that of this phone", "")
	}
	g.mu.RLock()
	c, ok := g.core.calls[id]
	g.mu.RUnlock()
	if !ok || c.Phone != phone.ID || c.State != nod.Decided && c.State != nod.Working {
		return body, nod.Errorf(nod.CodeConflict, "this phone carries out no call "+clip(string(id), 60), "")
	}
	digest, err := wire.Decode64(body.Digest)
	if err != nil || body.Call != id || body.Phone != phone.ID || !bytes.Equal(digest, c.Digest) {
		return body, nod.Errorf(nod.CodeInvalid, "the result is not one of this call", "")
	}
	return body, nil
}
