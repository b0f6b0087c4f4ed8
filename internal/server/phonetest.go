package server

import (
	"context"
	"net/http"

	"nod.dev/nod"
)

// testGateway asks for the test card.
type testGateway interface {
	TestCard(ctx context.Context, phone nod.Phone, page string) (nod.Call, error)
}

// phoneTest shows a test card on the phone that asks: POST /phone/test. What
// became of the call is in the answer where it ended at once.
func (s *Server) phoneTest(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	c, err := s.gateway.TestCard(r.Context(), phone, s.base()+"/tested")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"call": c.ID, "state": c.State, "outcome": c.Outcome, "why": c.Why, "text": c.Text})
}
