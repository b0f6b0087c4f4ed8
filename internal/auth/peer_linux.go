package auth

import (
	"net"
	"syscall"
)

// peer returns the account at the other end of c, as the kernel knows it. A
// connection whose account cannot be read is nobody's: -1 is no account.
func peer(c *net.UnixConn) (uid int, known bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, true
	}
	uid = -1
	_ = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			uid = int(cred.Uid)
		}
	})
	return uid, true
}
