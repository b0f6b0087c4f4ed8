package action

import (
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// togethers are the rules between a tool's fields, each of which is good by
// itself. A rule returns the field that does not fit and the key of what it must
// be; it may write the fields in their one form first. A phone, which is offered
// that form, is left with nothing to write.
var togethers = map[string]func(nod.Fields) (field, key string){
	spec.ToolCalendarList:   order,
	spec.ToolCalendarCreate: newEvent,
	spec.ToolCalendarUpdate: sameDays,
	spec.ToolTimerSet:       inSeconds,
}

// inSeconds writes minutes as seconds; where both are given, seconds counts.
func inSeconds(fields nod.Fields) (field, key string) {
	minutes, ok := fields[spec.FieldMinutes].(int64)
	delete(fields, spec.FieldMinutes)
	if _, given := fields[spec.FieldSeconds]; ok && !given {
		fields[spec.FieldSeconds] = minutes * 60
	}
	return "", ""
}

// order wants a range that does not run backwards. A day that ends it is part of
// it, so 15:00 to the same day is one.
func order(fields nod.Fields) (field, key string) {
	from, to := at(fields, spec.FieldFrom), at(fields, spec.FieldTo)
	if to != "" && !timed(to) {
		to += "T24:00"
	}
	if to != "" && to < from {
		return spec.FieldTo, spec.TextFormAfterFrom
	}
	return "", ""
}

// newEvent is sameDays; a start that is a date alone makes a whole day of it,
// and what its time says already is not said again.
func newEvent(fields nod.Fields) (field, key string) {
	if field, key := sameDays(fields); key != "" {
		return field, key
	}
	if timed(at(fields, spec.FieldStart)) {
		delete(fields, spec.FieldAllDay)
	} else {
		fields[spec.FieldAllDay] = true
	}
	return "", ""
}

// sameDays wants start, end and all_day to be of one kind: dates alone or times,
// and the end not before the start. Nothing is made of the other kind for the
// agent: midnight is no whole day, and a whole day has no hour.
func sameDays(fields nod.Fields) (field, key string) {
	whole, said := fields[spec.FieldAllDay].(bool)
	for _, name := range []string{spec.FieldStart, spec.FieldEnd} {
		m := at(fields, name)
		switch {
		case m == "" || !said || whole != timed(m):
		case whole:
			return name, spec.TextFormWholeDay
		default:
			return name, spec.TextFormWithTime
		}
	}
	start, end := at(fields, spec.FieldStart), at(fields, spec.FieldEnd)
	switch {
	case start == "" || end == "":
	case timed(start) != timed(end):
		return spec.FieldEnd, spec.TextFormSameKind
	case end < start:
		return spec.FieldEnd, spec.TextFormAfterStart
	}
	return "", ""
}

// at is the moment in a field, "" when there is none. Moments in their one form
// are ordered as their text is.
func at(fields nod.Fields, name string) string {
	s, _ := fields[name].(string)
	return s
}

// timed reports whether a moment has a time of day.
func timed(m string) bool { return strings.Contains(m, "T") }
