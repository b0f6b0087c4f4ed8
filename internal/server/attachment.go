package server

import (
	"net/http"
	"strconv"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
)

// How many attachments can be fetched at one time: each is in memory while it is
// written, however slowly it is read.
const (
	fetchesAnAgent  = 8
	fetchesTogether = 64
)

var tooManyFetches = tooSoon{refusal: nod.Errorf(nod.CodeTooMany, "too many attachments are being fetched",
	"fetch at most "+strconv.Itoa(fetchesAnAgent)+" at a time"), after: time.Second}

// getAttachment answers the bytes of a picture that a phone sent for a call:
// GET /v1/calls/{id}/attachments/{n}, n from 0.
func (s *Server) getAttachment(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	n, ok := ordinal(r.PathValue("n"))
	leave, err := s.fetches.enter(string(agent.ID))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	var got gateway.Released
	if ok {
		got, err = s.gateway.ReleaseFile(r.Context(), agent.ID, nod.CallID(r.PathValue("id")), n)
	}
	switch {
	case err != nil:
	case got.Gone:
		err = nod.Errorf(nod.CodeNotFound, "what the phone sent for this call is not kept any longer",
			"it is there for ten minutes after it was first handed out; a new call asks the person again")
	case !ok || len(got.Blobs) == 0:
		err = nod.Errorf(nod.CodeNotFound, "there is no such attachment of this call", "its attachments are counted from 0")
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	file := got.Blobs[0]
	handFile(w, r, file.Mime, `attachment; filename="`+file.Name+`"`, file.Bytes) // the gateway's own name for it
}

// handFile answers a file that came from a phone: for its reader alone, and as
// what it is said to be, never as a page or a script of this origin.
func handFile(w http.ResponseWriter, r *http.Request, kind, disposition string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", disposition)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // a reader that went away is no news here
	}
}

// ordinal reads a place in a list as an address has it: digits, and no other way
// to write the same.
func ordinal(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}
