package gateway

import (
	"slices"
	"strconv"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/spec"
)

// say is everything the agent is told about a call that has its outcome: the
// contract's sentence for the ending and, where the phone said something, that.
func (t *Turn) say(c nod.Call) string {
	s := t.core.spec
	words := s.ActionWords(c.Action)
	if words == nil {
		words = map[string]string{}
	}
	words["reason"] = c.Message
	if c.App != "" {
		words["app"] = s.Text("app_"+c.App, nil)
	}
	if c.Verdict.Until != 0 {
		words["until"] = c.Verdict.Until.UTC().Format("15:04:05 UTC")
	}
	if c.Outcome == nod.Refused {
		return c.Text // the check's own words
	}
	text := s.Text(textKey(c), words)
	if c.Message != "" && says(c) {
		text += "\n\n" + s.Text(spec.TextSays, map[string]string{"message": c.Message})
	}
	return text
}

// says reports whether the phone's own message follows the sentence, rather
// than being part of it (seed 000 section 3).
func says(c nod.Call) bool {
	switch c.Outcome {
	case nod.Done, nod.Opened, nod.Unknown:
		return true
	case nod.Failed:
		return c.Why == nod.WhyNotPossible
	}
	return false
}

// textKey picks the sentence of an ending.
func textKey(c nod.Call) string {
	switch c.Outcome {
	case nod.Done:
		if c.Kind == nod.Read {
			return spec.TextDoneRead
		}
	case nod.Declined:
		if c.Message != "" {
			return spec.TextDeclinedReason
		}
	case nod.Failed:
		switch {
		case c.Why == nod.WhyCannot:
			return spec.TextCannot
		case c.Started:
			return spec.TextFailedStarted
		case c.Why == nod.WhyNothingRead || slices.Contains(nod.PhoneWhys, c.Why):
			return "failed_" + string(c.Why)
		}
		return spec.TextFailedNotStarted
	case nod.Unseen:
		if c.Push != nod.PushNone {
			return "unseen_push_" + string(c.Push)
		}
	case nod.Withdrawn:
		switch {
		case c.Decided == 0:
		case c.Why == nod.WhyAgentRemoved:
			return spec.TextWithdrawnAgentRemovedRead
		default:
			return spec.TextWithdrawnRead // only a read is, once it is decided
		}
		return "withdrawn_" + string(c.Why)
	case nod.Denied:
		if c.Decided != 0 {
			return "denied_" + string(c.Why) + "_read"
		}
		if c.Why != nod.WhyNone {
			return "denied_" + string(c.Why) + "_meanwhile"
		}
		return "denied_" + string(c.Verdict.Rule)
	case nod.Unavailable:
		return string(c.Why)
	case nod.Unknown:
		switch {
		case c.Supplement == string(nod.Failed) && c.Started:
			return spec.TextUnknownLaterFailedStarted // part of it may have happened, then as now
		case c.Supplement != "":
			return "unknown_later_" + c.Supplement
		}
	}
	return string(c.Outcome)
}

// logCall adds what a step logs: small facts that are proven for ever, and the
// bytes that can be erased.
func (t *Turn) logCall(kind string, c nod.Call) {
	facts := map[string]string{"tool": c.Tool}
	if c.Action != "" {
		facts["action"] = c.Action
	}
	add := func(key, value string) {
		if value != "" {
			facts[key] = value
		}
	}
	var payload any
	switch kind {
	case call.LogOffered:
		add("verdict", string(c.Verdict.Answer))
		add("rule", string(c.Verdict.Rule))
		payload = map[string]string{"offer": string(c.Offer)}
	case call.LogDecided:
		add("by", string(c.DecidedBy))
		payload = map[string]string{"decision": string(c.Decision)}
	case call.LogDenied, call.LogRefused, call.LogUnavailable, call.LogEnded, call.LogSupplemented:
		add("outcome", string(c.Outcome))
		add("why", string(c.Why))
		add("supplement", c.Supplement)
		if c.Outcome == nod.Denied {
			add("rule", string(c.Verdict.Rule))
		}
		told := map[string]string{"text": c.Text}
		if c.Text == "" {
			told["text"] = t.say(c)
		}
		if len(c.Result) > 0 {
			told["result"] = string(c.Result)
		}
		if t.arguments != nil {
			told["arguments"] = quoted(t.arguments)
		}
		payload = told
	case call.LogReleased:
		r := resultOf(c)
		if r.Data != nil {
			add("bytes", strconv.FormatInt(r.Data.Bytes, 10))
		}
		if len(r.Blobs) > 0 {
			add("blobs", strconv.Itoa(len(r.Blobs)))
		}
	}
	e := log.Entry{Person: c.Person, Kind: kind, Call: c.ID, Agent: c.Agent, Phone: c.Phone, Facts: facts}
	t.entry(e, payload)
}

// ended follows a call's end with what it means for others.
func (t *Turn) ended(c nod.Call) {
	t.endings = append(t.endings, c)
	if c.Outcome == nod.Declined {
		t.declined(c)
	}
}

// cutMessage keeps a phone's message to what the contract allows, at a
// character's edge (seed 000 section 3).
func cutMessage(message string, max int) string {
	message = strings.TrimSpace(message)
	runes := []rune(message)
	if len(runes) > max {
		return string(runes[:max])
	}
	return message
}
