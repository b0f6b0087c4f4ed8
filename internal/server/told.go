package server

import (
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

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
