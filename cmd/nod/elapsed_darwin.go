package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// elapsed is the time since a fixed moment by the monotonic clock, which on
// this system goes on while the machine sleeps (CLOCK_UPTIME_RAW is the one
// that stops).
func elapsed() func() time.Duration {
	now := func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &t); err != nil {
			panic("nod: this system has no monotonic clock: " + err.Error())
		}
		return time.Duration(t.Nano())
	}
	start := now()
	return func() time.Duration { return now() - start }
}
