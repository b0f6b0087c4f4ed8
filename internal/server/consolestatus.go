package server

import (
	"net/http"
	"slices"
	"time"

	"nod.dev/nod/client"
	"nod.dev/nod/internal/wire"
)

// consoleStatus says what the gateway is: GET /console/status.
func (s *Server) consoleStatus(w http.ResponseWriter, _ *http.Request) {
	status := client.Status{
		Version: s.config.Version, URL: s.base(), Data: s.config.Data, StartedAt: s.started.UTC().Truncate(time.Second),
		Key: wire.Encode64(s.gateway.PublicKey()), PushServices: []string{},
	}
	if off := s.gateway.Push("").Off; off != "" {
		status.PushOff = s.spec.PersonText("", off, nil)
	}
	for _, person := range s.gateway.People() {
		for _, phone := range s.gateway.Phones(person.ID) {
			if host := s.gateway.Push(phone.ID).Host; host != "" && !slices.Contains(status.PushServices, host) {
				status.PushServices = append(status.PushServices, host)
			}
		}
	}
	slices.Sort(status.PushServices)
	answer(w, http.StatusOK, status)
}
