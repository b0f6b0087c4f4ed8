package push

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Status is what became of a message at the push service.
type Status string

// The statuses of a message.
const (
	// Accepted means that the push service took it. The phone may never get it.
	Accepted Status = "accepted"
	// Gone means that there is no such subscription any more.
	Gone Status = "gone"
	// Refused means that sending it again would be refused again.
	Refused Status = "refused"
	// Failed means that it may go better later.
	Failed Status = "failed"
)

// Receipt is what is known of a message after it was sent.
type Receipt struct {
	Status Status
	// Code is the HTTP status that the push service answered, 0 for none.
	Code int
	// Detail says in a sentence why it was not accepted.
	Detail string
	// RetryAfter is how long the push service wants to be left alone, 0 for not said.
	RetryAfter time.Duration
	// Took is how long it took.
	Took time.Duration
}

// receipt reads what a push service answered to a message to an address.
func receipt(code int, said []byte, address string) Receipt {
	r := Receipt{Code: code}
	switch {
	case code >= 200 && code < 300:
		r.Status = Accepted
		return r
	case code == http.StatusNotFound || code == http.StatusGone:
		r.Status, r.Detail = Gone, "the phone's subscription is over; it subscribes again when nod is opened there"
	case code >= 300 && code < 400:
		r.Status, r.Detail = Refused, "the push service points elsewhere, and nod follows no redirect"
	case code == http.StatusForbidden || code == http.StatusUnauthorized:
		r.Status, r.Detail = Refused, "the push service does not accept who this gateway says it is: check --push-subject and this machine's clock"
	case code == http.StatusRequestEntityTooLarge:
		r.Status, r.Detail = Refused, "the message is too large for the push service"
	case code == http.StatusTooManyRequests:
		r.Status, r.Detail = Failed, "the push service wants fewer messages"
	case code >= 500:
		r.Status, r.Detail = Failed, "the push service has trouble of its own"
	default:
		r.Status, r.Detail = Refused, "the push service did not take it"
	}
	r.Detail += fmt.Sprintf(" (%d%s)", code, reason(said, address))
	return r
}

// reason is what a push service says in its answer, as part of one line. Words
// that quote the address are left out: it is the phone's own.
func reason(said []byte, address string) string {
	if quotes(string(said), address) {
		return ""
	}
	var told struct{ Reason, Message, Error string } // Apple's, Mozilla's and others' words
	text := string(said)
	if json.Unmarshal(said, &told) == nil {
		text = strings.Join([]string{told.Reason, told.Message, told.Error}, " ")
	}
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if r := []rune(text); len(r) > 120 {
		text = string(r[:120]) + "..."
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

// quotes reports whether a text holds a part of an address that tells it from others.
func quotes(text, address string) bool {
	const short, enough = 8, 12 // "push" and "send" tell nothing, and the begin of a long part does
	text = strings.ToLower(text)
	return slices.ContainsFunc(strings.FieldsFunc(afterHost(address), func(r rune) bool { return strings.ContainsRune("/?&=#", r) }), func(part string) bool {
		plain, err := url.PathUnescape(part)
		if err != nil {
			plain = part
		}
		for _, p := range []string{strings.ToLower(part), strings.ToLower(plain)} {
			if len(p) >= short && strings.Contains(text, p[:min(len(p), enough)]) {
				return true
			}
		}
		return false
	})
}

// afterHost is an address without its scheme and host.
func afterHost(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return rest
}
