package gateway

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// house is a gateway on a real ledger, with one person and one agent.
type house struct {
	*Gateway
	t      *testing.T
	dir    string
	key    *wire.Key
	ledger *faulty
	person nod.PersonID
	agent  nod.AgentID
	token  string
	push   *PushConfig
	logger *slog.Logger // nil for none
}

// faulty is a ledger whose writes can be made to fail, as a full disk does.
type faulty struct {
	*store.SQLite
	mu   sync.Mutex
	full bool
}

func (f *faulty) fill(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

func (f *faulty) Commit(ctx context.Context, b *store.Batch) (map[nod.PersonID]wire.Signed, error) {
	f.mu.Lock()
	full := f.full
	f.mu.Unlock()
	if full {
		return nil, nod.Errorf(nod.CodeStorage, "the data folder is full", "make room")
	}
	return f.SQLite.Commit(ctx, b)
}

func (f *faulty) Hashes(ctx context.Context, p nod.PersonID) tlog.HashReader {
	return f.SQLite.Hashes(ctx, p)
}

// bubble runs a test in which time is fake, so that minutes pass at once.
func bubble(t *testing.T, f func(t *testing.T, h *house)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		key, err := store.LoadKey(dir)
		if err != nil {
			t.Fatal(err)
		}
		storetest.Fresh(t, dir)
		h := &house{t: t, dir: dir, key: key}
		h.start()
		defer func() { h.stop() }()
		h.person = h.People()[0].ID
		agent, token, err := h.AddAgent(t.Context(), AgentSpec{Person: h.person, Name: "Laptop"})
		if err != nil {
			t.Fatal(err)
		}
		h.agent, h.token = agent.ID, token
		f(t, h)
	})
}

// addAgent adds one more agent of the same person, with the default access where
// no apps are named.
func (h *house) addAgent(name string, apps ...string) nod.Agent {
	h.t.Helper()
	a, _, err := h.AddAgent(h.t.Context(), AgentSpec{Person: h.person, Name: name, Apps: apps})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *house) start() {
	h.t.Helper()
	sign := func(head wire.Head) (wire.Signed, error) { return log.SignHead(h.key, head) }
	db, err := store.Open(context.Background(), store.Config{Dir: h.dir, Sign: sign, Logger: h.logger})
	if err != nil {
		h.t.Fatal(err)
	}
	h.ledger = &faulty{SQLite: db}
	h.Gateway, err = New(context.Background(), Config{Ledger: h.ledger, Signer: h.key, Spec: spec.Get(), Version: "test", Push: h.push, Logger: h.logger})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) stop() {
	h.t.Helper()
	if err := h.Gateway.Close(); err != nil {
		h.t.Error(err)
	}
	if err := h.ledger.Close(); err != nil {
		h.t.Error(err)
	}
}

// restart is a gateway that was killed between two turns and started again.
func (h *house) restart() {
	h.t.Helper()
	h.stop()
	h.start()
}

// pixel is a phone as the gateway sees it: real keys, no socket.
type pixel struct {
	h      *house
	id     nod.PhoneID
	key    *wire.Key
	name   string
	locale string

	mu     sync.Mutex
	epoch  int64
	frames []wire.Frame
	closed string
	noShow bool
	deaf   bool
	unable []string
	// pickers are the tools for which the phone's system has the person pick.
	pickers []string
	// tap is shown every frame that comes; nil for nobody.
	tap func(wire.Frame)
}

func (p *pixel) Send(f wire.Frame) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != "" || p.deaf {
		return false
	}
	p.frames = append(p.frames, f)
	if p.tap != nil {
		p.tap(f)
	}
	return true
}

func (p *pixel) Close(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = reason
}

func (p *pixel) Remote() string { return "test" }

