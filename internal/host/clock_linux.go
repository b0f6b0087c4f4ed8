package host

import (
	"time"

	"golang.org/x/sys/unix"

	"nod.dev/nod"
)

// SystemClock reads the device's clocks. On Linux and Android the boot clock
// counts sleep and the monotonic one does not.
func SystemClock() Now {
	var boot, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return plainClock()
	}
	return Now{
		Boot:  time.Duration(boot.Nano()),
		Awake: time.Duration(awake.Nano()),
		Wall:  nod.TimeOf(time.Now()),
	}
}
