package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Sizes of what is read from outside.
const (
	// MaxBody is the largest request body in bytes.
	MaxBody = 256 << 10
	// MaxHeader is the largest request header in bytes; for http.Server.
	MaxHeader = 16 << 10
)

// bodyTime is how long a body may take to arrive. The server itself has no read
// time-out: it would end requests that wait for a person.
const bodyTime = 30 * time.Second

// body reads a request's whole body, at most [MaxBody].
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	rc := http.NewResponseController(w)
	if rc.SetReadDeadline(time.Now().Add(bodyTime)) == nil { // not every writer has one
		defer rc.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err == nil {
		return b, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nod.Errorf(nod.CodeTooLarge, fmt.Sprintf("the request's body is larger than %d KiB", MaxBody>>10), "send less at once")
	}
	return nil, nod.Errorf(nod.CodeInvalid, "the request's body broke off or took too long", "send it again")
}

// decode reads a JSON body into v, strictly: see [wire.Decode].
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	b, err := jsonBody(w, r)
	if err != nil {
		return err
	}
	if err := wire.Decode(b, v); err != nil {
		return badJSON(err)
	}
	return nil
}

// jsonBody reads a body that says it is JSON. The type is demanded because a
// page of another site can send any other without being asked.
func jsonBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
		return nil, nod.Errorf(nod.CodeMediaType, "the request's body is not declared as JSON", `send the header "Content-Type: application/json"`)
	}
	return body(w, r)
}

// badJSON says what is wrong with a body.
func badJSON(err error) error {
	return nod.Errorf(nod.CodeInvalid, "the request's body is not what nod reads: "+err.Error(), "correct it and send it again")
}
