package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"math/big"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// The first line of each thing that is hashed or authenticated keeps one from
// being taken for another.
const (
	idLabel      = "nod/1 pair id\n"
	phoneLabel   = "nod/1 pair phone\n"
	gatewayLabel = "nod/1 pair gateway\n"
)

// phoneTranscript is what a phone's MAC covers.
type phoneTranscript struct {
	ID    string   `json:"id"`
	Key   string   `json:"key"`
	Name  string   `json:"name"`
	Host  nod.Host `json:"host"`
	Nonce string   `json:"nonce"`
}

// gatewayTranscript is what the gateway's MAC covers: the phone's transcript and
// the gateway's part.
type gatewayTranscript struct {
	ID         string       `json:"id"`
	Key        string       `json:"key"`
	Name       string       `json:"name"`
	Host       nod.Host     `json:"host"`
	Nonce      string       `json:"nonce"`
	Phone      nod.PhoneID  `json:"phone"`
	Person     nod.PersonID `json:"person"`
	GatewayKey string       `json:"gateway_key"`
	First      bool         `json:"first"`
}

// PairID names a pairing: a hash of its secret, so that it can be sent and logged.
func PairID(secret []byte) string {
	sum := sha256.Sum256(append([]byte(idLabel), secret...))
	return wire.Encode64(sum[:16])
}

// Digits are the six digits that both screens show when one phone approves
// another: a check by eye that no key was swapped on the way. They are the
// SHA-256 of what the gateway's MAC covers, read as one number, modulo a million.
func Digits(q PairRequest, r PairReply) (string, error) {
	message, err := r.transcript(q)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(message)
	n := new(big.Int).SetBytes(sum[:])
	return fmt.Sprintf("%06d", n.Mod(n, big.NewInt(1_000_000)).Int64()), nil
}

func (q PairRequest) transcript() ([]byte, error) {
	return labelled(phoneLabel, phoneTranscript{ID: q.ID, Key: q.Key, Name: q.Name, Host: q.Host, Nonce: q.Nonce})
}

func (r PairReply) transcript(q PairRequest) ([]byte, error) {
	return labelled(gatewayLabel, gatewayTranscript{
		ID: q.ID, Key: q.Key, Name: q.Name, Host: q.Host, Nonce: q.Nonce,
		Phone: r.Phone, Person: r.Person, GatewayKey: r.GatewayKey, First: r.First,
	})
}

func labelled(label string, said any) ([]byte, error) {
	body, err := wire.Canonical(said)
	if err != nil {
		return nil, invalidPair(err.Error())
	}
	return append([]byte(label), body...), nil
}

func sign(secret, message []byte) []byte {
	m := hmac.New(sha256.New, secret)
	m.Write(message)
	return m.Sum(nil)
}

func verify(secret, message []byte, mac string) bool {
	got, err := wire.Decode64(mac)
	return err == nil && hmac.Equal(got, sign(secret, message))
}

func is64(s string, n int) bool {
	b, err := wire.Decode64(s)
	return err == nil && len(b) == n
}

func knownHost(h nod.Host) bool {
	switch h {
	case nod.HostWeb, nod.HostSim, nod.HostTermux, nod.HostADB, nod.HostAndroid:
		return true
	}
	return false
}

func invalidPair(what string) error {
	return nod.Errorf(nod.CodeInvalid, "the pairing request is wrong: "+what,
		"open the link on the phone again; if it stays wrong, the phone's nod is too old for this gateway")
}
