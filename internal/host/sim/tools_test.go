package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/device"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// toolCard is a card of a tool.
func toolCard(tool string, f nod.Fields, rows ...host.Row) host.Card {
	return host.Card{Offer: wire.OfferBody{Tool: tool, Action: tool, Fields: f}, Rows: rows}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// asked are the fields of one good call of each tool.
var asked = map[string]nod.Fields{
	spec.ToolClipboardRead:  {},
	spec.ToolClipboardWrite: {"text": "hello"},
	spec.ToolNotify:         {"title": "Done", "body": "Booked"},
	spec.ToolCalendars:      {},
	spec.ToolCalendarList:   {},
	spec.ToolCalendarCreate: {"title": "Lunch", "start": "2026-09-24T12:30"},
	spec.ToolCalendarUpdate: {"id": int64(1), "title": "Dentist, again"},
	spec.ToolCalendarDelete: {"id": int64(1)},
	spec.ToolContactsSearch: {"query": "ana"},
	spec.ToolLocation:       {},
	spec.ToolAlarmSet:       {"hour": int64(7), "minute": int64(30)},
	spec.ToolTimerSet:       {"seconds": int64(90)},
	spec.ToolPhotoPick:      {},
	spec.ToolPhoneNow:       {},
}

// TestAsking is every tool with every way in which asking the system ends, on
// the screen and from the background: what the result says, how long it takes,
// and that nothing was done where it says so.
func TestAsking(t *testing.T) {
	const (
		perm = 120 * time.Second
		now  = time.Duration(0)
	)
	for _, tool := range spec.Get().Tools {
		f, ok := asked[tool.Name]
		if !ok {
			continue
		}
		// What each kind of permission needs: a yes of the system's, the picker, or
		// nothing.
		p := tool.Permission
		wait := map[spec.Permission]time.Duration{spec.PermissionClipboard: 90 * time.Second, spec.PermissionPicker: 240 * time.Second}[p]
		if wait == 0 {
			wait = perm
		}
		picker := p == spec.PermissionPicker
		dialog := !picker && p != spec.PermissionNone
		pick := func(none, dialogs, pickers nod.Why) nod.Why {
			switch {
			case dialog:
				return dialogs
			case picker:
				return pickers
			}
			return none
		}
		const ok_ = nod.WhyNone
		for _, c := range []struct {
			name   string
			system string
			why    nod.Why
			took   time.Duration // where it ends otherwise than at once
		}{
			{"granted", "P=granted", ok_, now},
			{"allowed", "P=allow", ok_, now},
			{"allowed slowly", "P=slow:30s", ok_, 30 * time.Second},
			{"refused", "P=deny", pick(ok_, nod.WhyNotAllowed, nod.WhyNotPicked), now},
			{"ignored", "P=ignore", pick(ok_, nod.WhyNobodyAnswered, nod.WhyNobodyAnswered), wait},
			{"granted, background", "P=granted,background", ok_, now},
			{"allowed, background", "P=allow,background", ok_, now},
			{"allowed, background, slow tap", "P=allow,background,tap=slow:40s", ok_, 40 * time.Second},
			{"refused, background", "P=deny,background", pick(ok_, nod.WhyNotAllowed, nod.WhyNotPicked), now},
			{"no tap", "P=allow,background,tap=ignore", pick(ok_, nod.WhyNobodyAnswered, nod.WhyNobodyAnswered), wait},
			{"notifications off, background", "P=allow,background,notifications=off", pick(ok_, nod.WhyBackground, nod.WhyBackground), now},
			{"locked", "P=granted,locked", nod.WhyLocked, now},
		} {
			if p == spec.PermissionNotifications && strings.Contains(c.system, "background") && c.name != "granted, background" {
				// What may not notify cannot call anybody either.
				c.why, c.took = nod.WhyBackground, now
			}
			if tool.Confirm == nod.ConfirmNever && !picker && c.name == "locked" {
				c.why = ok_ // it needs nobody
			}
			if c.why == ok_ && !dialog && !picker {
				c.took = now // nothing is asked
			}
			if c.why == ok_ && (c.name == "ignored" || c.name == "refused" || c.name == "no tap") {
				c.took = now
			}
			t.Run(tool.Name+" "+c.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, err := ParseSystem(strings.ReplaceAll(c.system, "P=", string(orNothing(p))+"="))
					if err != nil {
						t.Fatal(err)
					}
					phone := New(Config{Zone: zone(t, "Europe/Lisbon"), System: s, Photos: [][]byte{Photo(8, 8)}})
					before := phone.State()
					began := time.Now()
					r := phone.CarryOut(t.Context(), toolCard(tool.Name, f))
					took := time.Since(began)
					if r.Why != c.why || (r.Status == wire.ResultDone) != (c.why == ok_) || took != c.took {
						t.Errorf("it is %s, %q after %v; want %q after %v", r.Status, r.Why, took, c.why, c.took)
					}
					if c.why == ok_ {
						return
					}
					after := phone.State()
					if r.Started || r.Data != "" || r.Blobs != nil || r.Message != "" || phone.Count() > 0 && !picker {
						t.Errorf("nothing was done, and the result is %+v", r)
					}
					after.Questions, after.Summons = before.Questions, before.Summons
					if fmt.Sprint(before) != fmt.Sprint(after) {
						t.Errorf("nothing was done, and the phone is %+v", after)
					}
					if tap := len(phone.State().Summons); (tap > 0) != (strings.Contains(c.system, "background") && c.why != nod.WhyBackground) {
						t.Errorf("%d notifications called the person", tap)
					}
				})
			})
		}
	}
}

