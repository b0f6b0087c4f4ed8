package simulation

import (
	"crypto/hmac"
	"crypto/sha256"

	"nod.dev/nod/internal/wire"
)

// hashKey signs with a keyed hash: as hard to forge within the simulation as a
// real signature and a hundred times cheaper. The real ones have tests of their
// own, and TestSimulationWithRealKeys plays with them.
type hashKey struct {
	secret []byte
	public []byte // stands for the key on the wire
}

var (
	_ wire.Signer    = hashKey{}
	_ wire.PublicKey = hashKey{}
)

// Sign makes a tag of 64 bytes, the length of a real signature.
func (k hashKey) Sign(message []byte) ([]byte, error) {
	h := hmac.New(sha256.New, k.secret)
	h.Write(message)
	tag := h.Sum(make([]byte, 0, 64))
	return append(tag, tag...), nil
}

// Public returns the bytes that stand for the key.
func (k hashKey) Public() []byte { return k.public }

// Bytes returns the same.
func (k hashKey) Bytes() []byte { return k.public }

// Verify makes the tag again.
func (k hashKey) Verify(message, sig []byte) bool {
	tag, _ := k.Sign(message)
	return hmac.Equal(tag, sig)
}

// keyPair is a signer and its public half, hashed or real.
type keyPair struct {
	wire.Signer
	public wire.PublicKey
}

// newKey makes a key. Even a hashed one needs the bytes of a real public key,
// since the gateway's ledger holds no others.
func newKey(real bool, seed byte) keyPair {
	p256, err := wire.GenerateKey()
	if err != nil {
		panic(err) // no random bytes: nothing can be simulated
	}
	if real {
		public, err := wire.ParsePublic(p256.Public())
		if err != nil {
			panic(err)
		}
		return keyPair{p256, public}
	}
	k := hashKey{secret: []byte{'k', seed}, public: p256.Public()}
	return keyPair{k, k}
}
