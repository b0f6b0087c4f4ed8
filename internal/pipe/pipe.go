// Package pipe is a network in memory, for tests. Its connections are [net.Pipe],
// which the fake clock of testing/synctest understands, so a server and its
// clients can run inside one bubble and hours of protocol take no time. A pipe
// has no buffer: a side that does not read stops the other one at once, which is
// what a test of slow phones wants.
package pipe

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Listener accepts the connections that [Listener.Dial] opens.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// Listen makes a listener.
func Listen() *Listener {
	return &Listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial; open connections go on.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns a name, not an address: nothing can be dialled by it.
func (l *Listener) Addr() net.Addr { return addr{} }

// Dial opens a connection.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Client returns an HTTP client whose every request goes to this listener,
// whatever host its URL names.
func (l *Listener) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) },
	}}
}

type addr struct{}

func (addr) Network() string { return "pipe" }
func (addr) String() string  { return "pipe" }
