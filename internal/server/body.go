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
	// maxSmall is the largest body of a phone's request: anybody can send one, and
	// none says more than a frame of the link does.
	maxSmall = wire.MaxFrame
	// maxWithText is the largest body of a result that brings a text: JSON writes
	// some of its characters as two.
	maxWithText = wire.MaxFrame + wire.MaxText
	// maxHeader is the largest request header in bytes.
	maxHeader = 16 << 10
)

// body reads a request's whole body, at most [MaxBody].
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) { return upTo(MaxBody, w, r) }

// upTo reads a request's whole body. Its time is over once it is there: what
// follows may wait for a person.
func upTo(most int64, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // not every writer has one
		return b, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nod.Errorf(nod.CodeTooLarge, fmt.Sprintf("the request's body is larger than %d KiB", most>>10), "send less at once")
	}
	return nil, nod.Errorf(nod.CodeInvalid, "the request's body broke off or took too long", "send it again")
}

// decode reads a small JSON body into v, strictly: see [wire.Decode].
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	b, err := jsonBody(maxSmall, w, r)
	if err != nil {
		return err
	}
	return readJSON(b, v)
}

func readJSON(b []byte, v any) error {
	if err := wire.Decode(b, v); err != nil {
		return badJSON(err)
	}
	return nil
}

// jsonBody reads a body that says it is JSON. The type is demanded because a
// page of another site can send any other without being asked.
func jsonBody(most int64, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
		return nil, nod.Errorf(nod.CodeMediaType, "the request's body is not declared as JSON", `send the header "Content-Type: application/json"`)
	}
	return upTo(most, w, r)
}

// agentJSON reads the JSON body of an agent's request. Sending it takes as long
// as its sender likes: the token has to be a living one at the end of it too.
func (s *Server) agentJSON(most int64, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	b, err := jsonBody(most, w, r)
	if err != nil {
		return nil, err
	}
	_, err = s.authenticate(r)
	return b, err
}

// badJSON says what is wrong with a body.
func badJSON(err error) error {
	return nod.Errorf(nod.CodeInvalid, "the request's body is not what nod reads: "+err.Error(), "correct it and send it again")
}
