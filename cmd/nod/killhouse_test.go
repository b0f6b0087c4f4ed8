package main

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
)

// killHouse is the two programs, what was seen of them and what agents heard.
type killHouse struct {
	t       *testing.T
	dir     string
	console *client.Console
	address string
	rand    *rand.Rand // the killer's alone
	seed    uint64
	cues    chan string

	gateway, phone *exec.Cmd // the killer's alone
	kills          int

	mu     sync.Mutex
	told   map[nod.CallID]client.Call // guarded by mu
	untold []error                    // guarded by mu
	did    map[nod.CallID]int         // how often the phone carried it out; guarded by mu
	struck map[string]int             // kills by victim and cue; guarded by mu
	output map[string]*lastOutput     // guarded by mu
}

func newKillHouse(t *testing.T, seed uint64) *killHouse {
	t.Helper()
	dir, err := os.MkdirTemp("", "nod") // short: a unix socket's path has to fit
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &killHouse{
		t: t, dir: dir, console: client.NewConsole(auth.ConsolePath(dir)), address: l.Addr().String(),
		rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, cues: make(chan string, 1),
		told: map[nod.CallID]client.Call{}, did: map[nod.CallID]int{},
		struck: map[string]int{}, output: map[string]*lastOutput{},
	}
	_ = l.Close()
	t.Cleanup(func() {
		for _, cmd := range []*exec.Cmd{h.gateway, h.phone} {
			if cmd != nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for name, out := range h.output {
			if t.Failed() {
				t.Logf("the last of %s:\n%s", name, out)
			}
		}
		_ = os.RemoveAll(dir)
	})
	h.startGateway()
	h.await("the gateway", func() bool { return h.agent("first") != nil })
	pairing, err := h.console.Pair(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	h.startPhone(pairing.Link)
	h.await("the phone", h.connected)
	return h
}

func (h *killHouse) startGateway() {
	h.gateway = h.start("gateway", "serve", "--listen", h.address, "--log", "warn")
}

// startPhone starts the phone, whose person is quick, slow, unwilling or away.
func (h *killHouse) startPhone(link ...string) {
	steps := []string{"confirm", "confirm", "slow:20ms", "slow:80ms", "slow:250ms", "slow:600ms", "decline", "ignore"}
	var script []string
	for range 200 {
		script = append(script, steps[h.rand.IntN(len(steps))])
	}
	args := append([]string{"phone", "--sim"}, link...)
	h.phone = h.start("phone", append(args, "--folder", filepath.Join(h.dir, "phone"), "--person", strings.Join(script, ","))...)
}

// start runs the program. What it says is read to its last line, also when it is
// killed meanwhile.
func (h *killHouse) start(name string, args ...string) *exec.Cmd {
	h.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.Command("nod", args...)
	cmd.Env = append(os.Environ(), "NOD_DATA="+h.dir, "XDG_CONFIG_HOME="+h.dir)
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	_ = w.Close()
	go h.read(name, r)
	return cmd
}

// read follows a program's log: the witness of what the phone did, and the cues
// to kill on.
func (h *killHouse) read(name string, r io.ReadCloser) {
	defer r.Close()
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := lines.Text()
		h.note(name, line)
		if name != "phone" {
			continue
		}
		for _, cue := range []string{"asks for", "carrying out", "msg=ended"} {
			if strings.Contains(line, cue) {
				select {
				case h.cues <- cue:
				default:
				}
			}
		}
	}
}

func (h *killHouse) note(name, line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.output[name] == nil {
		h.output[name] = &lastOutput{}
	}
	h.output[name].add(line)
	if _, rest, ok := strings.Cut(line, "carrying out"); ok {
		_, rest, _ = strings.Cut(rest, "call=")
		id, _, _ := strings.Cut(rest, " ")
		h.did[nod.CallID(id)]++
	}
}

// Times of the killing, where nothing says how often.
const (
	killTime = 14 * time.Second // fewer kills will do when they take longer
	killMost = time.Minute
)

// enough reports whether the killing is over.
func (h *killHouse) enough(took time.Duration) bool {
	if *kills > 0 {
		return h.kills >= *kills
	}
	return h.kills >= 32 || h.kills >= 12 && took > killTime && (h.happened() || took > killMost)
}

// happened reports whether there is something to judge by.
func (h *killHouse) happened() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.told) >= 12 && len(h.did) >= 3
}

// calm lets something be carried out where the kills came too fast for a busy
// machine.
func (h *killHouse) calm() {
	h.mu.Lock()
	before := len(h.did)
	h.mu.Unlock()
	for began := time.Now(); time.Since(began) < 3*time.Second; <-time.After(20 * time.Millisecond) {
		h.mu.Lock()
		more := len(h.did) > before
		h.mu.Unlock()
		if more {
			return
		}
	}
}

// killOne kills the gateway, the phone or both, at a moment that is drawn: when
// the phone says a certain thing, or after a while. Then it starts them again.
func (h *killHouse) killOne() {
	cue := []string{"", "", "asks for", "carrying out", "carrying out", "msg=ended"}[h.rand.IntN(6)]
	victim := []string{"gateway", "phone", "phone", "both"}[h.rand.IntN(4)]
	if !h.meet(cue, time.Duration(50+h.rand.IntN(150))*time.Millisecond) {
		cue = "any time"
	}
	if h.rand.IntN(2) == 0 {
		<-time.After(time.Duration(h.rand.IntN(4000)) * time.Microsecond)
	}
	how := syscall.SIGKILL
	if h.rand.IntN(8) == 0 {
		how = syscall.SIGTERM
	}
	h.kills++
	h.mu.Lock()
	h.struck[victim+" at "+cue]++
	h.mu.Unlock()
	if victim != "phone" {
		h.end(h.gateway, how)
		h.startGateway()
	}
	if victim != "gateway" {
		h.end(h.phone, how)
		h.startPhone()
	}
	// A phone that lost its gateway often comes back later each time. One that
	// is started anew comes back at once.
	for began := time.Now(); !h.connected(); {
		if time.Since(began) > 700*time.Millisecond {
			h.end(h.phone, syscall.SIGKILL)
			h.startPhone()
			began = time.Now()
		}
		<-time.After(10 * time.Millisecond)
	}
}

// connected reports whether the phone is there.
func (h *killHouse) connected() bool {
	phones, err := h.console.Phones(context.Background(), "")
	return err == nil && len(phones) == 1 && phones[0].Connected
}

// meet waits for a cue, and for as long as it is told for none.
func (h *killHouse) meet(cue string, longest time.Duration) bool {
	if cue != "" {
		longest = 500 * time.Millisecond
	}
	late := time.After(longest)
	for {
		select {
		case got := <-h.cues:
			if got == cue {
				return true
			}
		case <-late:
			return false
		}
	}
}

func (h *killHouse) end(cmd *exec.Cmd, how syscall.Signal) {
	_ = cmd.Process.Signal(how)
	_ = cmd.Wait()
}

func (h *killHouse) await(what string, is func() bool) {
	h.t.Helper()
	for range 800 {
		if is() {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	h.t.Fatalf("waited in vain for %s", what)
}

// lastOutput is the last lines that a program wrote.
type lastOutput struct{ lines []string }

func (o *lastOutput) add(line string) {
	o.lines = append(o.lines, line)
	o.lines = o.lines[max(0, len(o.lines)-40):]
}

// String returns the lines.
func (o *lastOutput) String() string { return strings.Join(o.lines, "\n") }
