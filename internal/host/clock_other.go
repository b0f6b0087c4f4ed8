//go:build !linux

package host

// SystemClock reads the device's clocks.
func SystemClock() Now { return plainClock() }
