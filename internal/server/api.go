package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// apiRoute is one way into the HTTP API. The document that describes it is
// spec/openapi.json; a test holds the two against each other.
type apiRoute struct {
	method, path string
	serve        http.HandlerFunc
	query        []string // the parameters it reads; any other is refused
}

// apiRoutes lists the HTTP API.
func (s *Server) apiRoutes() []apiRoute {
	return []apiRoute{
		{"POST", "/v1/calls", s.agent(s.postCall), []string{"wait"}},
		{"GET", "/v1/calls", s.agent(s.listCalls), []string{"state", "limit", "before"}},
		{"GET", "/v1/calls/{id}", s.agent(s.getCall), []string{"wait"}},
		{"POST", "/v1/calls/{id}/cancel", s.agent(s.cancelCall), nil},
		{"GET", "/v1/calls/{id}/attachments/{n}", s.agent(s.getAttachment), nil},
		{"GET", "/v1/calls/{id}/receipt", s.agent(s.getReceipt), nil},
		{"GET", "/v1/events", s.agent(s.streamEvents), nil},
		{"GET", "/v1/log", s.agent(s.agentLog), []string{"from", "limit"}},
		{"GET", "/v1/tools", s.agent(s.listTools), nil},
		{"GET", "/v1/phones", s.agent(s.listPhones), nil},
		{"GET", "/v1/me", s.agent(s.me), nil},
		{"POST", "/v1/me/off", s.agent(s.switchMeOff), nil},
		{"POST", "/v1/me/pause", s.agent(s.pauseMe), nil},
		{"POST", "/v1/me/revoke", s.agent(s.revokeMe), nil},
		{"GET", "/v1/openapi.json", s.serveFile(newFile(spec.OpenAPI(), "application/json")), nil},
	}
}

// serveAPI adds the HTTP API to a mux: each route, and for each of its paths
// what is said to a method that it does not take.
func (s *Server) serveAPI(mux *http.ServeMux) {
	taken := map[string][]string{}
	for _, route := range s.apiRoutes() {
		mux.HandleFunc(route.method+" "+route.path, s.plainQuery(route))
		taken[route.path] = append(taken[route.path], route.method)
		if route.method == http.MethodGet {
			taken[route.path] = append(taken[route.path], http.MethodHead)
		}
	}
	for path, methods := range taken {
		slices.Sort(methods)
		mux.HandleFunc(path, s.otherMethod(append(methods, http.MethodOptions)))
	}
}

// otherMethod answers OPTIONS with what a path takes, and refuses the rest
// (RFC 9110 sections 9.3.7 and 15.5.6).
func (s *Server) otherMethod(taken []string) http.HandlerFunc {
	allow := strings.Join(taken, ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		s.fail(w, r, nod.Errorf(nod.CodeMethodNotAllowed, clip(r.Method, 20)+" is not taken at "+clip(r.URL.Path, 80), "this address takes "+allow))
	}
}

// plainQuery lets a request through whose query holds only what the route reads,
// each once: a slip in a name would otherwise pass as a wish that was heard.
func (s *Server) plainQuery(route apiRoute) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := checkQuery(r, route.query); err != nil {
			s.fail(w, r, err)
			return
		}
		route.serve(w, r)
	}
}

func checkQuery(r *http.Request, known []string) error {
	hint := "this address reads no parameters"
	if len(known) > 0 {
		hint = "this address reads " + strings.Join(known, ", ")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // what is left of it would be read as if nothing was lost
		return nod.Errorf(nod.CodeInvalid, "the parameters of the address cannot be read", "write them as NAME=VALUE with & between them, each percent-encoded")
	}
	for name, values := range query {
		switch {
		case slices.Contains(tokenNames, name): // said by authenticate
		case !slices.Contains(known, name):
			return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("there is no parameter %q", clip(name, 40)), hint)
		case len(values) > 1:
			return nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the parameter %s is there twice", name), "send it once")
		}
	}
	return nil
}

// tokenNames are the parameters in which a token is looked for, to say that it
// does not belong there.
var tokenNames = []string{"token", "access_token", "key", "bearer"}
