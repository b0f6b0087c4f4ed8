package sim

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/device"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Appointment is an event that a calendar of the phone holds.
type Appointment struct {
	ID       int64
	Calendar int64
	Title    string
	Location string
	Notes    string
	device.Span
	// Zone is where it was made; whole days are kept in UTC.
	Zone string
	// Weeks is how often it comes, a week apart; 0 for once.
	Weeks int
	// ReminderMinutes is how long before it the phone reminds; 0 for not.
	ReminderMinutes int64
}

// occurrences are when the appointment is, as often as it comes: at the same
// time by the clock of its own zone, also when clocks change.
func (a Appointment) occurrences() []device.Span {
	all := []device.Span{a.Span}
	zone, err := time.LoadLocation(a.Zone)
	if err != nil || a.AllDay {
		zone = time.UTC
	}
	for week := 1; week < a.Weeks; week++ {
		s := a.Span
		s.Start = a.Start.In(zone).AddDate(0, 0, 7*week)
		s.End = s.Start.Add(a.End.Sub(a.Start))
		all = append(all, s)
	}
	return all
}

// event is one time of an appointment as the tools show it.
func (p *Phone) event(a Appointment, at device.Span) device.Event {
	start, end := at.Text(p.zone)
	c, _ := p.calendar(a.Calendar)
	return device.Event{
		ID: a.ID, Title: a.Title, Start: start, End: end, AllDay: at.AllDay, Location: a.Location,
		Calendar: c.Name, CalendarID: a.Calendar, Repeats: a.Weeks > 0, Notes: a.Notes,
	}
}

func (p *Phone) calendar(id int64) (device.Calendar, bool) {
	i := slices.IndexFunc(p.calendars, func(c device.Calendar) bool { return c.ID == id })
	if i < 0 {
		return device.Calendar{}, false
	}
	return p.calendars[i], true
}

// read is the result of a read that went well, or of one whose text could not
// be made.
func read(text string, err error) host.Result {
	if err != nil {
		return cannot("What was read could not be written down.")
	}
	return host.Result{Status: wire.ResultDone, Data: text}
}

func (p *Phone) listCalendars(context.Context, host.Card) host.Result {
	return read(device.CalendarsText(p.calendars))
}

