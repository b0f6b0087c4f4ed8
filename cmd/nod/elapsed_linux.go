package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// elapsed is the time since a fixed moment by the clock since boot. It counts
// the time the machine slept, which time.Since does not, and no correction of
// the wall clock moves it.
func elapsed() func() time.Duration {
	now := func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
			panic("nod: this system has no clock since boot: " + err.Error()) // since Linux 2.6.39
		}
		return time.Duration(t.Nano())
	}
	start := now()
	return func() time.Duration { return now() - start }
}
