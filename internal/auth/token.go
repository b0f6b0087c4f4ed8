package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"net/http"
	"strings"

	"nod.dev/nod"
)

// tokenPrefix marks an agent's token, so that secret scanners and people
// recognise one that was pasted in the wrong place.
const tokenPrefix = "nod_a_"

// maxBearer bounds what is hashed for a caller nobody knows yet.
const maxBearer = 512

var base32NoPad = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewToken makes an agent's token of 256 random bits and the hash to store. The
// token itself is shown once and kept nowhere.
func NewToken() (token string, hash []byte) {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails (crypto/rand)
	token = tokenPrefix + base32NoPad.EncodeToString(secret)
	return token, HashToken(token)
}

// HashToken returns what is stored of a token. A plain SHA-256 is enough: the
// token has 256 bits of its own, so there is nothing to guess.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// EqualHash compares two hashes in constant time.
func EqualHash(a, b []byte) bool {
	return subtle.ConstantTimeCompare(a, b) == 1
}

// Bearer returns the token of a request's Authorization header, and of nothing
// else: a token in a URL ends in the logs of every proxy on the way.
func Bearer(r *http.Request) (string, error) {
	const hint = `send the header "Authorization: Bearer TOKEN" with the token that "nod agents add" showed`
	headers := r.Header.Values("Authorization")
	switch {
	case len(headers) == 0 && inQuery(r):
		return "", nod.Errorf(nod.CodeUnauthorized, "a token in the URL is not accepted", hint+"; replace this one with \"nod agents rotate\", since URLs are logged")
	case len(headers) == 0:
		return "", nod.Errorf(nod.CodeUnauthorized, "the request carries no token", hint)
	case len(headers) > 1:
		return "", nod.Errorf(nod.CodeUnauthorized, "the request carries more than one Authorization header", hint)
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	token = strings.TrimSpace(token)
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxBearer || strings.ContainsAny(token, " \t,") {
		return "", nod.Errorf(nod.CodeUnauthorized, "the Authorization header is not of the form \"Bearer TOKEN\"", hint)
	}
	return token, nil
}

// inQuery reports whether the caller put a token where it does not belong, to
// tell it so instead of "no token".
func inQuery(r *http.Request) bool {
	q := r.URL.Query()
	for _, key := range []string{"token", "access_token", "key", "bearer"} {
		if q.Has(key) {
			return true
		}
	}
	return false
}
