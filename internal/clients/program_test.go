//go:build clients && linux

package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// program is a client as people run it from a shell.
type program struct {
	name string // as people call it
	key  string // as "nod mcp config" does
	// folder is where npm puts it, and file the program in it.
	folder, file string
	// node is true for one that is JavaScript.
	node bool
	// set writes what it has to know of the model below its home folder, and
	// returns its arguments and environment for one question.
	set func(t *testing.T, a *attempt) (args, env []string)
	// lists is a pattern of how it lists nod among its MCP servers, with URL for the
	// gateway's address.
	lists func(stdio bool) string
	// prefix comes before the name of a tool.
	prefix string
	// told is what its model is given of a result of nod.
	told func(isError bool) wrap
	// interrupt and kill are what becomes of a call that waits over HTTP when the
	// program is told to stop, and when it is killed.
	interrupt, kill ending
	// pipeInterrupt and pipeKill are the same over "nod mcp", which ends with it.
	pipeInterrupt, pipeKill ending
	// hasty gives the program a time-out of its own of four seconds, and gaveUp is
	// what becomes of the call then; nil for a program that waits as long as there
	// is progress.
	hasty  func(t *testing.T, a *attempt)
	gaveUp ending
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
		t.Skipf("%s is not installed", p.name)
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
		t.Skipf("%s is not installed", p.name)
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

	args, env []string // for one question

	cmd    *exec.Cmd
	over   chan struct{} // closed when it has ended
	output *output
}

// newAttempt makes a house and a model, and has the client told of both: of the
// model in its own settings, of nod by "nod mcp config", which adds to them. wait
// is how many seconds nod waits in one call, 0 for what it knows of the client.
func newAttempt(t *testing.T, p *program, stdio bool, wait int, person string, script Script) *attempt {
	t.Helper()
	home, err := os.MkdirTemp("", "nodclient")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	a := &attempt{client: p, home: home, work: filepath.Join(home, "work"), stdio: stdio, output: &output{}}
	must(t, os.Mkdir(a.work, 0o700))
	a.house = newHouse(t, person, client.AgentRequest{Name: p.name, WaitSeconds: wait})
	a.model = start(t, script)
	a.args, a.env = p.set(t, a)
	config := []string{"mcp", "config", p.key, "--write", "--url", a.house.URL}
	if stdio {
		config = append(config, "--stdio")
	}
	cmd := exec.Command(a.house.Program, config...)
	cmd.Env, cmd.Dir = a.environment(nil), a.work
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nod %s: %v\n%s", strings.Join(config, " "), err, out)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said:\n%s", p.name, a.output)
		}
	})
	return a
}

// write writes a file below the home folder.
func (a *attempt) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(a.home, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// edit replaces a text in a file below the home folder that holds it once.
func (a *attempt) edit(t *testing.T, name, old, new string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(a.home, filepath.FromSlash(name)))
	must(t, err)
	if strings.Count(string(b), old) != 1 {
		t.Fatalf("%s has not %q once:\n%s", name, old, b)
	}
	a.write(t, name, strings.Replace(string(b), old, new, 1))
}

// environment is what a program sees: nothing of whoever runs the test, but the
// agent's token where "nod mcp config" has a client look for it.
func (a *attempt) environment(more []string) []string {
	return append([]string{
		"HOME=" + a.home, "PATH=" + filepath.Dir(a.house.Program) + ":" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "LANG=C.UTF-8",
		"XDG_CONFIG_HOME=" + filepath.Join(a.home, ".config"), "XDG_DATA_HOME=" + filepath.Join(a.home, ".local/share"),
		"XDG_CACHE_HOME=" + filepath.Join(a.home, ".cache"), "XDG_STATE_HOME=" + filepath.Join(a.home, ".local/state"),
		"NOD_TOKEN=" + a.house.token,
	}, more...)
}

// start starts the program in a process group of its own, as a shell does.
func (a *attempt) start(t *testing.T, args ...string) {
	t.Helper()
	a.cmd = a.client.command(t, args...)
	a.cmd.Env, a.cmd.Dir = a.environment(a.env), a.work
	a.cmd.Stdout, a.cmd.Stderr = a.output, a.output
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// What it leaves behind must not keep Wait waiting for its pipes.
	a.cmd.WaitDelay = 2 * time.Second
	must(t, a.cmd.Start())
	a.over = make(chan struct{})
	go func() {
		defer close(a.over)
		_ = a.cmd.Wait() // how it ended is in ProcessState
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-a.cmd.Process.Pid, syscall.SIGKILL)
		<-a.over
	})
}

// end waits until the program has ended.
func (a *attempt) end(t *testing.T, longest time.Duration) {
	t.Helper()
	select {
	case <-a.over:
	case <-time.After(longest):
		t.Fatalf("%s still runs after %v", a.client.name, longest)
	}
}
