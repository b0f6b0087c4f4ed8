package gateway

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// canaryHouses is how many houses the check fills with canaries; ./check --soak
// fills more.
var canaryHouses = flag.Uint64("canaries", 2, "how many houses are filled with canaries")

// No private byte reaches an agent, a log, a backup or stdout except by release:
// whatever agents, people, phones, the disk and the power do, in any order.
func TestNoPrivateByteButByRelease(t *testing.T) {
	released := 0
	for seed := range *canaryHouses {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			backups := t.TempDir()
			bubble(t, func(t *testing.T, h *house) {
				m := &mine{house: h, t: t, rand: mathrand.New(mathrand.NewPCG(seed, 5)), backups: backups, reads: map[nod.CallID]*secret{}}
				m.run(100)
				released += m.released
			})
		})
	}
	if released < 4*int(*canaryHouses) && !t.Failed() {
		t.Errorf("%d canaries were released: this proves too little", released)
	}
}

// mine is a house full of canaries: every text and every picture that a phone reads
// holds one, and whatever comes out of the gateway is searched for them.
type mine struct {
	*house
	t       *testing.T
	rand    *mathrand.Rand
	phone   *pixel
	backups string
	air     tap // what left: frames, the program's own log, answers

	reads    map[nod.CallID]*secret
	ids      []nod.CallID
	canaries []string
	backup   string
	did      []string
	released int
}

// secret is a read under way, or over.
type secret struct {
	agent    nod.AgentID
	offer    wire.OfferBody
	token    string
	texts    []string // the canaries that its phone sent for it
	released bool
}

// tap keeps what left the gateway since it was last searched.
type tap struct{ bytes.Buffer }

func (m *mine) run(steps int) {
	m.logger = slog.New(slog.NewTextHandler(&m.air, &slog.HandlerOptions{Level: slog.LevelDebug}))
	m.phone = m.pair("Pixel", false)
	m.phone.tap = func(f wire.Frame) { m.keep(f) }
	m.restart()
	m.phone.connect()
	m.widen()
	acts := []struct {
		name string
		do   func()
	}{
		{"asks", m.asks}, {"asks", m.asks}, {"asks", m.asks}, {"looks", m.looks}, {"looks", m.looks},
		{"answers", m.answers}, {"answers", m.answers}, {"answers", m.answers}, {"answers", m.answers},
		{"release", m.releases}, {"release", m.releases}, {"release", m.releases},
		{"cancels", m.cancels}, {"narrows", m.narrows}, {"widens", m.widen}, {"widens", m.widen}, {"time", m.time},
		{"restarts", m.restarts}, {"backs up", m.backsUp}, {"time", m.time}, {"disk", m.disk},
	}
	for range steps {
		act := acts[m.rand.IntN(len(acts))]
		m.did = append(m.did, act.name)
		act.do()
		if m.one(3) == 0 {
			m.search()
		}
	}
	m.ledger.fill(false)
	if m.backsUp(); m.one(2) == 0 {
		m.restores()
		m.search()
	}
	pass(KeepUnreleased + 2*time.Minute)
	m.search()
	if kept := m.kept(); len(kept) != 0 {
		m.t.Errorf("after a day %v is kept", kept)
	}
}

func (m *mine) one(of int) int { return m.rand.IntN(of) }

// keep notes something that the gateway said to anybody.
func (m *mine) keep(said any) {
	data, err := json.Marshal(said)
	if err != nil {
		m.t.Fatal(err)
	}
	m.air.Write(append(data, '\n'))
}

func (m *mine) fresh() string {
	canary := "canary" + rand.Text()
	m.canaries = append(m.canaries, canary)
	return canary
}

// asks opens a read, and follows it to its go if the person says yes.
func (m *mine) asks() {
	tool, arguments := calendar, fmt.Sprintf(`{"query":"%d"}`, m.one(4))
	if m.one(3) == 0 {
		tool, arguments = photos, fmt.Sprintf(`{"max":%d}`, 1+m.one(9))
	}
	c, err := m.Open(m.t.Context(), Ask{Agent: m.agent, Tool: tool, Arguments: []byte(arguments), Detached: m.one(2) == 0})
	m.keep(c)
	m.keep(fmt.Sprint(err))
	if m.reads[c.ID] != nil || err != nil {
		return
	}
	s := &secret{agent: m.agent}
	m.reads[c.ID], m.ids = s, append(m.ids, c.ID)
	if _, ok := m.phone.find(wire.KindOffer); !ok {
		return
	}
	if err := wire.Decode(m.now(c.ID).Offer, &s.offer); err != nil {
		m.t.Fatal(err)
	}
	switch {
	case s.offer.Verdict == nod.Allow:
		m.phone.standing(s.offer)
	case m.one(9) == 0:
		m.phone.decide(s.offer, nod.ChoiceDecline, "")
	default:
		m.phone.confirm(s.offer)
	}
	if f, ok := m.phone.find(wire.KindGo); ok {
		var body wire.GoBody
		if err := wire.Decode([]byte(f.Body), &body); err != nil {
			m.t.Fatal(err)
		}
		s.token = body.Upload
		if m.one(3) > 0 {
			m.answers()
		}
		if m.one(3) == 0 {
			m.releases()
		}
	}
}

