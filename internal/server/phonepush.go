package server

import (
	"context"
	"net/http"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/wire"
)

// pushGateway is how a phone says where it is woken, and what it hears of that.
type pushGateway interface {
	Push(phone nod.PhoneID) gateway.PushInfo
	Subscribe(ctx context.Context, phone nod.PhoneID, s gateway.PushSubscription) error
	Unsubscribe(ctx context.Context, phone nod.PhoneID) error
	StartPushTest(ctx context.Context, phone nod.PhoneID) (gateway.PushTest, error)
	PushTest(phone nod.PhoneID, id string) (gateway.PushTest, error)
	FindPhone(person nod.PersonID, word string) (nod.Phone, error)
	TestPush(ctx context.Context, phone nod.PhoneID) (gateway.PushTest, error)
	PushReceipt(ctx context.Context, token, what string) error
}

// pushView is what a phone is told of its notifications.
type pushView struct {
	Enabled    bool     `json:"enabled"`
	Reason     string   `json:"reason,omitempty"` // why not, in the phone's language
	Key        string   `json:"key,omitempty"`
	Subscribed bool     `json:"subscribed"`
	Service    string   `json:"endpoint_host,omitempty"`
	Last       lastPush `json:"last,omitzero"`
}

// lastPush is what became of the last notification that was sent to a phone.
type lastPush struct {
	At         time.Time `json:"at,omitzero"`
	Status     string    `json:"status,omitempty"`
	Detail     string    `json:"detail,omitempty"`
	ReceivedAt time.Time `json:"received_at,omitzero"`
	ShownAt    time.Time `json:"shown_at,omitzero"`
}

// phonePush says how the phone is woken: GET /phone/push.
func (s *Server) phonePush(w http.ResponseWriter, _ *http.Request, phone nod.Phone) {
	p := s.gateway.Push(phone.ID)
	view := pushView{Enabled: p.Off == "", Key: p.Key, Subscribed: p.Subscribed, Service: p.Host, Last: lastPush{
		At: clock(p.Last.At), Status: p.Last.Status, Detail: p.Last.Detail, ReceivedAt: clock(p.Last.ReceivedAt), ShownAt: clock(p.Last.ShownAt)}}
	if p.Off != "" {
		view.Reason = s.spec.PersonText(phone.Locale, p.Off, nil)
	}
	answer(w, http.StatusOK, view)
}

// phoneSubscribe takes a browser's subscription: PUT /phone/push.
func (s *Server) phoneSubscribe(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	var q struct {
		Address string `json:"endpoint"`
		Key     string `json:"p256dh"`
		Secret  string `json:"auth"`
	}
	if err := decode(w, r, &q); err != nil {
		s.fail(w, r, err)
		return
	}
	sub := gateway.PushSubscription{Address: q.Address}
	var err error
	if sub.Key, err = wire.Decode64(q.Key); err == nil {
		sub.Secret, err = wire.Decode64(q.Secret)
	}
	if err == nil {
		err = s.gateway.Subscribe(r.Context(), phone.ID, sub)
	}
	if gateway.IsUnknownPushService(err) {
		err = nod.Errorf(nod.CodeInvalid, s.spec.PersonText(phone.Locale, "push.unknown_service", map[string]string{"server": clip(sub.Host(), 80)}), "")
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// phoneUnsubscribe forgets it: DELETE /phone/push.
func (s *Server) phoneUnsubscribe(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	if err := s.gateway.Unsubscribe(r.Context(), phone.ID); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// phonePushTest sends a notification that asks for nothing: POST /phone/push/test.
func (s *Server) phonePushTest(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	p, err := s.gateway.StartPushTest(r.Context(), phone.ID)
	s.reply(w, r, map[string]string{"id": p.ID, "problem": s.problem(phone.Locale, p)}, err)
}

// phonePushTested says how far a test came, once it is over or after a while:
// GET /phone/push/test/{id}?wait=SECONDS.
func (s *Server) phonePushTested(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	wait, err := seconds("wait", r.URL.Query().Get("wait"), maxPoll)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var p gateway.PushTest
	look := func() bool {
		p, err = s.gateway.PushTest(phone.ID, r.PathValue("id"))
		return err != nil || p.Over()
	}
	s.until(r.Context(), wait, look)
	s.reply(w, r, s.viewPushTest(phone.Locale, p), err)
}

func (s *Server) viewPushTest(locale string, p gateway.PushTest) client.PushTest {
	return client.PushTest{AcceptedMS: p.AcceptedMS, ReceivedMS: p.ReceivedMS, ShownMS: p.ShownMS, Problem: s.problem(locale, p)}
}

// problem is what went wrong with a test, as a sentence; empty while nothing did.
func (s *Server) problem(locale string, p gateway.PushTest) string {
	if p.Problem == "" {
		return ""
	}
	return s.spec.PersonText(locale, p.Problem, map[string]string{"reason": p.Detail})
}

// postReceipt takes the word of a phone's service worker that it got a
// notification or shows it: POST /push/receipt. The token was inside the
// encrypted message; there is no other proof, and nothing but a time depends on it.
func (s *Server) postReceipt(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Token string `json:"token"`
		What  string `json:"what"`
	}
	err := decode(w, r, &q)
	if err == nil {
		err = s.guessing(r, func() error { return s.gateway.PushReceipt(r.Context(), q.Token, q.What) })
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// consolePushTest sends a phone a test and waits how far it comes:
// POST /console/phones/{phone}/push-test.
func (s *Server) consolePushTest(w http.ResponseWriter, r *http.Request, person nod.Person) {
	const most = 20 * time.Second
	phone, err := s.gateway.FindPhone(person.ID, r.PathValue("phone"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), most)
	defer cancel()
	p, err := s.gateway.TestPush(ctx, phone.ID)
	s.reply(w, r, s.viewPushTest("", p), err)
}
