//go:build unix

package host

import (
	"os"
	"path/filepath"
	"syscall"

	"nod.dev/nod"
)

// lockFolder keeps a second program off a phone's folder: two with one key
// could do a thing twice. The lock goes when the program does.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, journalError(dir, "cannot be locked", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, &nod.Error{
			Code:    nod.CodeConflict,
			Message: "another program is running as the phone in " + dir,
			Hint:    "stop it, or pair a second phone into another folder",
			Err:     err,
		}
	}
	return f, nil
}
