package gateway

import (
	"bytes"
	"encoding/json"
	"strconv"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// webPush marks a declarative push message: a browser that knows the form shows
// it by itself if the service worker does not (W3C Push API).
const webPush = 8030

// wakeBody is the body of a wake-up. It names the agent and the kind of action
// and nothing of what the action holds: that is on the card alone.
type wakeBody struct {
	WebPush      int          `json:"web_push"`
	Mutable      bool         `json:"mutable"` // the service worker is asked first
	Notification notification `json:"notification"`
	Nod          wakeNote     `json:"nod"`
}

type notification struct {
	Title    string `json:"title"`
	Body     string `json:"body"`
	Navigate string `json:"navigate"`
	Lang     string `json:"lang"`
	Dir      string `json:"dir"`
	Tag      string `json:"tag"`
	Silent   bool   `json:"silent"`
	// AppBadge and Mutable stand here for Safari, which looks nowhere else.
	AppBadge string   `json:"app_badge"`
	Mutable  bool     `json:"mutable"`
	Data     wakeNote `json:"data"`
}

// wakeNote is what nod's own service worker reads.
type wakeNote struct {
	Kind    string     `json:"kind"`
	Call    nod.CallID `json:"call"`
	Receipt string     `json:"receipt"`
}

// wakeBody writes the body in the phone's language.
func (t *Turn) wakeBody(c nod.Call, id wakeID, w wake) []byte {
	p, _ := t.phone(id.phone)
	note := wakeNote{Kind: w.kind, Call: id.call, Receipt: w.token}
	n := notification{Lang: t.core.spec.Language(p.Locale), Dir: "auto", Mutable: true, Data: note, Silent: w.kind == wakeOver || w.kind == wakeCard && w.quiet, AppBadge: strconv.Itoa(t.core.push.cards[id.phone])}
	switch w.kind {
	case wakeTest:
		n.Title, n.Body = t.personal(p, "push.title.test", nil), t.personal(p, "push.test", nil)
		n.Navigate, n.Tag = t.core.push.base+"/settings", "test"
	default:
		n.Title, n.Body = clip(t.agentName(c), 120), t.wakeText(c, p, w.kind)
		n.Navigate, n.Tag = t.core.push.base+"/card/"+string(c.ID), "card-"+string(c.ID)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(wakeBody{WebPush: webPush, Mutable: true, Notification: n, Nod: note}); err != nil {
		panic("gateway: a shape of our own that is no JSON: " + err.Error())
	}
	return bytes.TrimSpace(text.Bytes())
}

// agentName is the agent's name as the card says it.
func (t *Turn) agentName(c nod.Call) string {
	if body, ok := offered(c); ok {
		return body.AgentName
	}
	a, _ := t.agent(c.Agent)
	return a.Name
}

// wakeText says in a few words what waits, or what became of it.
func (t *Turn) wakeText(c nod.Call, p nod.Phone, kind string) string {
	if kind == wakeCard {
		if c.Action != "" {
			return t.personal(p, "card.title."+c.Action, nil)
		}
		tool, _ := t.core.spec.Tool(c.Tool)
		return tool.Title
	}
	switch {
	case c.DecidedBy == p.ID:
		return t.personal(p, "push.over.answered", nil)
	case c.DecidedBy != "":
		by, _ := t.phone(c.DecidedBy)
		return t.personal(p, "end.answered.title", map[string]string{"phone": by.Name})
	case c.Outcome == nod.Expired || c.Outcome == nod.Unseen:
		return t.personal(p, "end.expired.title", nil)
	case c.Outcome == nod.Failed:
		return t.personal(p, "end.failed.title", nil)
	}
	return t.personal(p, "end.withdrawn.title", nil)
}

// personal is a sentence for the person who holds a phone.
func (t *Turn) personal(p nod.Phone, key string, values map[string]string) string {
	return t.core.spec.PersonText(p.Locale, key, values)
}

// topic makes an undelivered message be replaced by the next one of the same
// call. It tells the push service nothing: it is no name of anything.
func topic(id wakeID) string {
	return wire.Encode64(wire.Digest([]byte("push\n" + string(id.call) + "\n" + string(id.phone))))[:32]
}
