package server

import (
	"net/http"
	"strconv"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// agentLog answers the part of the log that is about the agent and its calls:
// GET /v1/log?from=&limit=. Without from it is the newest part.
func (s *Server) agentLog(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	query := r.URL.Query()
	limit, err := pageLimit(query.Get("limit"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var from int64
	if text := query.Get("from"); text != "" {
		if from, err = strconv.ParseInt(text, 10, 64); err != nil || from < 1 {
			s.fail(w, r, nod.Errorf(nod.CodeInvalid, "from is not the number of an entry", "give one from 1 on, or leave it out for the newest"))
			return
		}
	}
	next := max(from, s.gateway.LogSize(agent.Person)+1) // before the entries: none that comes meanwhile is passed over
	entries, err := s.gateway.AgentLog(r.Context(), agent, from, limit)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page := client.LogPage{Entries: []client.Entry{}, Next: next}
	for _, e := range entries {
		page.Entries = append(page.Entries, viewEntry(e))
	}
	if n := len(entries); n > 0 {
		after := entries[n-1].Seq + 1
		if page.Next = max(next, after); from > 0 && n == limit {
			page.Next = after
		}
	}
	answer(w, http.StatusOK, page)
}

// getReceipt answers what proves a call of the agent's:
// GET /v1/calls/{id}/receipt.
func (s *Server) getReceipt(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	c, err := s.gateway.Call(r.Context(), agent.ID, nod.CallID(r.PathValue("id")))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	receipt, _, err := s.gateway.ReceiptOf(r.Context(), c)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, s.viewReceipt(c, receipt))
}

// viewReceipt is a receipt with the keys to check it by: the gateway's, and
// those of the phones that signed something in it.
func (s *Server) viewReceipt(c nod.Call, r log.Receipt) client.Receipt {
	view := client.Receipt{
		Call: c.ID, Head: client.Signed(r.Head), Offer: r.Offer, Entries: []client.ReceiptEntry{},
		Decision: viewSigned(r.Decision), Result: viewSigned(r.Result),
		Keys: client.ReceiptKeys{Gateway: wire.Encode64(s.gateway.PublicKey()), Phones: map[nod.PhoneID]string{}},
	}
	for _, e := range r.Entries {
		e.Proof = append([]string{}, e.Proof...) // the one entry of a log needs none
		view.Entries = append(view.Entries, client.ReceiptEntry(e))
	}
	for id, key := range s.gateway.PhoneKeys(c.Person) {
		if r.Decision != nil && id == c.DecidedBy || r.Result != nil && id == c.Phone {
			view.Keys.Phones[id] = wire.Encode64(key)
		}
	}
	return view
}

func viewSigned(s *wire.Signed) *client.Signed {
	if s == nil {
		return nil
	}
	signed := client.Signed(*s)
	return &signed
}
