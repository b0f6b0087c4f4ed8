package stdio

import (
	"context"
	"net/http"
	"time"
)

// How long the proxy waits before it listens again.
const (
	hearAgain = time.Second
	hearMost  = time.Minute
)

// hear carries what the gateway says in a session without being asked: that the
// list of tools changed. It listens as long as the pipe is there, whatever
// becomes of the gateway; a session that is over is begun anew by the next
// request, not from here.
func (p *proxy) hear(ctx context.Context) {
	for wait := hearAgain; ctx.Err() == nil; wait = min(2*wait, hearMost) {
		began := time.Now()
		if !p.hearOnce(ctx) {
			return
		}
		if time.Since(began) > hearMost {
			wait = hearAgain
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// hearOnce listens until the gateway ends it, and reports whether to try again.
func (p *proxy) hearOnce(ctx context.Context) (again bool) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.endpoint, nil)
	if err != nil {
		return false
	}
	p.session.label(r.Header, p.token)
	r.Header.Del("Content-Type")
	r.Header.Set("Accept", "text/event-stream")
	resp, err := p.http.Do(r)
	if err != nil {
		return true
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		_ = events(resp.Body, func(data []byte) { p.write(flat(data)) }, func() {}) // tried again in any case
	case http.StatusMethodNotAllowed:
		return false // this gateway says nothing of its own accord
	}
	return true
}
