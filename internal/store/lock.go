package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"nod.dev/nod"
)

// folderLock holds a data folder for one process. The kernel lets go of it
// when the process ends, however it ends; the file stays.
type folderLock struct{ f *os.File }

func lockFolder(dir string) (*folderLock, error) {
	path := filepath.Join(dir, "nod.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, failed(dir, "locking the data folder", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, lockedBy(dir, f)
		}
		return nil, failed(dir, "locking the data folder", err)
	}
	l := &folderLock{f}
	if err := l.sign(); err != nil {
		f.Close()
		return nil, failed(dir, "locking the data folder", err)
	}
	return l, nil
}

// sign writes this process's id into the file, for whoever finds it locked.
func (l *folderLock) sign() error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

func (l *folderLock) release() error {
	return errors.Join(l.f.Truncate(0), l.f.Close())
}

func lockedBy(dir string, f *os.File) error {
	who := "another process"
	if text, err := io.ReadAll(io.LimitReader(f, 32)); err == nil {
		if pid := strings.TrimSpace(string(text)); pid != "" {
			who = "process " + pid
		}
	}
	return &nod.Error{
		Code:    nod.CodeStorage,
		Message: fmt.Sprintf("%s is in use by %s", dir, who),
		Hint:    "Stop that nod first, or give this one another folder with --data.",
		Err:     ErrLocked,
	}
}
