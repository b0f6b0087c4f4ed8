//go:build clients && linux

package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod.dev/nod"
)

// program is a client as people run it from a shell.
type program struct {
	name string // as people call it
	// folder is where npm puts it, and file the program in it.
	folder, file string
	// node is true for one that is JavaScript.
	node bool
	// set writes what it has to know, of the model and of nod, below home, and
	// returns its arguments and environment for one question.
	set func(t *testing.T, r *attempt) (args, env []string)
	// prefix comes before the name of a tool.
	prefix string
	// told is what its model is given of a result of nod.
	told func(isError bool) wrap
	// interrupt and kill are what becomes of a call that waits over HTTP when the
	// program is told to stop, and when it is killed.
	interrupt, kill ending
}

// wrap is how a client hands a text of nod to its model.
type wrap struct {
	// texts are patterns of its parts, with TEXT for nod's own.
	texts   []string
	isError bool // flagged as an error
}

// ending is how a call ends that nobody waits for any more.
type ending struct {
	why nod.Why
	// grace is how long nod waits for the client to come back.
	grace time.Duration
	// keeps is true when the card's place is kept for keepsPlace.
	keeps bool
}

const (
	// grace is nod's on loopback (design section 3).
	grace = 5 * time.Second
	// keepsPlace is how long a card keeps its place with Confirm off after its
	// connection dropped (design section 3, "Repeats").
	keepsPlace = 10 * time.Second
)

// clientsDir is where the clients are installed: NOD_CLIENTS_DIR.
func clientsDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("NOD_CLIENTS_DIR")
	if dir == "" {
		t.Fatal("NOD_CLIENTS_DIR does not say where the clients are; run ./check --clients")
	}
	return dir
}

// command is the program with arguments. The test is skipped when it is not there.
func (p *program) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(clientsDir(t), "node_modules", filepath.FromSlash(p.folder), filepath.FromSlash(p.file))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed: %v", p.name, err)
	}
	if p.node {
		return exec.Command("node", append([]string{path}, args...)...)
	}
	return exec.Command(path, args...)
}

// version is the version that is installed.
func (p *program) version(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(clientsDir(t), "node_modules", filepath.FromSlash(p.folder), "package.json"))
	if err != nil {
		t.Skipf("%s is not installed: %v", p.name, err)
	}
	var about struct{ Version string }
	must(t, json.Unmarshal(b, &about))
	return strings.TrimSuffix(about.Version, "-linux-x64")
}

// attempt is one client with a house and a model of its own.
type attempt struct {
	client *program
	house  *house
	model  *Player
	home   string // its home folder
	work   string // the folder it is started in
	stdio  bool   // by "nod mcp" instead of HTTP
	wait   int    // Nod-Wait, in seconds; 0 for none

	cmd    *exec.Cmd
	over   chan error
	output *output
}

// write writes a file below the home folder.
func (r *attempt) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(r.home, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// environment is what a program sees: nothing of whoever runs the test.
func (r *attempt) environment(more []string) []string {
	return append([]string{
		"HOME=" + r.home, "PATH=" + filepath.Dir(r.house.program) + ":" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "LANG=C.UTF-8",
		"XDG_CONFIG_HOME=" + filepath.Join(r.home, ".config"), "XDG_DATA_HOME=" + filepath.Join(r.home, ".local/share"),
		"XDG_CACHE_HOME=" + filepath.Join(r.home, ".cache"), "XDG_STATE_HOME=" + filepath.Join(r.home, ".local/state"),
		"NOD_TOKEN=" + r.house.token, "NOD_URL=" + r.house.url,
	}, more...)
}

// start starts the program in a process group of its own, as a shell does.
func (r *attempt) start(t *testing.T) {
	t.Helper()
	args, env := r.client.set(t, r)
	r.cmd = r.client.command(t, args...)
	r.cmd.Env = r.environment(env)
	r.cmd.Dir = r.work
	r.output = &output{}
	r.cmd.Stdout, r.cmd.Stderr = r.output, r.output
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// A grandchild that lives on must not keep Wait waiting for its pipes.
	r.cmd.WaitDelay = 2 * time.Second
	must(t, r.cmd.Start())
	r.over = make(chan error, 1)
	go func() { r.over <- r.cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
		if t.Failed() {
			t.Logf("%s said:\n%s", r.client.name, r.output)
		}
	})
}

// end waits until the program has ended, and returns how long that took.
func (r *attempt) end(t *testing.T, longest time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	select {
	case <-r.over:
	case <-time.After(longest):
		t.Fatalf("%s still runs after %v", r.client.name, longest)
	}
	return time.Since(began)
}

// header is nod's header for how long a call waits, as pairs.
func (r *attempt) header() map[string]string {
	if r.wait == 0 {
		return nil
	}
	return map[string]string{"Nod-Wait": fmt.Sprint(r.wait)}
}
