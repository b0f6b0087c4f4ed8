package host

import (
	"math/rand/v2"
	"time"

	"github.com/coder/websocket"
)

// Bounds of the wait between two attempts to connect (design section 6).
const (
	backoffFirst = time.Second
	backoffMost  = 5 * time.Minute
	// backoffSeen bounds it while a screen shows the phone side.
	backoffSeen = 10 * time.Second
	// steady is how long a link must last to count as a good one.
	steady = 10 * time.Second
)

// backoff is how long to wait before the next attempt.
type backoff struct{ wait, most time.Duration }

// next doubles the wait and adds at most a tenth of it, so that many phones do
// not come back at once and none comes back much later than it could.
func (b *backoff) next() time.Duration {
	b.wait = min(max(2*b.wait, backoffFirst), b.most)
	return b.wait + time.Duration(rand.Int64N(int64(b.wait)/10+1))
}

// reset makes the next attempt a quick one.
func (b *backoff) reset() { b.wait = 0 }

// Close codes of the link after which a phone does something else than to
// connect again soon (spec/protocol.md, "Close codes").
const (
	closeMalformed    websocket.StatusCode = 4000
	closeUnauthorized websocket.StatusCode = 4001
	closeVersion      websocket.StatusCode = 4002
	closeReplaced     websocket.StatusCode = 4006
	closeRevoked      websocket.StatusCode = 4007
	closeFlood        websocket.StatusCode = 4008
)

// atLeast is how long a phone stays away after err; over means for good.
func atLeast(err error) (wait time.Duration, over bool) {
	switch websocket.CloseStatus(err) {
	case closeUnauthorized, closeReplaced, closeRevoked:
		return 0, true
	case closeVersion:
		return backoffMost, false
	case closeMalformed, closeFlood:
		return time.Minute, false
	}
	return 0, false
}
