package server

import (
	"context"
	"net"
	"net/http"
	"slices"
	"syscall"
	"testing"
)

// stub is a connection of which only the address counts, and whether it is closed.
type stub struct {
	net.Conn
	from   string
	closed bool
}

func (s *stub) RemoteAddr() net.Addr {
	at, err := net.ResolveTCPAddr("tcp", s.from)
	if err != nil {
		panic(err)
	}
	return at
}
func (s *stub) Close() error { s.closed = true; return nil }

// One stranger too many ends the oldest of the address that has the most, and
// never somebody who is being served.
func TestConns(t *testing.T) {
	const crowd, other, v6 = "198.51.100.2:1000", "203.0.113.9:1000", "[2001:db8:1:2:3::4]:1000"
	for _, tt := range []struct {
		name  string
		from  []string
		kept  []int // those whose request is that of somebody known
		ended []int
	}{
		{"room for all", []string{crowd, crowd, other, crowd}, nil, nil},
		{"one too many", []string{crowd, crowd, other, crowd, other}, nil, []int{0}},
		{"an address that has fewer is left alone", []string{other, crowd, crowd, crowd, crowd, crowd}, nil, []int{1, 2}},
		{"who is served does not count", []string{crowd, crowd, crowd, crowd, crowd, crowd}, []int{0, 1}, nil},
		{"who is served is not ended", []string{crowd, crowd, crowd, crowd, crowd, crowd}, []int{0}, []int{1}},
		{"a network of IPv6 is one", []string{v6, "[2001:db8:1:2::9]:7", other, crowd, "[2001:db8:1:2:4::]:7"}, nil, []int{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := newConns(4)
			var ended []int
			var served []func()
			conns := make([]*stub, len(tt.from))
			for i, from := range tt.from {
				conns[i] = &stub{from: from}
				v := all.add(conns[i])
				if slices.Contains(tt.kept, i) {
					r, err := http.NewRequestWithContext(context.WithValue(t.Context(), visitorKey{}, v), "GET", "/", nil)
					if err != nil {
						t.Fatal(err)
					}
					served = append(served, keep(r))
				}
			}
			for i, c := range conns {
				if c.closed {
					ended = append(ended, i)
				}
			}
			if !slices.Equal(ended, tt.ended) {
				t.Errorf("ended are %v, want %v", ended, tt.ended)
			}
			before := all.count
			for _, end := range served {
				end()
			}
			if all.count != before+len(served) {
				t.Errorf("%d count once all are served, want %d", all.count, before+len(served))
			}
			for _, c := range conns {
				all.remove(c)
			}
			if all.count != 0 || len(all.open) != 0 || len(all.strangers) != 0 {
				t.Errorf("%d, %d, %d are left", all.count, len(all.open), len(all.strangers))
			}
		})
	}
}

// narrow has no room for a connection as long as full has one that is open.
type narrow struct {
	net.Listener
	full *stub
}

func (l narrow) Accept() (net.Conn, error) {
	if !l.full.closed {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.full, nil
}

// A system that has no room for another connection has it once a stranger's is
// ended; with nobody to end it is an error as ever.
func TestNoRoom(t *testing.T) {
	s := &Server{conns: newConns(4)}
	l := s.Listener(narrow{full: &stub{from: "198.51.100.2:1"}})
	if _, err := l.Accept(); err == nil {
		t.Error("with nobody to end there was room")
	}
	full := &stub{from: "198.51.100.2:1"}
	s.conns.add(full)
	if c, err := s.Listener(narrow{full: full}).Accept(); err != nil || c != full {
		t.Errorf("accepted %v, %v", c, err)
	}
}
