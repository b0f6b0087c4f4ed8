package sim

import (
	"strings"
	"time"

	"nod.dev/nod"
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
// dates that do not exist here, addresses that a mail app would take apart,
// and more stops than the map app takes.
func (p *Phone) Cannot(a nod.Action) string {
	switch a.Name {
	case "calendar_event":
		_, why := p.event(a.Fields)
		return why
	case "email_draft":
		for _, to := range append(texts(a.Fields, "to"), texts(a.Fields, "cc")...) {
			if strings.ContainsAny(to, ",;<>") || strings.Count(to, "@") != 1 {
				return "The mail app would not take " + to + " as one address."
			}
		}
	case "navigate":
		if len(places(a.Fields["stops"])) > maxStops {
			return "The map app takes at most nine stops."
		}
	}
	return ""
}

func (p *Phone) calendarEvent(f nod.Fields) answer {
	e, why := p.event(f)
	if why != "" {
		return cannot(why)
	}
	p.state.Events = append(p.state.Events, e)
	return opened("Calendar", "")
}

// event reads an event as the calendar would, or says why it cannot be.
func (p *Phone) event(f nod.Fields) (Event, string) {
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
// calendar does not have, and an hour that a clock change leaves out, is no moment.
func (p *Phone) moment(s string) (time.Time, string) {
	layout := "2006-01-02T15:04"
	if len(s) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.ParseInLocation(layout, s, p.zone)
	if err != nil {
		return t, s + " is not a day or time that exists."
	}
	if t.Format(layout) != s {
		return t, s + " does not exist in " + p.zone.String() + ": the clocks change then."
	}
	return t, ""
}

func (p *Phone) smsDraft(f nod.Fields) answer {
	p.state.Texts = append(p.state.Texts, Draft{To: texts(f, "to"), Text: text(f, "text")})
	return opened("Messages", "")
}

func (p *Phone) emailDraft(f nod.Fields) answer {
	p.state.Mails = append(p.state.Mails, Draft{
		To: texts(f, "to"), Cc: texts(f, "cc"), Subject: text(f, "subject"), Text: text(f, "text"),
	})
	return opened("Mail", "")
}

func (p *Phone) dial(f nod.Fields) answer {
	p.state.Dialer = text(f, "number")
	return opened("Phone", "")
}
