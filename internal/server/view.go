package server

import (
	"fmt"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
)

// view is a call as the HTTP API shows it.
func (s *Server) view(c nod.Call) client.Call {
	return client.Call{
		ID: c.ID, Tool: c.Tool, Action: c.Action, State: c.State, Outcome: c.Outcome, Why: c.Why,
		Text: s.told(c), Push: c.Push, Message: c.Message, Phone: c.Phone, Started: c.Started,
		Verdict:    client.Verdict{Answer: c.Verdict.Answer, Rule: c.Verdict.Rule},
		ReceivedAt: clock(c.Received), DeadlineAt: clock(c.Deadline), EndedAt: clock(c.Ended),
	}
}

// clock is a ledger time as the API writes it; zero for never.
func clock(t nod.Time) time.Time {
	if t == 0 {
		return time.Time{}
	}
	return t.UTC()
}

func viewPhone(p gateway.PhoneStatus) client.Phone {
	return client.Phone{
		ID: p.ID, Name: p.Name, Host: p.Host, Connected: p.Connected, Reachable: p.Reachable(), Reach: string(p.Reach),
		Screen: p.Screen, Approved: p.Approved, Capabilities: p.Capabilities,
		SeenAt: clock(p.Seen), PairedAt: clock(p.Created),
	}
}

func viewAgent(a nod.Agent) client.Agent {
	return client.Agent{
		ID: a.ID, Name: a.Name, Person: a.Person, Mode: a.Mode, Access: a.Access.Switches, Only: a.Access.Only,
		Phone: a.Phone, WaitSeconds: a.WaitSeconds, Paused: a.Paused,
		AddedAt: clock(a.Created), LastUsedAt: clock(a.LastUsed),
	}
}

// seconds reads a number of seconds a caller wrote, from 0 to most.
func seconds(name, text string, most int) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	var n int
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil || fmt.Sprint(n) != text || n < 0 {
		return 0, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%s is not a whole number of seconds", name), fmt.Sprintf("give 0 to %d", most))
	}
	return time.Duration(min(n, most)) * time.Second, nil
}
