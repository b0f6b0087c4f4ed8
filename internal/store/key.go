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
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, failed(dir, "opening the gateway's key", err)
	}
	defer f.Close()
	// Two first starts at once must end with one key.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, failed(dir, "locking the gateway's key", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, failed(dir, "reading the gateway's key", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, nod.Errorf(nod.CodeStorage,
			fmt.Sprintf("%s can be read by others (mode %04o)", path, info.Mode().Perm()),
			"If nobody can have copied it, run: chmod 600 "+path+". Otherwise start with an empty folder and pair the phones again.")
	}
	if info.Size() == 0 {
		return makeKey(dir, f)
	}
	return readKey(dir, f)
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

func makeKey(dir string, f *os.File) (*wire.Key, error) {
	key, err := wire.GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("making the gateway's key: %w", err)
	}
	der, err := key.Marshal()
	if err != nil {
		return nil, fmt.Errorf("making the gateway's key: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: der})
	if _, err := f.Write(text); err != nil {
		return nil, failed(dir, "writing the gateway's key", errors.Join(err, f.Truncate(0)))
	}
	if err := errors.Join(f.Sync(), syncFolder(dir)); err != nil {
		return nil, failed(dir, "writing the gateway's key", err)
	}
	return key, nil
}

func readKey(dir string, f *os.File) (*wire.Key, error) {
	damaged := func(err error) error {
		return &nod.Error{
			Code:    nod.CodeStorage,
			Message: filepath.Join(dir, keyName) + " is damaged",
			Hint:    "Put it back from where it was copied to. Without it, start with an empty folder and pair the phones again.",
			Err:     err,
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return nil, failed(dir, "reading the gateway's key", err)
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
