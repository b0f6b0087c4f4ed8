package server_test

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"nod.dev/nod/internal/pipe"
)

// counted is a client whose bytes on the wire are counted, both ways.
func counted(l *pipe.Listener) (*http.Client, *atomic.Int64) {
	var n atomic.Int64
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		c, err := l.Dial(ctx)
		return countedConn{c, &n}, err
	}}}, &n
}

type countedConn struct {
	net.Conn
	n *atomic.Int64
}

// Read implements [net.Conn].
func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Write implements [net.Conn].
func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// TestHourOfWaiting is what a call that waits costs on the agent's network: heads
// and bodies, without TLS and TCP. A card can wait for twenty minutes, so the hour
// is three times what comes and goes in them, after the first moment.
func TestHourOfWaiting(t *testing.T) {
	const kib = 1 << 10
	for _, tt := range []struct {
		name  string
		way   way
		token bool // the client asks for progress
		most  int64
	}{
		{"without sessions", byStateless, false, 10 * kib},
		{"in a session", bySessions, false, 10 * kib},
		{"in a session, with progress", bySessions, true, 150 * kib},
		{"by HTTP, asked again every 50 seconds", byHTTP, false, 80 * kib},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, "ignore", func(t *testing.T, p *presence) {
				p.check(p.gateway.SetWait(t.Context(), p.owner, "", 1200))
				a := p.asker(tt.way, "test", map[string]string{"Nod-Wait": "1200"})
				var bytes *atomic.Int64
				a.web, bytes = counted(p.public)
				if tt.way == byHTTP {
					a.post(alarm, false, "")
				} else {
					a.tool("phone_action", alarm, tt.token)
				}
				later(time.Second)
				before := bytes.Load()
				later(19 * time.Minute)
				p.open() // it waits still
				hour := (bytes.Load() - before) * 60 / 19
				t.Logf("%d bytes in an hour", hour)
				if hour > tt.most || hour == 0 {
					t.Errorf("an hour of waiting is %d bytes, want %d at most", hour, tt.most)
				}
				a.close()
			})
		})
	}
}
