package host

import (
	"context"
	"strconv"

	"nod.dev/nod"
	"nod.dev/nod/internal/host/device"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Book is a [Driver] that can look up what a card must say and an offer cannot:
// the number behind a name, the event behind an id. It may ask the phone's
// system for that, and gives up when ctx ends.
type Book interface {
	// Contacts returns everybody in the phone's contacts.
	Contacts(ctx context.Context) ([]device.Contact, nod.Why)
	// Event finds an event by its id: what it is called, when it is by the phone's
	// clock, and whether it is a series.
	Event(ctx context.Context, id int64) (device.Event, nod.Why)
}

// named are the fields that hold numbers, in the actions in which a name can
// stand for one.
var named = map[string]string{"sms_draft": "to", "dial": "number"}

// LooksUp reports whether an action's card says what only a look at the phone
// tells: it names somebody by name, or an event by its id.
func LooksUp(a nod.Action) bool {
	if a.Name == spec.ToolCalendarUpdate || a.Name == spec.ToolCalendarDelete {
		return true
	}
	return len(names(a)) > 0
}

// names lists what stands in an action where a number belongs and is none.
func names(a nod.Action) []string {
	var found []string
	for _, v := range list(a.Fields[named[a.Name]]) {
		if s, ok := v.(string); ok && !device.IsNumber(s) {
			found = append(found, s)
		}
	}
	return found
}

// list is a field's values, one or many.
func list(v any) []any {
	if many, ok := v.([]any); ok {
		return many
	}
	return []any{v}
}

// lookRows looks up what an action's card must say.
func lookRows(ctx context.Context, b Book, a nod.Action) ([]Row, nod.Why) {
	if a.Name == spec.ToolCalendarUpdate || a.Name == spec.ToolCalendarDelete {
		id, _ := a.Fields["id"].(int64)
		e, why := b.Event(ctx, id)
		if why != nod.WhyNone {
			return nil, why
		}
		return []Row{EventRow(e)}, nod.WhyNone
	}
	all, why := b.Contacts(ctx)
	if why != nod.WhyNone {
		return nil, why
	}
	var rows []Row
	for _, name := range names(a) {
		found, why := device.NumberOf(all, name)
		if why != nod.WhyNone {
			return nil, why
		}
		rows = append(rows, Row{
			Field: named[a.Name], Given: name, Name: found.Name, Label: found.Number.Type, Value: found.Number.Value,
		})
	}
	return rows, nod.WhyNone
}

// EventRow is what a card says of an event that its offer names by id.
func EventRow(e device.Event) Row {
	return Row{Field: "id", Given: strconv.FormatInt(e.ID, 10), Name: e.Title, Label: e.Start, Repeats: e.Repeats}
}

// Carried is the action as it is carried out: numbers in the place of the names
// that were looked up. False where a name is left that nobody looked up.
func (c Card) Carried() (nod.Action, bool) {
	a := c.Action()
	field := named[a.Name]
	if len(names(a)) == 0 {
		return a, true
	}
	number := func(v any) (any, bool) {
		s, _ := v.(string)
		if device.IsNumber(s) {
			return s, true
		}
		r, ok := c.Row(field, s)
		return r.Value, ok && r.Value != ""
	}
	fields := nod.Fields{}
	for name, v := range a.Fields {
		fields[name] = v
	}
	given, many := a.Fields[field].([]any)
	if !many {
		var ok bool
		fields[field], ok = number(a.Fields[field])
		a.Fields = fields
		return a, ok
	}
	carried := make([]any, len(given))
	for i, v := range given {
		var ok bool
		if carried[i], ok = number(v); !ok {
			return a, false
		}
	}
	fields[field] = carried
	a.Fields = fields
	return a, true
}

// lookUp hands a card to the driver for what it must say. It gives up a little
// before the card does, so that the phone still says why.
func (h *host) lookUp(card Card) {
	book, ok := h.cfg.Driver.(Book)
	if !ok {
		return // the machine asks for none then
	}
	ctx, stop := context.WithTimeout(h.work, card.Left-card.Left/20)
	h.looking[card.Call] = stop
	h.drivers.Go(func() {
		defer stop()
		rows, r := h.look(ctx, book, card)
		calledOff := ctx.Err() == context.Canceled
		h.post(func() {
			delete(h.looking, card.Call)
			if calledOff {
				return // the call is over, or waits for the program's next life
			}
			h.step(Event{Kind: LookedUp, Call: card.Call, Rows: rows, Result: r})
		})
	})
}

// notLookedUp is what the phone says of phone_action, whose reasons have no
// sentences of their own in the contract.
var notLookedUp = map[nod.Why]string{
	nod.WhyNotFound:       "Nobody in the phone's contacts is called so and has a number; nothing was started. Use the number.",
	nod.WhyMoreThanOne:    "More than one number in the phone's contacts fits that name; nothing was started. Use the number.",
	nod.WhyNotAllowed:     "nod may not look into the phone's contacts; nothing was started. Use the number.",
	nod.WhyNobodyAnswered: "The phone asked whether nod may look into its contacts, and nobody answered; nothing was started. Use the number.",
	nod.WhyBackground:     "nod is not on the phone's screen, so nobody could be asked whether it may look into the contacts; nothing was started. Use the number.",
}

func (h *host) look(ctx context.Context, book Book, card Card) (rows []Row, r Result) {
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("the driver panicked", "action", card.Offer.Action, "panic", p)
			rows, r = nil, Result{Status: wire.ResultFailed, Message: saysNotBegun}
		}
	}()
	rows, why := lookRows(ctx, book, card.Action())
	if why == nod.WhyNone {
		return rows, Result{}
	}
	r = Failed(why)
	if card.Offer.Tool == spec.ToolPhoneAction {
		r.Message = notLookedUp[why]
	}
	return nil, r
}