// pair pairs a phone by link, as the person's first or as one that recovers.
func (h *house) pair(name string, recover bool) *pixel {
	h.t.Helper()
	p, reply, request := h.present(name, recover)
	if !reply.First {
		h.t.Fatalf("%s is not the one that approves itself", name)
	}
	record, err := wire.Sign(p.key, wire.RecordPhone, wire.PhoneBody{Phone: p.id, Person: h.person, Name: name, Host: nod.HostSim, Key: request.Key, Signer: p.id})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.PairRecord(h.t.Context(), auth.RecordRequest{ID: request.ID, Record: record}); err != nil {
		h.t.Fatal(err)
	}
	return p
}

// present takes a phone through the first half of pairing.
func (h *house) present(name string, recover bool) (*pixel, auth.PairReply, auth.PairRequest) {
	h.t.Helper()
	key, err := wire.GenerateKey()
	if err != nil {
		h.t.Fatal(err)
	}
	pairing, err := h.StartPairing(h.t.Context(), h.person, recover)
	if err != nil {
		h.t.Fatal(err)
	}
	request, err := auth.NewPairRequest(pairing.Secret, key.Public(), name, nod.HostSim)
	if err != nil {
		h.t.Fatal(err)
	}
	reply, err := h.Pair(h.t.Context(), request)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := reply.Check(pairing.Secret, request); err != nil {
		h.t.Fatal(err)
	}
	return &pixel{h: h, id: reply.Phone, key: key, name: name}, reply, request
}

// connect says hello and takes the welcome.
func (p *pixel) connect() wire.WelcomeBody {
	p.h.t.Helper()
	p.mu.Lock()
	p.frames, p.closed = nil, ""
	p.mu.Unlock()
	capabilities := []nod.Capability{}
	for _, a := range spec.Get().Phone.Actions {
		state, reason := nod.Ready, ""
		if slices.Contains(p.unable, a.Name) {
			state, reason = nod.Unsupported, "there is no such app here"
		}
		capabilities = append(capabilities, nod.Capability{ID: a.Capability, State: state, Reason: reason})
	}
	for _, tool := range spec.Get().Tools {
		if tool.Capability != "" {
			state := nod.Ready
			if slices.Contains(p.unable, tool.Name) {
				state = nod.Unsupported
			}
			capabilities = append(capabilities, nod.Capability{ID: tool.Capability, State: state, Picker: slices.Contains(p.pickers, tool.Name)})
		}
	}
	hello := wire.HelloBody{Phone: p.id, Nonce: "n", Range: wire.OwnRange(), Host: nod.HostSim, Screen: !p.noShow, Visible: true, Locale: p.locale, Capabilities: capabilities}
	if err := (phones{p.h.Gateway}).Hello(p.h.t.Context(), p, hello); err != nil {
		p.h.t.Fatalf("hello of %s: %v", p.name, err)
	}
	frame := p.take(wire.KindWelcome)
	public, _ := wire.ParsePublic(p.h.key.Public())
	var welcome wire.WelcomeBody
	if err := frame.Signed().OpenAs(wire.KindWelcome, public, &welcome); err != nil {
		p.h.t.Fatal(err)
	}
	p.epoch = welcome.Epoch
	return welcome
}

// disconnect ends the phone's link from its side.
func (p *pixel) disconnect() { phones{p.h.Gateway}.Lost(p, p.id) }

// visible says whether somebody looks at the phone side.
func (p *pixel) visible(is bool) { p.frame(wire.Frame{Kind: wire.KindPresence, Visible: &is}) }

// take waits until everything is idle and removes the first frame of a kind.
func (p *pixel) take(kind string) wire.Frame {
	p.h.t.Helper()
	f, ok := p.find(kind)
	if !ok {
		p.h.t.Fatalf("%s got no %s; it has %v", p.name, kind, p.kinds())
	}
	return f
}

func (p *pixel) find(kind string) (wire.Frame, bool) {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range p.frames {
		if f.Kind == kind {
			p.frames = slices.Delete(p.frames, i, i+1)
			return f, true
		}
	}
	return wire.Frame{}, false
}

func (p *pixel) none(kind string) {
	p.h.t.Helper()
	if f, ok := p.find(kind); ok {
		p.h.t.Fatalf("%s got a %s: %s", p.name, kind, f.Body)
	}
}

