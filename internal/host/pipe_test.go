package host_test

import (
	"net"
	"slices"
	"sync"
	"time"
)

// pipeListener is a network in memory.
type pipeListener struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
	// down makes dialing fail.
	mu   sync.Mutex
	down bool
	// dials counts the attempts, with when they were made.
	dials []time.Time
}

func (l *pipeListener) dial() (net.Conn, error) {
	l.mu.Lock()
	down := l.down
	l.dials = append(l.dials, time.Now())
	l.mu.Unlock()
	if down {
		return nil, net.ErrClosed
	}
	here, there := net.Pipe()
	select {
	case l.accept <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// attempts returns when somebody dialed.
func (l *pipeListener) attempts() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.dials)
}

// setDown makes dialing fail, or work again.
func (l *pipeListener) setDown(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = down
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
