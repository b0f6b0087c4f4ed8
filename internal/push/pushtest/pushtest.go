// Package pushtest is a push service and the browsers behind it, for tests.
//
// It is as strict as the strictest real one: a message counts only if its VAPID
// token is signed by the key that the browser subscribed with, is meant for this
// service, ends within a day and names a subject that Apple takes, and if its
// body decrypts under the browser's key (RFC 8291). What it keeps are the
// messages as the service worker would get them.
//
// [Service.Transport] reaches it without a socket, which a testing/synctest
// bubble needs; [Start] listens on loopback, for everything else.
package pushtest

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Service is a push service.
type Service struct {
	// URL is its base address.
	URL string

	mu       sync.Mutex
	browsers map[string]*Browser // by the path of their address
	answers  []Answer
	always   *Answer
	problems []string
	tried    int
}

// Answer is what the service says instead of taking a message.
type Answer struct {
	Code   int
	Body   string
	Header map[string]string
	// Wait is how long it takes first, for as long as the sender waits.
	Wait time.Duration
}

// Message is one that a browser got.
type Message struct {
	Body    []byte
	TTL     time.Duration
	Topic   string
	Urgency string
	At      time.Time
}

// Browser is one subscription, as PushManager.subscribe makes it.
type Browser struct {
	// Address, Key and Secret are what the page sends to the gateway.
	Address string
	Key     []byte
	Secret  []byte

	service  *Service
	private  *ecdh.PrivateKey
	server   string // applicationServerKey
	over     bool
	messages []Message
}

// New makes a service that is reached by its Transport alone.
func New() *Service {
	return &Service{URL: "http://127.0.0.1:8030", browsers: map[string]*Browser{}}
}

// Start makes a service that listens on loopback until the test ends. A message
// that a real service would not take fails the test.
func Start(t testing.TB) *Service {
	t.Helper()
	s := New()
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		server.Close()
		for _, p := range s.Problems() {
			t.Errorf("pushtest: %s", p)
		}
	})
	return s
}

// Host is the service's name and port: what nod has to be told of it.
func (s *Service) Host() string { return strings.TrimPrefix(s.URL, "http://") }

// Subscribe makes a browser whose page was given applicationServerKey, base64url.
func (s *Service) Subscribe(applicationServerKey string) *Browser {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	path := "/push/" + rand.Text()
	b := &Browser{Address: s.URL + path, Key: private.PublicKey().Bytes(), Secret: make([]byte, 16),
		service: s, private: private, server: applicationServerKey}
	rand.Read(b.Secret)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[path] = b
	return b
}

// Answers are given to the next messages, one each; the browser gets none of those.
func (s *Service) Answers(list ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, list...)
}

// Always is the answer from now on; nil to take messages again.
func (s *Service) Always(a *Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = a
}

// Problems lists what a real service would not have taken.
func (s *Service) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Tried counts the messages that were sent, taken or not.
func (s *Service) Tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried
}

// Unsubscribe ends the subscription as a browser does: by telling nobody.
func (b *Browser) Unsubscribe() {
	b.service.mu.Lock()
	defer b.service.mu.Unlock()
	b.over = true
}

// Messages are what the browser got so far, oldest first.
func (b *Browser) Messages() []Message {
	b.service.mu.Lock()
	defer b.service.mu.Unlock()
	return slices.Clone(b.messages)
}

// ServeHTTP takes a message.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.tried++
	answer := s.next()
	b := s.browsers[r.URL.Path]
	s.mu.Unlock()
	if answer != nil {
		if !wait(r, answer.Wait) {
			return
		}
		for name, value := range answer.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(answer.Code)
		_, _ = io.WriteString(w, answer.Body)
		return
	}
	if b == nil || b.isOver() {
		w.WriteHeader(http.StatusGone)
		return
	}
	code, err := b.take(r)
	if err != nil {
		s.mu.Lock()
		s.problems = append(s.problems, err.Error())
		s.mu.Unlock()
		http.Error(w, err.Error(), code)
		return
	}
	w.Header().Set("Location", s.URL+"/message/"+rand.Text())
	w.WriteHeader(http.StatusCreated)
}

// next is the answer that was ordered for the message at hand, nil for none.
func (s *Service) next() *Answer {
	if len(s.answers) > 0 {
		a := s.answers[0]
		s.answers = s.answers[1:]
		return &a
	}
	return s.always
}

// wait takes its time, and reports whether the sender had the patience.
func wait(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (b *Browser) isOver() bool {
	b.service.mu.Lock()
	defer b.service.mu.Unlock()
	return b.over
}

// topics are what RFC 8030 allows in a Topic header.
func isTopic(s string) bool {
	_, err := base64.RawURLEncoding.DecodeString(s)
	return len(s) <= 32 && (err == nil || !strings.ContainsAny(s, "+/="))
}

// take checks and keeps a message, or says why a real service would not.
func (b *Browser) take(r *http.Request) (int, error) {
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" {
		return http.StatusBadRequest, fmt.Errorf("%s with the encoding %q", r.Method, r.Header.Get("Content-Encoding"))
	}
	ttl, err := strconv.Atoi(r.Header.Get("TTL"))
	if err != nil || ttl < 0 {
		return http.StatusBadRequest, fmt.Errorf("TTL is %q", r.Header.Get("TTL"))
	}
	if topic := r.Header.Get("Topic"); !isTopic(topic) {
		return http.StatusBadRequest, fmt.Errorf("topic is %q", topic)
	}
	origin, err := url.Parse(b.service.URL)
	if err != nil {
		return http.StatusInternalServerError, err
	}
	if err := CheckVAPID(r.Header.Get("Authorization"), origin.Scheme+"://"+origin.Host, b.server, time.Now()); err != nil {
		return http.StatusForbidden, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, 4096))
	if err != nil {
		return http.StatusRequestEntityTooLarge, err
	}
	text, err := Decrypt(body, b.private, b.Secret)
	if err != nil {
		return http.StatusBadRequest, err
	}
	b.service.mu.Lock()
	defer b.service.mu.Unlock()
	b.messages = append(b.messages, Message{Body: text, TTL: time.Duration(ttl) * time.Second,
		Topic: r.Header.Get("Topic"), Urgency: r.Header.Get("Urgency"), At: time.Now()})
	return 0, nil
}

// Transport reaches the service without a socket.
func (s *Service) Transport() http.RoundTripper { return direct{s} }

type direct struct{ service *Service }

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme+"://"+r.URL.Host != d.service.URL {
		return nil, fmt.Errorf("nothing listens at %s", r.URL.Host)
	}
	w := httptest.NewRecorder()
	d.service.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}
