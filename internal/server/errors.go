package server

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// statuses maps each error code to its HTTP status. A code that is not here is
// nod's own fault.
var statuses = map[nod.Code]int{
	nod.CodeInvalid:      http.StatusBadRequest,
	nod.CodeUnauthorized: http.StatusUnauthorized,
	nod.CodeForbidden:    http.StatusForbidden,
	nod.CodeNotFound:     http.StatusNotFound,
	nod.CodeConflict:     http.StatusConflict,
	nod.CodeTooLarge:     http.StatusRequestEntityTooLarge,
	nod.CodeTooMany:      http.StatusTooManyRequests,
	nod.CodeStorage:      http.StatusInsufficientStorage,
	nod.CodeInternal:     http.StatusInternalServerError,

	nod.CodeMethodNotAllowed: http.StatusMethodNotAllowed,
	nod.CodeMediaType:        http.StatusUnsupportedMediaType,
}

// explain turns err into what the outside may see. A cause stays inside: it can
// name files, keys or another person's things.
func explain(err error) (int, client.Error) {
	e, ok := errors.AsType[*nod.Error](err)
	if !ok {
		e = nod.Errorf(nod.CodeInternal, "nod could not do this", "the gateway's own log says why")
	}
	status, ok := statuses[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	return status, client.Error{Code: e.Code, Message: e.Message, Hint: e.Hint, Docs: docs + string(e.Code)}
}

// fail answers a request with err, and logs what is nod's own fault.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, problem := explain(err)
	if status >= 500 {
		s.log.LogAttrs(r.Context(), slog.LevelError, "request failed",
			slog.String("method", r.Method), slog.String("route", route(r)), slog.Any("err", err))
	}
	if late, ok := errors.AsType[*tooSoon](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(late.seconds()))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="nod"`)
	}
	if status == http.StatusRequestEntityTooLarge {
		w.Header().Set("Connection", "close")
	}
	answer(w, status, client.Problem{Error: problem})
}

// answer writes v as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // a reader that went away is no news here
}

// tooSoon is a refusal that says when to try again.
type tooSoon struct {
	refusal *nod.Error
	after   time.Duration
}

// Error implements error.
func (t *tooSoon) Error() string { return t.refusal.Error() }

// Unwrap makes the code and the sentence visible to [explain].
func (t *tooSoon) Unwrap() error { return t.refusal }

func (t *tooSoon) seconds() int { return max(1, int(math.Ceil(t.after.Seconds()))) }
