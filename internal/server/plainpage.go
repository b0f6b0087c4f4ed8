package server

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
)

// Plain pages are what a browser shows that is not the app: where a shortcut
// ends, and where the test card's link leads. They have the app's look, no
// script, and nothing that could be asked of them.

// The plain pages, besides the ways in which a shortcut ends.
const (
	plainOver   = "over"
	plainFailed = "failed"
	plainTested = "tested"
)

// plainTexts names what each page says, by the keys of the contract.
var plainTexts = map[string]struct{ Title, Text, Mark string }{
	"ok":        {"plain.ok", "plain.back", "opened"},
	"cancel":    {"plain.cancel", "plain.back", "none"},
	"error":     {"plain.error", "plain.back", "failed"},
	plainTested: {"plain.tested", "plain.back", "opened"},
	plainOver:   {"plain.over", "plain.over_why", "none"},
	plainFailed: {"plain.failed", "plain.failed_why", "failed"},
}

var plainTemplate = template.Must(template.New("plain").Parse(`<!doctype html>
<html lang="{{.Lang}}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} · nod</title>
<link rel="icon" href="/icons/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<link rel="stylesheet" href="/plain.css">
<div id="shell"><main id="page"><div class="middle">
<svg class="mark" aria-hidden="true"><use href="/icons/marks.svg#{{.Mark}}"></use></svg>
<h1>{{.Title}}</h1>
<p class="second">{{.Text}}</p>
</div></main></div>
</html>
`))

// darkTheme is where the app's style says what dark is. The app sets it by a
// script, which a plain page has not.
const darkTheme = ":root[data-theme='dark'] {"

// plainStyle makes the style of the plain pages from the app's: dark where the
// reader's system is.
func plainStyle(app []byte) []byte {
	_, rest, found := bytes.Cut(app, []byte(darkTheme))
	tokens, _, ends := bytes.Cut(rest, []byte("}"))
	if !found || !ends {
		return nil
	}
	return fmt.Appendf(nil, "@media (prefers-color-scheme: dark) {\n:root {%s}\n}\n", tokens)
}

const plainPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// plainPage answers with a page in the reader's language.
func (s *Server) plainPage(w http.ResponseWriter, r *http.Request, status int, name string) {
	lang := prefers(r.Header.Get("Accept-Language"), s.spec.Locales())
	texts := plainTexts[name]
	var page bytes.Buffer
	err := plainTemplate.Execute(&page, map[string]string{
		"Lang": lang, "Mark": texts.Mark,
		"Title": s.spec.PersonText(lang, texts.Title, nil), "Text": s.spec.PersonText(lang, texts.Text, nil),
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	h := w.Header()
	s.pageHeaders(h, r)
	h.Set("Content-Security-Policy", plainPolicy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", lang)
	h.Set("Vary", "Accept-Language")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page.Bytes()) // a browser that went away is no news here
	}
}

// testedPage is where the test card's link leads: GET /tested.
func (s *Server) testedPage(w http.ResponseWriter, r *http.Request) {
	s.plainPage(w, r, http.StatusOK, plainTested)
}

// prefers picks the language that a reader likes best of those there are; the
// first of equals, English where none is.
func prefers(header string, have []string) string {
	best, weight := "en", 0.0
	for part := range strings.SplitSeq(header, ",") {
		tag, rest, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		if text, ok := strings.CutPrefix(strings.TrimSpace(rest), "q="); ok {
			q, _ = strconv.ParseFloat(text, 64)
		}
		primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		for _, lang := range have {
			if lang == primary && q > weight {
				best, weight = lang, q
			}
		}
	}
	return best
}