// calendarList lists what is in a range: of one calendar, or of all that are
// shown.
func (p *Phone) calendarList(_ context.Context, card host.Card) host.Result {
	f := card.Offer.Fields
	r, why := device.ListRange(f, p.now())
	if why != nod.WhyNone {
		return host.Failed(why)
	}
	id, one := f["calendar_id"].(int64)
	if _, known := p.calendar(id); one && !known {
		return host.Failed(nod.WhyNotFound)
	}
	type shown struct {
		at time.Time
		device.Event
	}
	var found []shown
	for _, a := range p.State().Appointments {
		c, _ := p.calendar(a.Calendar)
		if (one && a.Calendar != id) || (!one && !c.Visible) || !about(a, text(f, "query")) {
			continue
		}
		for _, at := range a.occurrences() {
			if at.In(r, p.zone) {
				found = append(found, shown{at.Start, p.event(a, at)})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b shown) int { return a.at.Compare(b.at) })
	events := make([]device.Event, len(found))
	for i := range found {
		events[i] = found[i].Event
	}
	t, _ := p.contract.Tool(spec.ToolCalendarList)
	return read(device.EventsText(r, p.zone, events, int(t.Int(f, "limit"))))
}

// about reports whether a word is in an appointment, as it stands.
func about(a Appointment, query string) bool {
	all := strings.ToLower(a.Title + "\n" + a.Location + "\n" + a.Notes)
	return strings.Contains(all, strings.ToLower(strings.TrimSpace(query)))
}

// target is the calendar that a new event goes to: the one that was named, or
// the person's first one that can be written.
func (p *Phone) target(f nod.Fields) (device.Calendar, host.Result) {
	if id, given := f["calendar_id"].(int64); given {
		c, ok := p.calendar(id)
		switch {
		case !ok:
			return c, host.Failed(nod.WhyNotFound)
		case !c.Writable:
			return c, cannot("That calendar cannot be written.")
		}
		return c, host.Result{}
	}
	able := slices.Clone(p.calendars)
	able = slices.DeleteFunc(able, func(c device.Calendar) bool { return !c.Writable || !c.Visible })
	if len(able) == 0 {
		return device.Calendar{}, cannot("No calendar on this phone can be written.")
	}
	i := max(0, slices.IndexFunc(able, func(c device.Calendar) bool { return c.Primary }))
	return able[i], host.Result{}
}

func (p *Phone) calendarCreate(_ context.Context, card host.Card) host.Result {
	f := card.Offer.Fields
	c, failed := p.target(f)
	if failed.Status != "" {
		return failed
	}
	s, why := device.CreateSpan(f, p.zone)
	if why != nod.WhyNone {
		return host.Failed(why)
	}
	a := Appointment{
		Calendar: c.ID, Title: text(f, "title"), Location: text(f, "location"), Notes: text(f, "description"),
		Span: s, Zone: p.zoneOf(s),
	}
	a.ReminderMinutes, _ = f["reminder_minutes"].(int64)
	p.mu.Lock()
	p.nextID++
	a.ID = p.nextID
	p.state.Appointments = append(p.state.Appointments, a)
	p.mu.Unlock()
	start, end := s.Text(p.zone)
	r := read(device.DataText(device.CreatedData{ID: a.ID, Start: start, End: end, AllDay: s.AllDay, CalendarID: c.ID}))
	r.Status, r.Started = wire.ResultDone, true
	return r
}

// zoneOf is the zone in which a span is kept.
func (p *Phone) zoneOf(s device.Span) string {
	if s.AllDay {
		return "UTC"
	}
	return p.zone.String()
}

// Event implements [host.Book]; it asks for the calendar where it must.
func (p *Phone) Event(ctx context.Context, id int64) (device.Event, nod.Why) {
	if why := device.Ask(ctx, p, spec.PermissionCalendar, device.Wait(spec.PermissionCalendar, p.patience)); why != nod.WhyNone {
		return device.Event{}, why
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.at(id)
	if i < 0 {
		return device.Event{}, nod.WhyNotFound
	}
	a := p.state.Appointments[i]
	return p.event(a, a.Span), nod.WhyNone
}

// at is where an appointment is kept; the lock is held.
func (p *Phone) at(id int64) int {
	return slices.IndexFunc(p.state.Appointments, func(a Appointment) bool { return a.ID == id })
}

// change does something to the appointment that a card showed. One that is not
// any more what the card said is left alone.
func (p *Phone) change(card host.Card, do func(i int) host.Result) host.Result {
	id, _ := card.Offer.Fields["id"].(int64)
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.at(id)
	if i < 0 {
		return host.Failed(nod.WhyNotFound)
	}
	a := p.state.Appointments[i]
	row := host.EventRow(p.event(a, a.Span))
	if shown, ok := card.Row(row.Field, row.Given); ok && shown != row {
		return cannot("The event was changed since the card was shown.")
	}
	if c, _ := p.calendar(a.Calendar); !c.Writable {
		return cannot("Its calendar cannot be written.")
	}
	return do(i)
}

// calendarUpdate changes what was given and nothing else: an event whose time is
// not in the call keeps its rows as they are, its zone and its series always.
func (p *Phone) calendarUpdate(_ context.Context, card host.Card) host.Result {
	f := card.Offer.Fields
	return p.change(card, func(i int) host.Result {
		a := p.state.Appointments[i]
		s, moved, why := a.Span.Update(f, p.zone)
		if why != nod.WhyNone {
			return host.Failed(why)
		}
		if moved {
			if a.AllDay != s.AllDay {
				a.Zone = p.zoneOf(s)
			}
			a.Span = s
		}
		for field, to := range map[string]*string{"title": &a.Title, "location": &a.Location, "description": &a.Notes} {
			if given, ok := f[field].(string); ok {
				*to = given
			}
		}
		p.state.Appointments[i] = a
		return done("The " + kindOf(a) + " was changed.")
	})
}

func (p *Phone) calendarDelete(_ context.Context, card host.Card) host.Result {
	return p.change(card, func(i int) host.Result {
		a := p.state.Appointments[i]
		p.state.Appointments = slices.Delete(p.state.Appointments, i, i+1)
		return done("The " + kindOf(a) + " was deleted.")
	})
}

// kindOf says whether more than one day was touched.
func kindOf(a Appointment) string {
	if a.Weeks > 0 {
		return "whole series"
	}
	return "event"
}

// Contacts implements [host.Book]; it asks for them where it must.
func (p *Phone) Contacts(ctx context.Context) ([]device.Contact, nod.Why) {
	why := device.Ask(ctx, p, spec.PermissionContacts, device.Wait(spec.PermissionContacts, p.patience))
	if why != nod.WhyNone {
		return nil, why
	}
	return slices.Clone(p.contacts), nod.WhyNone
}

func (p *Phone) contactsSearch(_ context.Context, card host.Card) host.Result {
	f := card.Offer.Fields
	t, _ := p.contract.Tool(spec.ToolContactsSearch)
	return read(device.PeopleText(text(f, "query"), device.Search(p.contacts, text(f, "query")), int(t.Int(f, "limit"))))
}

// someContacts, someCalendars and someAppointments are what a phone has that
// nobody said anything about.
func someContacts() []device.Contact {
	return []device.Contact{
		{Name: "Ana Silva", Phones: []device.Address{{Value: "+351 910 000 001", Type: "mobile"}}, Emails: []device.Address{{Value: "ana@nod.example", Type: "home"}}},
		{Name: "Ana Costa", Phones: []device.Address{{Value: "+351 910 000 002", Type: "mobile"}, {Value: "+351 21 000 0002", Type: "work"}}},
		{Name: "Bo Lindqvist", Phones: []device.Address{{Value: "+46 70 000 00 03", Type: "mobile"}}},
		{Name: "100% Pizza *", Phones: []device.Address{{Value: "+351 21 000 0100", Type: "main"}}},
		{Name: "snake_case Ltd", Emails: []device.Address{{Value: "hello_there@nod.example", Type: "work"}}},
	}
}

func someCalendars() []device.Calendar {
	return []device.Calendar{
		{ID: 1, Name: "Personal", Account: "sam@nod.example", Writable: true, Primary: true, Visible: true},
		{ID: 2, Name: "Work", Account: "sam@work.example", Writable: true, Visible: true},
		{ID: 3, Name: "Holidays", Account: "holidays@nod.example", Visible: true},
	}
}

func someAppointments(now time.Time) []Appointment {
	day := func(days, hour, minute int) time.Time {
		y, m, d := now.Date()
		return time.Date(y, m, d+days, hour, minute, 0, 0, now.Location())
	}
	whole := func(days int) time.Time {
		y, m, d := now.Date()
		return time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC)
	}
	zone := cmp.Or(now.Location().String(), "UTC")
	hour := func(days, h, m int) device.Span {
		return device.Span{Start: day(days, h, m), End: day(days, h, m).Add(time.Hour)}
	}
	return []Appointment{
		{ID: 1, Calendar: 1, Title: "Dentist", Location: "Rua das Flores 1", Span: hour(1, 18, 30), Zone: zone},
		{ID: 2, Calendar: 2, Title: "Team meeting", Notes: "Bring the figures.", Span: hour(2, 10, 0), Zone: zone, Weeks: 8},
		{ID: 3, Calendar: 3, Title: "Holiday", Span: device.Span{AllDay: true, Start: whole(3), End: whole(4)}, Zone: "UTC"},
	}
}
