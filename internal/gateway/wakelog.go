package gateway

import (
	"strconv"

	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/push"
)

// Kinds of log entries about wake-ups.
const (
	logPushSubscribed   = "push.subscribed"
	logPushUnsubscribed = "push.unsubscribed"
	logPushAccepted     = "push.accepted"
	logPushRefused      = "push.refused"
	logPushGone         = "push.gone"
	logPushFailed       = "push.failed"
	logPushReceived     = "push.received"
	logPushShown        = "push.shown"
)

var logPushed = map[push.Status]string{
	push.Accepted: logPushAccepted, push.Refused: logPushRefused, push.Gone: logPushGone, push.Failed: logPushFailed,
}

// logPush writes an entry about a wake-up. The push service is named; the
// phone's address there is not: it is the browser's own.
func (t *Turn) logPush(kind string, id wakeID, host, what string, r PushReceipt) {
	e := log.Entry{Kind: kind, Phone: id.phone, Call: id.call, Facts: map[string]string{"host": host, "kind": what}}
	if p, ok := t.phone(id.phone); ok {
		e.Person = p.Person
	}
	if c, ok := t.call(id.call); ok {
		e.Agent = c.Agent
	}
	var why any
	if r.Detail != "" {
		why = map[string]string{"detail": r.Detail}
		if r.Code != 0 {
			e.Facts["code"] = strconv.Itoa(r.Code)
		}
	}
	t.entry(e, why)
}
