package host_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
)

// pairGateway is a gateway's side of pairing, over the real proofs.
type pairGateway struct {
	*httptest.Server
	key    *wire.Key
	secret []byte
	reply  auth.PairReply
	// states are what a waiting phone hears, one after the other.
	states  []auth.PairState
	request auth.PairRequest
	record  *wire.Signed
	// change spoils the reply after its proof was made.
	change func(*auth.PairReply)
}

func newPairGateway(t *testing.T) *pairGateway {
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	g := &pairGateway{key: key, secret: auth.NewSecret()}
	g.reply = auth.PairReply{
		Phone: "phone_1", Person: "person_1", PersonName: "Ann", GatewayKey: wire.Encode64(key.Public()), First: true,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pair", g.pair)
	mux.HandleFunc("POST /pair/record", g.keep)
	mux.HandleFunc("GET /pair/wait", g.wait)
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

func (g *pairGateway) link() string { return auth.PairLink(g.URL, g.secret) }

func (g *pairGateway) pair(w http.ResponseWriter, r *http.Request) {
	err := json.NewDecoder(r.Body).Decode(&g.request)
	if err == nil {
		err = g.request.Check(g.secret)
	}
	var reply auth.PairReply
	if err == nil {
		reply, err = auth.NewPairReply(g.secret, g.request, g.reply)
	}
	if err != nil {
		w.WriteHeader(http.StatusForbidden)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": "forbidden", "message": err.Error(), "hint": "try again"}})
		return
	}
	if g.change != nil {
		g.change(&reply)
	}
	json.NewEncoder(w).Encode(reply)
}

func (g *pairGateway) keep(w http.ResponseWriter, r *http.Request) {
	var body auth.RecordRequest
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.ID != g.request.ID {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	g.record = &body.Record
}

func (g *pairGateway) wait(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("id") != g.request.ID || len(g.states) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	state := g.states[0]
	if len(g.states) > 1 {
		g.states = g.states[1:]
	}
	json.NewEncoder(w).Encode(auth.PairWait{State: state})
}

func TestPairFirst(t *testing.T) {
	g := newPairGateway(t)
	dir := filepath.Join(t.TempDir(), "phone")
	id, err := host.Pair(t.Context(), g.link(), "Ann's phone", nod.HostSim, dir)
	if err != nil {
		t.Fatal(err)
	}
	if id.Phone != "phone_1" || id.PersonName != "Ann" || id.Gateway != g.URL || id.GatewayKey != g.reply.GatewayKey {
		t.Errorf("the identity is %+v", id)
	}
	own, err := wire.Decode64(g.request.Key)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := wire.ParsePublic(own)
	if err != nil {
		t.Fatal(err)
	}
	want := wire.PhoneBody{Phone: "phone_1", Person: "person_1", Name: "Ann's phone", Host: nod.HostSim, Key: g.request.Key, Signer: "phone_1"}
	if err := auth.CheckRecord(*g.record, want, pub); err != nil {
		t.Error(err)
	}
	again, err := host.LoadIdentity(dir)
	if err != nil {
		t.Fatal(err)
	}
	if *again != *id {
		t.Errorf("loaded again it is %+v", again)
	}
	for name, mode := range map[string]os.FileMode{"": 0o700, "identity.json": 0o600, "journal": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode {
			t.Errorf("the mode of %q is %v", name, info.Mode())
		}
	}
	j, err := host.OpenFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if records, _ := j.Records(); len(records) != 1 || records[0].Phone != "phone_1" {
		t.Errorf("the journal begins with %+v", records)
	}
	if _, err := host.Pair(t.Context(), g.link(), "Ann's phone", nod.HostSim, dir); nod.CodeOf(err) != nod.CodeConflict {
		t.Errorf("paired into the same folder again: %v", err)
	}
	j.Close()
	if err := host.Forget(dir); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("it did not forget %v", files)
	}
}

func TestPairApproved(t *testing.T) {
	t.Parallel() // it waits a real second, as a phone does between two questions
	g := newPairGateway(t)
	g.reply.First = false
	g.states = []auth.PairState{auth.PairWaiting, auth.PairApproved}
	digits := ""
	_, err := host.Pair(t.Context(), g.link(), "Tablet", nod.HostSim, t.TempDir(), host.WithDigits(func(d string) { digits = d }))
	if err != nil {
		t.Fatal(err)
	}
	want, err := auth.Digits(g.request, g.reply)
	if err != nil {
		t.Fatal(err)
	}
	if digits != want || len(digits) != 6 {
		t.Errorf("the digits are %s, want %s", digits, want)
	}
	if g.record != nil {
		t.Error("a phone that needs approval approved itself")
	}
}

func TestPairRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(g *pairGateway)
		link    func(g *pairGateway) string
		want    string
	}{
		{"another secret", func(*pairGateway) {}, func(g *pairGateway) string { return auth.PairLink(g.URL, auth.NewSecret()) }, "does not match"},
		{"no link at all", func(*pairGateway) {}, func(*pairGateway) string { return "hello" }, "not a pairing link"},
		{"plain http to another machine", func(*pairGateway) {}, func(g *pairGateway) string { return auth.PairLink("http://192.0.2.1:7333", g.secret) }, "plain http"},
		{"a gateway with another key than it proved", func(g *pairGateway) {
			other, err := wire.GenerateKey()
			if err != nil {
				panic(err)
			}
			g.change = func(r *auth.PairReply) { r.GatewayKey = wire.Encode64(other.Public()) }
		}, (*pairGateway).link, "could not prove"},
		{"a gateway that says first and proved otherwise", func(g *pairGateway) {
			g.change = func(r *auth.PairReply) { r.First = false }
		}, (*pairGateway).link, "could not prove"},
		{"no from another phone", func(g *pairGateway) {
			g.reply.First, g.states = false, []auth.PairState{auth.PairRejected}
		}, (*pairGateway).link, "said no"},
		{"too late", func(g *pairGateway) {
			g.reply.First, g.states = false, []auth.PairState{auth.PairExpired}
		}, (*pairGateway).link, "in time"},
		{"a waiting that nobody knows", func(g *pairGateway) { g.reply.First = false }, (*pairGateway).link, "answered 404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newPairGateway(t)
			c.prepare(g)
			dir := t.TempDir()
			_, err := host.Pair(t.Context(), c.link(g), "Phone", nod.HostSim, dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			if files, _ := os.ReadDir(dir); len(files) != 0 {
				t.Errorf("it left %v", files)
			}
		})
	}
}

func TestPairStops(t *testing.T) {
	g := newPairGateway(t)
	g.reply.First = false
	g.states = []auth.PairState{auth.PairWaiting}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := host.Pair(ctx, g.link(), "Phone", nod.HostSim, t.TempDir(), host.WithDigits(func(string) { cancel() }))
	if err == nil || ctx.Err() == nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestLoadIdentityRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := host.LoadIdentity(dir); nod.CodeOf(err) != nod.CodeNotFound {
		t.Errorf("an empty folder: %v", err)
	}
	for _, text := range []string{"{", `{"version":2}`, `{"version":1,"key":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir, "identity.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := host.LoadIdentity(dir); nod.CodeOf(err) != nod.CodeStorage {
			t.Errorf("%s: %v", text, err)
		}
	}
}
