package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"nod.dev/nod/nodtest"
	"nod.dev/nod/web"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Files: web.Files})
	for _, tt := range []struct {
		path   string
		status int
		kind   string
	}{
		{"/", 200, "text/html; charset=utf-8"},
		{"/pair", 200, "text/html; charset=utf-8"},
		{"/resume", 200, "text/html; charset=utf-8"},
		{"/phones", 200, "text/html; charset=utf-8"},
		{"/log", 200, "text/html; charset=utf-8"},
		{"/log/call_X", 200, "text/html; charset=utf-8"},
		{"/settings", 200, "text/html; charset=utf-8"},
		{"/shortcuts", 200, "text/html; charset=utf-8"},
		{"/card/call_X", 200, "text/html; charset=utf-8"},
		{"/launch-failed/token", 200, "text/html; charset=utf-8"},
		{"/style.css", 200, "text/css; charset=utf-8"},
		{"/app/main.js", 200, "text/javascript; charset=utf-8"},
		{"/manifest.webmanifest", 200, "application/manifest+json"},
		{"/sw.js", 200, "text/javascript; charset=utf-8"},
		{"/spec/tools.json", 200, "application/json"},
		{"/spec/texts.json", 200, "application/json"},
		{"/healthz", 200, "application/json"},
		{"/readyz", 200, "application/json"},
		{"/metrics", 200, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"},
		// Not the app, whatever a router in the browser could make of them.
		{"/nothing", 404, "application/json"},
		{"/log/call_X/more", 404, "application/json"},
		{"/launch-failed/", 404, "application/json"},
		{"/pair/", 404, "application/json"},
		{"/app/", 404, "application/json"},
		{"/app/nothing.js", 404, "application/json"},
		{"/dev/cards", 404, "application/json"},
		{"/test/package.json", 404, "application/json"},
		{"/embed.go", 404, "application/json"},
		{"/console/status", 404, "application/json"},
		{"/spec/schemas/grant.json", 404, "application/json"},
		{"/../go.mod", 404, "application/json"},
		// OAuth is off: clients that find a page here drop their token.
		{"/.well-known/oauth-protected-resource", 404, "application/json"},
		{"/.well-known/oauth-protected-resource/mcp", 404, "application/json"},
		{"/.well-known/oauth-authorization-server", 404, "application/json"},
		{"/.well-known/openid-configuration", 404, "application/json"},
		{"/register", 404, "application/json"},
		{"/authorize", 404, "application/json"},
		{"/token", 404, "application/json"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			status, header, body := do(t, n, "GET", tt.path, "", map[string]string{"Authorization": ""})
			if status != tt.status || header.Get("Content-Type") != tt.kind {
				t.Errorf("answered %d %s, want %d %s", status, header.Get("Content-Type"), tt.status, tt.kind)
			}
			if header.Get("X-Content-Type-Options") != "nosniff" && tt.path != "/metrics" {
				t.Error("without nosniff")
			}
			if tt.status == 404 && !json.Valid([]byte(body)) {
				t.Errorf("a 404 that is no JSON: %s", body)
			}
		})
	}
}

func TestPageHeaders(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Files: web.Files})
	_, header, _ := do(t, n, "GET", "/", "", nil)
	csp := header.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'self'", "connect-src 'self' ws://" + strings.TrimPrefix(n.URL, "http://"), "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types nod", "base-uri 'none'", "form-action 'self'", "object-src 'none'",
	} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy lacks %q: %s", want, csp)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
		t.Errorf("the policy lets in too much: %s", csp)
	}
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	// Asked again, it is answered in a word.
	status, _, body := do(t, n, "GET", "/", "", map[string]string{"If-None-Match": header.Get("ETag")})
	if status != http.StatusNotModified || body != "" {
		t.Errorf("answered %d %q", status, body)
	}
}

// Only this machine may look at the numbers, and a proxy on it is not this machine.
func TestMetrics(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	if _, err := n.Client.Do(t.Context(), nodtest.Ask(alarm)); err != nil {
		t.Fatal(err)
	}
	_, _, body := do(t, n, "GET", "/metrics", "", nil)
	for _, want := range []string{
		`nod_calls_total{outcome="done"} 1`, `nod_calls_total{outcome="declined"} 0`,
		"nod_open_cards 0", "nod_phones_connected 1", `nod_commit_seconds_count{result="ok"}`,
		`nod_http_requests_total{route="POST /v1/calls",status="202"} 1`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics lack %q", want)
		}
	}
	if strings.Contains(body, "07:30") || strings.Contains(body, "Test agent") {
		t.Error("the metrics hold a value or a name")
	}
	if status, _, _ := do(t, n, "GET", "/metrics", "", map[string]string{"X-Forwarded-For": "203.0.113.9"}); status != 404 {
		t.Errorf("through a proxy: %d, want 404", status)
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	r := request(t.Context(), t, n, "GET", "/v1/me", "")
	r.Host = "evil.example"
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("under a foreign name: %s, want 403", resp.Status)
	}
}
