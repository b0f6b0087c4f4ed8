package auth

import (
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nod.dev/nod"
)

// dataFolder is a folder whose path is short enough for a socket on every system.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// echo answers each connection with one line.
func echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		io.WriteString(c, "hello\n")
		c.Close()
	}
}

func read(t *testing.T, dir string) string {
	t.Helper()
	c, err := DialConsole(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b, _ := io.ReadAll(c) // a refused connection may be reset
	return string(b)
}

func TestConsole(t *testing.T) {
	dir := dataFolder(t)
	l, err := ListenConsole(dir)
	if err != nil {
		t.Fatal(err)
	}
	go echo(l)
	if got := read(t, dir); got != "hello\n" {
		t.Errorf("read %q", got)
	}
	info, err := os.Stat(ConsolePath(dir))
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("mode %v, %v; want a socket with 0600", info.Mode(), err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	_, err = DialConsole(t.Context(), dir)
	if nod.CodeOf(err) != nod.CodeNotFound || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v after close, want not_found naming the folder", err)
	}
}

func TestConsoleStale(t *testing.T) {
	dir := dataFolder(t)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: ConsolePath(dir), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close() // as kill -9 leaves it
	l, err := ListenConsole(dir)
	if err != nil {
		t.Fatalf("a stale socket is not replaced: %v", err)
	}
	defer l.Close()
	go echo(l)
	if got := read(t, dir); got != "hello\n" {
		t.Errorf("read %q", got)
	}
}

func TestConsoleLive(t *testing.T) {
	dir := dataFolder(t)
	first, err := ListenConsole(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	go echo(first)
	_, err = ListenConsole(dir)
	if nod.CodeOf(err) != nod.CodeConflict {
		t.Errorf("error %v, want conflict", err)
	}
	if got := read(t, dir); got != "hello\n" {
		t.Errorf("the first one was disturbed: read %q", got)
	}
}

func TestConsoleRefusesAFile(t *testing.T) {
	dir := dataFolder(t)
	if err := os.WriteFile(ConsolePath(dir), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenConsole(dir); nod.CodeOf(err) != nod.CodeStorage {
		t.Errorf("error %v, want storage", err)
	}
	if b, err := os.ReadFile(ConsolePath(dir)); string(b) != "precious" {
		t.Errorf("the file now holds %q (%v)", b, err)
	}
}

func TestConsoleNamesTheFolder(t *testing.T) {
	missing := filepath.Join(dataFolder(t), "missing")
	long := "/" + strings.Repeat("d", 120)
	for _, dir := range []string{missing, long} {
		_, err := ListenConsole(dir)
		if nod.CodeOf(err) != nod.CodeStorage || !strings.Contains(err.Error(), dir) {
			t.Errorf("error %v, want storage naming %s", err, dir)
		}
	}
}

func TestConsoleRefusesOtherAccounts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not say whose connection it is")
	}
	dir := dataFolder(t)
	asked := make(chan int, 2)
	l, err := listenConsole(dir, func(uid int) bool { asked <- uid; return len(asked) == 2 })
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go echo(l)
	if got := read(t, dir); got != "" {
		t.Errorf("a refused account reads %q", got)
	}
	if got := read(t, dir); got != "hello\n" {
		t.Errorf("an allowed account reads %q", got)
	}
	for range 2 {
		if uid := <-asked; uid != os.Getuid() {
			t.Errorf("the kernel says account %d, this is %d", uid, os.Getuid())
		}
	}
}

func TestOwnOrRoot(t *testing.T) {
	for uid, want := range map[int]bool{os.Getuid(): true, 0: true, os.Getuid() + 1: false, -1: false} {
		if ownOrRoot(uid) != want {
			t.Errorf("account %d: allowed %v, want %v", uid, !want, want)
		}
	}
}
