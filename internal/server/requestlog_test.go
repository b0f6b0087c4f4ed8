package server

import (
	"bytes"
	"log/slog"
	"testing"
)

// TestWarnings holds that a client cannot put errors into the gateway's log by
// what it sends to the MCP library.
func TestWarnings(t *testing.T) {
	var out bytes.Buffer
	plain := slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	l := slog.New(warnings{plain})
	l.Info("not said")
	l.Warn("said")
	l.With("a", 1).WithGroup("g").Error("said, too", "b", 2)
	if got, want := out.String(), "level=WARN msg=said\nlevel=WARN msg=\"said, too\" a=1 g.b=2\n"; got != want {
		t.Errorf("logged\n%swant\n%s", got, want)
	}
}
