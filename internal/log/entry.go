// Package log is the append-only, provable record of all that happened to a
// person's calls.
//
// Each line is an [Entry]. What the world may see of it is its leaf: canonical
// JSON without the payload. The leaves are the leaves of a Merkle tree (RFC
// 6962, by golang.org/x/mod/sumdb/tlog), and the gateway signs the tree's size
// and root as a head. From a head anyone can prove that an entry is in the log
// and that a newer head extends an older one, in a few dozen hashes.
//
// What each part defends against:
//
//   - An edit by someone without the gateway's key changes a root that they
//     cannot sign. [Verify] finds it and says which entry it is.
//   - A rewrite, truncation or rollback by someone with the key gives a root
//     that does not extend what a phone saw. Every phone keeps the newest head
//     it saw and asks for proof ([CheckConsistency]); those heads are the
//     witnesses of [Verify].
//   - A payload holds what is private: fields, messages, the signed offer. The
//     leaf holds only SHA-256(salt || payload), so [Erase] can remove payload
//     and salt for good, and every proof still holds.
//
// The package does no I/O. Whoever keeps the log brings entries as an iterator
// and stored hashes as a tlog.HashReader.
package log

import (
	"bytes"
	"crypto/sha256"
	"io"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// SaltSize is the size of a salt in bytes. It is fixed, so that salt and
// payload cannot trade bytes under the same hash.
const SaltSize = 32

// Entry is one line of a person's log.
type Entry struct {
	Person nod.PersonID
	// Seq counts from 1 without a gap: a head of size n covers 1 to n.
	Seq   int64
	At    nod.Time
	Kind  string
	Call  nod.CallID
	Agent nod.AgentID
	Phone nod.PhoneID
	// Facts are small and public for ever: an outcome, a rule, a reason.
	Facts map[string]string
	// Salt and Payload are private and can be erased; nil when they were, or
	// when there never was a payload.
	Salt    []byte
	Payload []byte
	// PayloadHash is SHA-256(Salt || Payload); nil without a payload.
	PayloadHash []byte
}

// leaf is what the tree holds of an entry.
type leaf struct {
	Person      nod.PersonID      `json:"person"`
	Seq         int64             `json:"seq"`
	At          nod.Time          `json:"at"`
	Kind        string            `json:"kind"`
	Call        nod.CallID        `json:"call,omitempty"`
	Agent       nod.AgentID       `json:"agent,omitempty"`
	Phone       nod.PhoneID       `json:"phone,omitempty"`
	Facts       map[string]string `json:"facts,omitempty"`
	PayloadHash []byte            `json:"payload_hash,omitempty"`
}

func (e *Entry) encode() ([]byte, error) {
	return wire.Canonical(leaf{e.Person, e.Seq, e.At, e.Kind, e.Call, e.Agent, e.Phone, e.Facts, e.PayloadHash})
}

// Leaf returns the entry's public part as canonical JSON, over which the leaf
// hash of RFC 6962 is made: an object with person, seq, at (milliseconds) and
// kind, and with call, agent, phone, facts (an object of strings) and
// payload_hash (base64url) where the entry has them. It is nil for an entry that has none, because a string in it is not
// UTF-8 or a number is out of range; [Seal] refuses such an entry.
func (e Entry) Leaf() []byte {
	b, err := e.encode()
	if err != nil {
		return nil
	}
	return b
}

// Seal makes an entry ready for the log, before it is appended. With a payload
// it draws a salt from random, unless one is there, and sets PayloadHash;
// without one it clears both. It refuses an entry that has no leaf.
func Seal(e *Entry, random io.Reader) error {
	e.PayloadHash = nil
	if len(e.Payload) == 0 {
		e.Salt, e.Payload = nil, nil
	} else {
		if len(e.Salt) != SaltSize {
			if random == nil {
				return nod.Errorf(nod.CodeInternal, "a log entry with a payload was sealed without a source of salt", "")
			}
			e.Salt = make([]byte, SaltSize)
			if _, err := io.ReadFull(random, e.Salt); err != nil {
				return &nod.Error{Code: nod.CodeInternal, Message: "no random bytes for the salt of a log entry", Err: err}
			}
		}
		e.PayloadHash = payloadHash(e.Salt, e.Payload)
	}
	_, err := e.encode()
	return err
}

// Erase removes what is private from an entry for good. The salt goes too: with
// it, a payload could be guessed and checked against the hash.
func Erase(e *Entry) { e.Salt, e.Payload = nil, nil }

// Erased reports whether the entry had a payload that was erased.
func (e Entry) Erased() bool {
	return len(e.PayloadHash) > 0 && len(e.Payload) == 0 && len(e.Salt) == 0
}

func payloadHash(salt, payload []byte) []byte {
	h := sha256.New()
	h.Write(salt)
	h.Write(payload)
	return h.Sum(nil)
}

// payloadProblem says what is wrong with the private part; "" when nothing is.
func (e *Entry) payloadProblem() string {
	switch {
	case len(e.Payload) == 0 && len(e.Salt) == 0:
		return ""
	case len(e.Payload) == 0:
		return "its payload is gone and the salt was kept"
	case len(e.PayloadHash) == 0:
		return "it has a payload and no hash of one"
	case len(e.Salt) != SaltSize || !bytes.Equal(payloadHash(e.Salt, e.Payload), e.PayloadHash):
		return "its payload does not match its hash"
	}
	return ""
}
