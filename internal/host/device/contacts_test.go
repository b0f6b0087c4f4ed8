package device

import (
	"strings"
	"testing"

	"nod.dev/nod"
)

func people() []Contact {
	mobile := func(n string) []Address { return []Address{{n, "mobile"}} }
	return []Contact{
		{Name: "Ana Silva", Phones: mobile("+351 910 000 001"), Emails: []Address{{"ana@nod.example", "home"}}},
		{Name: "Ana Costa", Phones: []Address{{"+351 910 000 002", "mobile"}, {"+351 21 000 0002", "work"}}},
		{Name: "Brent Stef", Phones: mobile("+1 (555) 010-0199")},
		{Name: "100% Pizza *", Phones: mobile("*100#")},
		{Name: "under_score", Emails: []Address{{"u_s@nod.example", "work"}}},
		{Name: "João Émile", Phones: []Address{{"910000009", "mobile"}, {"910 000 009", "other"}}},
	}
}

func TestSearch(t *testing.T) {
	for query, want := range map[string]string{
		"ana":         "Ana Silva, Ana Costa",
		"COSTA":       "Ana Costa",
		"  silva ":    "Ana Silva",
		"joão":        "João Émile",
		"ÉMILE":       "João Émile",
		"%":           "100% Pizza *",
		"_":           "under_score",
		"*":           "100% Pizza *",
		"a_a":         "",
		"A%":          "",
		".*":          "",
		"?":           "",
		"u_s@":        "under_score",
		"nod.example": "Ana Silva, under_score",
		"910000001":   "Ana Silva",
		"910 000 00":  "Ana Silva, Ana Costa, João Émile",
		"5550100199":  "Brent Stef",
		"01":          "Ana Silva, Brent Stef", // as it stands in a number
		"":            "",
		"   ":         "",
	} {
		var names []string
		for _, c := range Search(people(), query) {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

func TestIsNumber(t *testing.T) {
	for s, want := range map[string]bool{
		"+351 910 000 001": true, "12": true, "*100#": true, "(555) 010-0199": true,
		"Bo": false, "Bo 2": false, "2 Bo 2": false, "*": false, "": false, "+1 555 x1": false,
	} {
		if got := IsNumber(s); got != want {
			t.Errorf("%q is a number: %v", s, got)
		}
	}
}

func TestNumberOf(t *testing.T) {
	for _, c := range []struct {
		name, number string
		why          nod.Why
	}{
		{"Ana Silva", "+351 910 000 001", ""},
		{"silva ana", "+351 910 000 001", ""},
		{"Silva", "+351 910 000 001", ""},
		{"Ana", "", nod.WhyMoreThanOne},
		{"Ana Costa", "", nod.WhyMoreThanOne}, // which of the two numbers?
		{"Sil", "", nod.WhyNotFound},
		{"Stef", "+1 (555) 010-0199", ""}, // the card names Brent Stef
		{"João", "910000009", ""},         // one number, written twice
		{"under_score", "", nod.WhyNotFound},
		{"%", "", nod.WhyNotFound},
		{"", "", nod.WhyNotFound},
	} {
		got, why := NumberOf(people(), c.name)
		if got.Number.Value != c.number || why != c.why {
			t.Errorf("%q is %+v, %q", c.name, got, why)
		}
	}
}
