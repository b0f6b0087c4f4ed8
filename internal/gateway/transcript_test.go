package gateway

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

var updateTranscripts = flag.Bool("update-transcripts", false, "rewrite the offer, told and log sections of spec/transcripts; read the difference")

const transcripts = "../../spec/transcripts"

// TestTranscripts plays the gateway's side of every transcript: spec/transcripts
// says what they are made of. Every frame that the gateway sends must be in the
// play, in its place, and no other.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(transcripts, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Errorf("there are %d transcripts, the contract has at least 30", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bubble(t, func(t *testing.T, h *house) {
				tr := &transcript{h: h, t: t, phone: h.pair("Pixel", false)}
				tr.phone.connect()
				tr.run(archive)
			})
			if *updateTranscripts {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type transcript struct {
	h     *house
	t     *testing.T
	phone *pixel
	ask   Ask
	call  nod.Call
	offer wire.OfferBody
	// upload is the token of the last go.
	upload string
}

func (tr *transcript) run(a *txtar.Archive) {
	for i := range a.Files {
		f := &a.Files[i]
		var got string
		switch f.Name {
		case "ask":
			tr.open(f.Data)
			continue
		case "play":
			tr.play(string(f.Data))
			continue
		case "offer":
			got = tr.offered()
		case "told":
			c := tr.h.now(tr.call.ID)
			got = fmt.Sprintf("%s\n%s\n", c.Outcome, c.Text)
		case "released":
			r := tr.h.released(tr.h.now(tr.call.ID))
			got = fmt.Sprintf("%s\n", r.Text)
			for _, b := range r.Blobs {
				got = strings.ReplaceAll(strings.ReplaceAll(got, b.Path, "PATH"), b.Name, "NAME")
			}
		case "log":
			got = strings.Join(tr.h.entries(tr.call.ID), "\n") + "\n"
		default:
			tr.t.Fatalf("there is no section %q", f.Name)
		}
		if *updateTranscripts {
			f.Data = []byte(got)
		} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
			tr.t.Errorf("-- %s -- (- want, + got)\n%s", f.Name, diff)
		}
	}
	tr.quiet("at the end")
}

// open makes the call that the section describes.
func (tr *transcript) open(data []byte) {
	tr.t.Helper()
	var ask struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Detached  bool            `json:"detached"`
		Mode      nod.Mode        `json:"mode"`
		Access    []string        `json:"access"`
	}
	if err := json.Unmarshal(data, &ask); err != nil {
		tr.t.Fatal(err)
	}
	if len(ask.Access) > 0 {
		switches := map[string]nod.AccessState{}
		for _, app := range ask.Access {
			switches[app] = nod.AccessAsk
		}
		tr.phone.access(tr.h.agent, switches)
	}
	tr.ask = Ask{Agent: tr.h.agent, Tool: ask.Tool, Arguments: ask.Arguments, Detached: ask.Detached, Mode: ask.Mode}
	c, err := tr.h.Open(tr.t.Context(), tr.ask)
	if err != nil {
		tr.t.Fatal(err)
	}
	tr.call = c
}

func (tr *transcript) play(script string) {
	tr.t.Helper()
	for line := range strings.Lines(script) {
		who, what, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			tr.t.Fatalf("%q is no line of a play", line)
		}
		switch who {
		case "gateway":
			tr.gateway(what)
			continue
		case "time":
			d, err := time.ParseDuration(what)
			if err != nil {
				tr.t.Fatal(err)
			}
			pass(d)
			continue
		}
		tr.quiet("before " + strings.TrimSpace(line))
		switch who {
		case "phone":
			tr.phoneDoes(what)
		case "person":
			tr.personDoes(what)
		case "agent":
			tr.agentDoes(what)
		case "console":
			tr.consoleDoes(what)
		default:
			tr.t.Fatalf("there is no %q in a play", who)
		}
	}
}

// quiet fails when the gateway has sent what the play does not say.
func (tr *transcript) quiet(when string) {
	tr.t.Helper()
	pass(0)
	if kinds := tr.phone.kinds(); len(kinds) > 0 {
		tr.t.Fatalf("%s the gateway had sent %v", when, kinds)
	}
}

// gateway expects the next frame.
func (tr *transcript) gateway(what string) {
	tr.t.Helper()
	if what == "restart" {
		tr.h.restart()
		return
	}
	pass(0)
	kinds := tr.phone.kinds()
	kind, detail, _ := strings.Cut(what, " ")
	if len(kinds) == 0 || kinds[0] != kind {
		tr.t.Fatalf("the gateway sent %v, the play says %s", kinds, what)
	}
	if kind == wire.KindOffer {
		tr.offer = tr.phone.offer()
		return
	}
	f := tr.phone.take(kind)
	if kind == wire.KindGo {
		var body wire.GoBody
		if err := wire.Decode([]byte(f.Body), &body); err != nil {
			tr.t.Fatal(err)
		}
		tr.upload = body.Upload
		return
	}
	var body wire.CallBody
	_ = wire.Decode([]byte(f.Body), &body)
	if got := strings.TrimSpace(body.Reason + f.Of); kind != wire.KindWelcome && kind != wire.KindGo && kind != wire.KindRevoked && got != detail {
		tr.t.Fatalf("the gateway sent %s %s, the play says %s", kind, got, what)
	}
}

