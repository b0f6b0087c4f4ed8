package conformance

import "testing"

// TestRealNod holds the program itself against the scenarios that need no
// fixture, or of which only some checks do.
func TestRealNod(t *testing.T) {
	t.Parallel()
	nodeProgram(t)
	h := newHouse(t)
	for _, tt := range []struct {
		scenario string
		revision string
		cannot   []string // checks that need what nod does not have: prompts, resources, the suite's tools
	}{
		{"server-initialize", "2025-11-25", nil},
		{"ping", "2025-11-25", nil},
		{"tools-list", "2025-11-25", nil},
		{"server-session-lifecycle", "2025-11-25", nil},
		{"server-sse-multiple-streams", "2025-11-25", nil},
		{"dns-rebinding-protection", "2025-11-25", nil},
		{"tools-list", "2026-07-28", nil},
		{"server-stateless", "2026-07-28", []string{
			"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
			"sep-2575-server-sends-tools-list-changed-on-subscription",
		}},
		{"server-sse-multiple-streams", "2026-07-28", nil},
		{"dns-rebinding-protection", "2026-07-28", nil},
		{"http-header-validation", "2026-07-28", nil},
		{"caching", "2026-07-28", []string{
			"sep-2549-prompts-list-caching-hints", "sep-2549-resources-list-caching-hints", "sep-2549-resources-templates-list-caching-hints",
		}},
		{"tasks-capability-negotiation", "2026-07-28", []string{"tasks-per-request-meta-opt-in"}},
		{"tasks-dispatch-and-envelope", "2026-07-28", []string{"tasks-server-directed-creation-no-hint", "sep-2663-durable-create-strong-consistency"}},
	} {
		t.Run(tt.revision+"/"+tt.scenario, func(t *testing.T) {
			t.Parallel()
			url := h.door(t, h.agent(t, tt.scenario+" "+tt.revision[:4], 0))
			found, _ := suite(t, url, "--scenario", tt.scenario, "--spec-version", tt.revision, "--force") // tasks are of no revision
			judge(t, found[tt.scenario], tt.cannot)
		})
	}
}
