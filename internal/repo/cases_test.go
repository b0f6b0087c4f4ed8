package repo

import (
	"regexp"
	"strings"
	"testing"
)

// casesOwed are the cases that nod answers for by number, and the parts that the
// other reports stand in.
var casesOwed = []string{
	"| 1 |", "| 2 |", "| 4 |", "| 5 |", "| 6 |", "| 7 |", "| 8 |", "| 10 |", "| 15 |", "| 17 |", "| 20 |", "| 21 |", "| 23 |", "| 25 |", "| 28 |", "| 30 |", "| 31 |", "| 32 |", "| 33 |", "| 35 |",
	"## Pairing", "## Waking", "## \"Sent\"", "## Web Push", "## Approvals", "## Clients that wait", "## Sent twice", "## Days", "## Numbers", "## Opening", "## Reading",
}

// TestDocCases requires that each case is there, and that each row of the page
// names a test, or says that none shows it and why. That the tests exist is
// [TestDocTests]'s to see.
func TestDocCases(t *testing.T) {
	page := pages(t)["docs/cases.md"]
	for _, c := range casesOwed {
		if !strings.Contains(page, "\n"+c) {
			t.Errorf("docs/cases.md has no %q", c)
		}
	}
	witness := regexp.MustCompile("`[a-z]+\\.Test[A-Z]\\w+`|web: \"[^\"]{12,}\"|not shown: .{12,}")
	for line := range strings.SplitSeq(page, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		last := cells[len(cells)-1]
		if !strings.HasPrefix(line, "| ") || last == "shown by" {
			continue
		}
		if !witness.MatchString(last) {
			t.Errorf("docs/cases.md: nothing shows %q", line)
		}
	}
}
