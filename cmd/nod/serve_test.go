package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod.dev/nod"
)

func TestLocalURL(t *testing.T) {
	for _, tt := range []struct {
		address string
		secure  bool
		want    string
	}{
		{"127.0.0.1:7333", false, "http://localhost:7333"},
		{"[::1]:7333", false, "http://localhost:7333"},
		{"0.0.0.0:7333", false, "http://localhost:7333"},
		{"[::]:7333", true, "https://localhost:7333"},
		{"192.168.1.5:7333", false, "http://192.168.1.5:7333"},
		{"[2001:db8::5]:7333", false, "http://[2001:db8::5]:7333"},
	} {
		addr, err := net.ResolveTCPAddr("tcp", tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := localURL(addr, tt.secure); got != tt.want {
			t.Errorf("localURL(%s, %v) = %s, want %s", tt.address, tt.secure, got, tt.want)
		}
	}
}

func TestParsePublic(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"https://nod.example.org", "https://nod.example.org"},
		{"https://nod.example.org/", "https://nod.example.org"},
		{"https://nod.example.org:8443", "https://nod.example.org:8443"},
		{"http://pi.local", "http://pi.local"},
		{"nod.example.org", ""},
		{"https://nod.example.org/nod", ""},
		{"https://me:secret@nod.example.org", ""},
		{"https://nod.example.org?x=1", ""},
		{"ftp://nod.example.org", ""},
	} {
		u, err := parsePublic(tt.raw)
		switch {
		case tt.want == "" && err == nil:
			t.Errorf("parsePublic(%q) = %v, want an error", tt.raw, u)
		case tt.want != "" && (err != nil || u.String() != tt.want):
			t.Errorf("parsePublic(%q) = %v, %v, want %s", tt.raw, u, err, tt.want)
		}
	}
	if u, err := parsePublic(""); u != nil || err != nil {
		t.Errorf("no address: %v, %v", u, err)
	}
}

// A changed address is refused while a browser knows the old one, since to it
// the address is its identity.
func TestCheckAddress(t *testing.T) {
	const old, other = "https://nod.example.org", "https://new.example.org"
	for _, tt := range []struct {
		name         string
		known, url   string
		accept, web  bool
		refused      bool
		knownAfter   string
		mentionsBoth bool
	}{
		{"the first start", "", old, false, false, false, old, false},
		{"the same", old, old, false, true, false, old, false},
		{"another, no browser", old, other, false, false, false, other, false},
		{"another, a browser", old, other, false, true, true, old, true},
		{"another, accepted", old, other, true, true, false, other, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "url")
			if tt.known != "" {
				if err := os.WriteFile(path, []byte(tt.known+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := checkAddress(dir, tt.url, tt.accept, tt.web)
			if (err != nil) != tt.refused {
				t.Errorf("checkAddress: %v, want refused %v", err, tt.refused)
			}
			if tt.mentionsBoth && (nod.CodeOf(err) != nod.CodeConflict || !strings.Contains(err.Error(), old) || !strings.Contains(err.Error(), other)) {
				t.Errorf("the refusal is %v", err)
			}
			b, err := os.ReadFile(path)
			if err != nil || strings.TrimSpace(string(b)) != tt.knownAfter {
				t.Errorf("remembered %q, %v, want %s", b, err, tt.knownAfter)
			}
		})
	}
}

// A QR code is square, framed in white, and says its colours.
func TestQR(t *testing.T) {
	var b bytes.Buffer
	if err := printQR(&b, "https://nod.example.org/pair#AAAAAAAAAAAAAAAAAAAAAA"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	for i, line := range lines {
		inner, begins := strings.CutPrefix(line, "\x1b[30;107m")
		inner, ends := strings.CutSuffix(inner, "\x1b[0m")
		if !begins || !ends {
			t.Fatalf("line %d does not set its colours: %q", i, line)
		}
		width := len([]rune(inner))
		if (width+1)/2 != len(lines) {
			t.Fatalf("line %d is %d modules wide, and there are %d lines", i, width, len(lines))
		}
		if i < quiet/2 && strings.TrimSpace(inner) != "" || inner[:quiet] != strings.Repeat(" ", quiet) {
			t.Errorf("line %d has no white frame: %q", i, inner)
		}
	}
}

// The clock that deadlines are judged by goes on, and never back.
func TestElapsed(t *testing.T) {
	now := elapsed()
	before := now()
	for range 1000 {
		if after := now(); after < before {
			t.Fatalf("it went back from %v to %v", before, after)
		} else {
			before = after
		}
	}
	if before <= 0 {
		t.Error("it stands still")
	}
}
