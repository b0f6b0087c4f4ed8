package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// PairingTTL is how long a pairing link is good for.
const PairingTTL = 15 * time.Minute

// Sizes and limits of the pairing exchange.
const (
	secretBytes = 16
	nonceBytes  = 16
	keyBytes    = 65 // SEC 1 uncompressed P-256
)

// PairRequest is what a phone sends to POST /pair. ID names the pairing without
// giving the secret away; MAC proves that the phone knows it.
type PairRequest struct {
	ID    string   `json:"id"`
	Key   string   `json:"key"` // base64url, the phone's new public key, 65 bytes
	Name  string   `json:"name"`
	Host  nod.Host `json:"host"`
	Nonce string   `json:"nonce"` // base64url, 16 bytes
	MAC   string   `json:"mac"`   // base64url, 32 bytes
}

// PairReply is the gateway's answer. MAC proves that the gateway knows the
// secret too, and covers everything both sides said but PersonName, which is
// only for show.
type PairReply struct {
	Phone      nod.PhoneID  `json:"phone"`
	Person     nod.PersonID `json:"person"`
	PersonName string       `json:"person_name"`
	GatewayKey string       `json:"gateway_key"` // base64url, 65 bytes; the phone pins it
	// First is true when the phone approves itself: the person's first phone,
	// or one paired with --recover. Another phone must approve any other.
	First bool   `json:"first"`
	MAC   string `json:"mac"`
}

// RecordRequest is what a phone that approves itself sends to POST /pair/record:
// its own phone record, kind "phone".
type RecordRequest struct {
	ID     string      `json:"id"`
	Record wire.Signed `json:"record"`
}

// PairState says where a pairing stands, for a phone that waits at GET /pair/wait.
type PairState string

// The states of a pairing, as a waiting phone sees them.
const (
	PairWaiting  PairState = "waiting"  // ask again
	PairApproved PairState = "approved" // the phone may say hello
	PairRejected PairState = "rejected" // a person said no on another phone
	PairExpired  PairState = "expired"  // the link's time is over
)

// PairWait is the answer of GET /pair/wait.
type PairWait struct {
	State PairState `json:"state"`
}

// Waiting is a phone that waits for another one's yes, as the approving phone
// lists it. The person compares Digits on both screens.
type Waiting struct {
	ID     string   `json:"id"`
	Phone  string   `json:"phone"`
	Name   string   `json:"name"`
	Host   nod.Host `json:"host"`
	Key    string   `json:"key"`
	Digits string   `json:"digits"`
	// LeftMS is how long it waits still: nobody says when that is over.
	LeftMS int64 `json:"left_ms"`
}

// NewSecret makes the one-time secret of a pairing.
func NewSecret() []byte {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails (crypto/rand)
	return secret
}

// NewPairRequest makes a phone's request: its new public key, the name the
// person gave it, and a fresh nonce, under the secret's MAC.
func NewPairRequest(secret, key []byte, name string, host nod.Host) (PairRequest, error) {
	nonce := make([]byte, nonceBytes)
	rand.Read(nonce) // never fails (crypto/rand)
	q := PairRequest{ID: PairID(secret), Key: wire.Encode64(key), Name: name, Host: host, Nonce: wire.Encode64(nonce)}
	message, err := q.transcript()
	if err != nil {
		return PairRequest{}, err
	}
	q.MAC = wire.Encode64(sign(secret, message))
	return q, q.Valid()
}

// Valid reports what is wrong with the request's shape, before any secret is
// looked up.
func (q PairRequest) Valid() error {
	switch {
	case !is64(q.ID, 16):
		return invalidPair("id is not the base64url form of 16 bytes")
	case !is64(q.Nonce, nonceBytes):
		return invalidPair("nonce is not the base64url form of 16 bytes")
	case !is64(q.MAC, sha256.Size):
		return invalidPair("mac is not the base64url form of 32 bytes")
	case !knownHost(q.Host):
		return invalidPair("host is not one of web, sim, termux, adb, android")
	}
	if err := ValidName(q.Name); err != nil {
		return err
	}
	key, err := wire.Decode64(q.Key)
	if err != nil || len(key) != keyBytes {
		return invalidPair("key is not the base64url form of 65 bytes")
	}
	if _, err := wire.ParsePublic(key); err != nil {
		return invalidPair("key is not a public key on P-256")
	}
	return nil
}

// Check is the gateway's check of a request under the secret of the pairing that
// the request names.
func (q PairRequest) Check(secret []byte) error {
	if err := q.Valid(); err != nil {
		return err
	}
	message, err := q.transcript()
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(q.ID), []byte(PairID(secret))) || !verify(secret, message, q.MAC) {
		return nod.Errorf(nod.CodeForbidden, "the pairing proof does not match its link",
			"open the link again, or make a new one with \"nod pair\"")
	}
	return nil
}

// NewPairReply answers a checked request. The reply's First and GatewayKey are
// the gateway's to decide; the MAC is made here.
func NewPairReply(secret []byte, q PairRequest, r PairReply) (PairReply, error) {
	message, err := r.transcript(q)
	if err != nil {
		return PairReply{}, err
	}
	r.MAC = wire.Encode64(sign(secret, message))
	return r, nil
}

// Check is the phone's check of the reply to its request q. It must pass before
// the phone pins the gateway's key or signs anything.
func (r PairReply) Check(secret []byte, q PairRequest) error {
	message, err := r.transcript(q)
	if err != nil {
		return err
	}
	key, err := wire.Decode64(r.GatewayKey)
	if err == nil {
		_, err = wire.ParsePublic(key)
	}
	if err != nil || r.Phone == "" || r.Person == "" || !verify(secret, message, r.MAC) {
		return nod.Errorf(nod.CodeForbidden, "this gateway could not prove that it made the pairing link",
			"somebody may be between this phone and the gateway; make a new link with \"nod pair\" and try on another network")
	}
	return nil
}

// CheckRecord checks the phone record that makes a paired phone count: that
// signer's key signed it, and that it says exactly what was paired. For a phone
// that approves itself the signer is its own key.
func CheckRecord(record wire.Signed, want wire.PhoneBody, signer wire.PublicKey) error {
	const hint = "pair this phone again with \"nod pair\""
	var got wire.PhoneBody
	if err := record.OpenAs(wire.RecordPhone, signer, &got); err != nil {
		return &nod.Error{Code: nod.CodeForbidden, Message: "the phone record is not signed by the phone that approves", Hint: hint, Err: err}
	}
	if got != want {
		return nod.Errorf(nod.CodeForbidden, "the phone record does not say what was paired", hint)
	}
	return nil
}
