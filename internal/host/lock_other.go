//go:build !unix

package host

import (
	"os"
	"path/filepath"
)

// lockFolder opens the lock file; this system has no advisory locks, so it is
// for the person to run one program per folder.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, journalError(dir, "cannot be locked", err)
	}
	return f, nil
}
