package push

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/push/pushtest"
	"nod.dev/nod/internal/wire"
)

const subject = "mailto:ana@nod-test.org"

func sender(t *testing.T, service *pushtest.Service) (*Sender, *wire.Key) {
	t.Helper()
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Key: key, Subject: subject, Hosts: []string{service.Host()}, Transport: service.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	return s, key
}

func subscribed(b *pushtest.Browser) Subscription {
	return Subscription{Address: b.Address, Key: b.Key, Secret: b.Secret}
}

// TestSend is a message from here to the browser: the service checks its VAPID
// token, and the browser decrypts it.
func TestSend(t *testing.T) {
	service := pushtest.Start(t)
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Key: key, Subject: subject, Hosts: []string{service.Host()}})
	if err != nil {
		t.Fatal(err)
	}
	browser := service.Subscribe(PublicKey(key))
	for _, size := range []int{0, 1, 200, MaxBody} {
		body := bytes.Repeat([]byte("ä"), size/2+1)[:size]
		r := s.Send(t.Context(), subscribed(browser), Message{Body: body, TTL: 90 * time.Second, Topic: "a-topic_1"})
		if r.Status != Accepted || r.Code != http.StatusCreated || r.Took <= 0 || r.Detail != "" {
			t.Fatalf("%d bytes: %+v", size, r)
		}
		all := browser.Messages()
		got := all[len(all)-1]
		if !bytes.Equal(got.Body, body) || got.TTL != 90*time.Second || got.Topic != "a-topic_1" || got.Urgency != "high" {
			t.Errorf("%d bytes came as %d with TTL %s, topic %q, urgency %q", size, len(got.Body), got.TTL, got.Topic, got.Urgency)
		}
	}
	tried := service.Tried()
	if r := s.Send(t.Context(), subscribed(browser), Message{Body: make([]byte, MaxBody+1)}); r.Status != Refused {
		t.Errorf("a message that is too large: %+v", r)
	}
	if service.Tried() != tried {
		t.Error("a message that is too large left the house")
	}
}

// A subscription is good for one key. That this one is checked is a property of
// the test's own service, which everything else relies on.
func TestSendWithAnotherKey(t *testing.T) {
	service := pushtest.New()
	s, _ := sender(t, service)
	_, other := sender(t, service)
	r := s.Send(t.Context(), subscribed(service.Subscribe(PublicKey(other))), Message{Body: []byte("x")})
	if r.Status != Refused || r.Code != http.StatusForbidden || len(service.Problems()) != 1 {
		t.Errorf("%+v, %q", r, service.Problems())
	}
}

func TestAnswers(t *testing.T) {
	service := pushtest.New()
	s, key := sender(t, service)
	sub := subscribed(service.Subscribe(PublicKey(key)))
	for _, row := range []struct {
		answer pushtest.Answer
		want   Status
		says   string
	}{
		{pushtest.Answer{Code: 201}, Accepted, ""},
		{pushtest.Answer{Code: 202}, Accepted, ""},
		{pushtest.Answer{Code: 404}, Gone, "subscription is over"},
		{pushtest.Answer{Code: 410, Body: "push subscription has unsubscribed or expired.\n"}, Gone, "(410: push subscription has unsubscribed or expired.)"},
		{pushtest.Answer{Code: 403, Body: `{"reason":"BadJwtToken"}`}, Refused, "check --push-subject and this machine's clock (403: BadJwtToken)"},
		{pushtest.Answer{Code: 401}, Refused, "who this gateway says it is"},
		{pushtest.Answer{Code: 400, Body: `{"code":400,"errno":111,"error":"Bad Request","message":"Invalid\ndata"}`}, Refused, "(400: Invalid data Bad Request)"},
		{pushtest.Answer{Code: 413}, Refused, "too large"},
		{pushtest.Answer{Code: 429, Header: map[string]string{"Retry-After": "7"}}, Failed, "fewer messages (429)"},
		{pushtest.Answer{Code: 500}, Failed, "trouble of its own"},
		{pushtest.Answer{Code: 503, Body: strings.Repeat("<html>", 10_000)}, Failed, "<html>..."},
		{pushtest.Answer{Code: 307, Header: map[string]string{"Location": "http://127.0.0.1:9/"}}, Refused, "follows no redirect (307)"},
	} {
		service.Answers(row.answer)
		r := s.Send(t.Context(), sub, Message{Body: []byte("x"), TTL: time.Minute})
		if r.Status != row.want || r.Code != row.answer.Code || !strings.Contains(r.Detail, row.says) || len(r.Detail) > 300 {
			t.Errorf("%d: %+v, want %s with %q", row.answer.Code, r, row.want, row.says)
		}
		if row.answer.Code == 429 && r.RetryAfter != 7*time.Second {
			t.Errorf("Retry-After is %s, want 7s", r.RetryAfter)
		}
	}
	if service.Tried() != 12 {
		t.Errorf("%d messages were sent, want 12: something was sent twice", service.Tried())
	}
}

