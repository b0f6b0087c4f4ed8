package gateway

import (
	"context"
	"fmt"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/spec"
)

// testAgentName is how cards name who asks for a test.
const testAgentName = "nod test"

// testAgentKey is the ledger's small fact which agent asks for a person's tests.
func testAgentKey(person nod.PersonID) string { return "test_agent/" + string(person) }

// TestCard puts a test card on a phone. It is a call like any other, by an
// agent like any other that the person can pause and remove, but for its token:
// there is none. Confirming it opens a page that says so.
func (g *Gateway) TestCard(ctx context.Context, phone nod.Phone, page string) (nod.Call, error) {
	var c nod.Call
	err := g.turn(ctx, func(t *Turn) error {
		if t.often(phone.ID) {
			return errOften
		}
		agent, err := t.testAgent(phone.Person)
		if err != nil {
			return err
		}
		t.eachCallOf(agent, func(old nod.Call) { t.step(old, call.Event{Kind: call.HandedOver}) }) // nobody asks how they ended
		arguments := jsonOf(map[string]any{"action": "open_url", "url": page})
		c, err = t.Open(Ask{Agent: agent, Tool: spec.ToolPhoneAction, Arguments: arguments, Phone: string(phone.ID), Detached: true})
		return err
	})
	return c, err
}

// testAgent finds the agent of a person's tests, or adds it.
func (t *Turn) testAgent(person nod.PersonID) (nod.AgentID, error) {
	id, _ := newest(t.testAgents, t.core.testAgents, person)
	if a, ok := t.agent(id); ok && a.Revoked == 0 && a.Person == person {
		return id, nil
	}
	name := testAgentName
	for n := 2; t.freeName(person, name) != nil; n++ {
		name = fmt.Sprintf("%s %d", testAgentName, n)
	}
	a, err := t.newAgent(AgentSpec{Person: person, Name: name, Apps: []string{"browser:act"}})
	if err != nil {
		return "", err
	}
	t.testAgents[person] = a.ID
	t.batch.Meta[testAgentKey(person)] = string(a.ID)
	return a.ID, nil
}
