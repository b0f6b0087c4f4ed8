package auth

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"nod.dev/nod"
)

func TestNewToken(t *testing.T) {
	form := regexp.MustCompile(`^nod_a_[A-Z2-7]{52}$`)
	seen := map[string]bool{}
	for range 1000 {
		token, hash := NewToken()
		if !form.MatchString(token) {
			t.Fatalf("token %q does not have the form %v", token, form)
		}
		if seen[token] {
			t.Fatalf("token %q came twice", token)
		}
		seen[token] = true
		if !EqualHash(hash, HashToken(token)) || EqualHash(hash, HashToken(token+"A")) || len(hash) != 32 {
			t.Fatal("the hash does not belong to the token")
		}
		if bytes.Contains(hash, []byte(token)) {
			t.Fatal("the hash holds the token")
		}
	}
	if EqualHash(nil, HashToken("")) || EqualHash([]byte{1}, []byte{1, 2}) {
		t.Error("hashes of other lengths are equal")
	}
}

func TestBearer(t *testing.T) {
	rows := []struct {
		name    string
		url     string
		headers []string
		want    string
		message string
	}{
		{"plain", "/v1/calls", []string{"Bearer nod_a_X"}, "nod_a_X", ""},
		{"the scheme in any case", "/v1/calls", []string{"bearer nod_a_X"}, "nod_a_X", ""},
		{"spaces round it", "/v1/calls", []string{"Bearer   nod_a_X "}, "nod_a_X", ""},
		{"the header wins over a query", "/v1/calls?token=nod_a_Y", []string{"Bearer nod_a_X"}, "nod_a_X", ""},
		{"none", "/v1/calls", nil, "", "the request carries no token"},
		{"in the URL", "/v1/calls?token=nod_a_X", nil, "", "a token in the URL is not accepted"},
		{"in the URL, under OAuth's name", "/v1/calls?access_token=nod_a_X", nil, "", "a token in the URL is not accepted"},
		{"twice", "/v1/calls", []string{"Bearer a", "Bearer b"}, "", "the request carries more than one Authorization header"},
		{"two in one header", "/v1/calls", []string{"Bearer a, Bearer b"}, "", `the Authorization header is not of the form "Bearer TOKEN"`},
		{"another scheme", "/v1/calls", []string{"Basic dTpw"}, "", `the Authorization header is not of the form "Bearer TOKEN"`},
		{"no scheme", "/v1/calls", []string{"nod_a_X"}, "", `the Authorization header is not of the form "Bearer TOKEN"`},
		{"an empty token", "/v1/calls", []string{"Bearer "}, "", `the Authorization header is not of the form "Bearer TOKEN"`},
		{"a huge token", "/v1/calls", []string{"Bearer " + strings.Repeat("A", 513)}, "", `the Authorization header is not of the form "Bearer TOKEN"`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r, err := http.NewRequest("GET", row.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range row.headers {
				r.Header.Add("Authorization", h)
			}
			got, err := Bearer(r)
			if got != row.want {
				t.Errorf("token %q, want %q", got, row.want)
			}
			if row.message == "" {
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			}
			if err == nil || err.Error() != row.message || nod.CodeOf(err) != nod.CodeUnauthorized {
				t.Errorf("error %v (%v), want %q", err, nod.CodeOf(err), row.message)
			}
		})
	}
}