// looksUp reports whether the call's card says what only this phone knows.
func (m *Machine) looksUp(e *entry) bool {
	return m.self.LooksUp != nil && m.self.LooksUp((Card{Offer: e.offer}).Action())
}

// lookUp has what the card must say looked up; the card waits for it.
func (m *Machine) lookUp(call nod.CallID, e *entry, takes nod.CallID) {
	e.looking, e.takes = true, takes
	m.do(Effect{Do: LookUp, Call: call, Card: m.cardOf(e)})
}

// lookedUp draws the card with what was found. What was not found, or is not
// clear, ends the call: nobody is asked for something else than was meant.
func (m *Machine) lookedUp(call nod.CallID, rows []Row, r Result) {
	e, ok := m.calls[call]
	if !ok || !e.looking {
		return
	}
	e.looking = false
	if e.state != Received {
		return
	}
	if r.Status != "" {
		r.Status, r.Started = wire.ResultFailed, false
		m.finish(call, e, RecEnded, r)
		return
	}
	e.looked, e.rows = true, rows
	if m.decides(e) {
		m.draw(call, e, e.takes, max(e.deadline-m.now.Boot, 0))
	}
}

// unclear is why what another screen agreed to cannot be carried out: a name on
// its card is not the number that it stands for here. An event's id is exact.
func (m *Machine) unclear(decision wire.DecisionBody, e *entry) string {
	if decision.Phone != m.self.Phone && m.looksUp(e) && len(names((Card{Offer: e.offer}).Action())) > 0 {
		return saysNotLookedUp
	}
	return ""
}

// stopLooking has a look-up give up that nobody waits for any more.
func (m *Machine) stopLooking(call nod.CallID, e *entry) {
	if e.looking {
		e.looking = false
		m.do(Effect{Do: Stop, Call: call})
	}
}

// cardOf is the call as a card.
func (m *Machine) cardOf(e *entry) Card {
	return Card{Call: e.offer.Call, Offer: e.offer, Digest: e.digest, Left: max(e.deadline-m.now.Boot, 0), Rows: e.rows}
}
