package repo

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// quoteGap is what a page leaves out of a sentence that it quotes.
var quoteGap = regexp.MustCompile(`\.\.\.|"`)

// TestDocTroubles requires that every sentence that the page of troubles
// explains is one that nod says: its first column is looked up in the sources.
func TestDocTroubles(t *testing.T) {
	var said strings.Builder
	for name, text := range sources(t) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || name == "spec/texts.json" {
			said.WriteString(strings.ToLower(string(text)))
		}
	}
	all := strings.ReplaceAll(said.String(), `\"`, `"`)
	rows := regexp.MustCompile(`(?m)^\| (.+?) \| .+ \|$`).FindAllStringSubmatch(pages(t)["docs/troubleshooting.md"], -1)
	for _, row := range rows {
		if row[1] == "it says" || row[1] == "it is told" {
			continue // a heading
		}
		for _, part := range quoteGap.Split(row[1], -1) {
			if part = strings.ToLower(strings.Trim(part, " ,()")); !strings.Contains(all, part) {
				t.Errorf("docs/troubleshooting.md explains %q, which nod does not say (%q)", row[1], part)
			}
		}
	}
}

// TestDocTests requires that a test that a page calls a witness exists: Go's by
// package and name, the browser's and the planted bugs by their titles.
func TestDocTests(t *testing.T) {
	titles, inPackage := map[string]bool{}, map[string]bool{}
	for name, text := range sources(t) {
		switch {
		case strings.HasSuffix(name, "_test.go"):
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
				inPackage[path.Base(path.Dir(name))+"."+string(m[1])] = true
				inPackage[string(m[1])] = true
			}
		case strings.HasSuffix(name, ".test.mjs"):
			for _, m := range regexp.MustCompile("(?m)^ *test\\(['`](.+?)['`],").FindAllSubmatch(text, -1) {
				titles[strings.NewReplacer("${COUNT}", "1000", "${COUNT / 10}", "100").Replace(string(m[1]))] = true
			}
		case name == "internal/simulation/bugs.go":
			for _, m := range regexp.MustCompile(`Bug += "(.+)"`).FindAllSubmatch(text, -1) {
				titles[string(m[1])] = true
			}
		}
	}
	for name, page := range pages(t) {
		for _, m := range regexp.MustCompile("`((?:[a-z]+\\.)?Test[A-Z]\\w+)`").FindAllStringSubmatch(page, -1) {
			if !inPackage[m[1]] {
				t.Errorf("%s names the test %s, which is not there", name, m[1])
			}
		}
		for line := range strings.SplitSeq(page, "\n") {
			_, after, ok := strings.Cut(line, "web: ")
			if _, bug, planted := strings.Cut(line, "planted bug "); planted {
				after, ok = after+bug, true
			}
			for _, m := range regexp.MustCompile(`"([^"]{12,})"`).FindAllStringSubmatch(after, -1) {
				if ok && !titles[m[1]] {
					t.Errorf("%s names the test %q, which is not there", name, m[1])
				}
			}
		}
	}
}