// A push service that quotes the address it was asked for is not quoted: it is the
// phone's own, and what was answered is in the log.
func TestAddressIsNotQuoted(t *testing.T) {
	service := pushtest.New()
	s, key := sender(t, service)
	sub := subscribed(service.Subscribe(PublicKey(key)))
	path := strings.TrimPrefix(sub.Address, service.URL)
	secret := path[strings.LastIndex(path, "/")+1:]
	for _, said := range []string{
		"no subscription " + sub.Address, "The requested URL " + path + " was not found", `{"message":"` + secret + `"}`,
		"asked for " + strings.ToLower(secret), strings.ReplaceAll(path, "/", "%2F"),
		strings.Repeat("x", 115) + secret, // cut in the middle of it
	} {
		service.Answers(pushtest.Answer{Code: 404, Body: said})
		r := s.Send(t.Context(), sub, Message{Body: []byte("x"), TTL: time.Minute})
		if strings.Contains(strings.ToLower(r.Detail), strings.ToLower(secret[:5])) || !strings.HasSuffix(r.Detail, "(404)") {
			t.Errorf("%q is told as %q", said, r.Detail)
		}
	}
}

// TestDeadService: whatever a push service does, a message ends.
func TestDeadService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := pushtest.New()
		s, key := sender(t, service)
		service.Always(&pushtest.Answer{Wait: time.Hour})
		start := time.Now()
		r := s.Send(t.Context(), subscribed(service.Subscribe(PublicKey(key))), Message{Body: []byte("x")})
		if r.Status != Failed || r.Detail != "the push service did not answer in time" || time.Since(start) != Timeout || r.Took != Timeout {
			t.Errorf("after %s: %+v", time.Since(start), r)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := s.Send(ctx, subscribed(service.Subscribe(PublicKey(key))), Message{Body: []byte("x")}); r.Status != Failed {
			t.Errorf("with a context that is over: %+v", r)
		}
	})
}

