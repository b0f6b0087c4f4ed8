package gateway

import (
	"context"
	"testing"

	"nod.dev/nod"
)

// A call that the ledger cannot give is not a call that is not there: told so,
// an agent would give it up.
func TestUnreadable(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		const id = "call_NONE"
		broken, stop := context.WithCancel(t.Context())
		stop()
		for _, tt := range []struct {
			what string
			ctx  context.Context
			none bool
		}{{"a whole ledger", t.Context(), true}, {"one that cannot be read", broken, false}} {
			_, err := h.Call(tt.ctx, h.agent, id)
			if err == nil || (nod.CodeOf(err) == nod.CodeNotFound) != tt.none {
				t.Errorf("Call with %s: %v, want not found: %v", tt.what, err, tt.none)
			}
			_, _, err = h.Watch(tt.ctx, h.agent, id)
			if err == nil || (nod.CodeOf(err) == nod.CodeNotFound) != tt.none {
				t.Errorf("Watch with %s: %v, want not found: %v", tt.what, err, tt.none)
			}
		}
	})
}
