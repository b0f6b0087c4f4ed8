//go:build clients && linux

package clients

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"nod.dev/nod/internal/nodserve"
)

// aloneKey is set for a test that is in its own network namespace.
const aloneKey = "NOD_CLIENTS_ALONE"

// run runs the tests again in a network namespace of their own, in which there
// is nothing but loopback: whatever a client wants to tell the world, it cannot.
func run(m *testing.M) int {
	if os.Getenv(aloneKey) == "" {
		return again()
	}
	if err := onlyLoopback(); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		return 1
	}
	return m.Run()
}

// again is this program once more, without a network.
func again() int {
	program, err := nodserve.Program()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		return 1
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		return 1
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), aloneKey+"=yes", "NOD_BIN="+program)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err = cmd.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		fmt.Fprintln(os.Stderr, "clients: no network namespace can be made here:", err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// onlyLoopback brings loopback up and makes sure that there is nothing else.
func onlyLoopback() error {
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("a socket: %w", err)
	}
	defer syscall.Close(s)
	// struct ifreq: the name, then the flags.
	var request struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "lo")
	request.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	if _, _, n := syscall.Syscall(syscall.SYS_IOCTL, uintptr(s), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); n != 0 {
		return fmt.Errorf("loopback cannot be brought up: %w", n)
	}
	list, err := net.Interfaces()
	if err != nil {
		return err
	}
	var up []string
	for _, i := range list {
		if i.Flags&net.FlagUp != 0 {
			up = append(up, i.Name)
		}
	}
	if strings.Join(up, " ") != "lo" {
		return fmt.Errorf("the network is %q, want loopback alone", up)
	}
	return nil
}
