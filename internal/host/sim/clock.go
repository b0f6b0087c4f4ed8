package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nod.dev/nod"
)

// Alarm is an alarm of the clock app.
type Alarm struct {
	Time  string // HH:MM
	Label string
	Days  []string // mon to sun, in the week's order; none rings once
}

// Timer is a running timer.
type Timer struct {
	Ends  time.Time
	Label string
}

var week = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// alarm sets an alarm and reads it back. An equal one is switched on again and
// not doubled, as clock apps do.
func (p *Phone) alarm(f nod.Fields) answer {
	a := Alarm{Time: text(f, "time"), Label: text(f, "label")}
	given := texts(f, "days")
	for _, day := range week {
		if slices.Contains(given, day) {
			a.Days = append(a.Days, day)
		}
	}
	same := func(b Alarm) bool {
		return a.Time == b.Time && a.Label == b.Label && slices.Equal(a.Days, b.Days)
	}
	if !slices.ContainsFunc(p.state.Alarms, same) {
		p.state.Alarms = append(p.state.Alarms, a)
	}
	when := a.Time
	if len(a.Days) > 0 {
		when += " on " + strings.Join(a.Days, ", ")
	}
	return done("The alarm is set for " + when + ".")
}

func (p *Phone) timer(f nod.Fields) answer {
	seconds, _ := f["seconds"].(int64)
	now := time.Now()
	p.state.Timers = slices.DeleteFunc(p.state.Timers, func(t Timer) bool { return !t.Ends.After(now) })
	d := time.Duration(seconds) * time.Second
	p.state.Timers = append(p.state.Timers, Timer{Ends: now.Add(d), Label: text(f, "label")})
	return done(fmt.Sprintf("The timer runs for %v.", d))
}
