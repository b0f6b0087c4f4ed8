package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/device"
)

// Alarm is an alarm of the clock app.
type Alarm struct {
	Time  string // HH:MM
	Label string
	Days  []string // mon to sun, in the week's order; none rings once
	// Vibrate is as it was asked for.
	Vibrate bool
	// Rings is when it rings next.
	Rings time.Time
}

// Timer is a running timer.
type Timer struct {
	Ends  time.Time
	Label string
}

func (p *Phone) alarm(f nod.Fields) host.Result {
	at, err := time.Parse("15:04", text(f, "time"))
	if err != nil {
		return cannot("The clock app knows no such time.")
	}
	return p.ring(at.Hour(), at.Minute(), Alarm{Label: text(f, "label"), Days: texts(f, "days")})
}

// ring sets an alarm and reads it back. An equal one is switched on again and
// not doubled, as clock apps do.
func (p *Phone) ring(hour, minute int, a Alarm) host.Result {
	given := a.Days
	a.Days = nil
	for _, day := range device.Week {
		if slices.Contains(given, day) {
			a.Days = append(a.Days, day)
		}
	}
	a.Time = fmt.Sprintf("%02d:%02d", hour, minute)
	a.Rings = device.NextRing(hour, minute, a.Days, p.now())
	same := func(b Alarm) bool {
		return a.Time == b.Time && a.Label == b.Label && slices.Equal(a.Days, b.Days)
	}
	p.state.Alarms = append(slices.DeleteFunc(p.state.Alarms, same), a)
	when := a.Time
	if len(a.Days) > 0 {
		when += " on " + strings.Join(a.Days, ", ")
	}
	return done("The alarm is set for " + when + ".")
}

func (p *Phone) timer(f nod.Fields) host.Result {
	seconds, _ := f["seconds"].(int64)
	return p.countdown(seconds, text(f, "label"))
}

func (p *Phone) countdown(seconds int64, label string) host.Result {
	now := p.now()
	p.state.Timers = slices.DeleteFunc(p.state.Timers, func(t Timer) bool { return !t.Ends.After(now) })
	d := time.Duration(seconds) * time.Second
	p.state.Timers = append(p.state.Timers, Timer{Ends: now.Add(d), Label: label})
	return done(fmt.Sprintf("The timer runs for %v.", d))
}
