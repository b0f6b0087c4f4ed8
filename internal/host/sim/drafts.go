package sim

import (
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/device"
)

// Event is a new event in the calendar, not saved.
type Event struct {
	Title, Place, Notes string
	Start, End          time.Time
	AllDay              bool
}

// Draft is a message or a mail that the person has not sent.
type Draft struct {
	To, Cc        []string
	Subject, Text string
}

// Cannot says what only a phone can know of an action, before anyone is asked:
// dates and hours that do not exist here, addresses that a mail app would take
// apart, and more stops than the map app takes.
func (p *Phone) Cannot(a nod.Action) (why nod.Why, message string) {
	switch a.Name {
	default:
		return device.NoTime(a, p.now()), ""
	case "calendar_event":
		_, message = p.draft(a.Fields)
	case "email_draft":
		for _, to := range append(texts(a.Fields, "to"), texts(a.Fields, "cc")...) {
			if strings.ContainsAny(to, ",;<>") || strings.Count(to, "@") != 1 {
				return nod.WhyNone, "The mail app would not take " + to + " as one address."
			}
		}
	case "navigate":
		if len(places(a.Fields["stops"])) > maxStops {
			return nod.WhyNone, "The map app takes at most nine stops."
		}
	}
	return nod.WhyNone, message
}

func (p *Phone) calendarEvent(f nod.Fields) host.Result {
	e, why := p.draft(f)
	if why != "" {
		return cannot(why)
	}
	p.state.Events = append(p.state.Events, e)
	return opened("Calendar", "")
}

// draft reads an event as the calendar would, or says why it cannot be.
func (p *Phone) draft(f nod.Fields) (Event, string) {
	e := Event{Title: text(f, "title"), Place: text(f, "place"), Notes: text(f, "notes")}
	start, why := p.moment(text(f, "start"))
	if why != "" {
		return e, why
	}
	e.Start, e.AllDay = start, len(text(f, "start")) == len(time.DateOnly)
	given := text(f, "end")
	switch {
	case given != "":
		if e.End, why = p.moment(given); why != "" {
			return e, why
		}
		if e.AllDay != (len(given) == len(time.DateOnly)) {
			return e, "The start and the end must both be dates, or both have a time."
		}
	case e.AllDay:
		e.End = e.Start
	default:
		e.End = e.Start.Add(time.Hour)
	}
	if e.End.Before(e.Start) {
		return e, "The event would end before it starts."
	}
	return e, ""
}

// moment reads a date, or a date with a time, as local time. A day that the
// calendar does not have, and an hour that a clock change leaves out or brings
// twice, is no moment.
func (p *Phone) moment(s string) (time.Time, string) {
	m, why := device.ParseMoment(s, p.zone)
	switch {
	case why == nod.WhyNone:
		return m.At, ""
	case why == nod.WhyTwoSuchTimes:
		return m.At, s + " is twice in " + p.zone.String() + ": the clocks change then."
	}
	if _, err := time.Parse("2006-01-02T15:04"[:min(len(s), 16)], s); err == nil {
		return m.At, s + " does not exist in " + p.zone.String() + ": the clocks change then."
	}
	return m.At, s + " is not a day or time that exists."
}

func (p *Phone) smsDraft(f nod.Fields) host.Result {
	p.state.Texts = append(p.state.Texts, Draft{To: texts(f, "to"), Text: text(f, "text")})
	return opened("Messages", "")
}

func (p *Phone) emailDraft(f nod.Fields) host.Result {
	p.state.Mails = append(p.state.Mails, Draft{
		To: texts(f, "to"), Cc: texts(f, "cc"), Subject: text(f, "subject"), Text: text(f, "text"),
	})
	return opened("Mail", "")
}

func (p *Phone) dial(f nod.Fields) host.Result {
	p.state.Dialer = text(f, "number")
	return opened("Phone", "")
}
