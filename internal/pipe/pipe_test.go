package pipe_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod/internal/pipe"
)

func TestClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipe.Listen()
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			io.WriteString(w, "hello "+r.Host)
		})}
		go srv.Serve(l)
		web := l.Client()
		start := time.Now()
		res, err := web.Get("http://nod.test/")
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		if err != nil || string(b) != "hello nod.test" {
			t.Errorf("read %q, %v", b, err)
		}
		res.Body.Close()
		if d := time.Since(start); d != time.Hour {
			t.Errorf("it took %v of the fake clock", d)
		}
		web.CloseIdleConnections()
		srv.Close()
	})
}

func TestClosed(t *testing.T) {
	l := pipe.Listen()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Dial(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("dial with a cancelled context: %v", err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := l.Dial(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dial after close: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept after close: %v", err)
	}
	if l.Addr().Network() != "pipe" || l.Addr().String() != "pipe" {
		t.Errorf("address %v", l.Addr())
	}
}
