package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// An iPhone runs a shortcut by an address, and the Shortcuts app opens another
// address when it has ended. That one lands in the browser, not in the
// installed app, whose key it has not. So the phone signs a result for each way
// it can end before it launches, and leaves them here; opening /cb/TOKEN/HOW is
// the word for which of them is true.

// callbackGateway is what a callback needs of a gateway.
type callbackGateway interface {
	CheckResult(phone nod.Phone, call nod.CallID, signed wire.Signed) (wire.ResultBody, error)
}

// The ways in which a shortcut can end, as its callback's address says them,
// and what the phone may have signed for each.
var callbackWays = map[string]wire.ResultStatus{
	"ok":     wire.ResultDone,
	"cancel": wire.ResultFailed,
	"error":  wire.ResultFailed,
}

const (
	callbackTTL       = 5 * time.Minute
	callbacksAPhone   = 8
	callbacksTogether = 1024
	// maxSigned bounds each result that is kept. One with the longest message has less.
	maxSigned = 8 << 10
)

// callbackWaiting is the state of a callback that was not opened.
const callbackWaiting = "waiting"

// callback is what a phone left before it ran a shortcut.
type callback struct {
	results map[string]wire.Signed // by way; none for a test from the Shortcuts page
	state   string                 // waiting, or the way that was opened
	taking  bool                   // its result is not in the ledger yet
}

// phoneCallback takes what a phone signed before a launch: POST /phone/callback.
func (s *Server) phoneCallback(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	var q struct {
		Call    nod.CallID             `json:"call"`
		Results map[string]wire.Signed `json:"results"`
	}
	err := decode(w, r, &q)
	if err == nil {
		err = s.checkCallback(phone, q.Call, q.Results)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	token, ok := s.callbacks.put(phone.ID, callback{results: q.Results, state: callbackWaiting})
	if !ok {
		s.fail(w, r, nod.Errorf(nod.CodeTooMany, "too many shortcuts run at this moment", "try again in a few minutes"))
		return
	}
	answer(w, http.StatusOK, map[string]string{"token": token})
}

// checkCallback wants a result for each way, each of them one that this phone
// may say of this call; or none at all, for a test.
func (s *Server) checkCallback(phone nod.Phone, call nod.CallID, results map[string]wire.Signed) error {
	if call == "" {
		if len(results) > 0 {
			return nod.Errorf(nod.CodeInvalid, "these results are of no call", "")
		}
		return nil
	}
	if len(results) != len(callbackWays) {
		return nod.Errorf(nod.CodeInvalid, "a callback needs a result for ok, cancel and error", "")
	}
	for way, status := range callbackWays {
		signed, ok := results[way]
		if !ok {
			return nod.Errorf(nod.CodeInvalid, "there is no result for "+way, "")
		}
		if len(signed.Body) > maxSigned {
			return nod.Errorf(nod.CodeTooLarge, "the result for "+way+" is too large", "")
		}
		body, err := s.gateway.CheckResult(phone, call, signed)
		if err != nil {
			return err
		}
		if body.Status != status || !body.Started && status == wire.ResultFailed {
			return nod.Errorf(nod.CodeInvalid, "the result for "+way+" does not say that", "")
		}
	}
	return nil
}

// phoneCallbackState says which way a shortcut ended: GET /phone/callback/{token}.
func (s *Server) phoneCallbackState(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	state := ""
	s.callbacks.use(r.PathValue("token"), func(left nod.PhoneID, c *callback) {
		switch {
		case left != phone.ID:
		case c.taking:
			state = callbackWaiting
		default:
			state = c.state
		}
	})
	if state == "" {
		s.fail(w, r, nod.Errorf(nod.CodeNotFound, "this callback is over, or was never here", ""))
		return
	}
	answer(w, http.StatusOK, map[string]string{"state": state})
}

// openCallback is what the Shortcuts app opens: GET /cb/{token}/{how}. It
// counts once. What the shortcut says beside it, errorMessage, is dropped: it
// is not signed.
func (s *Server) openCallback(w http.ResponseWriter, r *http.Request) {
	if !navigates(r) {
		s.plainPage(w, r, http.StatusForbidden, plainOver)
		return
	}
	token, how := r.PathValue("token"), r.PathValue("how")
	signed, took := wire.Signed{}, false
	err := s.guessing(r, func() error {
		if _, ok := callbackWays[how]; ok {
			s.callbacks.use(token, func(_ nod.PhoneID, c *callback) {
				if c.state == callbackWaiting {
					c.state, signed, took = how, c.results[how], true
					c.taking = signed.Body != ""
				}
			})
		}
		if !took {
			return nod.Errorf(nod.CodeNotFound, "there is no such callback", "")
		}
		return nil
	})
	if !took {
		if nod.CodeOf(err) == nod.CodeTooMany {
			s.fail(w, r, err)
			return
		}
		s.plainPage(w, r, http.StatusNotFound, plainOver)
		return
	}
	if signed.Body != "" {
		// The browser may leave at once; the result is taken all the same.
		err := s.gateway.Result(context.WithoutCancel(r.Context()), signed, "", "")
		s.callbacks.use(token, func(_ nod.PhoneID, c *callback) {
			if c.taking = false; err != nil {
				c.state = callbackWaiting // it can be opened again
			}
		})
		if err != nil {
			s.log.Warn("a shortcut's result was not taken", "err", err)
			s.plainPage(w, r, http.StatusServiceUnavailable, plainFailed)
			return
		}
	}
	s.plainPage(w, r, http.StatusOK, how)
}

// navigates reports whether a request is somebody opening an address, rather
// than something that looks at it beforehand: a HEAD, a prefetch, a picture or
// a script of another page. Browsers say so in headers that no page can set.
// What is left is a program that sends none of them and fetches an address
// because it saw it. It would have to see it first: the address goes from the
// app to Shortcuts on the same phone, is good for five minutes, and a result
// that came too early is one the phone signed for this call and no other.
func navigates(r *http.Request) bool {
	ahead := func(header string) bool { return r.Header.Get(header) != "" }
	if r.Method != http.MethodGet || slices.ContainsFunc([]string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"}, ahead) {
		return false
	}
	mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	return (mode == "" || mode == "navigate") && (dest == "" || dest == "document")
}
