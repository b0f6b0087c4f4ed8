package device

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"nod.dev/nod"
)

func inZone(t interface {
	Helper()
	Fatal(...any)
}, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// zoneNames have what makes times hard: no changes, one hour, half an hour, a
// day that was left out, and clocks that jump over midnight.
var zoneNames = []string{
	"Asia/Tokyo", "America/Los_Angeles", "Europe/Lisbon", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "UTC",
}

// TestMoment holds the days and hours that zones do not have, and have twice.
func TestMoment(t *testing.T) {
	for _, c := range []struct {
		zone, in string
		why      nod.Why
		utc      string
	}{
		{"Europe/Lisbon", "2026-09-24T18:30", "", "2026-09-24T17:30:00Z"},
		{"Europe/Lisbon", "2026-09-24T18:30:15", "", "2026-09-24T17:30:15Z"},
		{"Europe/Lisbon", "2026-03-29T00:59", "", "2026-03-29T00:59:00Z"},
		{"Europe/Lisbon", "2026-03-29T01:00", nod.WhyNoSuchTime, ""},
		{"Europe/Lisbon", "2026-03-29T01:59:59", nod.WhyNoSuchTime, ""},
		{"Europe/Lisbon", "2026-03-29T02:00", "", "2026-03-29T01:00:00Z"},
		{"Europe/Lisbon", "2026-10-25T00:59", "", "2026-10-24T23:59:00Z"},
		{"Europe/Lisbon", "2026-10-25T01:00", nod.WhyTwoSuchTimes, ""},
		{"Europe/Lisbon", "2026-10-25T02:00", "", "2026-10-25T02:00:00Z"},
		{"America/Los_Angeles", "2026-03-08T02:30", nod.WhyNoSuchTime, ""},
		{"America/Los_Angeles", "2026-11-01T01:30", nod.WhyTwoSuchTimes, ""},
		{"Australia/Lord_Howe", "2026-10-04T02:15", nod.WhyNoSuchTime, ""},
		{"Australia/Lord_Howe", "2026-10-04T02:30", "", "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "2026-04-05T01:45", nod.WhyTwoSuchTimes, ""},
		{"Australia/Lord_Howe", "2026-04-05T01:29", "", "2026-04-04T14:29:00Z"},
		{"Asia/Tokyo", "2026-03-29T01:30", "", "2026-03-28T16:30:00Z"},
		{"Asia/Tokyo", "2026-12-03", "", "2026-12-02T15:00:00Z"},
		{"Pacific/Apia", "2011-12-30", nod.WhyNoSuchTime, ""},
		{"Pacific/Apia", "2011-12-30T12:00", nod.WhyNoSuchTime, ""},
		{"Pacific/Apia", "2011-12-31", "", "2011-12-30T10:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "", "2018-11-04T03:00:00Z"}, // it begins at 01:00
		{"America/Sao_Paulo", "2018-11-04T00:30", nod.WhyNoSuchTime, ""},
		{"America/Sao_Paulo", "2018-02-18", "", "2018-02-18T03:00:00Z"},
		{"UTC", "2026-02-31", nod.WhyNoSuchTime, ""},
		{"UTC", "2026-02-28T24:00", nod.WhyNoSuchTime, ""},
		{"UTC", "tomorrow", nod.WhyNoSuchTime, ""},
	} {
		m, why := ParseMoment(c.in, inZone(t, c.zone))
		switch {
		case why != c.why:
			t.Errorf("%s in %s: %q, want %q", c.in, c.zone, why, c.why)
		case why == "" && m.At.UTC().Format(time.RFC3339) != c.utc:
			t.Errorf("%s in %s is %s, want %s", c.in, c.zone, m.At.UTC().Format(time.RFC3339), c.utc)
		case why == "" && m.String() != c.in:
			t.Errorf("%s in %s is written %s", c.in, c.zone, m)
		}
	}
}

// The last day of a leap year after 2037 is a day like others, though Go's own
// bounds of it run backwards.
func TestMomentOnTheLastDayOfALeapYear(t *testing.T) {
	for _, name := range zoneNames {
		zone := inZone(t, name)
		for _, day := range []string{"2040-12-31", "2044-12-31", "2096-12-31"} {
			for _, shown := range []string{day + "T00:15", day + "T12:00", day + "T23:45"} {
				if got, why := ParseMoment(shown, zone); why != nod.WhyNone || got.At.Format(minuteForm) != shown {
					t.Errorf("%s in %s: %v, %q", shown, name, got.At, why)
				}
			}
			if got, why := ParseMoment(day, zone); why != nod.WhyNone || got.At.Format(minuteForm) != day+"T00:00" {
				t.Errorf("%s in %s: %v, %q", day, name, got.At, why)
			}
		}
	}
}

// TestMomentNeverShifts holds for any zone and any minute of eighty years that
// a moment is read back as it was written, or refused: as no time where no
// instant shows it, as two where two do.
func TestMomentNeverShifts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := inZone(t, rapid.SampledFrom(zoneNames).Draw(t, "zone"))
		at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).
			Add(time.Duration(rapid.Int64Range(0, 80*365*24*60).Draw(t, "minute")) * time.Minute)
		if rapid.Bool().Draw(t, "near a change") {
			if _, end := at.In(zone).ZoneBounds(); !end.IsZero() {
				at = end.Add(time.Duration(rapid.IntRange(-180, 180).Draw(t, "off")) * time.Minute)
			}
		}
		// What the clock shows then, and what an hour that is left out would show.
		for _, shown := range []string{at.In(zone).Format(minuteForm), at.Format(minuteForm)} {
			seen := map[int64]bool{}
			civil, err := time.Parse(minuteForm, shown)
			if err != nil {
				t.Fatal(err)
			}
			for m := -26 * 60; m <= 26*60; m += 15 { // every offset there is, a quarter at a time
				u := civil.Add(time.Duration(m) * time.Minute)
				if u.In(zone).Format(minuteForm) == shown {
					seen[u.Unix()] = true
				}
			}
			got, why := ParseMoment(shown, zone)
			want := map[int]nod.Why{0: nod.WhyNoSuchTime, 1: nod.WhyNone, 2: nod.WhyTwoSuchTimes}[len(seen)]
			if why != want {
				t.Fatalf("%s in %s: %q, and %d instants show it", shown, zone, why, len(seen))
			}
			if why == nod.WhyNone && (got.String() != shown || !seen[got.At.Unix()]) {
				t.Fatalf("%s in %s is read as %s", shown, zone, got)
			}
			day, why := ParseMoment(shown[:len(dayForm)], zone)
			if why == nod.WhyNone && (day.String() != shown[:len(dayForm)] || sameDay(day.At.Add(-time.Nanosecond), day.At)) {
				t.Fatalf("the day of %s in %s begins at %v", shown, zone, day.At)
			}
			if why != nod.WhyNone && len(seen) > 0 {
				t.Fatalf("%s is in %s, and its day is not", shown, zone)
			}
		}
	})
}

