//go:build !linux && !darwin

package main

import "time"

// elapsed is the time since a fixed moment by Go's monotonic clock. Where that
// stops while the machine sleeps, a deadline is late by the sleep, never early.
func elapsed() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
