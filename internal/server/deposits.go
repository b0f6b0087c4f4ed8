package server

import (
	"crypto/rand"
	"encoding/base64"
	"sync"
	"time"

	"nod.dev/nod"
)

// deposits are things that a phone leaves with the gateway for a short time,
// each under a token that nobody can guess. They are in memory only, and
// bounded: a phone's oldest makes room for its newest.
type deposits[T any] struct {
	ttl      time.Duration
	perPhone int
	most     int // of all phones together

	mu    sync.Mutex
	kept  map[string]*deposit[T] // by token; guarded by mu, and so is what they hold
	order []string               // oldest first, those that are gone too
}

type deposit[T any] struct {
	phone   nod.PhoneID
	expires time.Time
	thing   T
}

func newDeposits[T any](ttl time.Duration, perPhone, most int) *deposits[T] {
	return &deposits[T]{ttl: ttl, perPhone: perPhone, most: most, kept: map[string]*deposit[T]{}}
}

// put keeps a thing and returns its token; false when there is no room.
func (d *deposits[T]) put(phone nod.PhoneID, thing T) (string, bool) {
	token := newDepositToken()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep(time.Now())
	mine := 0
	for i := len(d.order) - 1; i >= 0; i-- {
		if k := d.kept[d.order[i]]; k.phone == phone {
			if mine++; mine >= d.perPhone {
				delete(d.kept, d.order[i])
			}
		}
	}
	d.sweep(time.Now())
	if len(d.kept) >= d.most {
		return "", false
	}
	d.kept[token] = &deposit[T]{phone: phone, expires: time.Now().Add(d.ttl), thing: thing}
	d.order = append(d.order, token)
	return token, true
}

// sweep drops what is over, and what is gone from the order.
func (d *deposits[T]) sweep(now time.Time) {
	left := d.order[:0]
	for _, token := range d.order {
		k := d.kept[token]
		switch {
		case k == nil:
		case !now.Before(k.expires):
			delete(d.kept, token)
		default:
			left = append(left, token)
		}
	}
	d.order = left
}

// use calls f with what is kept under a token, if it is there still. What f
// changes is kept.
func (d *deposits[T]) use(token string, f func(phone nod.PhoneID, thing *T)) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := d.kept[token]
	if k == nil || !time.Now().Before(k.expires) {
		return false
	}
	f(k.phone, &k.thing)
	return true
}

// newDepositToken makes a token of 192 random bits, safe in an address.
func newDepositToken() string {
	b := make([]byte, 24)
	rand.Read(b) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b)
}
