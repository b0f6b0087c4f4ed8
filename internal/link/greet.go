package link

import (
	"crypto/rand"
	"fmt"
	"time"

	"nod.dev/nod/internal/wire"
)

const (
	nonceBytes = 32 // of the challenge
	maxPhoneID = 64 // what a stranger can put into our log
)

// greet sends the challenge and takes the hello. It returns true once the handler
// has welcomed the phone; otherwise the connection is ending.
func (c *conn) greet() bool {
	nonce := make([]byte, nonceBytes)
	rand.Read(nonce) // never fails (crypto/rand)
	own := wire.OwnRange()
	challenge := wire.Encode64(nonce)
	c.Send(wire.Frame{Kind: wire.KindChallenge, Nonce: challenge, Key: wire.Encode64(c.link.cfg.Gateway), Range: &own})

	late := time.AfterFunc(HelloWithin, func() {
		c.stop(ending{code: CodeHelloLate, reason: "no hello came within " + HelloWithin.String()})
	})
	defer late.Stop()
	f, end := c.next()
	if end == nil && f.Kind != wire.KindHello {
		end = &ending{code: CodeMalformed, reason: "the first frame must be hello, not " + quote(f.Kind)}
	}
	if end != nil {
		c.stop(*end)
		return false
	}
	late.Stop()
	if c.stopped() { // it came, but after its time
		return false
	}
	if end := c.hello(f.Signed(), challenge); end != nil {
		c.stop(*end)
		return false
	}
	return true
}

// hello checks a hello and hands it to the handler.
func (c *conn) hello(s wire.Signed, challenge string) *ending {
	var claim wire.HelloBody
	if err := wire.Decode([]byte(s.Body), &claim); err != nil {
		return &ending{code: CodeMalformed, reason: "the hello's body cannot be read: " + err.Error()}
	}
	// The version comes first: of a hello from another version only the range is sure.
	if _, ok := Common(claim.Range); !ok {
		own := wire.OwnRange()
		return &ending{code: CodeVersion, reason: fmt.Sprintf("the phone speaks %s %d to %d, the gateway %s %d to %d",
			quote(claim.Range.Name), claim.Range.MinVersion, claim.Range.MaxVersion, own.Name, own.MinVersion, own.MaxVersion)}
	}
	if len(claim.Phone) > maxPhoneID {
		return &ending{code: CodeMalformed, reason: "the hello's phone is not a phone's id"}
	}
	c.phone = claim.Phone
	unknown := &ending{code: CodeUnauthorized, reason: "this phone is not paired with this gateway, or could not prove it"}
	key, err := c.link.cfg.Handler.Key(claim.Phone)
	if err != nil {
		c.log.Warn("hello of a phone that may not connect", "phone", claim.Phone, "err", err)
		return unknown
	}
	var h wire.HelloBody
	if err := s.OpenAs(wire.KindHello, key, &h); err != nil {
		c.log.Warn("hello not proven", "phone", claim.Phone, "err", err)
		return unknown
	}
	if h.Challenge != challenge {
		c.log.Warn("hello for another connection", "phone", h.Phone)
		return unknown
	}
	if err := c.link.cfg.Handler.Hello(c.link.ctx, c, h); err != nil {
		c.log.Warn("hello not accepted", "phone", h.Phone, "err", err)
		end := endingOf(err)
		return &end
	}
	c.log.Info("phone connected", "phone", h.Phone, "host", h.Host)
	return nil
}

// Common returns the newest protocol version that both this program and a side
// with the range r speak.
func Common(r wire.Range) (version int64, ok bool) {
	own := wire.OwnRange()
	low, high := max(own.MinVersion, r.MinVersion), min(own.MaxVersion, r.MaxVersion)
	return high, r.Name == own.Name && low <= high
}

// quote makes a word from outside safe and short enough for a reason.
func quote(word string) string {
	const most = 32
	if len(word) > most {
		word = word[:most]
	}
	return fmt.Sprintf("%q", word)
}
