package server

import (
	"net/http"

	"nod.dev/nod"
)

// routes puts the three public doors side by side.
func (s *Server) routes() http.Handler {
	agents, phones, browsers := s.agentRoutes(), s.phoneRoutes(), s.browserRoutes()
	mux := http.NewServeMux()
	mux.Handle("/v1/", agents)
	mux.Handle("/mcp", agents)
	mux.Handle("/link", phones)
	mux.Handle("/link/", phones)
	mux.Handle("/phone/", phones)
	mux.Handle("POST /pair", phones)
	mux.Handle("POST /push/receipt", phones)
	mux.Handle("/pair/", phones)
	mux.Handle("GET /pair", browsers)
	mux.Handle("/", browsers)
	return mux
}

func (s *Server) agentRoutes() http.Handler {
	mux := http.NewServeMux()
	s.serveAPI(mux)
	mux.Handle("/mcp", s.mcp)
	mux.HandleFunc("/", s.notFound)
	return mux
}

func (s *Server) phoneRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /link", s.gateway.LinkHandler())
	mux.HandleFunc("POST /link/result", s.postResult)
	mux.HandleFunc("PUT /link/blob/{call}/{n}", s.putBlob)
	mux.HandleFunc("POST /pair", s.pair)
	mux.HandleFunc("POST /pair/record", s.pairRecord)
	mux.HandleFunc("GET /pair/wait", s.pairWait)
	mux.HandleFunc("GET /phone/push", s.phone(s.phonePush))
	mux.HandleFunc("PUT /phone/push", s.phone(s.phoneSubscribe))
	mux.HandleFunc("DELETE /phone/push", s.phone(s.phoneUnsubscribe))
	mux.HandleFunc("POST /phone/push/test", s.phone(s.phonePushTest))
	mux.HandleFunc("GET /phone/push/test/{id}", s.phone(s.phonePushTested))
	mux.HandleFunc("POST /push/receipt", s.postReceipt)
	mux.HandleFunc("GET /phone/home", s.phone(s.phoneHome))
	mux.HandleFunc("GET /phone/agents", s.phone(s.phoneAgents))
	mux.HandleFunc("GET /phone/settings", s.phone(s.phoneSettings))
	mux.HandleFunc("PUT /phone/settings", s.phone(s.phoneSetSettings))
	mux.HandleFunc("GET /phone/calls", s.phone(s.phoneCalls))
	mux.HandleFunc("GET /phone/calls/{id}", s.phone(s.phoneCall))
	mux.HandleFunc("POST /phone/test", s.phone(s.phoneTest))
	mux.HandleFunc("POST /phone/callback", s.phone(s.phoneCallback))
	mux.HandleFunc("GET /phone/callback/{token}", s.phone(s.phoneCallbackState))
	mux.HandleFunc("POST /phone/file", s.phone(s.phonePutFile))
	mux.HandleFunc("POST /phone/pause", s.phone(s.phonePause))
	mux.HandleFunc("GET /phone/pairing", s.phone(s.phonePairing))
	mux.HandleFunc("POST /phone/pairing/reject", s.phone(s.phoneReject))
	mux.HandleFunc("/", s.notFound)
	return mux
}

func (s *Server) browserRoutes() http.Handler {
	mux := http.NewServeMux()
	s.serveFiles(mux)
	s.serveSpec(mux)
	mux.HandleFunc("GET /errors", s.errorsPage)
	mux.HandleFunc("GET /tested", s.testedPage)
	mux.HandleFunc("GET /cb/{token}/{how}", s.openCallback)
	mux.HandleFunc("GET /file/{token}/{name}", s.serveDeposit)
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /metrics", s.localMetrics)
	mux.HandleFunc("/", s.notFound)
	return mux
}

// notFound answers everything that is not nod's, as JSON. Agents' clients probe
// for OAuth under /.well-known and drop their token when a page comes back.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, nod.Errorf(nod.CodeNotFound, "there is nothing at "+r.Method+" "+clip(r.URL.Path, 80),
		"the HTTP API is under /v1, and GET /v1/openapi.json describes it; MCP is at /mcp"))
}

// clip shortens what a refusal quotes of what it refuses.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "..."
	}
	return s
}

// healthz says that the program runs.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyz says whether calls can be taken: the ledger can be written.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := s.gateway.Ready(); err != nil {
		_, problem := explain(err)
		s.log.Warn("not ready", "err", err)
		answer(w, http.StatusServiceUnavailable, map[string]any{"status": "not ready", "error": problem})
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}
