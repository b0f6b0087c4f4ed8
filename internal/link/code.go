package link

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/coder/websocket"

	"nod.dev/nod"
)

// Close codes of the link. Each tells the phone what to do next, as
// spec/protocol.md says under "Close codes"; the reason beside it is a sentence
// for its log.
const (
	CodeBye          websocket.StatusCode = 1000 // said goodbye, or nothing left to do
	CodeStopping     websocket.StatusCode = 1001 // the gateway stops; connect again
	CodeInternal     websocket.StatusCode = 1011 // nod's own fault; connect again
	CodeMalformed    websocket.StatusCode = 4000 // a frame that is not nod/1
	CodeUnauthorized websocket.StatusCode = 4001 // not a phone of this gateway, or it could not prove it
	CodeVersion      websocket.StatusCode = 4002 // no protocol version in common
	CodeHelloLate    websocket.StatusCode = 4003 // no hello within 10 s
	CodeSilent       websocket.StatusCode = 4004 // no beat answered for 25 s
	CodeSlow         websocket.StatusCode = 4005 // 64 frames wait; most often seen as 1006, since nothing can be written
	CodeReplaced     websocket.StatusCode = 4006 // a newer connection of the same phone
	CodeRevoked      websocket.StatusCode = 4007 // the phone was removed
	CodeFlood        websocket.StatusCode = 4008 // too many frames
)

// Reasons that [Conn.Close] knows by name. Any other ends the connection with
// [CodeBye] and the reason as it stands.
const (
	Replaced = "replaced"
	Revoked  = "revoked"
	Stopping = "stopping"
)

// ending is how a connection ends. The zero code never goes out: now says that
// there is nobody to tell.
type ending struct {
	code   websocket.StatusCode
	reason string
	now    bool // without the queued frames and the closing handshake
}

// endingFor turns a reason of [Conn.Close] into its code and sentence.
func endingFor(reason string) ending {
	switch reason {
	case Replaced:
		return ending{code: CodeReplaced, reason: "this phone has opened a newer connection"}
	case Revoked:
		return ending{code: CodeRevoked, reason: "this phone was removed from nod"}
	case Stopping:
		return ending{code: CodeStopping, reason: "the gateway is stopping; connect again"}
	}
	return ending{code: CodeBye, reason: reason}
}

// endingOf turns an error of [Handler.Hello] into a code. The cause inside is for
// our log, not for the phone.
func endingOf(err error) ending {
	e := ending{code: CodeInternal, reason: "nod could not open the link; connect again later"}
	switch nod.CodeOf(err) {
	case nod.CodeUnauthorized, nod.CodeForbidden, nod.CodeNotFound:
		e.code = CodeUnauthorized
	case nod.CodeInvalid, nod.CodeTooLarge:
		e.code = CodeMalformed
	}
	var told *nod.Error
	if errors.As(err, &told) {
		e.reason = told.Message
	}
	return e
}

// maxReason is what a WebSocket close frame has room for.
const maxReason = 123

// cut shortens a reason to what a close frame takes, without splitting a letter:
// a browser that gets half of one drops the code with it.
func cut(reason string) string {
	reason = strings.ToValidUTF8(reason, "\uFFFD")
	if len(reason) <= maxReason {
		return reason
	}
	end := maxReason - len("…")
	for end > 0 && !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end] + "…"
}
