package action_test

import (
	"strings"
	"testing"

	"nod.dev/nod/internal/action"
	"nod.dev/nod/spec"
)

func BenchmarkCheck(b *testing.B) {
	for name, arguments := range map[string]string{
		"torch":    `{"action":"torch","on":true}`,
		"navigate": `{"action":"navigate","summary":"Two errands.","destination":{"lat":37.6213,"lon":-122.379,"query":"SFO"},"stops":[{"query":"Ferry Building"},{"name":"Dolores Park"}],"mode":"drive"}`,
		"email":    `{"action":"email_draft","to":["ana@example.org"],"subject":"Offer","text":"` + strings.Repeat("Wörter ", 280) + `"}`,
		"refused":  `{"action":"alarm","time":"7:30"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				action.Check(spec.Get(), spec.ToolPhoneAction, []byte(arguments))
			}
		})
	}
}
