package main

import (
	"errors"
	"fmt"
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
		return t, nil
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
	b, err := os.ReadFile(path)
	if err != nil {
		return "", &nod.Error{Code: nod.CodeUnauthorized, Message: "the agent's token cannot be read", Err: err}
	}
	return strings.TrimSpace(string(b)), nil
}

// saveToken keeps a token in a file. The file has its mode before it has the token.
func saveToken(path, token string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the token's folder: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".token-") // made with mode 0600
	if err != nil {
		return fmt.Errorf("writing the token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing the token: %w", err)
	}
	return nil
}
