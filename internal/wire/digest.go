package wire

import (
	"crypto/sha256"
	"encoding/base64"

	"nod.dev/nod"
)

// Digest is SHA-256.
func Digest(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}

// Encode64 writes b as base64url without padding, the form of every byte string on the wire.
func Encode64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Decode64 reads base64url without padding. It takes no other form of the same
// bytes: no padding, no line breaks, no stray bits in the last character.
func Decode64(s string) ([]byte, error) {
	for i := range len(s) {
		if s[i] == '\r' || s[i] == '\n' { // the standard decoder skips them
			return nil, errBase64
		}
	}
	b, err := strict64.DecodeString(s)
	if err != nil {
		return nil, errBase64
	}
	return b, nil
}

var (
	strict64  = base64.RawURLEncoding.Strict()
	errBase64 = nod.Errorf(nod.CodeInvalid, "the text is not base64url without padding", "")
)

// act is what two calls share when they ask for the same thing.
type act struct {
	Person nod.PersonID `json:"person"`
	Agent  nod.AgentID  `json:"agent"`
	Phone  nod.PhoneID  `json:"phone"`
	Tool   string       `json:"tool"`
	Action string       `json:"action"`
	Fields nod.Fields   `json:"fields"`
}

// ActDigest is the digest by which repeats are told: over who asks whom for
// what, without the summary and anything that is new with every call.
func ActDigest(person nod.PersonID, agent nod.AgentID, phone nod.PhoneID, tool, action string, fields nod.Fields) ([]byte, error) {
	b, err := Canonical(act{person, agent, phone, tool, action, fields})
	if err != nil {
		return nil, err
	}
	return Digest(b), nil
}
