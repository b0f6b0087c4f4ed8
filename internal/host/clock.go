package host

import (
	"os"
	"strings"
	"time"

	"nod.dev/nod"
)

// zone is the IANA name of the device's time zone, or UTC where it cannot be told.
func zone() string {
	if name := time.Local.String(); name != "Local" && name != "" {
		return name
	}
	if target, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			return name
		}
	}
	return "UTC"
}

// LocalZone is the device's time zone under its IANA name, where that can be told.
func LocalZone() *time.Location {
	named, err := time.LoadLocation(zone())
	if err != nil {
		return time.Local
	}
	now := time.Now()
	_, want := now.Zone()
	if _, got := now.In(named).Zone(); got != want {
		return time.Local
	}
	return named
}

var started = time.Now()

// plainClock is the clock of systems that cannot tell sleep apart: there the
// wall clock is what notices it.
func plainClock() Now {
	since := time.Since(started)
	return Now{Boot: since, Awake: since, Wall: nod.TimeOf(time.Now())}
}
