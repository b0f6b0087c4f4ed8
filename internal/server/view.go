package server

import (
	"fmt"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/spec"
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

// told is what an agent is told of a call: how it ended, or that it waits.
func (s *Server) told(c nod.Call) string {
	if c.Final() {
		return c.Text
	}
	key := spec.TextStillWorking
	if c.State.Open() || c.State == nod.Received {
		key = spec.TextStillWaiting
	}
	return s.spec.Text(key, map[string]string{
		"call_id":  string(c.ID),
		"progress": s.progress(c),
		"deadline": c.Deadline.UTC().Format("15:04:05") + " UTC",
	})
}

// progress says in a short sentence where an open call stands.
func (s *Server) progress(c nod.Call) string {
	key := map[nod.State]string{
		nod.Received:  spec.TextProgressOffered,
		nod.Offered:   spec.TextProgressOffered,
		nod.Delivered: spec.TextProgressDelivered,
		nod.Shown:     spec.TextProgressShown,
		nod.Decided:   spec.TextProgressDecided,
		nod.Working:   spec.TextProgressWorking,
	}[c.State]
	if c.State == nod.Offered && c.Push != nod.PushNone {
		key = "progress_push_" + string(c.Push)
	}
	return s.spec.Text(key, map[string]string{"phone": s.phoneName(c)})
}

// phoneName is what the person calls the phone that is to act.
func (s *Server) phoneName(c nod.Call) string {
	for _, p := range s.gateway.Phones(c.Person) {
		if p.ID == c.Phone {
			return clip(p.Name, 40)
		}
	}
	return "the phone"
}

// openCallsText lists an agent's open calls, one a line.
func (s *Server) openCallsText(calls []nod.Call) string {
	if len(calls) == 0 {
		return s.spec.Text(spec.TextOpenCallsNone, nil)
	}
	lines := make([]string, len(calls))
	for i, c := range calls {
		action := c.Action
		if action == "" {
			action = c.Tool
		}
		lines[i] = s.spec.Text(spec.TextOpenCall, map[string]string{
			"call_id": string(c.ID), "action": action, "progress": s.progress(c),
		})
	}
	return s.spec.Text(spec.TextOpenCalls, map[string]string{"calls": strings.Join(lines, "\n")})
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
