package gateway

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Ask is a call as a door hands it in: unchecked.
type Ask struct {
	Agent nod.AgentID
	Tool  string
	// Arguments is the raw JSON of the arguments, as it came.
	Arguments []byte
	// Phone is the id or the name of the phone that is to act; empty for any.
	Phone string
	// Wait is how long the card may wait; 0 for what the person has set. It can
	// only be shorter than that.
	Wait time.Duration
	// Mode narrows what the agent may do for this call; empty for the agent's own.
	Mode nod.Mode
	// Detached is true when no connection decides over the call.
	Detached bool
	// Key makes the call idempotent: the same key again is the same call.
	Key string

	earlier *nod.Call // what the key names, as the ledger has it; nil for nothing
}

// MinWait is the shortest that a card may be made to wait.
const MinWait = time.Second

// asking returns the agent that asks. One that was revoked meanwhile is known
// still: its call is denied in words.
func (t *Turn) asking(id nod.AgentID) (nod.Agent, error) {
	agent, ok := t.agent(id)
	if !ok {
		return nod.Agent{}, nod.Errorf(nod.CodeNotFound, "there is no such agent", `add it with "nod agents add NAME"`)
	}
	return agent, nil
}

// receive makes the row of a call that just came in.
func (t *Turn) receive(agent nod.Agent, ask Ask) nod.Call {
	t.used(agent)
	return nod.Call{
		ID: t.core.callID(), Person: agent.Person, Agent: agent.ID, Tool: clip(ask.Tool, 64), Key: ask.Key,
		State: nod.Received, Received: t.now, Attached: !ask.Detached,
	}
}

// checkAsk refuses what the door's own parameters ask for and cannot have.
func (t *Turn) checkAsk(agent nod.Agent, ask Ask) string {
	if ask.Mode != "" && !ask.Mode.Known() {
		return t.core.spec.Text(spec.TextUnknownMode, map[string]string{"mode": clip(string(ask.Mode), 40), "modes": modeList()})
	}
	if ask.Phone != "" {
		if _, ok := t.findPhone(agent.Person, ask.Phone); !ok {
			return t.core.spec.Text(spec.TextUnknownPhone, map[string]string{"phone": clip(ask.Phone, 60)})
		}
	}
	return ""
}

func modeList() string {
	words := make([]string, len(nod.Modes))
	for i, m := range nod.Modes {
		words[i] = string(m)
	}
	return strings.Join(words, ", ")
}

// class is what the contract says of an action.
type class struct {
	kind       nod.Kind
	app        string
	capability string
	risk       nod.Risk
	private    bool
	egress     bool
	confirm    nod.Confirm
	person     bool // it needs the person at the phone, card or not
	badges     []nod.Badge
}

// classify looks an action up in the contract. For phone_action, what is said
// per action wins over what is said of the tool.
func (t *Turn) classify(act nod.Action) class {
	tool, _ := t.core.spec.Tool(act.Tool)
	c := class{
		kind: tool.Kind, app: tool.App, capability: tool.Capability,
		risk: action.Risk(t.core.spec, act), private: tool.Private, egress: tool.Egress, confirm: tool.Confirm, person: tool.WaitsSeconds > 0,
		badges: action.Badges(t.core.spec, act),
	}
	if a, ok := t.core.spec.Action(act.Name); ok && act.Tool == spec.ToolPhoneAction {
		c.app, c.capability, c.egress = a.App, a.Capability, a.Egress
	}
	return c
}

// close ends a call that never reaches a phone. It is in the log like any
// other, unless it is one of a flood.
func (t *Turn) close(c nod.Call, ev call.Event, arguments []byte) nod.Call {
	if t.flooded(c) {
		after, _ := call.Step(c, ev, t.now)
		if after.Text == "" {
			after.Text = t.say(after)
		}
		t.endings = append(t.endings, after)
		return after
	}
	t.arguments = arguments
	after := t.step(c, ev)
	t.arguments = nil
	return after
}

// quoted is what the log keeps of the arguments of a call that was not offered.
func quoted(arguments []byte) string { return clip(string(arguments), 4096) }

// actDigest names the act itself on a phone, whatever its summary (design section 3, "Repeats").
func actDigest(agent nod.Agent, phone nod.PhoneID, act nod.Action) []byte {
	digest, err := wire.ActDigest(agent.Person, agent.ID, phone, act.Tool, act.Name, act.Fields)
	if err != nil {
		panic(fmt.Sprintf("gateway: a checked action has no canonical form: %v", err)) // the check's promise
	}
	return digest
}

// clip cuts s to at most n bytes at a character's edge, and marks what is no
// text: the log takes none. It is for what the log keeps and refusals quote,
// never for what a card shows.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

func jsonOf(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("gateway: a shape of our own that is no JSON: " + err.Error())
	}
	return data
}