// any picks a call, a late one rather than an early one.
func (m *mine) any() (nod.CallID, *secret) {
	if len(m.ids) == 0 {
		return "", nil
	}
	id := m.ids[len(m.ids)-1-min(m.one(6), m.one(6), m.one(len(m.ids)))]
	return id, m.reads[id]
}

// answers sends what a phone read, whether or not somebody still waits for it: as
// it was signed, or not.
func (m *mine) answers() {
	id, s := m.any()
	if s == nil || s.offer.Call == "" {
		return
	}
	var f wire.Frame
	if s.offer.Tool == photos {
		files := [][]byte{}
		for n := range 1 + m.one(2) {
			canary := m.fresh()
			s.texts = append(s.texts, canary)
			files = append(files, jpeg(canary))
			m.keep(fmt.Sprint(m.Upload(m.t.Context(), id, n, s.token, "image/jpeg", files[n])))
		}
		f = m.phone.brought(s.offer, "", files...)
	} else {
		canary := m.fresh()
		s.texts = append(s.texts, canary)
		f = m.phone.brought(s.offer, `{"count":1,"events":[{"title":"`+canary+`"}]}`)
		if m.one(5) == 0 {
			f.Text += " "
		}
	}
	if m.one(5) == 0 {
		return // it never gets through
	}
	for range 1 + m.one(2) {
		m.keep(fmt.Sprint(m.Result(m.t.Context(), f.Signed(), f.Text, f.Salt)))
	}
}

// releases is the one thing that may tell a canary: those of its own call, to its
// own agent, who may have them, with a word in the log.
func (m *mine) releases() {
	id, s := m.any()
	for range 8 { // rather one that brought something
		if s != nil && !m.row(id).Data {
			id, s = m.any()
		}
	}
	if s == nil {
		return
	}
	m.mu.RLock()
	a, everybody := m.core.agents[s.agent], m.core.people[m.person].PausedAll
	m.mu.RUnlock()
	if m.one(5) == 0 {
		stranger, err := m.Release(m.t.Context(), "agent_somebody", id)
		m.keep(stranger)
		m.keep(fmt.Sprint(err))
	}
	r, err := m.Release(m.t.Context(), s.agent, id)
	m.keep(fmt.Sprint(err))
	said, _ := json.Marshal(r)
	var files []byte
	for _, b := range r.Blobs {
		files = append(files, b.Bytes...)
	}
	for _, canary := range m.canaries {
		if !bytes.Contains(said, []byte(canary)) && !bytes.Contains(files, []byte(canary)) {
			continue
		}
		s.released = true
		m.released++
		switch {
		case !slices.Contains(s.texts, canary):
			m.t.Fatalf("a release of %s tells what another call read, after %v", id, m.did)
		case a.Revoked != 0 || a.Paused || everybody || a.Access.State(m.row(id).App, nod.Read, true) == nod.AccessOff:
			m.t.Fatalf("a release to an agent that may not ask for it: %+v, after %v", a, m.did)
		case !slices.Contains(m.entries(id), "call.released"):
			m.t.Fatalf("a release of %s that is not in the log, after %v", id, m.did)
		}
	}
}

