package server

import (
	"net/http"
	"time"

	"nod.dev/nod"
)

// Headers by which an agent's set-up, and never the model, says more about its calls.
const (
	phoneHeader = "Nod-Phone"
	modeHeader  = "Nod-Mode"
)

// setUp is what the headers say of a call. The zero value is nothing.
type setUp struct {
	phone string   // an id or a name; the gateway refuses one that is not there, in words
	mode  nod.Mode // the gateway refuses a word that is none, in words
	wait  time.Duration
}

// readSetUp reads the headers, for every door alike. What can mean nothing is
// refused: a set-up that is wrong must not pass for one that is in force.
func readSetUp(h http.Header) (setUp, error) {
	phone, err := one(h, phoneHeader)
	if err != nil {
		return setUp{}, err
	}
	mode, err := one(h, modeHeader)
	if err != nil {
		return setUp{}, err
	}
	wait, err := headerWait(h)
	return setUp{phone: phone, mode: nod.Mode(mode), wait: wait}, err
}

// one is a header that may be there once.
func one(h http.Header, name string) (string, error) {
	if len(h.Values(name)) > 1 {
		return "", nod.Errorf(nod.CodeInvalid, "the header "+name+" is there twice", "send it once")
	}
	return h.Get(name), nil
}
