package store

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// keyName is the file of the gateway's key. Phones trust this key and no
// other, so it is made once and is no part of a backup.
const keyName = "gateway.key"

// pushKeyName is the file of the key that signs wake-ups. It is no part of a
// backup either. A new one costs little: each phone subscribes again when nod is
// opened there.
const pushKeyName = "push.key"

const keyBlock = "PRIVATE KEY"

// LoadKey reads the gateway's key from the data folder and makes it at the
// first start. It refuses a file that others can read, and it does not make a
// new key for a ledger that exists: every phone would refuse it.
func LoadKey(dir string) (*wire.Key, error) {
	if err := prepareFolder(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, keyName)
	if err := mayMakeKey(dir, path); err != nil {
		return nil, err
	}
	return keyFile{dir, path, "the gateway's key", "start with an empty folder and pair the phones again"}.load()
}

// LoadPushKey reads the key that signs wake-ups from the data folder, and makes
// it when there is none.
func LoadPushKey(dir string) (*wire.Key, error) {
	if err := prepareFolder(dir); err != nil {
		return nil, err
	}
	return keyFile{dir, filepath.Join(dir, pushKeyName), "the push key", "remove it; each phone is reached again once nod is opened there"}.load()
}

// keyFile is a private key on the disk.
type keyFile struct {
	dir, path string
	name      string
	without   string // how to go on without it
}

// load reads the key, and makes it in an empty file or where there is none. It
// refuses a file that others can read.
func (k keyFile) load() (*wire.Key, error) {
	f, err := os.OpenFile(k.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, failed(k.dir, "opening "+k.name, err)
	}
	defer f.Close()
	// Two first starts at once must end with one key.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, failed(k.dir, "locking "+k.name, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, failed(k.dir, "reading "+k.name, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, nod.Errorf(nod.CodeStorage,
			fmt.Sprintf("%s can be read by others (mode %04o)", k.path, info.Mode().Perm()),
			"If nobody can have copied it, run: chmod 600 "+k.path+". Otherwise "+k.without+".")
	}
	if info.Size() == 0 {
		return k.make(f)
	}
	return k.read(f)
}

// mayMakeKey refuses a missing key beside a ledger.
func mayMakeKey(dir, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if info, err := os.Stat(databasePath(dir)); err != nil || info.Size() == 0 {
		return nil
	}
	return nod.Errorf(nod.CodeStorage,
		path+" is missing, and the phones trust no other key",
		"Put it back from where it was copied to. Without it, start with an empty folder and pair the phones again.")
}

func (k keyFile) make(f *os.File) (*wire.Key, error) {
	key, err := wire.GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", k.name, err)
	}
	der, err := key.Marshal()
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", k.name, err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: der})
	if _, err := f.Write(text); err != nil {
		return nil, failed(k.dir, "writing "+k.name, errors.Join(err, f.Truncate(0)))
	}
	if err := errors.Join(f.Sync(), syncFolder(k.dir)); err != nil {
		return nil, failed(k.dir, "writing "+k.name, err)
	}
	return key, nil
}

func (k keyFile) read(f *os.File) (*wire.Key, error) {
	damaged := func(err error) error {
		return &nod.Error{
			Code:    nod.CodeStorage,
			Message: k.path + " is damaged",
			Hint:    "Put it back from where it was copied to. Without it, " + k.without + ".",
			Err:     err,
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return nil, failed(k.dir, "reading "+k.name, err)
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != keyBlock {
		return nil, damaged(errors.New("no PEM block of a private key"))
	}
	key, err := wire.ParseKey(block.Bytes)
	if err != nil {
		return nil, damaged(err)
	}
	return key, nil
}
