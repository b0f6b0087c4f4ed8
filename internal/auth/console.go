package auth

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"nod.dev/nod"
)

// consoleName is the socket's file name in the data folder.
const consoleName = "console.sock"

// maxSocketPath is the shortest limit of the systems nod runs on, for the whole
// path of a unix socket, the byte at its end not counted.
const maxSocketPath = 103

// ConsolePath returns where the console of a data folder listens.
func ConsolePath(dir string) string { return filepath.Join(dir, consoleName) }

// ListenConsole listens on the console's socket in the data folder. The socket
// belongs to the gateway's own account alone: its mode is 0600 before it has its
// name, and where the system can tell, each connection's account is checked too.
// A socket that a killed gateway left behind is replaced; a live one is refused.
func ListenConsole(dir string) (net.Listener, error) {
	return listenConsole(dir, ownOrRoot)
}

// DialConsole connects to the console of the gateway that serves the data folder.
func DialConsole(ctx context.Context, dir string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", ConsolePath(dir))
	if err == nil {
		return c, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, &nod.Error{Code: nod.CodeForbidden, Message: "the console of " + dir + " belongs to another account",
			Hint: "run this command as the account that runs \"nod serve\"", Err: err}
	}
	return nil, &nod.Error{Code: nod.CodeNotFound, Message: "no gateway is running on " + dir,
		Hint: "start it with \"nod serve\", or name its data folder with --data", Err: err}
}

func listenConsole(dir string, allowed func(uid int) bool) (net.Listener, error) {
	path := ConsolePath(dir)
	fresh := path + ".new"
	if len(fresh) > maxSocketPath {
		return nil, nod.Errorf(nod.CodeStorage,
			fmt.Sprintf("the path of the console's socket is %d characters long, and the system takes %d: %s", len(fresh), maxSocketPath, fresh),
			"choose a data folder with a shorter path with --data")
	}
	if err := checkVacant(path); err != nil {
		return nil, err
	}
	_ = os.Remove(fresh)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, consoleError(dir, err)
	}
	// The name appears only once the mode is right, so there is no moment in
	// which another account could connect.
	l.SetUnlinkOnClose(false)
	err = os.Chmod(fresh, 0o600)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		l.Close()
		_ = os.Remove(fresh)
		return nil, consoleError(dir, err)
	}
	return &console{UnixListener: l, path: path, allowed: allowed}, nil
}

// checkVacant refuses a path where something answers, or that is no socket.
func checkVacant(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return consoleError(filepath.Dir(path), err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return nod.Errorf(nod.CodeStorage, path+" exists and is not a socket", "move it away, then start nod again")
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
		return nod.Errorf(nod.CodeConflict, "a gateway is already running on "+filepath.Dir(path),
			"use that one, or stop it first; two gateways cannot share a data folder")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist) {
		return consoleError(filepath.Dir(path), err)
	}
	return nil
}

func consoleError(dir string, err error) error {
	return &nod.Error{Code: nod.CodeStorage, Message: "the console's socket cannot be made in " + dir,
		Hint: "the data folder must exist and be writable by the account that runs nod", Err: err}
}

// console accepts connections of allowed accounts and closes all others.
type console struct {
	*net.UnixListener
	path    string
	allowed func(uid int) bool
	once    sync.Once
}

// Accept returns the next connection of an allowed account.
func (l *console) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		uid, known := peer(c)
		if !known || l.allowed(uid) {
			return c, nil
		}
		c.Close()
	}
}

// Close stops listening and takes the socket away.
func (l *console) Close() error {
	err := l.UnixListener.Close()
	l.once.Do(func() { _ = os.Remove(l.path) })
	return err
}

// ownOrRoot allows the gateway's own account, and root, whom nothing stops.
func ownOrRoot(uid int) bool { return uid == os.Getuid() || uid == 0 }
