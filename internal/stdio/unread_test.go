package stdio_test

import (
	"context"
	"io"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod/internal/pipe"
	"nod.dev/nod/internal/stdio"
)

// A client that does not read keeps the program from nothing: it ends with its
// pipe, and when it is told to.
func TestEndsUnread(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}` + "\n"
	for name, row := range map[string]struct {
		lines string
		end   func(in *io.PipeWriter, stop func())
	}{
		"the pipe ends":                    {hello, func(in *io.PipeWriter, _ func()) { _ = in.Close() }},
		"the pipe ends, a refusal in mind": {"no JSON\n", func(in *io.PipeWriter, _ func()) { _ = in.Close() }},
		"told to stop":                     {hello, func(_ *io.PipeWriter, stop func()) { stop() }},
		"told to stop, a refusal in mind":  {"no JSON\n", func(_ *io.PipeWriter, stop func()) { stop() }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := pipe.Listen()
				front := httptest.NewUnstartedServer(&forgetful{})
				_ = front.Listener.Close()
				front.Listener = l
				front.Start()
				inR, in := io.Pipe()
				outR, outW := io.Pipe()
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				done := make(chan struct{})
				go func() {
					defer close(done)
					if err := stdio.Run(ctx, stdio.Config{URL: "http://localhost", Token: "t", In: inR, Out: outW, HTTP: l.Client()}); err != nil {
						t.Error(err)
					}
				}()
				if _, err := io.WriteString(in, row.lines); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				row.end(in, stop)
				time.Sleep(20 * time.Second) // in a bubble: no time passes
				synctest.Wait()
				select {
				case <-done:
				default:
					t.Error("it goes on")
				}
				_ = outR.Close() // whoever still writes ends
				_ = in.Close()
				<-done
				l.Client().CloseIdleConnections()
				front.Close()
			})
		})
	}
}
