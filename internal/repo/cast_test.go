package repo

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// cast is who appears in the examples of spec/protocol.md. Everything in it
// follows from names, and signatures are deterministic (RFC 6979), so the page
// is the same wherever it is made.
type cast struct {
	t                        *testing.T
	gateway, pixel, tablet   signer
	person                   nod.PersonID
	agent                    nod.AgentID
	pixelID, tabletID        nod.PhoneID
	call                     nod.CallID
	challenge, nonce, secret []byte
}

// start is when the examples happen: 2026-11-30 10:00:00 UTC.
const start = nod.Time(1796032800000)

// signer signs deterministically with a key made from a name.
type signer struct{ key *ecdsa.PrivateKey }

func newCast(t *testing.T) *cast {
	t.Helper()
	return &cast{
		t:       t,
		gateway: newSigner(t, "gateway"), pixel: newSigner(t, "pixel"), tablet: newSigner(t, "tablet"),
		person: nod.PersonID(id("person", "ana")), agent: nod.AgentID(id("agent", "laptop")),
		pixelID: nod.PhoneID(id("phone", "pixel")), tabletID: nod.PhoneID(id("phone", "tablet")),
		call:      nod.CallID(id("call", "alarm")),
		challenge: wire.Digest([]byte("challenge")), nonce: wire.Digest([]byte("nonce")), secret: wire.Digest([]byte("secret"))[:16],
	}
}

func newSigner(t *testing.T, name string) signer {
	t.Helper()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), wire.Digest([]byte("nod/1 example key "+name)))
	if err != nil {
		t.Fatal(err)
	}
	return signer{key}
}

func id(prefix, name string) string {
	return prefix + "_" + base32.StdEncoding.EncodeToString(wire.Digest([]byte(prefix + name)))[:26]
}

// Sign signs message as RFC 6979 says.
func (s signer) Sign(message []byte) ([]byte, error) {
	der, err := s.key.Sign(nil, wire.Digest(message), crypto.SHA256)
	if err != nil {
		return nil, err
	}
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		return nil, err
	}
	raw := make([]byte, 64)
	sig.R.FillBytes(raw[:32])
	sig.S.FillBytes(raw[32:])
	return raw, nil
}

// Public returns the public key.
func (s signer) Public() []byte {
	b, err := s.key.PublicKey.Bytes()
	if err != nil {
		panic(err) // a key on P-256 has this form
	}
	return b
}

func (c *cast) keys() []wire.PublicKey {
	var keys []wire.PublicKey
	for _, s := range []signer{c.gateway, c.pixel, c.tablet} {
		k, err := wire.ParsePublic(s.Public())
		if err != nil {
			c.t.Fatal(err)
		}
		keys = append(keys, k)
	}
	return keys
}

func (c *cast) sign(s wire.Signer, kind string, body any) wire.Signed {
	c.t.Helper()
	signed, err := wire.Sign(s, kind, body)
	if err != nil {
		c.t.Fatal(err)
	}
	return signed
}

// offer is the one action of the examples.
func (c *cast) offer() wire.OfferBody {
	return wire.OfferBody{
		Call: c.call, Agent: c.agent, AgentName: "Laptop", Phone: c.pixelID, Screens: []nod.PhoneID{c.pixelID},
		Tool: "phone_action", Action: "alarm", Fields: nod.Fields{"time": "07:30", "label": "Gym"},
		Summary: "Wake up for the gym", Verdict: nod.Ask, Rule: nod.RuleAlways, Risk: nod.Low, Badges: []nod.Badge{},
		TTLSeconds: 120, Nonce: wire.Encode64(c.nonce[:16]),
	}
}

func (c *cast) digest() string {
	b, err := wire.Canonical(c.offer())
	if err != nil {
		c.t.Fatal(err)
	}
	return wire.Encode64(wire.Digest(b))
}

func (c *cast) decision() wire.Signed {
	return c.sign(c.pixel, wire.KindDecision, wire.DecisionBody{
		Call: c.call, Digest: c.digest(), Phone: c.pixelID, Choice: nod.ChoiceConfirm, Assurance: nod.AssuranceWeb,
	})
}

