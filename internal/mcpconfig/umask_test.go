//go:build unix

package mcpconfig

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A new file is as open as this account makes its files, and no more.
func TestWriteHeedsTheUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	path := filepath.Join(t.TempDir(), "mcp.json")
	if _, err := named(t, "cursor").Write(path, byVariable); err != nil {
		t.Fatal(err)
	}
	permissions(t, path, 0o640)
}
