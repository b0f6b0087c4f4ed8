package server

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// consoleVerify checks a person's whole log: GET /console/verify.
func (s *Server) consoleVerify(w http.ResponseWriter, r *http.Request, person nod.Person) {
	report, err := s.verify(r.Context(), person.ID)
	s.reply(w, r, report, err)
}

// verify checks that the entries are those the gateway signed for, and that
// every decision and result in them is signed by a phone of the person's, over
// what was offered.
func (s *Server) verify(ctx context.Context, person nod.PersonID) (client.Verified, error) {
	head, ok := s.gateway.Head(person)
	if !ok {
		return client.Verified{OK: true}, nil
	}
	key, err := wire.ParsePublic(s.gateway.PublicKey())
	if err != nil {
		return client.Verified{}, err
	}
	signatures := newSignatures(s.gateway.PhoneKeys(person))
	report, err := log.Verify(signatures.watch(s.entries(ctx, person, headOf(head).Size)), log.Evidence{Head: head, Gateway: key})
	if err != nil {
		return client.Verified{}, err
	}
	v := client.Verified{Entries: report.Size, Root: report.Root, Erased: report.Erased, Signatures: signatures.checked}
	for _, f := range report.Findings {
		v.Problems = append(v.Problems, f.String())
	}
	v.Problems = append(v.Problems, signatures.problems...)
	v.OK = len(v.Problems) == 0
	return v, nil
}

// entries reads a log up to size, a page at a time. What was appended since the
// head was taken is left for the next check.
func (s *Server) entries(ctx context.Context, person nod.PersonID, size int64) iter.Seq2[log.Entry, error] {
	return func(yield func(log.Entry, error) bool) {
		for from := int64(1); from <= size; {
			page, err := s.gateway.Log(ctx, person, from, maxLogPage)
			if err != nil {
				yield(log.Entry{}, err)
				return
			}
			if len(page) == 0 {
				return
			}
			for _, e := range page {
				if e.Seq > size || !yield(e, nil) {
					return
				}
				from = e.Seq + 1
			}
		}
	}
}

// signatures checks what phones signed, as it comes by.
type signatures struct {
	keys     map[nod.PhoneID]wire.PublicKey
	offers   map[nod.CallID][]byte // digests of what was offered
	checked  int64
	problems []string
}

func newSignatures(keys map[nod.PhoneID][]byte) *signatures {
	s := &signatures{keys: map[nod.PhoneID]wire.PublicKey{}, offers: map[nod.CallID][]byte{}}
	for phone, b := range keys {
		if key, err := wire.ParsePublic(b); err == nil {
			s.keys[phone] = key
		}
	}
	return s
}

// watch passes entries on and checks the signed things in their payloads.
func (s *signatures) watch(entries iter.Seq2[log.Entry, error]) iter.Seq2[log.Entry, error] {
	return func(yield func(log.Entry, error) bool) {
		for e, err := range entries {
			if err == nil && len(e.Payload) > 0 {
				s.check(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// carried is what a payload may carry of a call.
type carried struct {
	Offer    string `json:"offer"`
	Decision string `json:"decision"`
	Result   string `json:"result"`
}

func (s *signatures) check(e log.Entry) {
	var c carried
	if e.Call == "" || wire.Decode(e.Payload, &c) != nil {
		return // other kinds carry other things; that they are what was logged, the tree proves
	}
	if c.Offer != "" {
		s.offers[e.Call] = wire.Digest([]byte(c.Offer))
	}
	if c.Decision != "" {
		var d wire.DecisionBody
		s.signed(e, "decision", c.Decision, &d, func() (nod.PhoneID, nod.CallID, string) { return d.Phone, d.Call, d.Digest })
	}
	if c.Result != "" {
		var r wire.ResultBody
		s.signed(e, "result", c.Result, &r, func() (nod.PhoneID, nod.CallID, string) { return r.Phone, r.Call, r.Digest })
	}
}

// signed checks one signed thing: who signed it, and over which call and offer.
func (s *signatures) signed(e log.Entry, kind, text string, body any, says func() (nod.PhoneID, nod.CallID, string)) {
	s.checked++
	problem := func(format string, args ...any) {
		s.problems = append(s.problems, fmt.Sprintf("entry %d: %s: ", e.Seq, kind)+fmt.Sprintf(format, args...))
	}
	var signed wire.Signed
	if err := wire.Decode([]byte(text), &signed); err != nil {
		problem("it cannot be read: %v", err)
		return
	}
	if err := wire.Decode([]byte(signed.Body), body); err != nil {
		problem("its body cannot be read: %v", err)
		return
	}
	phone, call, digest := says()
	key, ok := s.keys[phone]
	if !ok {
		problem("phone %s was never paired", phone)
		return
	}
	if err := signed.OpenAs(kind, key, body); err != nil {
		problem("it is not signed by phone %s: %v", phone, err)
		return
	}
	over, err := wire.Decode64(digest)
	switch offer, known := s.offers[e.Call]; {
	case call != e.Call:
		problem("it is about another call, %s", call)
	case err != nil || known && !bytes.Equal(offer, over):
		problem("it is not over what was offered")
	}
}

// headOf reads what a signed head says; the zero head when it cannot be read,
// which the check then reports.
func headOf(signed wire.Signed) wire.Head {
	var h wire.Head
	_ = wire.Decode([]byte(signed.Body), &h)
	return h
}
