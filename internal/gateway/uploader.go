package gateway

import "nod.dev/nod"

// Uploader is the phone whose files for a call's result come with a token, while
// that result is still to come. It tells a stranger from a phone before anything
// of a file is read.
func (g *Gateway) Uploader(id nod.CallID, token string) (nod.PhoneID, error) {
	if _, err := g.takesBlobs(id, token); err != nil {
		return "", err
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.core.calls[id].Phone, nil
}
