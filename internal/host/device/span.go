package device

import (
	"time"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// Span is when an event is, as calendars keep it.
type Span struct {
	// AllDay is true for whole days; the rest is then days and no instants.
	AllDay bool
	// Start is the first instant, or the first day as midnight UTC.
	Start time.Time
	// End is the first instant after it, or the day after its last as midnight UTC.
	End time.Time
}

// defaultLength is how long an event with a time of day is where no end was given.
const defaultLength = time.Hour

// CreateSpan is when a new event is, by the fields of calendar_create: an hour
// or the one day where no end was given. zone is the phone's.
func CreateSpan(f nod.Fields, zone *time.Location) (Span, nod.Why) {
	start, why := ParseMoment(text(f, "start"), zone)
	if why != nod.WhyNone {
		return Span{}, why
	}
	end, why := endOf(f, start, zone)
	if why != nod.WhyNone {
		return Span{}, why
	}
	return span(start, end)
}

// endOf is the end that was given, or the usual one.
func endOf(f nod.Fields, start Moment, zone *time.Location) (Moment, nod.Why) {
	switch given := text(f, "end"); {
	case given != "":
		return ParseMoment(given, zone)
	case start.Day:
		return start, nod.WhyNone
	default:
		return Moment{At: start.At.Add(defaultLength)}, nod.WhyNone
	}
}

// span is from one moment to another of its kind, the last day included.
func span(start, end Moment) (Span, nod.Why) {
	s := Span{AllDay: start.Day, Start: start.At, End: end.At}
	if start.Day {
		s.Start, s.End = dayOf(start.At), dayOf(end.At).AddDate(0, 0, 1)
	}
	if start.Day != end.Day || end.At.Before(start.At) {
		return Span{}, nod.WhyNotPossible
	}
	return s, nod.WhyNone
}

// Update is when an event is after calendar_update: as it was, but for what the
// fields give. A start alone keeps the length, in days or in time. changed is
// false where nothing about the time was given, and a calendar must then leave
// the event's own time, zone and series untouched.
func (s Span) Update(f nod.Fields, zone *time.Location) (updated Span, changed bool, why nod.Why) {
	start, end := text(f, "start"), text(f, "end")
	allDay, given := f["all_day"].(bool)
	switch {
	case start == "" && end == "" && (!given || allDay == s.AllDay):
		return s, false, nod.WhyNone
	case start == "" && end == "" && allDay:
		return s.days(zone), true, nod.WhyNone
	case start == "" && end == "":
		return s, false, nod.WhyNotPossible // no time of day is known
	}
	from := s.first(zone)
	if start != "" {
		if from, why = ParseMoment(start, zone); why != nod.WhyNone {
			return s, false, why
		}
	}
	if end == "" && from.Day == s.AllDay {
		return s.moved(from), true, nod.WhyNone
	}
	to, why := endOf(f, from, zone)
	if why != nod.WhyNone {
		return s, false, why
	}
	updated, why = span(from, to)
	return updated, why == nod.WhyNone, why
}

// moved is the span beginning elsewhere, as long as it was.
func (s Span) moved(start Moment) Span {
	if s.AllDay {
		first := dayOf(start.At)
		return Span{AllDay: true, Start: first, End: first.Add(s.End.Sub(s.Start))}
	}
	return Span{Start: start.At, End: start.At.Add(s.End.Sub(s.Start))}
}

// days is the whole days that a span with times of day touches.
func (s Span) days(zone *time.Location) Span {
	last := s.End
	if last.After(s.Start) {
		last = last.Add(-time.Nanosecond)
	}
	return Span{AllDay: true, Start: dayOf(s.Start.In(zone)), End: dayOf(last.In(zone)).AddDate(0, 0, 1)}
}

// first is the span's start as a moment.
func (s Span) first(zone *time.Location) Moment {
	if s.AllDay {
		return Moment{At: startOf(s.Start, zone), Day: true}
	}
	return Moment{At: s.Start.In(zone)}
}

// Text writes when the event is by the phone's clock. The end of whole days is
// the last of them.
func (s Span) Text(zone *time.Location) (start, end string) {
	if s.AllDay {
		return s.Start.Format(dayForm), s.End.AddDate(0, 0, -1).Format(dayForm)
	}
	return Moment{At: s.Start.In(zone)}.String(), Moment{At: s.End.In(zone)}.String()
}

// In reports whether some of the event is in a range, as the phone's clock has it.
func (s Span) In(r Range, zone *time.Location) bool {
	start, end := s.Start, s.End
	if s.AllDay {
		start, end = startOf(start, zone), startOf(end, zone)
	}
	if !end.After(start) { // an event without a length is at its start
		return !start.Before(r.Start) && start.Before(r.End)
	}
	return start.Before(r.End) && end.After(r.Start)
}

// Range is what calendar_list looks at: from Start until before End.
type Range struct {
	Start, End time.Time
	// From and To say so in an agent's words: as given, or what stands in for it.
	From, To string
}

// listDays is how far calendar_list looks where no end was given.
const listDays = 7

// ListRange is what the fields of calendar_list ask for: from today for seven
// days where they do not say. A day as the end is looked at too.
func ListRange(f nod.Fields, now time.Time) (Range, nod.Why) {
	zone := now.Location()
	from := Moment{At: startOf(dayOf(now), zone)}
	var why nod.Why
	if given := text(f, "from"); given != "" {
		if from, why = ParseMoment(given, zone); why != nod.WhyNone {
			return Range{}, why
		}
	}
	to := Moment{At: from.later(listDays).At}
	if given := text(f, "to"); given != "" {
		if to, why = ParseMoment(given, zone); why != nod.WhyNone {
			return Range{}, why
		}
	}
	r := Range{Start: from.At, End: to.At, From: from.String(), To: to.String()}
	if to.Day {
		r.End = startOf(dayOf(to.At).AddDate(0, 0, 1), zone)
	}
	if r.End.Before(r.Start) || (to.Day && !r.End.After(r.Start)) {
		return Range{}, nod.WhyNotPossible
	}
	return r, nod.WhyNone
}

// NoTime is why an action cannot be, by its times alone: before a card is drawn,
// or anything is read. It is empty where they can be, and for an action that has
// none.
func NoTime(a nod.Action, now time.Time) nod.Why {
	var why nod.Why
	switch a.Name {
	case spec.ToolCalendarList:
		_, why = ListRange(a.Fields, now)
	case spec.ToolCalendarCreate:
		_, why = CreateSpan(a.Fields, now.Location())
	case spec.ToolCalendarUpdate:
		for _, name := range []string{"start", "end"} {
			if given := text(a.Fields, name); given != "" && why == nod.WhyNone {
				_, why = ParseMoment(given, now.Location())
			}
		}
	}
	return why
}

// text returns a field that is a string.
func text(f nod.Fields, name string) string {
	s, _ := f[name].(string)
	return s
}
