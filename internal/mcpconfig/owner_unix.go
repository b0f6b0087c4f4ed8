//go:build unix

package mcpconfig

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another one. Only root can, and only root
// needs it: who cannot keeps a file of their own.
func keepOwner(f *os.File, like fs.FileInfo) {
	if owner, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(owner.Uid), int(owner.Gid))
	}
}