// records are the phone records of the examples: the first by itself, the second by the first.
func (c *cast) records() (pixel, tablet wire.Signed) {
	pixel = c.sign(c.pixel, wire.RecordPhone, wire.PhoneBody{
		Phone: c.pixelID, Person: c.person, Name: "Pixel", Host: nod.HostWeb, Key: wire.Encode64(c.pixel.Public()), Signer: c.pixelID,
	})
	tablet = c.sign(c.pixel, wire.RecordPhone, wire.PhoneBody{
		Phone: c.tabletID, Person: c.person, Name: "Tablet", Host: nod.HostWeb, Key: wire.Encode64(c.tablet.Public()), Signer: c.pixelID,
	})
	return pixel, tablet
}

// frames are the frame examples, by the name that the page gives them.
func (c *cast) frames() map[string]wire.Frame {
	own, yes := wire.OwnRange(), true
	pixel, tablet := c.records()
	record := func(kind string, body wire.RecordBody) wire.Frame {
		body.Phone = c.pixelID
		body.ID = nod.RecordID(id("record", kind+fmt.Sprint(body.SetBack != nil)))
		s := c.sign(c.pixel, kind, body)
		return wire.Frame{Kind: wire.KindRecords, Record: &s}
	}
	envelope := func(s wire.Signed, change func(*wire.Frame)) wire.Frame {
		f := wire.FrameOf(s)
		change(&f)
		return f
	}
	head := c.head(3)
	older := c.head(2)
	nothing := func(*wire.Frame) {}
	const plans = `{"count":1,"events":[{"title":"Dentist"}]}`
	read := wire.DataOf(c.nonce[:wire.SaltSize], plans)
	return map[string]wire.Frame{
		"challenge": {Kind: wire.KindChallenge, Nonce: wire.Encode64(c.challenge), Key: wire.Encode64(c.gateway.Public()), Range: &own},
		"hello": envelope(c.sign(c.pixel, wire.KindHello, wire.HelloBody{
			Phone: c.pixelID, Challenge: wire.Encode64(c.challenge), Nonce: wire.Encode64(c.nonce), Range: own,
			Host: nod.HostWeb, AppVersion: "0.1.0", Zone: "Europe/Lisbon", Locale: "pt-PT", Screen: true, Visible: true,
			Capabilities: []nod.Capability{
				{ID: "maps.navigate", State: nod.Ready},
				{ID: "clock.alarm", State: nod.Unsupported, Reason: "A browser cannot set alarms."},
			},
			Head: &older,
		}), nothing),
		"welcome": envelope(c.sign(c.gateway, wire.KindWelcome, wire.WelcomeBody{
			Phone: c.pixelID, Nonce: wire.Encode64(c.nonce), Epoch: 41, At: start + 5000, Version: 1, Gateway: "0.1.0", Person: "Ana",
			Open: []nod.CallID{c.call}, Phones: []wire.Signed{pixel, tablet}, Head: head, Proof: c.proof(2, 3),
		}), func(f *wire.Frame) { f.Bearer = wire.Encode64(wire.Digest([]byte("bearer"))) }),
		"offer": envelope(c.sign(c.gateway, wire.KindOffer, c.offer()), func(f *wire.Frame) {
			f.Epoch, f.LeftMS = 41, 120_000
		}),
		"delivered": {Kind: wire.KindDelivered, Call: c.call, Epoch: 41},
		"shown":     {Kind: wire.KindShown, Call: c.call, Epoch: 41},
		"decision":  envelope(c.decision(), func(f *wire.Frame) { f.Epoch = 41 }),
		"decline": envelope(c.sign(c.pixel, wire.KindDecision, wire.DecisionBody{
			Call: c.call, Digest: c.digest(), Phone: c.pixelID, Choice: nod.ChoiceDecline, Assurance: nod.AssuranceWeb, Reason: "It is Sunday.",
		}), func(f *wire.Frame) { f.Epoch = 41 }),
		"go": envelope(c.sign(c.gateway, wire.KindGo, wire.GoBody{Call: c.call, Digest: c.digest(), Decision: c.decision()}), nothing),
		"result": envelope(c.sign(c.pixel, wire.KindResult, wire.ResultBody{
			Call: c.call, Digest: c.digest(), Phone: c.pixelID, Status: wire.ResultOpened, Started: true, App: "Clock",
		}), nothing),
		"read": envelope(c.sign(c.pixel, wire.KindResult, wire.ResultBody{
			Call: c.call, Digest: c.digest(), Phone: c.pixelID, Status: wire.ResultDone, Started: true, Data: &read,
		}), func(f *wire.Frame) { f.Text, f.Salt = plans, wire.Encode64(c.nonce[:wire.SaltSize]) }),
		"access": record(wire.RecordAccess, wire.RecordBody{Agent: c.agent,
			Switches: map[string]nod.AccessState{"calendar:read": nod.AccessAsk, "clipboard:read": nod.AccessOff}}),
		"ack":          {Kind: wire.KindAck, Of: wire.KindResult, Call: c.call},
		"disarm":       envelope(c.sign(c.gateway, wire.KindDisarm, wire.CallBody{Call: c.call, Reason: string(nod.WhyPaused)}), nothing),
		"withdraw":     envelope(c.sign(c.gateway, wire.KindWithdraw, wire.CallBody{Call: c.call, Reason: "answered", By: "Tablet"}), nothing),
		"keep":         envelope(c.sign(c.gateway, wire.KindWithdraw, wire.CallBody{Call: c.call, Reason: string(nod.WhyGone), KeepMS: 10_000}), nothing),
		"capabilities": {Kind: wire.KindCapabilities, Capabilities: []nod.Capability{{ID: "torch.switch", State: nod.NeedsPermission, Reason: "Allow the camera for nod."}}},
		"presence":     {Kind: wire.KindPresence, Visible: &yes},
		"beat":         {Kind: wire.KindBeat, N: 7},
		"bye":          {Kind: wire.KindBye, Reason: "closing"},
		"reload":       {Kind: wire.KindReload, Reason: "updated"},
		"pairing":      {Kind: wire.KindRecords, Reason: "pairing"},
		"revoked":      envelope(c.sign(c.gateway, wire.KindRevoked, wire.RevokedBody{Phone: c.pixelID}), nothing),
		"phone":        {Kind: wire.KindRecords, Record: &tablet},
		"pause":        record(wire.RecordPause, wire.RecordBody{Agent: c.agent}),
		"resume":       record(wire.RecordResume, wire.RecordBody{}),
		"revoke":       record(wire.RecordRevoke, wire.RecordBody{Target: c.tabletID}),
		"accept":       record(wire.RecordResume, wire.RecordBody{SetBack: &older}),
	}
}

