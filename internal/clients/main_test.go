//go:build !clients || !linux

package clients

import "testing"

// run runs the tests where they are: none of them starts a client.
func run(m *testing.M) int { return m.Run() }
