package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"math/big"

	"nod.dev/nod"
)

// sizes of P-256 on the wire: WebCrypto's "raw" public key and its signature.
const (
	publicSize    = 65
	signatureSize = 64
)

// Key is a P-256 private key. Its signatures are what WebCrypto makes and
// checks: ECDSA over SHA-256, r and s as 32 bytes each.
type Key struct {
	private *ecdsa.PrivateKey
	public  []byte
}

// GenerateKey makes a fresh key.
func GenerateKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("wire: make a key: %w", err)
	}
	return newKey(private)
}

// ParseKey reads a key that [Key.Marshal] wrote: PKCS #8, DER.
func ParseKey(der []byte) (*Key, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, &nod.Error{Code: nod.CodeInvalid, Message: "the key is not PKCS #8", Err: err}
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, nod.Errorf(nod.CodeInvalid, "the key is not a P-256 key", "")
	}
	return newKey(private)
}

func newKey(private *ecdsa.PrivateKey) (*Key, error) {
	public, err := private.PublicKey.Bytes()
	if err != nil {
		return nil, fmt.Errorf("wire: public key: %w", err)
	}
	return &Key{private, public}, nil
}

// Marshal writes the key as PKCS #8, DER.
func (k *Key) Marshal() ([]byte, error) { return x509.MarshalPKCS8PrivateKey(k.private) }

// Public returns the public key, 65 bytes.
func (k *Key) Public() []byte { return append([]byte(nil), k.public...) }

// Sign signs message.
func (k *Key) Sign(message []byte) ([]byte, error) {
	r, s, err := ecdsa.Sign(rand.Reader, k.private, Digest(message))
	if err != nil {
		return nil, err
	}
	sig := make([]byte, signatureSize)
	r.FillBytes(sig[:signatureSize/2])
	s.FillBytes(sig[signatureSize/2:])
	return sig, nil
}

// ParsePublic reads a public key: SEC 1 uncompressed, a point of P-256.
func ParsePublic(b []byte) (PublicKey, error) {
	if len(b) != publicSize {
		return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("a public key is 65 bytes, not %d", len(b)), "")
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), b)
	if err != nil {
		return nil, &nod.Error{Code: nod.CodeInvalid, Message: "the public key is not a point of P-256", Err: err}
	}
	return &public{key, append([]byte(nil), b...)}, nil
}

type public struct {
	key   *ecdsa.PublicKey
	bytes []byte
}

func (p *public) Verify(message, sig []byte) bool {
	if len(sig) != signatureSize {
		return false
	}
	r := new(big.Int).SetBytes(sig[:signatureSize/2])
	s := new(big.Int).SetBytes(sig[signatureSize/2:])
	return ecdsa.Verify(p.key, Digest(message), r, s)
}

func (p *public) Bytes() []byte { return append([]byte(nil), p.bytes...) }