// orNothing stands in for a permission where a tool needs none.
func orNothing(p spec.Permission) spec.Permission {
	if p == spec.PermissionNone {
		return spec.PermissionContacts
	}
	return p
}

// TestTools holds what each tool does and answers with.
func TestTools(t *testing.T) {
	for _, c := range []struct {
		name, tool string
		fields     nod.Fields
		config     Config
		why        nod.Why
		data       string // that the data holds
		after      func(State) bool
	}{
		{"clipboard", spec.ToolClipboardRead, nil, Config{Clipboard: "wifi: \"hunter2\""}, "", `{"text":"wifi: \"hunter2\"","chars":15,"cut":false}`, nil},
		{"empty clipboard", spec.ToolClipboardRead, nil, Config{}, "", `{"text":"","chars":0,"cut":false}`, nil},
		{"clipboard filled", spec.ToolClipboardWrite, nod.Fields{"text": "hello"}, Config{}, "", "", func(s State) bool { return s.Clipboard == "hello" }},
		{"notification", spec.ToolNotify, nod.Fields{"title": "Done", "body": "Booked", "thread": "trip"}, Config{}, "", "", func(s State) bool {
			return len(s.Notifications) == 1 && s.Notifications[0] == Notification{"Done", "Booked", "trip"}
		}},
		{"calendars", spec.ToolCalendars, nil, Config{}, "", `"count":3,"calendars":[{"id":1,"name":"Personal","account":"sam@nod.example","writable":true,"primary":true,"visible":true}`, nil},
		{"the next seven days", spec.ToolCalendarList, nil, Config{}, "", `{"from":"2026-09-22T00:00","to":"2026-09-29T00:00","zone":"Europe/Lisbon","count":3,"events":[` +
			`{"id":1,"title":"Dentist","start":"2026-09-23T18:30","end":"2026-09-23T19:30","all_day":false,"location":"Rua das Flores 1","calendar":"Personal","calendar_id":1,"repeats":false,"notes":""},` +
			`{"id":2,"title":"Team meeting","start":"2026-09-24T10:00","end":"2026-09-24T11:00","all_day":false,"location":"","calendar":"Work","calendar_id":2,"repeats":true,"notes":"Bring the figures."},` +
			`{"id":3,"title":"Holiday","start":"2026-09-25","end":"2026-09-25","all_day":true,"location":"","calendar":"Holidays","calendar_id":3,"repeats":false,"notes":""}]}`, nil},
		{"a series through the change of clocks", spec.ToolCalendarList, nod.Fields{"from": "2026-10-22", "to": "2026-11-05", "query": "TEAM"}, Config{}, "", `"count":3,`, nil},
		{"a word as it stands", spec.ToolCalendarList, nod.Fields{"query": "%"}, Config{}, "", `"count":0,"events":[]`, nil},
		{"one of them", spec.ToolCalendarList, nod.Fields{"limit": int64(1)}, Config{}, "", `"count":3,"events":[{"id":1,`, nil},
		{"no such calendar", spec.ToolCalendarList, nod.Fields{"calendar_id": int64(9)}, Config{}, nod.WhyNotFound, "", nil},
		{"an hour that is left out", spec.ToolCalendarCreate, nod.Fields{"title": "x", "start": "2027-03-28T01:30"}, Config{}, nod.WhyNoSuchTime, "", func(s State) bool { return len(s.Appointments) == 3 }},
		{"an hour that is there twice", spec.ToolCalendarCreate, nod.Fields{"title": "x", "start": "2026-10-25T01:30"}, Config{}, nod.WhyTwoSuchTimes, "", nil},
		{"an event", spec.ToolCalendarCreate, nod.Fields{"title": "Lunch", "start": "2026-09-24T12:30", "reminder_minutes": int64(10)}, Config{}, "",
			`{"id":4,"start":"2026-09-24T12:30","end":"2026-09-24T13:30","all_day":false,"calendar_id":1}`, func(s State) bool {
				a := s.Appointments[3]
				return a.Title == "Lunch" && a.Zone == "Europe/Lisbon" && a.ReminderMinutes == 10
			}},
		{"an event in a calendar", spec.ToolCalendarCreate, nod.Fields{"title": "x", "start": "2026-09-24", "calendar_id": int64(2)}, Config{}, "", `"calendar_id":2`, nil},
		{"people", spec.ToolContactsSearch, nod.Fields{"query": "ANA"}, Config{}, "", `{"query":"ANA","count":2,"people":[{"name":"Ana Silva","phones":[{"value":"+351 910 000 001","type":"mobile"}]`, nil},
		{"one of the people", spec.ToolContactsSearch, nod.Fields{"query": "ana", "limit": int64(1)}, Config{}, "", `"count":2,"people":[{"name":"Ana Silva","phones":[{"value":"+351 910 000 001","type":"mobile"}],"emails":[{"value":"ana@nod.example","type":"home"}]}]}`, nil},
		{"nobody", spec.ToolContactsSearch, nod.Fields{"query": "a_a"}, Config{}, "", `"count":0,"people":[]`, nil},
		{"place", spec.ToolLocation, nil, Config{}, "", `{"latitude":38.7676,"longitude":-9.0988,"accuracy_m":12,"age_s":0,"provider":"gps"}`, nil},
		{"about the place", spec.ToolLocation, nod.Fields{"accuracy": "coarse"}, Config{}, "", `{"latitude":38.77,"longitude":-9.1,"accuracy_m":2000,`, nil},
		{"only about allowed", spec.ToolLocation, nil, Config{Place: Place{Coarse: true, Address: "Rua 1"}}, "", `"accuracy_m":2000,"age_s":0,"provider":"gps"}`, nil},
		{"the last place", spec.ToolLocation, nil, Config{Place: Place{Known: time.Minute, Takes: -1, Address: "Rua 1"}}, "", `"age_s":60,"provider":"last","address":"Rua 1"}`, nil},
		{"a place that is too old", spec.ToolLocation, nod.Fields{"max_age_seconds": int64(30)}, Config{Place: Place{Known: time.Minute, Takes: 5 * time.Second}}, "", `"age_s":0,"provider":"gps"}`, nil},
		{"location switched off", spec.ToolLocation, nil, Config{Place: Place{Off: true}}, nod.WhyNotAllowed, "", nil},
		{"alarm", spec.ToolAlarmSet, nod.Fields{"hour": int64(22), "minute": int64(0), "message": "Bins", "vibrate": true}, Config{}, "", "", func(s State) bool { // case 17
			a := s.Alarms[0]
			return a.Time == "22:00" && a.Label == "Bins" && a.Vibrate && a.Rings.Format("2006-01-02T15:04") == "2026-09-22T22:00"
		}},
		{"alarm on days", spec.ToolAlarmSet, nod.Fields{"hour": int64(7), "minute": int64(5), "days": list("sat")}, Config{}, "", "", func(s State) bool {
			return s.Alarms[0].Rings.Format("2006-01-02T15:04") == "2026-09-26T07:05"
		}},
		{"timer", spec.ToolTimerSet, nod.Fields{"seconds": int64(90), "message": "Tea"}, Config{}, "", "", func(s State) bool { return s.Timers[0].Label == "Tea" }},
		{"now", spec.ToolPhoneNow, nil, Config{Locale: "pt-PT"}, "", `{"time":"2026-09-22T20:00:00+01:00","date":"2026-09-22","weekday":"Tuesday","zone":"Europe/Lisbon","locale":"pt-PT","hour12":false}`, nil},
		{"one photo", spec.ToolPhotoPick, nil, Config{Photos: [][]byte{Photo(8, 8), Photo(8, 8)}}, "", "", func(s State) bool { return s.Picked == 1 }},
		{"three photos of two", spec.ToolPhotoPick, nod.Fields{"max": int64(3)}, Config{Photos: [][]byte{Photo(8, 8), Photo(8, 8)}}, "", "", func(s State) bool { return s.Picked == 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lisbon := zone(t, "Europe/Lisbon")
				c.config.Zone = lisbon
				c.config.Now = func() time.Time { return time.Date(2026, 9, 22, 20, 0, 0, 0, lisbon) }
				phone := New(c.config)
				r := phone.CarryOut(t.Context(), toolCard(c.tool, c.fields))
				if r.Why != c.why || (c.why == "") != (r.Status == wire.ResultDone) || !strings.Contains(r.Data, c.data) {
					t.Errorf("it is %s %q %s", r.Status, r.Why, r.Data)
				}
				if c.data != "" && !json.Valid([]byte(r.Data)) {
					t.Errorf("%s is no JSON", r.Data)
				}
				if c.after != nil && !c.after(phone.State()) {
					t.Errorf("the phone is %+v", phone.State())
				}
			})
		})
	}
}

