package mcphttp

import (
	"fmt"
	"net/http"
	"strings"
)

// codeNoMethod is JSON-RPC 2.0's code for a method that there is not.
const codeNoMethod = -32601

// unknownMethod is how the library's words begin for a method that it does not have.
const unknownMethod = "JSON RPC not handled"

// inSession is the answer to one message of a session. A method that the library
// does not have it refuses in plain text, with a status of which clients think
// that their session is broken. inSession makes that the JSON-RPC error it is,
// and takes a notification that nobody knows for read (JSON-RPC 2.0, sections 4.1
// and 5.1).
type inSession struct {
	http.ResponseWriter
	e    envelope
	held bool // a refusal in plain text has begun, and its words are to come
}

// Unwrap is found by [http.ResponseController].
func (a *inSession) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *inSession) WriteHeader(status int) {
	a.held = status == http.StatusBadRequest && strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain")
	if !a.held {
		a.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter].
func (a *inSession) Write(p []byte) (int, error) {
	if !a.held {
		return a.ResponseWriter.Write(p)
	}
	a.held = false
	switch {
	case !strings.HasPrefix(string(p), unknownMethod):
		a.ResponseWriter.WriteHeader(http.StatusBadRequest)
		return a.ResponseWriter.Write(p)
	case a.e.id == nil:
		a.Header().Del("Content-Type")
		a.ResponseWriter.WriteHeader(http.StatusAccepted)
	default:
		no := &refusal{code: codeNoMethod, message: fmt.Sprintf("method not found: %q", clip(a.e.method))}
		no.write(a.ResponseWriter, http.StatusOK, a.e.id)
	}
	return len(p), nil
}
