// Package nodserve is a gateway as people run it, for tests: "nod serve" as a
// program of its own, with a phone in memory. Package nodtest has both in the
// test's own process.
package nodserve

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
)

// built is the folder with the nod that was built here; empty for none.
var built string

// Program is nod as NOD_BIN names it, or as it is built here. Who calls it calls
// [Remove] in the end.
var Program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("NOD_BIN"); path != "" {
		return filepath.Abs(path)
	}
	var err error
	if built, err = os.MkdirTemp("", "nod"); err != nil {
		return "", err
	}
	path := filepath.Join(built, "nod")
	if out, err := exec.Command("go", "build", "-o", path, "nod.dev/nod/cmd/nod").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// Remove removes what [Program] built.
func Remove() {
	if built != "" {
		_ = os.RemoveAll(built)
	}
}

// House is "nod serve" with a phone.
type House struct {
	Program string // nod
	Dir     string // its data, and the home folder of whoever runs it
	URL     string
	Console *client.Console
	Phone   *sim.Phone
}

// New starts one whose cards are drawn on screen. It ends with the test.
func New(t testing.TB, screen host.UI) *House {
	t.Helper()
	program, err := Program()
	Must(t, err)
	dir, err := os.MkdirTemp("", "nod") // short: a unix socket's path has to fit
	Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &House{Program: program, Dir: dir, Console: client.NewConsole(auth.ConsolePath(dir)), Phone: sim.New(sim.Config{})}
	h.serve(t)
	h.pair(t, screen)
	return h
}

// Env is what nod runs with.
func (h *House) Env() []string {
	return append(os.Environ(), "NOD_DATA="+h.Dir, "HOME="+h.Dir, "XDG_CONFIG_HOME="+h.Dir)
}

// serve starts the gateway and waits until it answers.
func (h *House) serve(t testing.TB) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	address := l.Addr().String()
	Must(t, l.Close())
	h.URL = "http://" + address
	var said bytes.Buffer
	cmd := exec.Command(h.Program, "serve", "--listen", address)
	cmd.Env, cmd.Stderr = h.Env(), &said
	Must(t, cmd.Start())
	over := make(chan struct{})
	var ended error
	go func() {
		defer close(over)
		ended = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-over
		if ended != nil {
			t.Errorf("nod serve ended badly: %v", ended)
		}
		if t.Failed() {
			t.Logf("nod serve said:\n%s", said.String())
		}
	})
	Until(t, "nod serves", 30*time.Second, func() bool {
		select {
		case <-over:
			t.Fatal("nod serve ended at once")
		default:
		}
		r, err := http.Get(h.URL + "/readyz")
		if err != nil {
			return false
		}
		_ = r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
}

// pair pairs the phone and waits until it is there.
func (h *House) pair(t testing.TB, screen host.UI) {
	t.Helper()
	p, err := h.Console.Pair(t.Context(), "", false)
	Must(t, err)
	identity, err := host.Pair(t.Context(), p.Link, "Pixel", nod.HostSim, filepath.Join(h.Dir, "phone"))
	Must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = host.Run(ctx, host.Config{
			Identity: identity, Driver: h.Phone, UI: screen, Journal: &host.Memory{},
			Logger: slog.New(slog.DiscardHandler), Version: "test",
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	Until(t, "the phone is there", 20*time.Second, func() bool {
		phones, err := h.Console.Phones(t.Context(), "")
		return err == nil && len(phones) == 1 && phones[0].Connected
	})
}

// Until waits for something to be so, for as long as is given.
func Until(t testing.TB, what string, longest time.Duration, is func() bool) {
	t.Helper()
	for late := time.Now().Add(longest); !is(); {
		if time.Now().After(late) {
			t.Fatalf("waited %v in vain: %s", longest, what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// Must ends the test at an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
