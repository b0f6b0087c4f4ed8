package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"nod.dev/nod"
)

// What a phone read for an agent stands in files under private/, a folder for
// each call: text.json and the blobs by number. It is in no table, so no backup,
// no write-ahead log and no free page of the ledger ever holds it, and removing
// a file removes it.
const privateFolder = "private"

// Private is the text that a phone read for a call; empty where it sent files alone.
type Private struct {
	Text string `json:"text"`
	Salt string `json:"salt"`
}

const textName = "text.json"

// PutText keeps the text of a result. When it has returned without an error, the
// text is on the disk.
func (s *SQLite) PutText(ctx context.Context, id nod.CallID, text, salt string) error {
	data, err := json.Marshal(Private{text, salt})
	if err == nil {
		err = s.putPrivate(ctx, id, textName, data)
	}
	if err != nil {
		return s.failed("keeping what a phone read", err)
	}
	return nil
}

// PutBlob keeps the nth file of a result. The same file again is no mistake; another
// in its place is a conflict.
func (s *SQLite) PutBlob(ctx context.Context, id nod.CallID, n int, data []byte) error {
	before, err := s.Blob(ctx, id, n)
	switch {
	case err == nil && bytes.Equal(before, data):
		return nil
	case err == nil:
		return nod.Errorf(nod.CodeConflict, fmt.Sprintf("file %d of this call is there already, and is another one", n), "each file is sent once")
	case !errors.Is(err, ErrGone):
		return err
	}
	if err := s.putPrivate(ctx, id, strconv.Itoa(n), data); err != nil {
		return s.failed("keeping what a phone read", err)
	}
	return nil
}

// Private returns the text of a result that was kept, [ErrGone] when nothing of
// the call is. With files alone, the text is empty.
func (s *SQLite) Private(ctx context.Context, id nod.CallID) (p Private, err error) {
	data, err := s.private(ctx, id, textName)
	if errors.Is(err, ErrGone) {
		dir, _ := s.privateDir(ctx, id)
		if _, first := os.Lstat(filepath.Join(dir, "0")); first == nil {
			return Private{}, nil
		}
	}
	if err != nil {
		return Private{}, err
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return Private{}, s.failed("reading what a phone read", err)
	}
	return p, nil
}

// Blob returns the nth file of a result, [ErrGone] when it is not there.
func (s *SQLite) Blob(ctx context.Context, id nod.CallID, n int) ([]byte, error) {
	return s.private(ctx, id, strconv.Itoa(n))
}

func (s *SQLite) private(ctx context.Context, id nod.CallID, name string) ([]byte, error) {
	dir, err := s.privateDir(ctx, id)
	if err != nil {
		return nil, s.failed("reading what a phone read", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, s.failed("reading what a phone read", err)
	}
	return data, nil
}

// DropPrivate erases what was kept of a call's result. Nothing there is no mistake.
func (s *SQLite) DropPrivate(ctx context.Context, id nod.CallID) error {
	dir, err := s.privateDir(ctx, id)
	if err == nil {
		if _, err = os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if err == nil {
		err = errors.Join(os.RemoveAll(dir), syncFolder(filepath.Dir(dir)))
	}
	if err != nil {
		return s.failed("erasing what a phone read", err)
	}
	return nil
}

// Privates lists the calls of which something is kept.
func (s *SQLite) Privates(ctx context.Context) ([]nod.CallID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, privateFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.failed("reading what phones read", err)
	}
	var ids []nod.CallID
	for _, e := range entries {
		if e.IsDir() && callName.MatchString(e.Name()) {
			ids = append(ids, nod.CallID(e.Name()))
		}
	}
	return ids, nil
}

// callName is what an id must look like to name a folder.
var callName = regexp.MustCompile(`^[A-Za-z0-9_]{1,80}$`)

func (s *SQLite) privateDir(ctx context.Context, id nod.CallID) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if s.closed.Load() {
		return "", ErrClosed
	}
	if !callName.MatchString(string(id)) {
		return "", nod.Errorf(nod.CodeInvalid, "this is no id of a call", "")
	}
	return filepath.Join(s.dir, privateFolder, string(id)), nil
}

// putPrivate writes one file of a call, whole or not at all.
func (s *SQLite) putPrivate(ctx context.Context, id nod.CallID, name string, data []byte) error {
	dir, err := s.privateDir(ctx, id)
	if err != nil {
		return err
	}
	if err := makeFolders(s.dir, dir); err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, name), data)
}

// makeFolders makes dir and what is missing above it, down from base, readable by
// their owner alone, and makes their names durable.
func makeFolders(base, dir string) error {
	if dir == base {
		return nil
	}
	if info, err := os.Lstat(dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", dir)
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if err := makeFolders(base, parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// writeWhole writes a file of mode 0600 that is there with all of its bytes, on
// the disk, or not there.
func writeWhole(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".coming-*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// dropAllPrivate erases all that phones read: of a folder whose ledger is replaced.
func dropAllPrivate(dir string) error {
	path := filepath.Join(dir, privateFolder)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(os.RemoveAll(path), syncFolder(dir))
}