// The address of a subscription is the browser's own: it stands in no sentence.
func TestTroubleTellsNoAddress(t *testing.T) {
	service := pushtest.New()
	key, _ := wire.GenerateKey()
	s, err := New(Config{Key: key, Subject: subject, Hosts: []string{"127.0.0.1:9"}, Transport: service.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	b := service.Subscribe(PublicKey(key))
	sub := subscribed(b)
	sub.Address = "http://127.0.0.1:9/push/the-browser"
	r := s.Send(t.Context(), sub, Message{Body: []byte("x")})
	if r.Status != Failed || strings.Contains(r.Detail, "the-browser") {
		t.Errorf("%+v", r)
	}
	if sub.Host() != "127.0.0.1:9" {
		t.Errorf("the host is %q", sub.Host())
	}
}

// A name of a known service that leads into the house is not followed there.
func TestNoWayInside(t *testing.T) {
	for address, want := range map[string]bool{
		"142.250.1.1:443": true, "[2a00:1450::1]:443": true, "[64:ff9b::8efa:101]:443": true,
		"127.0.0.1:443": false, "10.0.0.1:443": false, "172.16.0.1:443": false, "192.168.1.1:443": false,
		"169.254.169.254:443": false, "100.64.0.1:443": false, "0.0.0.0:443": false, "224.0.0.1:443": false,
		"255.255.255.255:443": false, "198.18.0.1:443": false,
		"[::1]:443": false, "[fe80::1%eth0]:443": false, "[fd00::1]:443": false, "[::ffff:127.0.0.1]:443": false,
		"[2002:7f00:1::]:443": false, "[2001:0:4136:e378:8000:63bf:80ff:fffe]:443": false, "[::7f00:1]:443": false, "[::a00:1]:443": false, "[64:ff9b:1::1]:443": false, "[64:ff9b::7f00:1]:443": false, "[64:ff9b::a00:1]:443": false, "[ff02::1]:443": false,
	} {
		if err := public(address); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}

	// The real transport, to a service that really listens on loopback.
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	defer server.Close()
	var none hosts
	_, err := none.transport().RoundTrip(httptest.NewRequest(http.MethodPost, server.URL, nil))
	if err == nil || !strings.Contains(err.Error(), "not on the internet") {
		t.Errorf("a way to loopback: %v", err)
	}
}

func TestCheck(t *testing.T) {
	service := pushtest.New()
	key, _ := wire.GenerateKey()
	s, err := New(Config{Key: key, Subject: subject, Hosts: []string{"Push.Home-Test.org:8443", "127.0.0.1:8030", "push.plain.org"}})
	if err != nil {
		t.Fatal(err)
	}
	good := subscribed(service.Subscribe(PublicKey(key)))
	for address, says := range map[string]string{
		"https://fcm.googleapis.com/fcm/send/abc":                 "",
		"https://fcm.googleapis.com:443/fcm/send/abc":             "",
		"https://updates.push.services.mozilla.com/wpush/v2/x":    "",
		"https://web.push.apple.com/QGx":                          "",
		"https://wns2-par02p.notify.windows.com/w/?token=x":       "",
		"https://push.home-test.org:8443/x":                       "",
		"https://push.plain.org/x":                                "",
		"http://127.0.0.1:8030/x":                                 "",
		"http://127.0.0.1:8031/x":                                 "begins with https",
		"http://fcm.googleapis.com/x":                             "begins with https",
		"http://push.plain.org/x":                                 "begins with https",
		"https://fcm.googleapis.com:8443/x":                       "--push-host fcm.googleapis.com:8443",
		"https://fcm.googleapis.com.evil.org/x":                   "not a push service",
		"https://evil-push.apple.com.evil.org/x":                  "not a push service",
		"https://evilfcm.googleapis.com/x":                        "not a push service",
		"https://.push.apple.com/x":                               "not a push service",
		"https://push.home-test.org/x":                            "not a push service",
		"https://169.254.169.254/latest/meta-data":                "not a push service",
		"https://user:pass@fcm.googleapis.com/x":                  "not the address",
		"https://fcm.googleapis.com@evil.org/x":                   "not the address",
		"https://fcm.googleapis.com/x#y":                          "not the address",
		"file:///etc/passwd":                                      "not the address",
		"":                                                        "not the address",
		"https://fcm.googleapis.com/" + strings.Repeat("x", 2048): "more than 2048",
	} {
		sub := good
		sub.Address = address
		err := s.Check(sub)
		if says == "" && err != nil || says != "" && (nod.CodeOf(err) != nod.CodeInvalid || !strings.Contains(err.Error()+hint(err), says)) {
			t.Errorf("%.60s: %v, want %q", address, err, says)
		}
	}
	bad := good
	bad.Address, bad.Key = "https://fcm.googleapis.com/x", make([]byte, 65)
	if s.Check(bad) == nil {
		t.Error("a key that is no point was taken")
	}
	bad = good
	bad.Address, bad.Secret = "https://fcm.googleapis.com/x", make([]byte, 15)
	if s.Check(bad) == nil {
		t.Error("a secret of 15 bytes was taken")
	}
}

func hint(err error) string {
	if e, ok := err.(*nod.Error); ok {
		return " " + e.Hint
	}
	return ""
}

// TestSubject is case 32: what Apple refuses is refused at start, with the reason.
func TestSubject(t *testing.T) {
	for subject, good := range map[string]bool{
		"mailto:ana@nod-test.org": true, "https://nod.tail1234.ts.net": true, "https://nod.sub.org:8443": true, "mailto:a+b@x.co": true,
		"mailto:nod@localhost": false, "mailto:x@host.localhost": false, "mailto:x@nod.invalid": false, "mailto:x@laptop.local": false,
		"mailto:x@": false, "mailto:@nod-test.org": false, "mailto:nobody": false, "mailto:": false, "mailto:x@nas": false,
		"https://localhost:7333": false, "https://laptop.local": false, "https://192.168.1.5": false, "https://[::1]": false,
		"https://1.2.3.4": false, "https://": false, "https:": false, "http://nod-test.org": false, "ana@nod-test.org": false,
		"mailto:x@a..org": false, "mailto:x@y@nod-test.org": false, "mailto:x@nod.example": false, "": false, "%": false,
	} {
		err := CheckSubject(subject)
		if (err == nil) != good {
			t.Errorf("%q: %v", subject, err)
		}
		if err != nil && (nod.CodeOf(err) != nod.CodeInvalid || !strings.Contains(err.Error(), "403 BadJwtToken") || !strings.Contains(hint(err), "mailto:you@")) {
			t.Errorf("%q: the error does not say what Apple answers and what to write: %v %s", subject, err, hint(err))
		}
	}
	key, _ := wire.GenerateKey()
	if _, err := New(Config{Key: key, Subject: "mailto:nod@localhost"}); nod.CodeOf(err) != nod.CodeInvalid {
		t.Errorf("a sender with a subject that Apple refuses: %v", err)
	}
	for _, host := range []string{"", "*.example.org", "a b", "https://x.org", "x.org/path", "u@x.org", "x.org:port"} {
		if _, err := New(Config{Key: key, Subject: subject, Hosts: []string{host}}); nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("--push-host %q: %v", host, err)
		}
	}
}

func BenchmarkSend(b *testing.B) {
	service := pushtest.New()
	key, _ := wire.GenerateKey()
	s, err := New(Config{Key: key, Subject: subject, Hosts: []string{service.Host()}, Transport: service.Transport()})
	if err != nil {
		b.Fatal(err)
	}
	sub := subscribed(service.Subscribe(PublicKey(key)))
	service.Always(&pushtest.Answer{Code: 201})
	body := make([]byte, 400)
	for b.Loop() {
		if r := s.Send(b.Context(), sub, Message{Body: body, TTL: time.Minute}); r.Status != Accepted {
			b.Fatal(r)
		}
	}
}
