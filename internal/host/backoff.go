package host

import (
	"math/rand/v2"
	"time"
)

// Bounds of the wait between two attempts to connect (design section 6).
const (
	backoffFirst = time.Second
	backoffMost  = 5 * time.Minute
	// steady is how long a link must last to count as a good one.
	steady = 10 * time.Second
)

// backoff is how long to wait before the next attempt.
type backoff struct{ wait time.Duration }

// next doubles the wait and adds at most a tenth of it, so that many phones do
// not come back at once and none comes back much later than it could.
func (b *backoff) next() time.Duration {
	b.wait = min(max(2*b.wait, backoffFirst), backoffMost)
	return b.wait + time.Duration(rand.Int64N(int64(b.wait)/10+1))
}

// reset makes the next attempt a quick one.
func (b *backoff) reset() { b.wait = 0 }
