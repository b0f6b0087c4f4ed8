package clients

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/internal/wire"
)

// built is the folder with the nod that was built here; empty for none.
var built string

// nodProgram is nod as NOD_BIN names it, or as it is built here.
var nodProgram = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("NOD_BIN"); path != "" {
		return filepath.Abs(path)
	}
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "nod")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/nod").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// TestMain removes what was built.
func TestMain(m *testing.M) {
	code := run(m)
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// house is a gateway that runs as people run it, "nod serve", with a phone in
// memory whose person follows a script, and one agent.
type house struct {
	program string // nod
	dir     string
	url     string
	agent   nod.AgentID
	token   string
	console *client.Console
	client  *client.Client // speaks as the agent
	phone   *sim.Phone
	screen  *screen
}

// newHouse starts one. It ends with the test.
func newHouse(t *testing.T, person string, agent client.AgentRequest) *house {
	t.Helper()
	program, err := nodProgram()
	must(t, err)
	dir, err := os.MkdirTemp("", "nod") // short: a unix socket's path has to fit
	must(t, err)
	h := &house{program: program, dir: dir, console: client.NewConsole(auth.ConsolePath(dir)), phone: sim.New(sim.Config{})}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h.serve(t)
	added, err := h.console.AddAgent(t.Context(), agent)
	must(t, err)
	h.agent, h.token = added.Agent.ID, added.Token
	h.client, err = client.New(client.Config{URL: h.url, Token: h.token})
	must(t, err)
	h.pair(t, person)
	return h
}

// serve starts the gateway and waits until it says where it listens.
func (h *house) serve(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	h.url = "http://" + address
	r, w, err := os.Pipe()
	must(t, err)
	cmd := exec.Command(h.program, "serve", "--listen", address)
	cmd.Env = append(os.Environ(), "NOD_DATA="+h.dir, "XDG_CONFIG_HOME="+h.dir)
	cmd.Stderr = w
	must(t, cmd.Start())
	must(t, w.Close())
	up, over := make(chan struct{}), make(chan struct{})
	var said strings.Builder
	go func() {
		defer close(over)
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			fmt.Fprintln(&said, lines.Text())
			if strings.Contains(lines.Text(), "nod serves") {
				close(up)
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-over
		_ = r.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("nod serve ended badly: %v", err)
		}
		if t.Failed() {
			t.Logf("nod serve said:\n%s", said.String())
		}
	})
	select {
	case <-up:
	case <-over:
		t.Fatalf("nod serve ended at once:\n%s", said.String())
	case <-time.After(30 * time.Second):
		t.Fatal("nod serve does not serve")
	}
}

// pair pairs the phone and waits until it is there.
func (h *house) pair(t *testing.T, person string) {
	t.Helper()
	script, err := sim.ParseScript(person)
	must(t, err)
	h.screen = &screen{person: sim.NewPerson(script), cards: map[nod.CallID]*card{}}
	p, err := h.console.Pair(t.Context(), "", false)
	must(t, err)
	identity, err := host.Pair(t.Context(), p.Link, "Pixel", nod.HostSim, filepath.Join(h.dir, "phone"))
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	up, over := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(over)
		_ = host.Run(ctx, host.Config{
			Identity: identity, Driver: h.phone, UI: h.screen, Journal: &host.Memory{},
			Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test",
			OnLink: func(is bool) {
				if is {
					once.Do(func() { close(up) })
				}
			},
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	select {
	case <-up:
	case <-time.After(20 * time.Second):
		t.Fatal("the phone does not connect")
	}
}

// card is one card on the screen, and when what became of it.
type card struct {
	call    nod.CallID
	takes   nod.CallID // whose place it took
	drawn   time.Time
	held    time.Time // Confirm was switched off
	ended   time.Time // it turned into what became of it, or went away
	why     string    // the reason it went away for
	confirm func()    // taps Confirm, late or not
}

// screen is what a scripted person looks at, with the times of it all.
type screen struct {
	person *sim.Person

	mu    sync.Mutex
	cards map[nod.CallID]*card // guarded by mu
	order []nod.CallID         // guarded by mu
}

var _ host.UI = (*screen)(nil)

// Draw implements [host.UI].
func (s *screen) Draw(c host.Card, on *host.Screen) {
	s.note(c.Call, func(k *card) {
		if k.drawn.IsZero() {
			k.drawn = time.Now()
		}
		k.takes = c.Takes
		k.confirm = func() { on.Confirm(c.Call) }
	})
	s.person.Draw(c, on)
}

// Hold implements [host.UI].
func (s *screen) Hold(call nod.CallID, reason string) {
	s.note(call, func(k *card) { k.held = time.Now() })
	s.person.Hold(call, reason)
}

// Remove implements [host.UI].
func (s *screen) Remove(call nod.CallID, reason, by string) {
	s.note(call, func(k *card) { k.ended, k.why = time.Now(), reason })
	s.person.Remove(call, reason, by)
}

// Outcome implements [host.UI].
func (s *screen) Outcome(call nod.CallID, r host.Result) {
	s.note(call, func(k *card) { k.ended = time.Now() })
	s.person.Outcome(call, r)
}

// SetBack implements [host.UI]: no gateway here ever is.
func (s *screen) SetBack(head wire.Head, on *host.Screen) { s.person.SetBack(head, on) }

func (s *screen) note(call nod.CallID, change func(*card)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.cards[call]
	if k == nil {
		k = &card{call: call}
		s.cards[call] = k
		s.order = append(s.order, call)
	}
	change(k)
}

// all returns the cards so far, in the order in which they were drawn.
func (s *screen) all() []card {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []card
	for _, call := range s.order {
		list = append(list, *s.cards[call])
	}
	return list
}

// until waits for something to be so, for as long as is given.
func until(t *testing.T, what string, longest time.Duration, is func() bool) {
	t.Helper()
	for late := time.Now().Add(longest); !is(); {
		if time.Now().After(late) {
			t.Fatalf("waited %v in vain: %s", longest, what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestHouse has the house itself tried: a card is drawn, and removed when its
// call is taken back; the next one is carried out.
func TestHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "ignore,confirm", client.AgentRequest{Name: "Laptop"})
	request := client.Request{Tool: "phone_action", Arguments: []byte(torch), Detached: true}
	call, err := h.client.Open(t.Context(), request)
	must(t, err)
	until(t, "the card", 5*time.Second, func() bool { return len(h.screen.all()) == 1 })
	_, err = h.client.Cancel(t.Context(), call.ID)
	must(t, err)
	until(t, "the card is gone", 5*time.Second, func() bool { return !h.screen.all()[0].ended.IsZero() })
	h.screen.all()[0].confirm()
	call, err = h.client.Do(t.Context(), request)
	must(t, err)
	if call.Outcome != nod.Done || h.phone.Count() != 1 || !h.phone.State().Torch {
		t.Errorf("outcome = %q, %d acts, the torch is on: %v; want done, 1, true", call.Outcome, h.phone.Count(), h.phone.State().Torch)
	}
}

// torch is the act that the runs ask for.
const torch = `{"action": "torch", "on": true}`
