package gateway

import (
	"fmt"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// BenchmarkTurn is what the core itself costs for one call from ask to result,
// with other calls open, without ledger and network.
func BenchmarkTurn(b *testing.B) {
	for _, open := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			key, err := wire.GenerateKey()
			if err != nil {
				b.Fatal(err)
			}
			now := nod.Time(1_800_000_000_000)
			state := &store.State{Now: now, People: []nod.Person{{ID: "person_1", WaitSeconds: 120}},
				Agents: []nod.Agent{{ID: "agent_1", Person: "person_1", Name: "Laptop", Mode: nod.AskBeforeAction}},
				Phones: []nod.Phone{{ID: "phone_1", Person: "person_1", Name: "Pixel", Host: nod.HostSim, Key: key.Public(), Approved: true, Screen: true}}}
			for i := range open {
				state.Calls = append(state.Calls, nod.Call{ID: nod.CallID(fmt.Sprintf("call_%d", i)), Person: nod.PersonID(fmt.Sprintf("person_x%d", i/policy.MaxPersonCards)), Agent: nod.AgentID(fmt.Sprintf("agent_x%d", i)),
					State: nod.Shown, Version: 1, Received: now, Offered: now, Deadline: now.Add(1 << 40)})
			}
			k, err := NewCore(CoreConfig{Spec: spec.Get(), Signer: key, Nonce: newNonce}, state)
			if err != nil {
				b.Fatal(err)
			}
			k.links["phone_1"] = &live{conn: nowhere{}, epoch: 0}
			for i := range b.N {
				now += 700_000 // each call is alone in its window: the budgets are not what is measured
				t := k.Begin(now)
				t.Tick()
				c, err := t.Open(Ask{Agent: "agent_1", Tool: "phone_action", Arguments: fmt.Appendf(nil, `{"action":"timer","seconds":%d}`, i%86400+1)})
				if err != nil || c.Final() {
					b.Fatal(c.Text, err)
				}
				k.Adopt(t, nil)
				for _, ev := range []call.Event{{Kind: call.Decide, Phone: "phone_1", Choice: nod.ChoiceConfirm, Signed: []byte(`{"kind":"decision","body":"{}","sig":""}`), Work: 1 << 34},
					{Kind: call.Result, Phone: "phone_1", Status: call.StatusDone, Started: true, Signed: []byte("{}")}} {
					t := k.Begin(now)
					c = t.step(k.calls[c.ID], ev)
					k.Adopt(t, nil)
				}
				if c.Outcome != nod.Done {
					b.Fatal(c.Outcome)
				}
				k.Forget(now)
			}
		})
	}
}

// nowhere is a link whose frames go nowhere.
type nowhere struct{}

func (nowhere) Send(wire.Frame) bool { return true }
func (nowhere) Close(string)         {}
