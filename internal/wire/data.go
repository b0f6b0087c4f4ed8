package wire

import (
	"crypto/sha256"
	"crypto/subtle"

	"nod.dev/nod"
)

// DataOf names a text under a salt of [SaltSize] bytes. Without the salt, a text
// that is easy to guess could be told from its hash.
func DataOf(salt []byte, text string) Data {
	return Data{Hash: Encode64(saltedHash(salt, text)), Bytes: int64(len(text))}
}

// Check reports what is wrong with a text that came for d, with its salt as it
// stands in the frame.
func (d Data) Check(text, salt string) error {
	raw, err := Decode64(salt)
	if err != nil || len(raw) != SaltSize {
		return nod.Errorf(nod.CodeInvalid, "the salt of a result's text is not 16 bytes as base64url", "")
	}
	if len(text) > MaxText || int64(len(text)) != d.Bytes {
		return nod.Errorf(nod.CodeInvalid, "a result's text has not the length that was signed, or is too long", "")
	}
	hash, err := Decode64(d.Hash)
	if err != nil || subtle.ConstantTimeCompare(hash, saltedHash(raw, text)) != 1 {
		return nod.Errorf(nod.CodeInvalid, "a result's text is not the one that was signed", "")
	}
	return nil
}

func saltedHash(salt []byte, text string) []byte {
	h := sha256.New()
	h.Write(salt)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// Check reports what is wrong with the bytes that came for b.
func (b Blob) Check(data []byte) error {
	hash, err := Decode64(b.Hash)
	if err != nil || int64(len(data)) != b.Bytes || len(data) > MaxBlob || subtle.ConstantTimeCompare(hash, Digest(data)) != 1 {
		return nod.Errorf(nod.CodeInvalid, "a result's file is not the one that was signed", "")
	}
	return nil
}
