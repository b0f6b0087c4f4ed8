// Package push wakes phones by Web Push: a message that the phone's browser
// fetches from its vendor's push service when nod's own link to it is down.
//
// A message is encrypted for one browser (RFC 8291) and signed with this
// gateway's key (VAPID, RFC 8292), so the push service sees when a phone is
// woken, and by whom, and nothing of why. What it answers says only that it took
// the message over: a [Receipt] of accepted is no sign of the phone.
//
// Where a message goes is an address that the phone names. It counts only if it
// is one of the known push services (hosts.go), so that no phone can make the
// gateway speak to something inside its network.
package push

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Bounds of a message and of what is read of the answer to it.
const (
	// MaxBody is how much one record of RFC 8291 holds of 4096 bytes.
	MaxBody = 3993
	// Timeout bounds one message, from the name's lookup to the answer.
	Timeout = 10 * time.Second
	// maxAnswer is how much of an answer is read: it is quoted in one line.
	maxAnswer = 4 << 10
)

// Config is what a sender is made of. Key and Subject are required.
type Config struct {
	// Key signs for this gateway. A subscription is good for the key it was made with.
	Key *wire.Key
	// Subject is where a push service can reach who runs the gateway: see [CheckSubject].
	Subject string
	// Hosts are push services besides the known ones, as HOST or HOST:PORT. One
	// on loopback may speak plain http.
	Hosts []string
	// Transport replaces the way to the push services, in tests; nil for TLS to
	// public addresses.
	Transport http.RoundTripper
}

// Sender sends messages. It is safe for concurrent use and keeps nothing.
type Sender struct {
	private string // the key's number, as the library wants it
	public  string
	subject string
	hosts   hosts
	http    *http.Client
}

// New makes a sender, or says what is wrong with the configuration.
func New(c Config) (*Sender, error) {
	if err := CheckSubject(c.Subject); err != nil {
		return nil, err
	}
	extra, err := parseHosts(c.Hosts)
	if err != nil {
		return nil, err
	}
	private, err := number(c.Key)
	if err != nil {
		return nil, fmt.Errorf("push: the key: %w", err)
	}
	s := &Sender{
		private: base64.RawURLEncoding.EncodeToString(private), public: PublicKey(c.Key),
		// The library puts "mailto:" before what is no https address.
		subject: strings.TrimPrefix(c.Subject, "mailto:"), hosts: extra,
	}
	transport := c.Transport
	if transport == nil {
		transport = s.hosts.transport()
	}
	s.http = &http.Client{Transport: transport, Timeout: Timeout, CheckRedirect: stay}
	return s, nil
}

// stay follows no redirect: who is allowed to be sent to is decided by name.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// number returns the private number of a key.
func number(k *wire.Key) ([]byte, error) {
	der, err := k.Marshal()
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("it is no ECDSA key")
	}
	return private.Bytes()
}

// PublicKey writes a key as browsers want it: applicationServerKey.
func PublicKey(k *wire.Key) string { return base64.RawURLEncoding.EncodeToString(k.Public()) }

// Subscription is one browser's: where its messages go and how they are encrypted.
type Subscription struct {
	// Address is the browser's own at its push service. Whoever knows it knows
	// which browser it is, so it is in no log.
	Address string
	// Key is the browser's public key, 65 bytes, and Secret its 16 bytes.
	Key    []byte
	Secret []byte
}

// Host is the push service's name: all of an address that may be told.
func (s Subscription) Host() string {
	u, err := url.Parse(s.Address)
	if err != nil {
		return ""
	}
	return u.Host
}

// maxAddress bounds a subscription's address. Real ones have 200 to 500 characters.
const maxAddress = 2048

// Check says why a subscription cannot be used; nil when it can.
func (s *Sender) Check(sub Subscription) error {
	if len(sub.Address) > maxAddress {
		return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the push address has more than %d characters", maxAddress), "")
	}
	if err := s.hosts.check(sub.Address); err != nil {
		return err
	}
	if _, err := wire.ParsePublic(sub.Key); err != nil {
		return nod.Errorf(nod.CodeInvalid, "p256dh is not a public key of P-256", "send what PushSubscription.getKey gives")
	}
	if len(sub.Secret) != 16 {
		return nod.Errorf(nod.CodeInvalid, "auth is not 16 bytes", "send what PushSubscription.getKey gives")
	}
	return nil
}

// Message is what is to be delivered.
type Message struct {
	// Body is what the service worker, or the browser itself, is given.
	Body []byte
	// TTL is how long the push service keeps it for a phone that is away.
	TTL time.Duration
	// Topic makes a message replace an undelivered one of the same topic; at most
	// 32 characters of base64url, empty for none.
	Topic string
}

// Send hands a message to the subscription's push service. How that ended is in
// the receipt; there is no error besides.
func (s *Sender) Send(ctx context.Context, sub Subscription, m Message) Receipt {
	start := time.Now()
	r := s.send(ctx, sub, m)
	r.Took = time.Since(start)
	return r
}

func (s *Sender) send(ctx context.Context, sub Subscription, m Message) Receipt {
	if err := s.Check(sub); err != nil { // a host can be taken off the list between two starts
		return Receipt{Status: Refused, Detail: err.Error()}
	}
	if len(m.Body) > MaxBody {
		return Receipt{Status: Refused, Detail: fmt.Sprintf("the message has %d bytes, more than %d", len(m.Body), MaxBody)}
	}
	answer, err := webpush.SendNotificationWithContext(ctx, m.Body, &webpush.Subscription{
		Endpoint: sub.Address,
		Keys: webpush.Keys{
			P256dh: base64.RawURLEncoding.EncodeToString(sub.Key), Auth: base64.RawURLEncoding.EncodeToString(sub.Secret),
		},
	}, &webpush.Options{
		HTTPClient: s.http, Subscriber: s.subject, VAPIDPublicKey: s.public, VAPIDPrivateKey: s.private,
		TTL: max(int(m.TTL/time.Second), 1), Topic: m.Topic, Urgency: webpush.UrgencyHigh,
	})
	if err != nil {
		return Receipt{Status: Failed, Detail: trouble(err)}
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	r := receipt(answer.StatusCode, said, sub.Address)
	if after, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && after > 0 {
		r.RetryAfter = time.Duration(min(after, 24*3600)) * time.Second
	}
	return r
}

// trouble is what went wrong on the way, without the address: it is the phone's own.
func trouble(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		if e.Timeout() {
			return "the push service did not answer in time"
		}
		err = e.Err
	}
	return "the push service could not be reached: " + err.Error()
}
