package nod

import "errors"

// Code classifies an error for a program. The HTTP API maps each to a status
// and the CLI to an exit code.
type Code string

// Error codes. An error means that nod could not do its part; how a call ended
// is an [Outcome] and never one of these.
const (
	CodeInvalid      Code = "invalid"      // what was sent is wrong
	CodeUnauthorized Code = "unauthorized" // no token, or one that is not known
	CodeForbidden    Code = "forbidden"    // known, and not allowed here
	CodeNotFound     Code = "not_found"
	CodeConflict     Code = "conflict" // it changed meanwhile, or exists
	CodeTooLarge     Code = "too_large"
	CodeTooMany      Code = "too_many"
	// CodeMethodNotAllowed and CodeMediaType are of HTTP alone: the address takes
	// another method, or a body of another type.
	CodeMethodNotAllowed Code = "method_not_allowed"
	CodeMediaType        Code = "media_type"
	CodeStorage          Code = "storage" // the data folder cannot be written or read
	CodeInternal         Code = "internal"
)

// Error is an error with a code, a sentence, and what to do next.
type Error struct {
	Code    Code
	Message string // a sentence for a person: what went wrong, and where
	Hint    string // what to do next; may be empty
	Err     error  // the cause; never shown outside
}

// Error returns the sentence, with the cause where there is one.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an [Error] without a cause.
func Errorf(code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// CodeOf returns the code of err: CodeInternal for anything that is not an [Error].
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
