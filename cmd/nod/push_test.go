package main

import (
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod.dev/nod"
)

// A subject that Apple's push service refuses is refused at the start, with the
// reason. Where none is given the public address is one, if it can be.
func TestPushAtStart(t *testing.T) {
	for _, row := range []struct {
		name, public, subject string
		hosts                 []string
		refused               string
		off                   string
	}{
		{"an address of a person", "", "mailto:ana@nod-test.org", nil, "", ""},
		{"the public address", "https://nod.nod-test.org", "", nil, "", ""},
		{"loopback", "", "", nil, "", "push.off.address"},
		{"a public address without TLS", "http://nod.nod-test.org", "", nil, "", "push.off.address"},
		{"a name of the house", "https://nod.local", "", nil, "", "push.off.subject"},
		{"localhost", "https://nod.nod-test.org", "mailto:nod@localhost", nil, "403 BadJwtToken", ""},
		{"no address", "", "me", nil, "403 BadJwtToken", ""},
		{"another service", "https://nod.nod-test.org", "", []string{"push.nod-test.org:8443"}, "", ""},
		{"no service", "https://nod.nod-test.org", "", []string{"https://push.nod-test.org/x"}, "not a host that push messages could go to", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "nod") // a unix socket's path is short
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			config := gatewayConfig{data: dir, listen: "127.0.0.1:0", log: slog.New(slog.DiscardHandler),
				push: pushFlags{PushSubject: row.subject, PushHost: row.hosts}}
			if row.public != "" {
				if config.public, err = url.Parse(row.public); err != nil {
					t.Fatal(err)
				}
			}
			r, err := openGateway(t.Context(), config)
			if row.refused != "" {
				e, ok := errors.AsType[*nod.Error](err)
				if !ok || e.Code != nod.CodeInvalid || !strings.Contains(e.Message, row.refused) || e.Hint == "" {
					t.Fatalf("the start says %v, want %q and what to do", err, row.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer r.close()
			push := r.gateway.Push("")
			if push.Off != row.off || (push.Key == "") != (row.off != "") {
				t.Errorf("push is off because of %q with the key %q, want %q", push.Off, push.Key, row.off)
			}
			if info, err := os.Stat(filepath.Join(dir, "push.key")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("push.key: %v, %v", info, err)
			}
		})
	}
}
