//go:build !linux

package store_test

import (
	"os/signal"
	"syscall"
	"testing"
)

// ignoreFileSizeSignal leaves the error of a write over the limit to its caller.
func ignoreFileSizeSignal(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	t.Cleanup(func() { signal.Reset(syscall.SIGXFSZ) })
}
