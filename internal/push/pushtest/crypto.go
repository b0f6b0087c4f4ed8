package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"time"
)

// Decrypt opens one message of RFC 8291 (aes128gcm, one record) as the browser
// with that key and secret does.
func Decrypt(body []byte, private *ecdh.PrivateKey, secret []byte) ([]byte, error) {
	const saltSize, sizeSize = 16, 4
	if len(body) < saltSize+sizeSize+1 {
		return nil, errors.New("the message is shorter than its header")
	}
	salt, rest := body[:saltSize], body[saltSize:]
	recordSize, idSize := binary.BigEndian.Uint32(rest), int(rest[sizeSize])
	rest = rest[sizeSize+1:]
	if len(rest) < idSize {
		return nil, errors.New("the message is shorter than its key")
	}
	sender, record := rest[:idSize], rest[idSize:]
	if uint32(len(record)) > recordSize {
		return nil, fmt.Errorf("a record of %d bytes, longer than %d", len(record), recordSize)
	}
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := private.ECDH(public)
	if err != nil {
		return nil, err
	}
	open, nonce, err := keys(shared, secret, salt, private.PublicKey().Bytes(), sender)
	if err != nil {
		return nil, err
	}
	padded, err := open.Open(nil, nonce, record, nil)
	if err != nil {
		return nil, fmt.Errorf("the message does not decrypt: %w", err)
	}
	end := len(padded) - 1
	for end >= 0 && padded[end] == 0 {
		end--
	}
	if end < 0 || padded[end] != 2 {
		return nil, errors.New("the last record has no delimiter")
	}
	return padded[:end], nil
}

// keys derives what RFC 8291 section 3.4 derives.
func keys(shared, secret, salt, browser, sender []byte) (cipher.AEAD, []byte, error) {
	extract, err := hkdf.Extract(sha256.New, shared, secret)
	if err != nil {
		return nil, nil, err
	}
	ikm, err := hkdf.Expand(sha256.New, extract, "WebPush: info\x00"+string(browser)+string(sender), 32)
	if err != nil {
		return nil, nil, err
	}
	prk, err := hkdf.Extract(sha256.New, ikm, salt)
	if err != nil {
		return nil, nil, err
	}
	key, err := hkdf.Expand(sha256.New, prk, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, err
	}
	nonce, err := hkdf.Expand(sha256.New, prk, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	open, err := cipher.NewGCM(block)
	return open, nonce, err
}

// CheckVAPID checks the Authorization header of RFC 8292 as a push service at
// origin does for a browser that subscribed with the key, base64url.
func CheckVAPID(header, origin, key string, now time.Time) error {
	rest, ok := strings.CutPrefix(header, "vapid ")
	if !ok {
		return fmt.Errorf("the authorization is not vapid: %.20q", header)
	}
	var token, k string
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			token = value
		case "k":
			k = value
		}
	}
	if k != key {
		return errors.New("the message is signed for another key than the browser subscribed with")
	}
	public, err := base64.RawURLEncoding.DecodeString(k)
	if err != nil {
		return err
	}
	return checkToken(token, public, origin, now)
}

func checkToken(token string, public []byte, origin string, now time.Time) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return errors.New("the token has not three parts")
	}
	var raw [3][]byte
	for i, part := range parts {
		b, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			return err
		}
		raw[i] = b
	}
	var head struct{ Alg, Typ string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := errors.Join(json.Unmarshal(raw[0], &head), json.Unmarshal(raw[1], &claims)); err != nil {
		return err
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), public)
	if err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	valid := len(raw[2]) == 64 && ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(raw[2][:32]), new(big.Int).SetBytes(raw[2][32:]))
	until := time.Unix(claims.Exp, 0).Sub(now)
	switch {
	case head.Alg != "ES256" || !valid:
		return fmt.Errorf("the token's signature (%s) is not valid", head.Alg)
	case claims.Aud != origin:
		return fmt.Errorf("the token is for %q, this is %q", claims.Aud, origin)
	case until <= 0 || until > 24*time.Hour:
		return fmt.Errorf("the token ends in %s", until)
	case !subject(claims.Sub):
		return fmt.Errorf("BadJwtToken: the subject is %q", claims.Sub)
	}
	return nil
}

// subject reports whether Apple's service takes a subject.
func subject(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if u.Scheme == "mailto" {
		_, host, _ = strings.Cut(u.Opaque, "@")
	} else if u.Scheme != "https" {
		return false
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".invalid") && !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".localhost")
}