// examples are all examples of the page, as text.
func examples(t *testing.T) map[string]string {
	c := newCast(t)
	made := map[string]string{
		"keys": fmt.Sprintf("gateway %s\nPixel   %s\nTablet  %s",
			wire.Encode64(c.gateway.Public()), wire.Encode64(c.pixel.Public()), wire.Encode64(c.tablet.Public())),
		"signed.message": "nod/1 decision\n" + c.decision().Body,
	}
	for name, f := range c.frames() {
		b, err := wire.EncodeFrame(f)
		if err != nil {
			t.Fatal(err)
		}
		made["frame."+name] = string(b)
		switch name {
		case "hello", "welcome", "offer":
			made["body."+name] = spread(t, f.Body)
		}
	}
	c.pairing(made)
	c.logExamples(made)
	return made
}

// spread writes a body over several lines, for reading.
func spread(t *testing.T, body string) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(json.RawMessage(body)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// pairing makes the exchange by hand, byte by byte as the page says, and lets
// package auth check it.
func (c *cast) pairing(made map[string]string) {
	c.t.Helper()
	canonical := func(v any) string {
		b, err := wire.Canonical(v)
		if err != nil {
			c.t.Fatal(err)
		}
		return string(b)
	}
	mac := func(message string) string {
		m := hmac.New(sha256.New, c.secret)
		m.Write([]byte(message))
		return wire.Encode64(m.Sum(nil))
	}
	said := map[string]any{
		"id":  wire.Encode64(wire.Digest(append([]byte("nod/1 pair id\n"), c.secret...))[:16]),
		"key": wire.Encode64(c.pixel.Public()), "name": "Pixel", "host": "web", "nonce": wire.Encode64(c.nonce[:16]),
	}
	phone := "nod/1 pair phone\n" + canonical(said)
	q := auth.PairRequest{ID: said["id"].(string), Key: said["key"].(string), Name: "Pixel", Host: nod.HostWeb, Nonce: said["nonce"].(string), MAC: mac(phone)}
	said["phone"], said["person"] = string(c.pixelID), string(c.person)
	said["gateway_key"], said["first"] = wire.Encode64(c.gateway.Public()), true
	gateway := "nod/1 pair gateway\n" + canonical(said)
	r := auth.PairReply{Phone: c.pixelID, Person: c.person, PersonName: "Ana", GatewayKey: said["gateway_key"].(string), First: true, MAC: mac(gateway)}
	if err := q.Check(c.secret); err != nil {
		c.t.Error(err)
	}
	if err := r.Check(c.secret, q); err != nil {
		c.t.Error(err)
	}
	digits, err := auth.Digits(q, r)
	if err != nil {
		c.t.Error(err)
	}
	pixel, _ := c.records()
	made["pair.link"] = auth.PairLink("https://nod.example.org", c.secret)
	made["pair.request"] = canonical(q)
	made["pair.phone"] = phone
	made["pair.reply"] = canonical(r)
	made["pair.gateway"] = gateway
	made["pair.digits"] = digits
	made["pair.record"] = canonical(auth.RecordRequest{ID: q.ID, Record: pixel})
}

// entries are the log of the examples.
func (c *cast) entries() []log.Entry {
	entries := []log.Entry{
		{Person: c.person, Seq: 1, At: start, Kind: "agent.added", Agent: c.agent},
		{Person: c.person, Seq: 2, At: start + 1000, Kind: "call.denied", Call: c.call, Agent: c.agent, Facts: map[string]string{"tool": "phone_action", "action": "alarm", "outcome": "denied", "rule": "paused"}},
		{Person: c.person, Seq: 3, At: start + 1001, Kind: "call.offered", Call: c.call, Agent: c.agent, Phone: c.pixelID,
			Facts: map[string]string{"verdict": "ask", "rule": "always"}, Salt: wire.Digest([]byte("salt")), Payload: []byte(`{"fields":{"label":"Gym","time":"07:30"}}`)},
	}
	for i := range entries {
		if err := log.Seal(&entries[i], nil); err != nil {
			c.t.Fatal(err)
		}
	}
	return entries
}

// tree returns the stored hashes of the first n entries.
func (c *cast) tree(n int64) log.Memory {
	var hashes log.Memory
	for i, e := range c.entries()[:n] {
		more, err := log.Append(int64(i), e.Leaf(), hashes)
		if err != nil {
			c.t.Fatal(err)
		}
		hashes = append(hashes, more...)
	}
	return hashes
}

func (c *cast) head(n int64) wire.Head {
	h, err := log.HeadOf(c.person, n, c.entries()[n-1].At, c.tree(n))
	if err != nil {
		c.t.Fatal(err)
	}
	return h
}

func (c *cast) proof(before, after int64) []string {
	p, err := log.ConsistencyProof(before, after, c.tree(after))
	if err != nil {
		c.t.Fatal(err)
	}
	if err := log.CheckConsistency(c.head(before), c.head(after), p); err != nil {
		c.t.Fatal(err)
	}
	return p
}

func (c *cast) logExamples(made map[string]string) {
	var leaves []string
	for _, e := range c.entries() {
		leaves = append(leaves, string(e.Leaf()))
	}
	made["log.leaves"] = strings.Join(leaves, "\n")
	b, err := wire.Canonical(c.sign(c.gateway, log.KindHead, c.head(3)))
	if err != nil {
		c.t.Fatal(err)
	}
	made["log.head"] = string(b)
}
