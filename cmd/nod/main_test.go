package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
)

// noRest has a program with the race detector end at once: by itself it sleeps a
// second first, which a script of forty commands pays forty times.
const noRest = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	os.Setenv("GORACE", noRest)
	testscript.Main(m, map[string]func(){"nod": func() { os.Exit(run(os.Args[1:])) }})
}

// The scripts run the program as a person would. Besides testscript's own
// commands there are:
//
//	rc CODE nod ARGS...   run it and require the exit code
//	gateway [ARGS...]     start "nod serve" on a free port; NOD_URL names it
//	phone SCRIPT          pair a simulated phone whose person follows SCRIPT
//	browser               pair as a browser does, whose identity is the address
//	end gateway|phone     end it with SIGTERM and require a clean exit
//	crash gateway|phone   end it with SIGKILL
//	await PATTERN nod ... run it again and again until stdout has PATTERN
func TestScripts(t *testing.T) {
	root, err := os.MkdirTemp("", "nod") // short: a unix socket's path has to fit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	testscript.Run(t, testscript.Params{
		Dir:         "testdata",
		WorkdirRoot: root,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "HOME="+e.WorkDir, "NOD_DATA="+filepath.Join(e.WorkDir, "d"), "XDG_CONFIG_HOME="+filepath.Join(e.WorkDir, "c"), "GORACE="+noRest)
			e.Values[background{}] = map[string]*exec.Cmd{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"rc": rc, "gateway": startServe, "phone": startPhone, "browser": pairBrowser, "end": endProgram, "crash": crashProgram, "await": await,
		},
	})
}

// background is the key of the programs that a script started.
type background struct{}

func programs(ts *testscript.TestScript) map[string]*exec.Cmd {
	return ts.Value(background{}).(map[string]*exec.Cmd)
}

func rc(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: rc CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func startServe(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	address := l.Addr().String()
	ts.Check(l.Close())
	ts.Setenv("NOD_URL", "http://"+address)
	start(ts, "gateway", append([]string{"serve", "--listen", address}, args...))
	until(ts, "the gateway to answer", func() bool {
		resp, err := http.Get("http://" + address + "/healthz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

func startPhone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: phone SCRIPT [ARGS...]")
	}
	ts.Check(ts.Exec("nod", "pair", "--no-wait"))
	link := strings.TrimSpace(ts.ReadFile("stdout"))
	start(ts, "phone", append([]string{"phone", "--sim", link, "--person", args[0]}, args[1:]...))
	await(ts, false, []string{"sim   connected", "nod", "phones"}) // and not "not connected"
}

func pairBrowser(ts *testscript.TestScript, neg bool, _ []string) {
	ts.Check(ts.Exec("nod", "pair", "--no-wait"))
	link := strings.TrimSpace(ts.ReadFile("stdout"))
	// The link names the address that phones know, which nobody may serve here.
	_, fragment, _ := strings.Cut(link, "#")
	_, err := host.Pair(context.Background(), ts.Getenv("NOD_URL")+"/pair#"+fragment, "Browser", nod.HostWeb, ts.MkAbs("browser"))
	ts.Check(err)
}

// start runs the program in the background, with its log beside the script.
func start(ts *testscript.TestScript, name string, args []string) {
	var path string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "nod")); err == nil {
			path = filepath.Join(dir, "nod")
			break
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, v := range []string{"HOME", "PATH", "NOD_DATA", "XDG_CONFIG_HOME", "NOD_URL", "TMPDIR", "GOCOVERDIR"} {
		cmd.Env = append(cmd.Env, v+"="+ts.Getenv(v))
	}
	out, err := os.Create(ts.MkAbs(name + ".log"))
	ts.Check(err)
	cmd.Stdout, cmd.Stderr = out, out
	ts.Check(cmd.Start())
	programs(ts)[name] = cmd
	ts.Defer(func() {
		if programs(ts)[name] == cmd {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		_ = out.Close()
	})
}

func endProgram(ts *testscript.TestScript, neg bool, args []string) {
	cmd := programs(ts)[args[0]]
	ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err != nil {
		ts.Fatalf("%s ended with %v: %s", args[0], err, ts.ReadFile(args[0]+".log"))
	}
	delete(programs(ts), args[0])
}

func crashProgram(ts *testscript.TestScript, neg bool, args []string) {
	cmd := programs(ts)[args[0]]
	ts.Check(cmd.Process.Kill())
	_ = cmd.Wait()
	delete(programs(ts), args[0])
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: await PATTERN COMMAND...")
	}
	until(ts, fmt.Sprintf("%q in the output of %v", args[0], args[1:]), func() bool {
		err := ts.Exec(args[1], args[2:]...)
		return err == nil && strings.Contains(ts.ReadFile("stdout"), args[0])
	})
}

func until(ts *testscript.TestScript, what string, is func() bool) {
	for range 200 {
		if is() {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	ts.Fatalf("waited in vain for %s", what)
}