// TestNoFix holds that a fix that does not come is waited for 25 seconds.
func TestNoFix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := New(Config{Place: Place{Takes: -1}}).CarryOut(t.Context(), toolCard(spec.ToolLocation, nil))
		if took := time.Since(began); r.Status != wire.ResultFailed || r.Why != "" || took != 25*time.Second {
			t.Errorf("it is %+v after %v", r, took)
		}
	})
}

// TestWholeDayRow is case 15: the row that a calendar keeps of a day is the same
// in Tokyo and in Los Angeles, and so is what is shown of it.
func TestWholeDayRow(t *testing.T) {
	for _, name := range []string{"Asia/Tokyo", "America/Los_Angeles", "Australia/Lord_Howe"} {
		phone := New(Config{Zone: zone(t, name), Appointments: []Appointment{}})
		r := phone.CarryOut(t.Context(), toolCard(spec.ToolCalendarCreate, nod.Fields{"title": "Offsite", "start": "2026-12-03", "end": "2026-12-03", "all_day": true}))
		if want := `{"id":1,"start":"2026-12-03","end":"2026-12-03","all_day":true,"calendar_id":1}`; r.Data != want {
			t.Errorf("in %s it is %s", name, r.Data)
		}
		a := phone.State().Appointments[0]
		if a.Start.Format(time.RFC3339) != "2026-12-03T00:00:00Z" || a.End.Format(time.RFC3339) != "2026-12-04T00:00:00Z" || !a.AllDay || a.Zone != "UTC" {
			t.Errorf("in %s the row is %+v", name, a)
		}
		for day, n := range map[string]int{"2026-12-02": 0, "2026-12-03": 1, "2026-12-04": 0} {
			r := phone.CarryOut(t.Context(), toolCard(spec.ToolCalendarList, nod.Fields{"from": day, "to": day}))
			if !strings.Contains(r.Data, fmt.Sprintf(`"count":%d,`, n)) {
				t.Errorf("in %s, %s has %s", name, day, r.Data)
			}
		}
	}
}

