package mcpconfig

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nod.dev/nod"
)

// maxFile bounds a configuration that is read, in bytes: Claude Code keeps all
// it knows in one.
const maxFile = 64 << 20

// Written is what became of a file.
type Written struct {
	Path    string // the file itself, behind any link
	Created bool   // it was not there
	Changed bool   // it says something new
	Backup  string // where it lies as it was; empty for none
	Closed  bool   // others could read it before, and cannot now
	Twin    string // another entry that leads to the same gateway; empty for none
}

// Write puts the client's configuration into the file. The file is replaced in
// one step and keeps its permissions and its owner, but for a file with the
// token in it: that is the account's own (0600). What was there lies beside it
// as .bak, no wider open. A file that is write-protected, or that cannot be
// changed without loss, is left alone, and the error, [nod.CodeConflict], says why.
func (c Client) Write(file string, r Request) (Written, error) {
	s, _, err := c.prepare(r)
	if err != nil {
		return Written{}, err
	}
	if s.open() {
		return Written{}, nod.Errorf(nod.CodeInvalid, "the token itself has to be given to "+c.Title+", and none is at hand",
			`make one with "nod agents add NAME", and set NOD_TOKEN or give --token-file`)
	}
	w := Written{}
	if w.Path, err = target(file); err != nil {
		return w, broken(file, "cannot be found", err)
	}
	was, info, err := read(w.Path)
	if err != nil {
		return w, err
	}
	out, err := c.Merge(string(was), r)
	if err != nil {
		return w, &nod.Error{Code: nod.CodeConflict, Message: w.Path + " is left as it is", Err: err,
			Hint: "put what is printed into it by hand"}
	}
	if tree, err := c.format.parse(strings.TrimPrefix(out, bom)); err == nil {
		w.Twin = c.twin(tree, s.address())
	}
	mode := fs.FileMode(0o644) // less what this account's umask takes
	w.Created = info == nil
	if info != nil {
		mode = info.Mode().Perm()
	}
	kept := mode // of what was there
	if s.secret() {
		w.Closed = info != nil && mode&0o077 != 0
		mode, kept = 0o600, kept&0o700 // the token can have been in it before
	}
	if w.Changed = w.Created || out != string(was); !w.Changed {
		if w.Closed {
			err = os.Chmod(w.Path, mode)
		}
		return w, broken(w.Path, "cannot be closed to others", err)
	}
	if info != nil && info.Mode().Perm()&0o200 == 0 {
		return w, nod.Errorf(nod.CodeConflict, w.Path+" is write-protected, and left as it is",
			"change it where it is made, or make it writable; what goes in is printed")
	}
	if info == nil {
		if err := os.MkdirAll(filepath.Dir(w.Path), 0o755); err != nil {
			return w, broken(w.Path, "cannot be made", err)
		}
	} else {
		w.Backup = w.Path + ".bak"
		if err := replace(w.Backup, was, kept, info); err != nil {
			return w, broken(w.Backup, "cannot be written", err)
		}
	}
	if now, _, err := read(w.Path); err != nil || !bytes.Equal(now, was) {
		return w, nod.Errorf(nod.CodeConflict, w.Path+" was changed by something else meanwhile", "try again")
	}
	return w, broken(w.Path, "cannot be written", replace(w.Path, []byte(out), mode, info))
}

// target follows links, to a file that need not be there yet. What a link says
// counts from where its folder really lies: that can be behind a link itself.
func target(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	for range 40 { // as many as Linux follows
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real, nil
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		to, err := os.Readlink(path)
		if err != nil {
			break // no link, or nothing there
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path, nil
}

// read returns a file's content; no info where there is none.
func read(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, broken(path, "cannot be read", err)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, nil, nod.Errorf(nod.CodeConflict, path+" is no file that nod would change", "put what is printed where it belongs by hand")
	}
	b, err := os.ReadFile(path)
	return b, info, broken(path, "cannot be read", err)
}

// replace writes a file in one step: it is the old one or the new one, whole.
func replace(path string, content []byte, mode fs.FileMode, like fs.FileInfo) error {
	name := filepath.Join(filepath.Dir(path), ".nod-"+rand.Text())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && like != nil {
		keepOwner(f, like)
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		_ = os.Remove(name)
		return fmt.Errorf("replacing it: %w", err)
	}
	return nil
}

// broken makes an error about a file; none of none.
func broken(path, what string, err error) error {
	if err == nil {
		return nil
	}
	return &nod.Error{Code: nod.CodeInvalid, Message: path + " " + what, Err: err}
}
