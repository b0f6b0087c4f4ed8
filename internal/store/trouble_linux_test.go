package store_test

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"nod.dev/nod/internal/store"
)

const immutable = 0x10 // FS_IMMUTABLE_FL

// ignoreFileSizeSignal leaves the error of a write over the limit to its caller.
func ignoreFileSizeSignal(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	t.Cleanup(func() { signal.Reset(syscall.SIGXFSZ) })
}

// mount mounts something on dir for the test, or skips it where a process may
// not mount: the limits of SQLite and of the kernel stand in there.
func mount(t *testing.T, source, dir, kind string, flags uintptr, options string) {
	t.Helper()
	if err := unix.Mount(source, dir, kind, flags, options); errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("mounting is not allowed here (%v); TestFullDatabase and TestWriteError cover it", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// TestFullDisk runs on a disk of 3 MB that something else fills.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	mount(t, "tmpfs", disk, "tmpfs", 0, "size=3m")
	l := newLedger(t, filepath.Join(disk, "nod"))
	filler := filepath.Join(disk, "filler")
	l.through(t, trouble{
		begin: func() {
			f, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for size := 64 << 10; size >= 1; size /= 2 {
				for err = nil; err == nil; {
					_, err = f.Write(make([]byte, size))
				}
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
		},
		end:     func() { os.Remove(filler) },
		message: "the disk is full",
	})
}

// TestFullDiskAtStart starts where not even the schema fits.
func TestFullDiskAtStart(t *testing.T) {
	disk := t.TempDir()
	mount(t, "tmpfs", disk, "tmpfs", 0, "size=64k")
	dir := filepath.Join(disk, "nod")
	cfg, _ := config(t, dir)
	_, err := store.Open(t.Context(), cfg)
	wantStorage(t, err, dir)
	if err := unix.Mount("tmpfs", disk, "tmpfs", unix.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	newLedger(t, dir).Close()
}

// TestReadOnlyFolder starts on a disk that is mounted for reading.
func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	if err := newLedger(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	mount(t, dir, dir, "", unix.MS_BIND, "")
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(t.Context(), store.Config{Dir: dir})
	wantStorage(t, err, dir)
	if !contains(err.Error(), "it cannot be written") {
		t.Errorf("the error %q does not say that it cannot be written", err)
	}
	_, err = store.LoadKey(dir)
	wantStorage(t, err, dir)
	_, err = store.Open(t.Context(), store.Config{Dir: filepath.Join(dir, "below")})
	wantStorage(t, err, filepath.Join(dir, "below"))
}

// TestImmutableFile takes the right to write away from an open file.
func TestImmutableFile(t *testing.T) {
	l := newLedger(t, t.TempDir())
	wal, err := os.Open(filepath.Join(l.dir, "nod.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	defer wal.Close()
	flags, err := unix.IoctlGetInt(int(wal.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		t.Skipf("this file system has no flags (%v); TestWriteError covers it", err)
	}
	set := func(flags int) error { return unix.IoctlSetPointerInt(int(wal.Fd()), unix.FS_IOC_SETFLAGS, flags) }
	if err := set(flags | immutable); err != nil {
		t.Skipf("the flag cannot be set (%v); TestWriteError covers it", err)
	}
	t.Cleanup(func() { set(flags) })
	l.through(t, trouble{
		begin: func() {},
		end: func() {
			if err := set(flags); err != nil {
				t.Fatal(err)
			}
		},
		message: "the disk answered with an error",
	})
}
