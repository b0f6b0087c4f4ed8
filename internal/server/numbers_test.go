package server

import (
	"fmt"
	"strings"
	"testing"

	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/spec"
)

// TestDocumentHasTheNumbers: what is bounded is told with its bound.
func TestDocumentHasTheNumbers(t *testing.T) {
	text := string(spec.OpenAPI())
	for _, want := range []string{
		fmt.Sprintf("%.0f requests a second for an agent, %.0f for an address without a token that is known, %d event streams", defaultRates.Agent.PerSecond, defaultRates.Address.PerSecond, streamsAnAgent),
		fmt.Sprintf("An agent may have %d streams at a time", streamsAnAgent),
		fmt.Sprintf("A comment comes every %.0f seconds", eventBeat.Seconds()),
		fmt.Sprintf("larger than %d KiB", MaxBody>>10),
		fmt.Sprintf("more than %d is %d", maxPoll, maxPoll),
		fmt.Sprintf("withdrawn when nobody has asked for it for %.0f seconds", gracePolled.Seconds()),
		fmt.Sprintf("safe for %.0f hours", gateway.KeyTime.Hours()),
		fmt.Sprintf(`"maxLength": %d`, maxKey),
		fmt.Sprintf(`"maximum": %d, "description": "How long the card waits`, gateway.MaxWaitSeconds),
		fmt.Sprintf(`"maximum": %d, "default": %d`, maxHistoryPage, historyPage),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("spec/openapi.json does not say %q", want)
		}
	}
}
