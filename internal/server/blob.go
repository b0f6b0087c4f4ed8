package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/wire"
)

// How many blobs can be on their way in at one time: each is in memory until it
// is on the disk, however slowly it comes.
const (
	uploadsAPhone   = 4
	uploadsTogether = 64
)

var tooManyUploads = tooSoon{refusal: nod.Errorf(nod.CodeTooMany, "too many files are being sent",
	"send at most "+strconv.Itoa(uploadsAPhone)+" at a time"), after: time.Second}

// putBlob takes a file that belongs to a result which is still to come:
// PUT /link/blob/{call}/{n}. The token was in the call's go; without it nothing
// of the body is read.
func (s *Server) putBlob(w http.ResponseWriter, r *http.Request) {
	if err := s.takeBlob(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) takeBlob(w http.ResponseWriter, r *http.Request) error {
	id := nod.CallID(r.PathValue("call"))
	var token string
	var phone nod.PhoneID
	err := s.guessing(r, func() (err error) {
		if token, err = auth.Bearer(r); err == nil {
			phone, err = s.gateway.Uploader(id, token)
		}
		return err
	})
	if err != nil {
		return err
	}
	n, ok := ordinal(r.PathValue("n"))
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch {
	case !ok:
		return nod.Errorf(nod.CodeInvalid, "the last part of the address is not which file this is", "count them from 0")
	case r.ContentLength > wire.MaxBlob:
		return nod.Errorf(nod.CodeTooLarge, fmt.Sprintf("the file has %d bytes; at most %d are taken", r.ContentLength, wire.MaxBlob), "make the picture smaller")
	}
	leave, err := s.uploads.enter(string(phone))
	if err != nil {
		return err
	}
	defer leave()
	defer keep(r)()
	data, err := upTo(wire.MaxBlob, w, r)
	if err != nil {
		return err
	}
	return s.gateway.Upload(r.Context(), id, n, token, strings.TrimSpace(media), data)
}
