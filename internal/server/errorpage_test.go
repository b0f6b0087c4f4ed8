package server

import (
	"slices"
	"testing"

	"nod.dev/nod"
)

// TestEveryCodeIsExplained: a refusal links to a place that exists.
func TestEveryCodeIsExplained(t *testing.T) {
	var explained []nod.Code
	for _, m := range meanings {
		explained = append(explained, m.Code)
		if m.Means == "" || m.Next == "" {
			t.Errorf("%s says nothing", m.Code)
		}
	}
	for code := range statuses {
		if !slices.Contains(explained, code) {
			t.Errorf("%s has a status and no explanation", code)
		}
	}
}