// TestUpdateTouchesOnlyWhatIsGiven holds that a series stays one, in its zone,
// through each change, and that an event is left alone that is not any more what
// its card said.
func TestUpdateTouchesOnlyWhatIsGiven(t *testing.T) {
	lisbon, tokyo := zone(t, "Europe/Lisbon"), zone(t, "Asia/Tokyo")
	start := time.Date(2026, 9, 24, 9, 0, 0, 0, tokyo)
	weekly := Appointment{ID: 7, Calendar: 2, Title: "Call", Notes: "n", Location: "l", Span: device.Span{Start: start, End: start.Add(30 * time.Minute)}, Zone: "Asia/Tokyo", Weeks: 5}
	fixed := weekly
	fixed.ID, fixed.Calendar = 8, 3
	make := func() *Phone { return New(Config{Zone: lisbon, Appointments: []Appointment{weekly, fixed}}) }
	for _, c := range []struct {
		name   string
		fields nod.Fields
		want   func(*Appointment)
	}{
		{"title", nod.Fields{"title": "Video call"}, func(a *Appointment) { a.Title = "Video call" }},
		{"notes", nod.Fields{"description": "new", "location": "here"}, func(a *Appointment) { a.Notes, a.Location = "new", "here" }},
		{"all day as it is", nod.Fields{"all_day": false, "title": "x"}, func(a *Appointment) { a.Title = "x" }},
		{"start", nod.Fields{"start": "2026-09-24T10:00"}, func(a *Appointment) {
			a.Start = time.Date(2026, 9, 24, 10, 0, 0, 0, lisbon)
			a.End = a.Start.Add(30 * time.Minute)
		}},
	} {
		phone := make()
		c.fields["id"] = int64(7)
		e, why := phone.Event(t.Context(), 7)
		r := phone.CarryOut(t.Context(), toolCard(spec.ToolCalendarUpdate, c.fields, host.EventRow(e)))
		want := weekly
		c.want(&want)
		got := phone.State().Appointments[0]
		if why != "" || r.Status != wire.ResultDone || !strings.Contains(r.Message, "whole series") ||
			!got.Start.Equal(want.Start) || !got.End.Equal(want.End) {
			t.Errorf("%s: %+v, the event is %+v", c.name, r, got)
		}
		got.Span, want.Span = device.Span{}, device.Span{}
		if got != want {
			t.Errorf("%s: the event is %+v, want %+v", c.name, got, want)
		}
	}
	phone := make()
	e, _ := phone.Event(t.Context(), 7)
	if row := host.EventRow(e); row != (host.Row{Field: "id", Given: "7", Name: "Call", Label: "2026-09-24T01:00", Repeats: true}) {
		t.Errorf("the card says %+v", row)
	}
	changed := host.EventRow(e)
	changed.Name = "Another"
	for name, card := range map[string]host.Card{
		"changed since":     toolCard(spec.ToolCalendarDelete, nod.Fields{"id": int64(7)}, changed),
		"cannot be written": toolCard(spec.ToolCalendarDelete, nod.Fields{"id": int64(8)}),
		"is not there":      toolCard(spec.ToolCalendarDelete, nod.Fields{"id": int64(9)}),
		"no such time":      toolCard(spec.ToolCalendarUpdate, nod.Fields{"id": int64(7), "start": "2027-03-28T01:30"}),
	} {
		if r := phone.CarryOut(t.Context(), card); r.Status != wire.ResultFailed || r.Started || len(phone.State().Appointments) != 2 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := phone.CarryOut(t.Context(), toolCard(spec.ToolCalendarDelete, nod.Fields{"id": int64(7)}, host.EventRow(e))); r.Message != "The whole series was deleted." || len(phone.State().Appointments) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestParseSystem(t *testing.T) {
	s, err := ParseSystem("calendar=deny, contacts=slow:5s,background,notifications=off,tap=ignore,locked,")
	if err != nil || s.Permissions[spec.PermissionCalendar] != Deny || s.Permissions[spec.PermissionContacts] != "slow:5s" ||
		!s.Background || !s.NoNotifications || s.Tap != Ignore || !s.Locked {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []string{"calendar", "calendar=maybe", "calendar=slow:fast", "microphone=deny", "tap", "screen=off", "notifications=on"} {
		if _, err := ParseSystem(bad); err == nil {
			t.Errorf("%q is a system", bad)
		}
	}
}
