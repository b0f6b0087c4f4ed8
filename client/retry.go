package client

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// maxRefusals bounds how often a call is sent to a gateway that does not
	// take it, and maxFailures how often one that took it is asked again.
	maxRefusals = 3
	maxFailures = 6
	// pauseStep is the first pause between two tries; each is longer by it.
	pauseStep = 500 * time.Millisecond
)

// passing reports whether asking again can help: no gateway answered, it said
// that this was too often, or something in front of it had nothing behind it.
func passing(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Code == Unreachable || e.Status == http.StatusTooManyRequests || e.Status >= http.StatusBadGateway)
}

// backOff is how long to wait after so many failures in a row: longer each time,
// and never less than the gateway asked for.
func backOff(failures int, err error) time.Duration {
	d := time.Duration(failures) * pauseStep
	if e, ok := errors.AsType[*Error](err); ok {
		d = max(d, e.RetryAfter)
	}
	return d
}

// pause waits, and reports whether ctx lasted.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