// TestWholeDays is case 15, and that it holds everywhere: a day is the same day
// in every zone, kept as midnight UTC until midnight UTC after its last.
func TestWholeDays(t *testing.T) {
	for _, name := range zoneNames {
		zone := inZone(t, name)
		s, why := CreateSpan(nod.Fields{"start": "2026-12-03", "end": "2026-12-03", "all_day": true}, zone)
		if why != "" || !s.AllDay || s.Start.Format(time.RFC3339) != "2026-12-03T00:00:00Z" || s.End.Format(time.RFC3339) != "2026-12-04T00:00:00Z" {
			t.Errorf("in %s it is %+v, %q", name, s, why)
		}
		if start, end := s.Text(zone); start != "2026-12-03" || end != "2026-12-03" {
			t.Errorf("in %s it is shown from %s to %s", name, start, end)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		zone := inZone(t, rapid.SampledFrom(zoneNames).Draw(t, "zone"))
		day := func(n int) string { return time.Date(2012, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(dayForm) }
		from := rapid.IntRange(0, 9000).Draw(t, "from")
		length := rapid.IntRange(0, 40).Draw(t, "length")
		f := nod.Fields{"start": day(from), "end": day(from + length)}
		s, why := CreateSpan(f, zone)
		start, end := s.Text(zone)
		if why != "" || start != f["start"] || end != f["end"] {
			t.Fatalf("%v in %s is shown from %s to %s (%q)", f, zone, start, end, why)
		}
		// It is in a list of each of its days, and of none beside it.
		for _, n := range []int{from - 1, from, from + length, from + length + 1} {
			r, why := ListRange(nod.Fields{"from": day(n), "to": day(n)}, time.Now().In(zone))
			if why != "" || s.In(r, zone) != (n >= from && n <= from+length) {
				t.Fatalf("%v in %s, looked for on %s: %v (%q)", f, zone, day(n), s.In(r, zone), why)
			}
		}
		moved, changed, why := s.Update(nod.Fields{"start": day(from + 3)}, zone)
		if start, end := moved.Text(zone); !changed || why != "" || start != day(from+3) || end != day(from+3+length) {
			t.Fatalf("moved it is from %s to %s (%q)", start, end, why)
		}
	})
}

// TestSpans holds what calendar_create and calendar_update make of times.
func TestSpans(t *testing.T) {
	zone := inZone(t, "Europe/Lisbon")
	create := func(f nod.Fields) Span {
		s, why := CreateSpan(f, zone)
		if why != "" {
			t.Fatalf("%v: %q", f, why)
		}
		return s
	}
	hour := create(nod.Fields{"start": "2026-09-24T18:30"})
	days := create(nod.Fields{"start": "2026-09-24", "end": "2026-09-25"})
	none := "" // it cannot be
	for _, c := range []struct {
		old        Span
		given      nod.Fields
		start, end string
		changed    bool
	}{
		{hour, nod.Fields{}, "2026-09-24T18:30", "2026-09-24T19:30", false},
		{hour, nod.Fields{"title": "x", "all_day": false}, "2026-09-24T18:30", "2026-09-24T19:30", false},
		{hour, nod.Fields{"start": "2026-09-25T08:00"}, "2026-09-25T08:00", "2026-09-25T09:00", true},
		{hour, nod.Fields{"end": "2026-09-24T20:00"}, "2026-09-24T18:30", "2026-09-24T20:00", true},
		{hour, nod.Fields{"end": "2026-09-24T18:00"}, none, "", false},
		{hour, nod.Fields{"end": "2026-09-24"}, none, "", false},
		{hour, nod.Fields{"all_day": true}, "2026-09-24", "2026-09-24", true},
		{hour, nod.Fields{"start": "2026-09-30", "all_day": true}, "2026-09-30", "2026-09-30", true},
		{hour, nod.Fields{"start": "2026-03-29T01:30"}, none, "", false},
		{days, nod.Fields{"title": "x", "all_day": true}, "2026-09-24", "2026-09-25", false},
		{days, nod.Fields{"start": "2026-09-30"}, "2026-09-30", "2026-10-01", true},
		{days, nod.Fields{"end": "2026-09-24"}, "2026-09-24", "2026-09-24", true},
		{days, nod.Fields{"end": "2026-09-23"}, none, "", false},
		{days, nod.Fields{"all_day": false}, none, "", false},
		{days, nod.Fields{"start": "2026-09-30T08:00", "all_day": false}, "2026-09-30T08:00", "2026-09-30T09:00", true},
	} {
		got, changed, why := c.old.Update(c.given, zone)
		if c.start == none {
			if why == "" || changed {
				t.Errorf("%v is possible", c.given)
			}
			continue
		}
		start, end := got.Text(zone)
		if why != "" || changed != c.changed || start != c.start || end != c.end {
			t.Errorf("%v: from %s to %s, changed %v, %q", c.given, start, end, changed, why)
		}
	}
	// The hours of a night in which the clocks change count as they pass.
	night := create(nod.Fields{"start": "2026-10-24T23:00", "end": "2026-10-25T03:00"})
	if d := night.End.Sub(night.Start); d != 5*time.Hour {
		t.Errorf("the night of the change has %v", d)
	}
}

func TestListRange(t *testing.T) {
	zone := inZone(t, "Europe/Lisbon")
	now := time.Date(2026, 9, 24, 20, 15, 0, 0, zone)
	for _, c := range []struct {
		f                    nod.Fields
		from, to, start, end string
		why                  nod.Why
	}{
		{nod.Fields{}, "2026-09-24T00:00", "2026-10-01T00:00", "2026-09-24T00:00", "2026-10-01T00:00", ""},
		{nod.Fields{"from": "2026-10-24"}, "2026-10-24", "2026-10-31T00:00", "2026-10-24T00:00", "2026-10-31T00:00", ""},
		{nod.Fields{"from": "2026-10-24T09:30"}, "2026-10-24T09:30", "2026-10-31T09:30", "2026-10-24T09:30", "2026-10-31T09:30", ""},
		{nod.Fields{"to": "2026-09-24"}, "2026-09-24T00:00", "2026-09-24", "2026-09-24T00:00", "2026-09-25T00:00", ""},
		{nod.Fields{"from": "2026-09-24", "to": "2026-09-24T12:00"}, "2026-09-24", "2026-09-24T12:00", "2026-09-24T00:00", "2026-09-24T12:00", ""},
		{nod.Fields{"to": "2026-09-23"}, "", "", "", "", nod.WhyNotPossible},
		{nod.Fields{"from": "2026-10-25T01:30"}, "", "", "", "", nod.WhyTwoSuchTimes},
	} {
		r, why := ListRange(c.f, now)
		if why != c.why || r.From != c.from || r.To != c.to {
			t.Errorf("%v: %+v, %q", c.f, r, why)
		} else if why == "" && (r.Start.In(zone).Format(minuteForm) != c.start || r.End.In(zone).Format(minuteForm) != c.end) {
			t.Errorf("%v: %+v", c.f, r)
		}
	}
}

// TestNextRing is case 17, and the nights in which the clocks change.
func TestNextRing(t *testing.T) {
	zone := inZone(t, "Europe/Lisbon")
	for _, c := range []struct {
		now          string
		hour, minute int
		days         []string
		rings        string
	}{
		{"2026-09-22T20:00", 22, 0, nil, "2026-09-22T22:00"}, // a Tuesday
		{"2026-09-22T22:00", 22, 0, nil, "2026-09-23T22:00"},
		{"2026-09-22T20:00", 7, 30, nil, "2026-09-23T07:30"},
		{"2026-09-22T20:00", 22, 0, []string{"sat"}, "2026-09-26T22:00"},
		{"2026-09-22T20:00", 7, 30, []string{"tue"}, "2026-09-29T07:30"},
		{"2026-09-22T20:00", 22, 0, []string{"mon", "tue"}, "2026-09-22T22:00"},
		{"2026-03-28T20:00", 1, 30, nil, "2026-03-30T01:30"}, // the 29th has no such hour
	} {
		now, why := ParseMoment(c.now, zone)
		if got := NextRing(c.hour, c.minute, c.days, now.At); why != "" || got.Format(minuteForm) != c.rings {
			t.Errorf("%02d:%02d on %v, from %s: %s", c.hour, c.minute, c.days, c.now, got.Format(minuteForm))
		}
	}
}
