package gateway

import (
	"crypto/rand"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// jpeg is a picture as far as its first bytes say.
func jpeg(words string) []byte { return append([]byte("\xff\xd8\xff\xe0"), words...) }

// reading is a house with a phone on which everything may be read.
func reading(t *testing.T, f func(t *testing.T, h *house, p *pixel)) {
	t.Helper()
	bubble(t, func(t *testing.T, h *house) {
		p := h.pair("Pixel", false)
		p.connect()
		p.access(h.agent, map[string]nod.AccessState{"calendar:read": nod.AccessAsk, "clipboard:read": nod.AccessAsk, "photos:read": nod.AccessAsk,
			"contacts:read": nod.AccessAsk, "location:read": nod.AccessAsk})
		f(t, h, p)
	})
}

// tool opens a call of one of the tools.
func (h *house) tool(name, arguments string, changes ...func(*Ask)) nod.Call {
	h.t.Helper()
	return h.ask(arguments, append([]func(*Ask){func(a *Ask) { a.Tool = name }}, changes...)...)
}

// record signs a record and sends it, and takes the word that it is kept.
func (p *pixel) record(kind string, body wire.RecordBody) bool {
	p.h.t.Helper()
	body.ID, body.Phone = nod.RecordID("record_"+rand.Text()), p.id
	signed, err := wire.Sign(p.key, kind, body)
	if err != nil {
		p.h.t.Fatal(err)
	}
	p.frame(wire.Frame{Kind: wire.KindRecords, Record: &signed})
	for {
		ack, ok := p.find(wire.KindAck)
		if !ok || string(ack.Call) == string(body.ID) {
			return ok && ack.Reason == ""
		}
	}
}

// access switches what an agent may ask for, as the person does on the phone.
func (p *pixel) access(agent nod.AgentID, switches map[string]nod.AccessState) {
	p.h.t.Helper()
	if !p.record(wire.RecordAccess, wire.RecordBody{Agent: agent, Switches: switches}) {
		p.h.t.Fatal("an access record was not taken")
	}
}

// standing decides by the phone's own contract.
func (p *pixel) standing(o wire.OfferBody) {
	p.h.t.Helper()
	signed, err := wire.Sign(p.key, wire.KindDecision, wire.DecisionBody{Call: o.Call, Digest: digestOf(o), Phone: p.id,
		Choice: nod.ChoiceStanding, Basis: "spec", Assurance: nod.AssuranceNative})
	if err != nil {
		p.h.t.Fatal(err)
	}
	p.frame(wire.FrameOf(signed))
}

// goBody takes the go and reads it.
func (p *pixel) goBody() wire.GoBody {
	p.h.t.Helper()
	public, _ := wire.ParsePublic(p.h.key.Public())
	f := p.take(wire.KindGo)
	var body wire.GoBody
	if err := f.Signed().OpenAs(wire.KindGo, public, &body); err != nil {
		p.h.t.Fatal(err)
	}
	return body
}

// brought is a result that brings something, as a phone makes it.
func (p *pixel) brought(o wire.OfferBody, text string, files ...[]byte) (frame wire.Frame) {
	p.h.t.Helper()
	body := wire.ResultBody{Call: o.Call, Digest: digestOf(o), Phone: p.id, Status: wire.ResultDone, Started: true}
	salt := make([]byte, wire.SaltSize)
	rand.Read(salt)
	if text != "" {
		data := wire.DataOf(salt, text)
		body.Data = &data
	}
	for _, file := range files {
		body.Blobs = append(body.Blobs, wire.Blob{Hash: wire.Encode64(wire.Digest(file)), Bytes: int64(len(file)), Mime: "image/jpeg", Name: "photo.jpg", Width: 4, Height: 3})
	}
	signed, err := wire.Sign(p.key, wire.KindResult, body)
	if err != nil {
		p.h.t.Fatal(err)
	}
	frame = wire.FrameOf(signed)
	if text != "" {
		frame.Text, frame.Salt = text, wire.Encode64(salt)
	}
	return frame
}

// reads answers a call with what was read.
func (p *pixel) reads(o wire.OfferBody, text string) {
	p.h.t.Helper()
	p.frame(p.brought(o, text))
	p.take(wire.KindAck)
}

// read takes a read through to what it brought.
func (h *house) read(p *pixel, tool, arguments, text string) nod.Call {
	h.t.Helper()
	c := h.tool(tool, arguments)
	o := p.offer()
	if o.Verdict == nod.Allow {
		p.standing(o)
	} else {
		p.confirm(o)
	}
	p.take(wire.KindGo)
	p.reads(o, text)
	return h.want(c.ID, nod.Done, "")
}

func (h *house) release(c nod.Call) (Released, error) { return h.Release(h.t.Context(), c.Agent, c.ID) }

func (h *house) released(c nod.Call) Released {
	h.t.Helper()
	r, err := h.release(c)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *house) withheld(c nod.Call, words string) {
	h.t.Helper()
	if r, err := h.release(c); nod.CodeOf(err) != nod.CodeForbidden || !strings.Contains(err.Error(), words) || r.Text != "" || r.Blobs != nil {
		h.t.Errorf("Release = %+v, %v; want a refusal that says %q", r, err, words)
	}
}

// kept lists the calls of which something is kept apart from the ledger.
func (h *house) kept() []nod.CallID {
	h.t.Helper()
	ids, err := h.ledger.Privates(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return ids
}

func (h *house) laptop() nod.Agent {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.core.agents[h.agent]
}

const calendar, clipboard, photos = spec.ToolCalendarList, spec.ToolClipboardRead, spec.ToolPhotoPick
