package device

import (
	"slices"
	"time"

	"nod.dev/nod"
)

// Forms in which a moment is written: phone-local, as the check leaves it.
const (
	dayForm    = time.DateOnly
	minuteForm = "2006-01-02T15:04"
	secondForm = "2006-01-02T15:04:05"
)

// Moment is a day, or a time on a day, as an agent means it: by the phone's own
// clock and calendar.
type Moment struct {
	// At is the instant; of a whole day the first one.
	At time.Time
	// Day is true where no time of day was given.
	Day bool
}

// ParseMoment reads a moment in zone. Nothing is shifted: a day or an hour that
// the zone never has, and one that it has twice, is said and not guessed.
func ParseMoment(s string, zone *time.Location) (Moment, nod.Why) {
	form := minuteForm
	switch len(s) {
	case len(dayForm):
		form = dayForm
	case len(secondForm):
		form = secondForm
	}
	// Read as if in UTC, which has every hour once: what is wrong here is wrong everywhere.
	civil, err := time.Parse(form, s)
	if err != nil {
		return Moment{}, nod.WhyNoSuchTime
	}
	if form == dayForm {
		at, ok := startOfDay(civil, zone)
		if !ok {
			return Moment{}, nod.WhyNoSuchTime
		}
		return Moment{At: at, Day: true}, nod.WhyNone
	}
	switch at := instants(civil, zone); len(at) {
	case 0:
		return Moment{}, nod.WhyNoSuchTime
	case 1:
		return Moment{At: at[0]}, nod.WhyNone
	default:
		return Moment{}, nod.WhyTwoSuchTimes
	}
}

// String writes the moment as [ParseMoment] reads it, by the clock of its zone.
func (m Moment) String() string {
	switch {
	case m.Day:
		return m.At.Format(dayForm)
	case m.At.Second() != 0:
		return m.At.Format(secondForm)
	default:
		return m.At.Format(minuteForm)
	}
}

// instants returns when the clocks in zone show what civil shows in UTC: never,
// once or, where they were set back, twice; the earliest first.
func instants(civil time.Time, zone *time.Location) []time.Time {
	var found []time.Time
	for _, seconds := range offsets(civil, zone) {
		at := civil.Add(-time.Duration(seconds) * time.Second).In(zone)
		if _, now := at.Zone(); now == seconds {
			found = append(found, at)
		}
	}
	slices.SortFunc(found, time.Time.Compare)
	return found
}

// offsets returns the offsets from UTC, each once, that zone has around a time:
// no clock is further from UTC than the day and a half that is looked at.
func offsets(civil time.Time, zone *time.Location) []int {
	const around = 36 * time.Hour
	var found []int
	for at := civil.Add(-around); ; {
		at = at.In(zone)
		_, seconds := at.Zone()
		if !slices.Contains(found, seconds) {
			found = append(found, seconds)
		}
		end := zoneEnd(at)
		if end.IsZero() || end.After(civil.Add(around)) {
			return found
		}
		at = end
	}
}

// zoneEnd returns when the clocks at a time are set next; zero for never. Go says
// of the last day of a leap year after 2037 that it ended as it began, or before:
// nothing changes on that day, so the next one is asked.
func zoneEnd(at time.Time) time.Time {
	_, end := at.ZoneBounds()
	if !end.IsZero() && !end.After(at) {
		return at.Add(24 * time.Hour)
	}
	return end
}

// startOfDay is the first instant of a day in zone: midnight but where the
// clocks leave midnight out. False where zone never had the day, as Samoa had
// no 30 December 2011.
func startOfDay(civil time.Time, zone *time.Location) (time.Time, bool) {
	if at := instants(civil, zone); len(at) > 0 {
		return at[0], true
	}
	// The day begins where the clocks jump over midnight, if it has any hour at all.
	before := civil.Add(-24 * time.Hour).In(zone)
	for range 4 {
		end := zoneEnd(before)
		if end.IsZero() {
			return time.Time{}, false
		}
		at := end.In(zone)
		if sameDay(at, civil) {
			return at, true
		}
		before = at
	}
	return time.Time{}, false
}

// dayOf is the day that t is in by its own clock, as midnight UTC.
func dayOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func sameDay(t, u time.Time) bool { return dayOf(t).Equal(dayOf(u)) }

// startOf is when a day begins in zone, or when the next one does where zone
// leaves it out.
func startOf(day time.Time, zone *time.Location) time.Time {
	for {
		if at, ok := startOfDay(day, zone); ok {
			return at
		}
		day = day.AddDate(0, 0, 1)
	}
}

// later is the same time of day some days later, by the clock of its zone; the
// nearest there is where that hour is left out.
func (m Moment) later(days int) Moment {
	day := dayOf(m.At).AddDate(0, 0, days)
	zone := m.At.Location()
	if m.Day {
		return Moment{At: startOf(day, zone), Day: true}
	}
	h, min, s := m.At.Clock()
	return Moment{At: time.Date(day.Year(), day.Month(), day.Day(), h, min, s, 0, zone)}
}

// NextRing is when an alarm rings next after now, by now's own clock: on one of
// days, or on any where there are none. An hour that a day leaves out does not
// ring on that day. Days are mon to sun, as in an action's fields.
func NextRing(hour, minute int, days []string, now time.Time) time.Time {
	zone := now.Location()
	for day := dayOf(now); ; day = day.AddDate(0, 0, 1) {
		if len(days) > 0 && !onDay(days, day.Weekday()) {
			continue
		}
		civil := day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
		for _, at := range instants(civil, zone) {
			if at.After(now) {
				return at
			}
		}
	}
}

// Week lists the days as actions name them, Monday first.
var Week = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

func onDay(days []string, w time.Weekday) bool {
	name := Week[(int(w)+6)%7]
	for _, d := range days {
		if d == name {
			return true
		}
	}
	return false
}
