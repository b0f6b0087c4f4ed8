package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"nod.dev/nod"
)

// tokenPath is where an agent's token is kept for this account's commands.
func tokenPath() string { return filepath.Join(configFolder(), "token") }

// agentToken finds the agent's token: in the file that was named, else in
// NOD_TOKEN, else in the file that --save wrote. It is no flag: a command line
// can be read by every account of the machine.
func agentToken(file string) (string, error) {
	if file != "" {
		return readToken(file)
	}
	if t := strings.TrimSpace(os.Getenv("NOD_TOKEN")); t != "" {
		return oneWord("the variable NOD_TOKEN", t)
	}
	return readToken(tokenPath())
}

// readToken reads a token from a file that no other account can read.
func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if path != tokenPath() {
			return "", nod.Errorf(nod.CodeUnauthorized, "there is no file "+path+" with a token in it", `"nod agents add NAME --token-file FILE" makes one`)
		}
		return "", nod.Errorf(nod.CodeUnauthorized, "this command speaks as an agent and found no token",
			`make one with "nod agents add NAME --save", or set NOD_TOKEN`)
	}
	if err != nil {
		return "", &nod.Error{Code: nod.CodeUnauthorized, Message: "the agent's token cannot be read", Err: err}
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return "", nod.Errorf(nod.CodeUnauthorized, fmt.Sprintf("%s can be read by other accounts (mode %04o)", path, info.Mode().Perm()),
			fmt.Sprintf("chmod 600 %s; if others may have read it, make a new token with \"nod agents rotate NAME --save\"", path))
	}
	b, err := readStart(path)
	if err != nil {
		return "", &nod.Error{Code: nod.CodeUnauthorized, Message: "the agent's token cannot be read", Err: err}
	}
	return oneWord(path, strings.TrimSpace(string(b)))
}

// maxTokenFile bounds what is read of a token's file, in bytes.
const maxTokenFile = 4 << 10

func readStart(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxTokenFile))
}

// oneWord refuses what cannot be a token, which is one word of ASCII. It is the
// wrong file or variable, and none of it is told to anybody.
func oneWord(where, token string) (string, error) {
	odd := strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0
	switch {
	case token == "":
		return "", nod.Errorf(nod.CodeUnauthorized, where+" is empty", `"nod agents add NAME --token-file FILE" makes a file with a token`)
	case odd || len(token) >= maxTokenFile:
		return "", nod.Errorf(nod.CodeUnauthorized, where+" holds no token", `a token is one word, as "nod agents add NAME" prints it`)
	}
	return token, nil
}

// tokenFile is a file that a token is about to be put into. It is begun before
// there is a token: one that was made and cannot be kept is lost, and where it
// replaces another, so is that.
type tokenFile struct {
	path string
	file *os.File // beside path, until the token is in it
}

// newTokenFile begins a file. A nil one is for a token that goes elsewhere.
func newTokenFile(path string) (*tokenFile, error) {
	if path == "" {
		return nil, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // else who reads it there would go on with a dead one
	}
	if err := checkReplaceable(path); err != nil {
		return nil, err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		return nil, notKept(path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".token-") // made with mode 0600
	if err != nil {
		return nil, notKept(path, err)
	}
	return &tokenFile{path, f}, nil
}

// checkReplaceable lets a token's file be new, or be one that holds a token.
func checkReplaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return notKept(path, err)
	case !info.Mode().IsRegular():
		return nod.Errorf(nod.CodeConflict, path+" is no file that a token can be kept in", "name another with --token-file")
	}
	b, err := readStart(path)
	if err != nil {
		return notKept(path, err)
	}
	if was := strings.TrimSpace(string(b)); was != "" && !strings.HasPrefix(was, "nod_a_") {
		return nod.Errorf(nod.CodeConflict, path+" holds something else than a token, and is left as it is", "name another file with --token-file, or remove that one")
	}
	return nil
}

func notKept(path string, err error) error {
	return &nod.Error{Code: nod.CodeInvalid, Message: "no token can be kept in " + path, Hint: "name another file with --token-file", Err: err}
}

// keep puts the token into the file.
func (f *tokenFile) keep(token string) error {
	_, err := f.file.WriteString(token + "\n")
	if err == nil {
		err = f.file.Sync()
	}
	if cerr := f.file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	return err
}

// drop forgets a file that holds no token, and leaves one alone that does.
func (f *tokenFile) drop() {
	if f != nil {
		f.file.Close()
		_ = os.Remove(f.file.Name()) // after keep it goes by its own name
	}
}