func (m *mine) row(id nod.CallID) nod.Call {
	c, err := m.ledger.Call(m.t.Context(), id)
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

// looks asks everything that agents, phones and the person can ask.
func (m *mine) looks() {
	ctx := m.t.Context()
	m.mu.RLock()
	a := m.core.agents[m.agent]
	p := m.core.phones[m.phone.id]
	m.mu.RUnlock()
	calls, err := m.AgentCalls(ctx, a, AgentCalls{Limit: 100})
	m.keep([]any{calls, fmt.Sprint(err), m.OpenCalls(m.agent), m.Agents(m.person), m.Phones(m.person), m.Tools(a)})
	of, err := m.CallsOf(ctx, p, PhoneCalls{Limit: 100})
	m.keep([]any{of, fmt.Sprint(err)})
	whole, err := m.Log(ctx, m.person, 0, 1000)
	own, err2 := m.AgentLog(ctx, a, 1, 1000)
	for _, entries := range [][]log.Entry{whole, own} {
		for _, e := range entries {
			m.keep(e)
			m.keep(string(e.Payload))
		}
	}
	m.keep([]any{fmt.Sprint(err, err2)})
	changes, _, _ := m.Since(ctx, a, 0)
	m.keep(changes)
	for _, c := range calls {
		m.keep([]string{string(c.Result), string(c.Offer), string(c.Decision)})
	}
}

func (m *mine) cancels() {
	if id, s := m.any(); s != nil {
		c, err := m.Cancel(m.t.Context(), s.agent, id)
		m.keep(c)
		m.keep(fmt.Sprint(err))
	}
}

// narrows stops the agent in one of the ways there are; who asks for what was read
// has the more to lose then.
func (m *mine) narrows() {
	m.narrow()
	for range 3 {
		m.releases()
	}
	if m.one(2) == 0 {
		m.widen()
	}
}

func (m *mine) narrow() {
	ctx := m.t.Context()
	switch m.one(9) {
	case 0, 1:
		_, _, _ = m.PauseAgent(ctx, m.person, string(m.agent))
	case 2, 3:
		_, _ = m.PauseAll(ctx, m.person, "console")
	case 4, 5:
		_, _, _ = m.SwitchOff(ctx, m.person, string(m.agent), []string{"calendar:read"})
	case 6, 7:
		m.signs(wire.RecordAccess, wire.RecordBody{Agent: m.agent, Switches: map[string]nod.AccessState{"photos:read": nod.AccessOff}})
	default:
		if _, err := m.RevokeAgent(ctx, m.person, string(m.agent), false); err != nil {
			return
		}
		if a, _, err := m.AddAgent(ctx, AgentSpec{Person: m.person, Name: "Agent " + rand.Text()[:6]}); err == nil {
			m.agent = a.ID
			m.widen()
		}
	}
}

// widen lets the agent ask for everything again, as far as the disk takes it.
func (m *mine) widen() {
	m.signs(wire.RecordResume, wire.RecordBody{})
	m.signs(wire.RecordResume, wire.RecordBody{Agent: m.agent})
	m.signs(wire.RecordAccess, wire.RecordBody{Agent: m.agent, Switches: map[string]nod.AccessState{"calendar:read": nod.AccessAsk, "photos:read": nod.AccessAsk}})
}

// signs has the phone sign a record; a full disk takes none.
func (m *mine) signs(kind string, body wire.RecordBody) {
	body.ID, body.Phone = nod.RecordID("record_"+rand.Text()), m.phone.id
	signed, err := wire.Sign(m.phone.key, kind, body)
	if err != nil {
		m.t.Fatal(err)
	}
	m.phone.frame(wire.Frame{Kind: wire.KindRecords, Record: &signed})
	m.phone.find(wire.KindAck)
}

func (m *mine) restarts() {
	m.ledger.fill(false)
	m.restart()
	m.phone.connect()
}

func (m *mine) disk() { m.ledger.fill(m.one(3) == 0) }

func (m *mine) time() {
	m.ledger.fill(false)
	pass(time.Duration(1+m.one(12)) * time.Minute)
	if m.one(6) == 0 {
		pass(time.Duration(m.one(26)) * time.Hour)
	}
	m.phone.connect()
}

func (m *mine) backsUp() {
	path := filepath.Join(m.backups, rand.Text()+".db")
	if err := m.Backup(m.t.Context(), path); err == nil {
		m.backup = path
	}
}

// restores puts the last backup in place: nothing that phones read is there then.
func (m *mine) restores() {
	m.stop()
	if err := store.Restore(m.t.Context(), m.dir, m.backup); err != nil {
		m.t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(m.dir, "private")); !os.IsNotExist(err) {
		m.t.Errorf("after a restore, what phones read is there: %v", err)
	}
	m.start()
}

// search looks for canaries in all that left the gateway and in every file of it,
// but where they belong: apart, and once they were handed out, among the person's files.
func (m *mine) search() {
	pass(0)
	free := map[string]bool{}
	for _, s := range m.reads {
		for _, canary := range s.texts {
			free[canary] = s.released && s.offer.Tool == photos
		}
	}
	find := func(where string, data []byte, handed bool) {
		for _, canary := range m.canaries {
			if bytes.Contains(data, []byte(canary)) && !(handed && free[canary]) {
				m.t.Fatalf("%s holds what a phone read, after %v", where, m.did)
			}
		}
	}
	find("an answer, a frame or the program's log", m.air.Bytes(), false)
	m.air.Reset()
	for _, root := range []string{m.dir, m.backups} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				if e != nil && path == filepath.Join(m.dir, "private") {
					return fs.SkipDir
				}
				return err
			}
			data, err := os.ReadFile(path)
			find(path, data, strings.HasPrefix(path, filepath.Join(m.dir, "attachments")))
			return err
		})
		if err != nil {
			m.t.Fatal(err)
		}
	}
}