func (p *pixel) kinds() (kinds []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.frames {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

// offer takes an offer and checks what every phone checks.
func (p *pixel) offer() wire.OfferBody {
	p.h.t.Helper()
	f := p.take(wire.KindOffer)
	public, _ := wire.ParsePublic(p.h.key.Public())
	var body wire.OfferBody
	if err := f.Signed().OpenAs(wire.KindOffer, public, &body); err != nil {
		p.h.t.Fatal(err)
	}
	return body
}

func (p *pixel) frame(f wire.Frame) {
	f.Epoch = p.epoch
	phones{p.h.Gateway}.Frame(context.Background(), p, p.id, f)
}

func (p *pixel) delivered(o wire.OfferBody) {
	p.frame(wire.Frame{Kind: wire.KindDelivered, Call: o.Call})
}
func (p *pixel) shown(o wire.OfferBody) { p.frame(wire.Frame{Kind: wire.KindShown, Call: o.Call}) }

func digestOf(o wire.OfferBody) string {
	bytes, err := wire.Canonical(o)
	if err != nil {
		panic(err)
	}
	return wire.Encode64(wire.Digest(bytes))
}

func (p *pixel) decide(o wire.OfferBody, choice nod.Choice, reason string) {
	p.h.t.Helper()
	p.decideOver(o, digestOf(o), choice, reason)
}

func (p *pixel) decideOver(o wire.OfferBody, digest string, choice nod.Choice, reason string) {
	p.h.t.Helper()
	signed, err := wire.Sign(p.key, wire.KindDecision, wire.DecisionBody{Call: o.Call, Digest: digest, Phone: p.id,
		Choice: choice, Reason: reason, Assurance: nod.AssuranceNative})
	if err != nil {
		p.h.t.Fatal(err)
	}
	p.frame(wire.FrameOf(signed))
}

func (p *pixel) confirm(o wire.OfferBody) { p.decide(o, nod.ChoiceConfirm, "") }

func (p *pixel) result(o wire.OfferBody, status wire.ResultStatus, started bool, message string) {
	p.h.t.Helper()
	p.send(wire.ResultBody{Call: o.Call, Digest: digestOf(o), Phone: p.id, Status: status, Started: started, Message: message})
}

// send signs a result and sends it.
func (p *pixel) send(body wire.ResultBody) {
	p.h.t.Helper()
	signed, err := wire.Sign(p.key, wire.KindResult, body)
	if err != nil {
		p.h.t.Fatal(err)
	}
	p.frame(wire.FrameOf(signed))
}

// ask opens a call of the house's agent.
func (h *house) ask(arguments string, changes ...func(*Ask)) nod.Call {
	h.t.Helper()
	a := Ask{Agent: h.agent, Tool: spec.ToolPhoneAction, Arguments: []byte(arguments)}
	for _, change := range changes {
		change(&a)
	}
	c, err := h.Open(h.t.Context(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

const (
	alarm = `{"action":"alarm","time":"07:30"}`
	timer = `{"action":"timer","seconds":60}`
	dial  = `{"action":"dial","number":"+351 910 000 001"}`
	torch = `{"action":"torch","on":true}`
)

// now returns a call as it stands when everything is idle.
func (h *house) now(id nod.CallID) nod.Call {
	h.t.Helper()
	synctest.Wait()
	c, err := h.Call(h.t.Context(), h.agent, id)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *house) want(id nod.CallID, outcome nod.Outcome, why nod.Why) nod.Call {
	h.t.Helper()
	c := h.now(id)
	if c.Outcome != outcome || c.Why != why {
		h.t.Fatalf("call is %s %q (%s), want %s %q", c.Outcome, c.Why, c.State, outcome, why)
	}
	return c
}

// entries lists the kinds of the log's entries about a call.
func (h *house) entries(id nod.CallID) (kinds []string) {
	h.t.Helper()
	synctest.Wait()
	entries, err := h.Log(h.t.Context(), h.person, 0, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Call == id {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func pass(d time.Duration) {
	synctest.Wait()
	time.Sleep(d) // in a bubble: no time passes
	synctest.Wait()
}
