package gateway

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
)

// The doors hear of a list that changed and of a token that died, by the time
// that whoever did it hears so, and of nothing else.
func TestOnAgents(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		other := h.addAgent("Other", "maps:act")
		var news []AgentNews
		h.OnAgents(func(n AgentNews) { news = append(news, n) })
		access := func(agent nod.AgentID, switches map[string]nod.AccessState) func() error {
			return func() error {
				return h.turn(t.Context(), func(tu *Turn) error {
					a, _ := tu.agent(agent)
					a.Access = nod.Access{Only: true, Switches: switches}
					tu.agents[agent] = a
					return nil
				})
			}
		}
		for _, step := range []struct {
			what string
			do   func() error
			want []AgentNews
		}{
			{"another name", func() error { _, err := h.RenameAgent(t.Context(), h.person, "Laptop", "Desk"); return err }, nil},
			{"a pause", func() error { _, _, err := h.PauseAgent(t.Context(), h.person, "Desk"); return err }, nil},
			{"a pause of all", func() error { _, err := h.PauseAll(t.Context(), h.person, "console"); return err }, nil},
			{"a link for a phone", func() error { _, err := h.StartPairing(t.Context(), h.person, false); return err }, nil},
			{"another app on", access(other.ID, map[string]nod.AccessState{"maps:act": nod.AccessAsk, "torch:act": nod.AccessAsk}), nil},
			{"the last app off", access(other.ID, nil), []AgentNews{{Agent: other.ID, List: true}}},
			{"still off", access(other.ID, map[string]nod.AccessState{"maps:act": nod.AccessOff}), nil},
			{"an app on again", access(other.ID, map[string]nod.AccessState{"maps:act": nod.AccessAsk}), []AgentNews{{Agent: other.ID, List: true}}},
			{"a new token", func() error { _, _, err := h.RotateAgent(t.Context(), h.person, "Desk"); return err }, []AgentNews{{Agent: h.agent, Over: true}}},
			{"removed", func() error { _, err := h.RevokeAgent(t.Context(), h.person, "Other", false); return err }, []AgentNews{{Agent: other.ID, Over: true}}},
		} {
			news = nil
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
			if diff := cmp.Diff(step.want, news); diff != "" {
				t.Errorf("%s:\n%s", step.what, diff)
			}
		}
		h.OnAgents(nil)
		if _, _, err := h.RotateAgent(t.Context(), h.person, "Desk"); err != nil {
			t.Fatal(err)
		}
	})
}
