package server_test

import (
	"strings"
	"testing"

	"nod.dev/nod/nodtest"
	"nod.dev/nod/web"
)

// They are dark where the reader's system is, in the app's own colours.
func TestPlainPageIsDark(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Files: web.Files})
	_, header, body := do(t, n, "GET", "/plain.css", "", map[string]string{"Authorization": ""})
	for _, part := range []string{"@media (prefers-color-scheme: dark) {\n:root {", "color-scheme: dark;", "--background: #", "--ink: #"} {
		if !strings.Contains(body, part) {
			t.Errorf("the style lacks %q: %s", part, body)
		}
	}
	if header.Get("Content-Type") != "text/css; charset=utf-8" || strings.Count(body, "{") != strings.Count(body, "}") {
		t.Errorf("the style is %s: %s", header.Get("Content-Type"), body)
	}
}

// The plain pages speak the reader's language and run nothing.
func TestPlainPage(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	for _, tt := range []struct{ header, lang, title string }{
		{"", "en", "It works"},
		{"de", "de", "Es klappt"},
		{"de-CH, en;q=0.5", "de", "Es klappt"},
		{"en-GB,de;q=0.9", "en", "It works"},
		{"fr, de;q=0.2, en;q=0.1", "de", "Es klappt"},
		{"ja", "en", "It works"},
		{"de;q=0", "en", "It works"},
		{"de;q=x, ;;,", "en", "It works"},
	} {
		status, header, body := do(t, n, "GET", "/tested", "", map[string]string{"Authorization": "", "Accept-Language": tt.header})
		if status != 200 || !strings.Contains(body, `<html lang="`+tt.lang+`">`) || !strings.Contains(body, "<h1>"+tt.title+"</h1>") || header.Get("Content-Language") != tt.lang {
			t.Errorf("%q: %d %s", tt.header, status, body)
		}
		if csp := header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; style-src 'self'; img-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Errorf("the policy is %s", csp)
		}
		if strings.Contains(body, "<script") || strings.Contains(body, "<style") || header.Get("Cache-Control") != "no-store" {
			t.Error("the page has a script or a style of its own, or is kept")
		}
	}
}
