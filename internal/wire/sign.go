package wire

import (
	"nod.dev/nod"
)

// Signed is a body with a signature over it. Body is the signed bytes
// themselves, carried as a string, so that nobody ever has to write them again
// to check the signature.
type Signed struct {
	Kind string `json:"kind"`
	Body string `json:"body"` // canonical JSON
	Sig  string `json:"sig"`  // base64url; P-256: raw r and s, 64 bytes
}

// Signer signs messages with a key of its own.
type Signer interface {
	Sign(message []byte) ([]byte, error)
	// Public returns the public key in the form that [ParsePublic] reads.
	Public() []byte
}

// PublicKey checks what the [Signer] of the same key signed.
type PublicKey interface {
	Verify(message, sig []byte) bool
	// Bytes returns the key as it stands on the wire: SEC 1 uncompressed, 65 bytes, for P-256.
	Bytes() []byte
}

// Sign writes body canonically and signs it as a kind.
func Sign(s Signer, kind string, body any) (Signed, error) {
	b, err := Canonical(body)
	if err != nil {
		return Signed{}, err
	}
	return SignBytes(s, kind, b)
}

// SignBytes signs a body whose bytes exist already and must stay as they are:
// an offer is written once and never again.
func SignBytes(s Signer, kind string, body []byte) (Signed, error) {
	message, err := message(kind, string(body))
	if err != nil {
		return Signed{}, err
	}
	sig, err := s.Sign(message)
	if err != nil {
		return Signed{}, &nod.Error{Code: nod.CodeInternal, Message: "a " + kind + " cannot be signed", Err: err}
	}
	return Signed{Kind: kind, Body: string(body), Sig: Encode64(sig)}, nil
}

// message is what is signed: the protocol and the kind on a line of their own,
// then the body. A signature for one kind is no signature for another.
func message(kind, body string) ([]byte, error) {
	if !validKind(kind) {
		return nil, nod.Errorf(nod.CodeInvalid, "a signed thing needs a kind of small letters and underscores", "")
	}
	b := make([]byte, 0, len("nod/1 \n")+len(kind)+len(body))
	b = append(b, "nod/1 "...)
	b = append(b, kind...)
	b = append(b, '\n')
	return append(b, body...), nil
}

// validKind keeps a kind on its line: one that could hold a line break could
// move bytes from the body into it.
func validKind(kind string) bool {
	for i := range len(kind) {
		if c := kind[i]; c != '_' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return kind != "" && len(kind) <= 64
}

// Verify checks the signature. The caller says whose key it must be.
func (s Signed) Verify(pub PublicKey) error {
	message, err := message(s.Kind, s.Body)
	if err != nil {
		return err
	}
	sig, err := Decode64(s.Sig)
	if err != nil || !pub.Verify(message, sig) {
		return nod.Errorf(nod.CodeUnauthorized, "the signature of this "+s.Kind+" does not fit its bytes and the key", "")
	}
	return nil
}

// Open verifies the signature, requires that the body is canonical, and fills v
// from it. It takes the kind that s names: use [Signed.OpenAs] unless that was
// checked before.
func (s Signed) Open(pub PublicKey, v any) error {
	if err := s.Verify(pub); err != nil {
		return err
	}
	tree, err := ParseCanonical([]byte(s.Body))
	if err != nil {
		return err
	}
	return Fill(tree, v)
}

// OpenAs is [Signed.Open] for a thing that must be of the given kind.
func (s Signed) OpenAs(kind string, pub PublicKey, v any) error {
	if s.Kind != kind {
		return nod.Errorf(nod.CodeInvalid, "this must be a "+kind, "")
	}
	return s.Open(pub, v)
}
