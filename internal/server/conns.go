package server

import (
	"container/list"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// Times of a connection.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
)

// maxStrangers is how many connections there can be at once on which nobody is
// being served that the gateway knows: those that have not sent a request yet,
// that are idle, or whose request proves nothing. One more ends the oldest of
// the address that has the most.
const maxStrangers = 1024

// HTTP is the server of the public doors. It has no read or write time-out:
// either would end a request that waits for a person. What must be quick has a
// time of its own (guard.go).
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s.public, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, visitorKey{}, s.conns.add(c))
		},
		ConnState: func(c net.Conn, state http.ConnState) {
			if state == http.StateClosed || state == http.StateHijacked { // a phone's link has bounds of its own
				s.conns.remove(c)
			}
		},
	}
}

// Listener has l go on when the system has no room for another connection: one of
// a stranger makes it. What is accepted is for the server of [Server.HTTP].
func (s *Server) Listener(l net.Listener) net.Listener { return roomy{l, s.conns} }

type roomy struct {
	net.Listener
	conns *conns
}

// Accept implements [net.Listener].
func (l roomy) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		full := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
		if !full || !l.conns.makeRoom() {
			return c, err
		}
	}
}

// conns knows every connection, and bounds those of strangers.
type conns struct {
	most int

	mu        sync.Mutex
	open      map[net.Conn]*visitor // guarded by mu
	strangers map[string]*list.List // of *visitor, oldest first, by address; guarded by mu
	count     int                   // of the strangers; guarded by mu
}

// visitor is who is at the other end of a connection.
type visitor struct {
	all     *conns
	conn    net.Conn
	address string
	place   *list.Element // among the strangers; nil for none; guarded by conns.mu
}

type visitorKey struct{}

func newConns(most int) *conns {
	return &conns{most: most, open: make(map[net.Conn]*visitor), strangers: make(map[string]*list.List)}
}

// add counts a new connection, and ends another stranger's when there are too many.
func (c *conns) add(conn net.Conn) *visitor {
	v := &visitor{all: c, conn: conn, address: addressOf(conn)}
	c.mu.Lock()
	full := c.count >= c.most
	c.mu.Unlock()
	if full {
		c.makeRoom()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = v
	c.queue(v)
	return v
}

// makeRoom ends the oldest stranger of the address that has the most, and reports
// whether there was one. It is gone from the count at once.
func (c *conns) makeRoom() bool {
	c.mu.Lock()
	var most *list.List
	for _, l := range c.strangers {
		if most == nil || l.Len() > most.Len() {
			most = l
		}
	}
	if most == nil {
		c.mu.Unlock()
		return false
	}
	v := most.Front().Value.(*visitor)
	c.leave(v)
	delete(c.open, v.conn)
	c.mu.Unlock()
	conn := v.conn
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn() // without a farewell, which the other end can delay
	}
	_ = conn.Close() // it is given up either way
	return true
}

func (c *conns) queue(v *visitor) {
	l := c.strangers[v.address]
	if l == nil {
		l = list.New()
		c.strangers[v.address] = l
	}
	v.place = l.PushBack(v)
	c.count++
}

func (c *conns) leave(v *visitor) {
	if v.place == nil {
		return
	}
	l := c.strangers[v.address]
	l.Remove(v.place)
	if l.Len() == 0 {
		delete(c.strangers, v.address)
	}
	v.place = nil
	c.count--
}

func (c *conns) remove(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.open[conn]; v != nil {
		delete(c.open, conn)
		c.leave(v)
	}
}

// keep has a request's connection left alone, since it is that of somebody the
// gateway knows, until the returned function is called.
func keep(r *http.Request) (end func()) {
	v, ok := r.Context().Value(visitorKey{}).(*visitor)
	if !ok {
		return func() {} // not by a server of [Server.HTTP]
	}
	v.all.mu.Lock()
	defer v.all.mu.Unlock()
	v.all.leave(v)
	return func() {
		v.all.mu.Lock()
		defer v.all.mu.Unlock()
		if v.all.open[v.conn] == v && v.place == nil {
			v.all.queue(v)
		}
	}
}

// addressOf names the other end. An IPv6 network counts as one: its owner has all
// of its addresses.
func addressOf(conn net.Conn) string {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return ""
	}
	return networkOf(at.Addr())
}

// networkOf is what counts as one caller.
func networkOf(addr netip.Addr) string {
	addr = addr.Unmap()
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}
