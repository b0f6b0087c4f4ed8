package server

import (
	"net/http"
	"testing"
	"time"

	"nod.dev/nod"
)

// TestSetUp: each header is there once and means something, or it is refused.
func TestSetUp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header http.Header
		want   setUp
		ok     bool
	}{
		{"nothing", http.Header{}, setUp{}, true},
		{"all", http.Header{phoneHeader: {"Pixel"}, modeHeader: {"strict"}, waitHeader: {"30"}}, setUp{"Pixel", nod.Strict, 30 * time.Second}, true},
		{"a word that is no mode, for the gateway to refuse", http.Header{modeHeader: {"yolo"}}, setUp{mode: "yolo"}, true},
		{"two phones", http.Header{phoneHeader: {"Pixel", "Tablet"}}, setUp{}, false},
		{"two modes", http.Header{modeHeader: {"trusted_actions", "strict"}}, setUp{}, false},
		{"two waits", http.Header{waitHeader: {"1", "2"}}, setUp{}, false},
		{"no number", http.Header{waitHeader: {"soon"}}, setUp{}, false},
	} {
		got, err := readSetUp(tt.header)
		if (err == nil) != tt.ok || tt.ok && got != tt.want || !tt.ok && nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}
