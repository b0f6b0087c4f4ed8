package server

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// consoleGateway is what the person at the console can do: add what may ask,
// and narrow. There is nothing here that lets anything happen unasked.
type consoleGateway interface {
	AddPerson(ctx context.Context, name string) (nod.Person, error)
	SetWait(ctx context.Context, person nod.PersonID, by nod.PhoneID, seconds int) error

	AddAgent(ctx context.Context, s gateway.AgentSpec) (nod.Agent, string, error)
	RotateAgent(ctx context.Context, person nod.PersonID, agent string) (nod.Agent, string, error)
	RenameAgent(ctx context.Context, person nod.PersonID, agent, name string) (nod.Agent, error)
	SwitchOff(ctx context.Context, person nod.PersonID, agent string, apps []string) (nod.Agent, int, error)
	SetAgentWait(ctx context.Context, person nod.PersonID, agent string, seconds int) (nod.Agent, error)
	RevokeAgent(ctx context.Context, person nod.PersonID, agent string, wait bool) (int, error)
	AskResume(ctx context.Context, person nod.PersonID) ([]string, error)

	RenamePhone(ctx context.Context, person nod.PersonID, phone, name string) (nod.Phone, error)
	RevokePhone(ctx context.Context, person nod.PersonID, phone string) (nod.Phone, int, error)
	StartPairing(ctx context.Context, person nod.PersonID, recover bool) (gateway.Pairing, error)
	Invitation(pairing string) (auth.PairState, nod.Phone)

	Log(ctx context.Context, person nod.PersonID, from int64, limit int) ([]log.Entry, error)
	Head(person nod.PersonID) (wire.Signed, bool)
	PublicKey() []byte
	PhoneKeys(person nod.PersonID) map[nod.PhoneID][]byte
	Backup(ctx context.Context, path string) error
}

// consoleRoutes builds the console's door.
func (s *Server) consoleRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /console/status", s.consoleStatus)
	mux.HandleFunc("GET /console/people", s.consolePeople)
	mux.HandleFunc("POST /console/people", s.consoleAddPerson)
	mux.HandleFunc("POST /console/wait", s.person(s.consoleSetWait))
	mux.HandleFunc("GET /console/agents", s.person(s.consoleAgents))
	mux.HandleFunc("POST /console/agents", s.consoleAddAgent)
	mux.HandleFunc("POST /console/agents/{agent}/rotate", s.person(s.consoleRotateAgent))
	mux.HandleFunc("POST /console/agents/{agent}/rename", s.person(s.consoleRenameAgent))
	mux.HandleFunc("POST /console/agents/{agent}/wait", s.person(s.consoleAgentWait))
	mux.HandleFunc("POST /console/agents/{agent}/off", s.person(s.consoleSwitchOff))
	mux.HandleFunc("POST /console/agents/{agent}/pause", s.person(s.consolePauseAgent))
	mux.HandleFunc("POST /console/agents/{agent}/revoke", s.person(s.consoleRevokeAgent))
	mux.HandleFunc("POST /console/pause", s.person(s.consolePause))
	mux.HandleFunc("POST /console/resume", s.person(s.consoleResume))
	mux.HandleFunc("GET /console/phones", s.person(s.consolePhones))
	mux.HandleFunc("POST /console/phones/{phone}/rename", s.person(s.consoleRenamePhone))
	mux.HandleFunc("POST /console/phones/{phone}/push-test", s.person(s.consolePushTest))
	mux.HandleFunc("POST /console/phones/{phone}/revoke", s.person(s.consoleRevokePhone))
	mux.HandleFunc("POST /console/pairings", s.person(s.consolePair))
	mux.HandleFunc("GET /console/pairings/{id}", s.consolePairing)
	mux.HandleFunc("GET /console/log", s.person(s.consoleLog))
	mux.HandleFunc("GET /console/verify", s.person(s.consoleVerify))
	mux.HandleFunc("POST /console/backup", s.consoleBackup)
	mux.Handle("GET /console/metrics", s.metrics.Handler())
	mux.HandleFunc("/", s.notFound)
	return mux
}

// personHandler serves a request about one person's things.
type personHandler func(w http.ResponseWriter, r *http.Request, person nod.Person)

// person finds whose things a request is about.
func (s *Server) person(next personHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := s.findPerson(r.URL.Query().Get("person"))
		if err != nil {
			s.fail(w, r, err)
			return
		}
		next(w, r, p)
	}
}

// findPerson finds a person by id or name. With only one there is no need to say.
func (s *Server) findPerson(word string) (nod.Person, error) {
	people := s.gateway.People()
	if word == "" && len(people) == 1 {
		return people[0], nil
	}
	for _, p := range people {
		if string(p.ID) == word || word != "" && strings.EqualFold(p.Name, word) {
			return p, nil
		}
	}
	if word == "" {
		return nod.Person{}, nod.Errorf(nod.CodeInvalid, "there is more than one person", `say whose with --person; "nod people" lists them`)
	}
	return nod.Person{}, nod.Errorf(nod.CodeNotFound, fmt.Sprintf("there is no person %q", clip(word, 60)), `"nod people" lists them`)
}

// reply answers with v, or with what went wrong.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, v)
}

// base is the address that phones know this gateway by.
func (s *Server) base() string {
	if s.site.Public != nil {
		return strings.TrimRight(s.site.Public.String(), "/")
	}
	return s.config.Local
}

func (s *Server) consolePeople(w http.ResponseWriter, _ *http.Request) {
	people := []client.Person{}
	for _, p := range s.gateway.People() {
		people = append(people, viewPerson(p))
	}
	answer(w, http.StatusOK, map[string]any{"people": people})
}

func viewPerson(p nod.Person) client.Person {
	return client.Person{ID: p.ID, Name: p.Name, Paused: p.PausedAll, WaitSeconds: p.WaitSeconds, AddedAt: clock(p.Created)}
}

func (s *Server) consoleAddPerson(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Name string `json:"name"`
	}
	err := decode(w, r, &q)
	var p nod.Person
	if err == nil {
		p, err = s.gateway.AddPerson(r.Context(), q.Name)
	}
	s.reply(w, r, viewPerson(p), err)
}

func (s *Server) consoleSetWait(w http.ResponseWriter, r *http.Request, person nod.Person) {
	var q struct {
		Seconds int64 `json:"seconds"`
	}
	err := decode(w, r, &q)
	if err == nil {
		err = s.gateway.SetWait(r.Context(), person.ID, "", int(q.Seconds))
	}
	s.reply(w, r, map[string]int64{"seconds": q.Seconds}, err)
}

func (s *Server) consolePause(w http.ResponseWriter, r *http.Request, person nod.Person) {
	inFlight, err := s.gateway.PauseAll(r.Context(), person.ID, "console")
	s.reply(w, r, client.Stopped{InFlight: inFlight}, err)
}

func (s *Server) consoleResume(w http.ResponseWriter, r *http.Request, person nod.Person) {
	asked, err := s.gateway.AskResume(r.Context(), person.ID)
	if asked == nil {
		asked = []string{}
	}
	s.reply(w, r, client.Resume{Asked: asked, Page: s.base() + "/resume"}, err)
}

func (s *Server) consoleBackup(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Path string `json:"path"`
	}
	err := decode(w, r, &q)
	if err == nil && !filepath.IsAbs(q.Path) {
		err = nod.Errorf(nod.CodeInvalid, "the backup's path does not begin at the root", "name the whole path of a file that does not exist yet")
	}
	if err == nil {
		err = s.gateway.Backup(r.Context(), q.Path)
	}
	s.reply(w, r, map[string]string{"path": q.Path}, err)
}
