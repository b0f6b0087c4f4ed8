package nodtest_test

import (
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/nodtest"
)

// What a phone signed about an agent that is gone holds up nothing that it signs
// after that.
func TestRecordOfAnAgentThatIsGone(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{})
	gone, err := n.Console.AddAgent(t.Context(), client.AgentRequest{Name: "Gone"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Gateway.RevokeAgent(t.Context(), n.Agent.Person, "Gone", false); err != nil {
		t.Fatal(err)
	}
	on := map[string]nod.AccessState{"calendar:read": nod.AccessAsk}
	n.Person.SetAccess(gone.Agent.ID, on)
	n.SetAccess(on)
}