func (tr *transcript) phoneDoes(what string) {
	tr.t.Helper()
	word, message, _ := strings.Cut(what, " ")
	p, o := tr.phone, tr.offer
	switch word {
	case "delivered":
		p.delivered(o)
	case "shown":
		p.shown(o)
	case "standing":
		p.standing(o)
	case "done":
		tr.done(message)
	case "opened":
		p.result(o, wire.ResultOpened, true, message)
	case "failed":
		if why := nod.Why(message); slices.Contains(nod.PhoneWhys, why) {
			p.send(wire.ResultBody{Call: o.Call, Digest: digestOf(o), Phone: p.id, Status: wire.ResultFailed, Why: why})
			return
		}
		p.result(o, wire.ResultFailed, false, message)
	case "failed-started":
		p.result(o, wire.ResultFailed, true, message)
	case "unknown":
		p.result(o, wire.ResultUnknown, true, message)
	case "says":
		p.result(o, wire.ResultStatus(message), true, "")
	case "disconnects":
		p.disconnect()
	case "connects":
		p.connect()
	default:
		tr.t.Fatalf("a phone does not %q", what)
	}
}

// done is a result of what the tool's results are made of: a sentence, a text, or
// a picture.
func (tr *transcript) done(message string) {
	tr.t.Helper()
	p, o := tr.phone, tr.offer
	switch tool, _ := spec.Get().Tool(o.Tool); {
	case tool.Blobs > 0:
		if err := tr.h.Upload(tr.t.Context(), o.Call, 0, tr.upload, "image/jpeg", jpeg("x")); err != nil && tr.h.now(o.Call).State != nod.Closed {
			tr.t.Fatal(err)
		}
		p.frame(p.brought(o, "", jpeg("x")))
	case strings.HasPrefix(message, "{"):
		p.frame(p.brought(o, message))
	default:
		p.result(o, wire.ResultDone, true, message)
	}
}

func (tr *transcript) personDoes(what string) {
	tr.t.Helper()
	word, reason, _ := strings.Cut(what, " ")
	switch word {
	case "confirm":
		tr.phone.confirm(tr.offer)
	case "decline":
		tr.phone.decide(tr.offer, nod.ChoiceDecline, reason)
	default:
		tr.t.Fatalf("a person does not %q", what)
	}
}

func (tr *transcript) agentDoes(what string) {
	tr.t.Helper()
	h := tr.h
	var err error
	switch what {
	case "cancels":
		_, err = h.Cancel(tr.t.Context(), h.agent, tr.call.ID)
	case "goes":
		err = h.Gone(tr.t.Context(), h.agent, tr.call.ID)
	case "detaches":
		_, err = h.Detach(tr.t.Context(), h.agent, tr.call.ID)
	case "is told":
		err = h.HandedOver(tr.t.Context(), h.agent, tr.call.ID)
	case "asks again":
		tr.call, err = h.Open(tr.t.Context(), tr.ask)
	default:
		tr.t.Fatalf("an agent does not %q", what)
	}
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *transcript) consoleDoes(what string) {
	tr.t.Helper()
	h := tr.h
	var err error
	switch what {
	case "pauses all":
		_, err = h.PauseAll(tr.t.Context(), h.person, "console")
	case "pauses the agent":
		_, _, err = h.PauseAgent(tr.t.Context(), h.person, "Laptop")
	case "switches the app off":
		_, _, err = h.SwitchOff(tr.t.Context(), h.person, "Laptop", []string{tr.call.App + ":" + string(tr.call.Kind)})
	case "removes the agent":
		_, err = h.RevokeAgent(tr.t.Context(), h.person, "Laptop", false)
	case "removes the phone":
		_, _, err = h.RevokePhone(tr.t.Context(), h.person, "Pixel")
	default:
		tr.t.Fatalf("a console does not %q", what)
	}
	if err != nil {
		tr.t.Fatal(err)
	}
}

// offered is the last offer as a card sees it, without what differs each time.
func (tr *transcript) offered() string {
	o := tr.offer
	o.Call, o.Agent, o.Phone, o.Screens, o.Nonce = "", "", "", nil, ""
	tree := map[string]any{"agent_name": o.AgentName, "tool": o.Tool, "action": o.Action, "fields": map[string]any(o.Fields), "summary": o.Summary,
		"verdict": string(o.Verdict), "rule": string(o.Rule), "risk": string(o.Risk), "badges": o.Badges, "ttl_seconds": o.TTLSeconds}
	if o.Repeat != nil {
		tree["repeat"] = o.Repeat
	}
	if len(o.Taint) > 0 {
		tree["taint"] = o.Taint
	}
	text, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		tr.t.Fatal(err)
	}
	return string(text) + "\n"
}
