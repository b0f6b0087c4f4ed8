package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/log"
)

// historyGateway is what a phone can look up of its own past.
type historyGateway interface {
	CallsOf(ctx context.Context, phone nod.Phone, q gateway.PhoneCalls) ([]nod.Call, error)
	AppsOf(ctx context.Context, phone nod.Phone) ([]string, error)
	CallOf(ctx context.Context, phone nod.Phone, id nod.CallID) (nod.Call, error)
	ReceiptOf(ctx context.Context, c nod.Call) (log.Receipt, []log.Entry, error)
	Names(person nod.PersonID) (map[nod.AgentID]string, map[nod.PhoneID]string)
}

// How many calls one page of a phone's log holds.
const (
	historyPage    = 50
	maxHistoryPage = 100
)

// pastCall is a call in a phone's log.
type pastCall struct {
	homeCall
	// Phone acted, or would have.
	Phone     nod.PhoneID `json:"phone"`
	PhoneName string      `json:"phone_name"`
	Message   string      `json:"message"`
	Started   bool        `json:"started"`
	OfferedAt time.Time   `json:"offered_at,omitzero"`
	DecidedAt time.Time   `json:"decided_at,omitzero"`
	// ShownAt is when the card was first on a screen; only with the receipt.
	ShownAt time.Time `json:"shown_at,omitzero"`
}

// names is what a person calls agents and phones.
type names struct {
	agents map[nod.AgentID]string
	phones map[nod.PhoneID]string
}

func (s *Server) names(person nod.PersonID) names {
	agents, phones := s.gateway.Names(person)
	return names{agents, phones}
}

func viewPast(c nod.Call, n names) pastCall {
	return pastCall{
		homeCall: viewHome(c, n),
		Phone:    c.Phone, PhoneName: n.phones[c.Phone], Message: c.Message, Started: c.Started,
		OfferedAt: clock(c.Offered), DecidedAt: clock(c.Decided),
	}
}

// phoneCalls lists the calls in which the phone acted or decided, newest first:
// GET /phone/calls?before=&app=&limit=, with the apps that there are any of.
func (s *Server) phoneCalls(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	query := r.URL.Query()
	limit, err := pageLimit(query.Get("limit"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	calls, err := s.gateway.CallsOf(r.Context(), phone, gateway.PhoneCalls{
		App: query.Get("app"), Before: nod.CallID(query.Get("before")), Limit: limit + 1, // one more tells whether there are more
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	apps, err := s.gateway.AppsOf(r.Context(), phone)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page := struct {
		Calls []pastCall `json:"calls"`
		Apps  []string   `json:"apps"`
		More  bool       `json:"more"`
	}{Calls: []pastCall{}, Apps: append([]string{}, apps...), More: len(calls) > limit}
	n := s.names(phone.Person)
	for _, c := range calls[:min(limit, len(calls))] {
		page.Calls = append(page.Calls, viewPast(c, n))
	}
	answer(w, http.StatusOK, page)
}

func pageLimit(text string) (int, error) {
	if text == "" {
		return historyPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxHistoryPage {
		return 0, nod.Errorf(nod.CodeInvalid, "limit is no number of calls", fmt.Sprintf("give 1 to %d", maxHistoryPage))
	}
	return n, nil
}

// phoneCall answers one call of the phone's, and what proves it:
// GET /phone/calls/{id}.
func (s *Server) phoneCall(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	c, err := s.gateway.CallOf(r.Context(), phone, nod.CallID(r.PathValue("id")))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	receipt, entries, err := s.gateway.ReceiptOf(r.Context(), c)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	past := viewPast(c, s.names(phone.Person))
	for _, e := range entries {
		if e.Kind == call.LogShown && past.ShownAt.IsZero() {
			past.ShownAt = clock(e.At)
		}
	}
	answer(w, http.StatusOK, map[string]any{"call": past, "receipt": receipt})
}
