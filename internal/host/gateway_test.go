package host_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// gateway is the other end of the link: small, in memory, with real signatures.
// It keeps calls, sends go for the first valid confirm, and acks what it took.
type gateway struct {
	t   testing.TB
	key *wire.Key
	// phones are the keys that may say hello.
	phones  map[nod.PhoneID]wire.PublicKey
	records []wire.Signed
	server  *http.Server
	pipes   pipeListener

	mu    sync.Mutex
	epoch map[nod.PhoneID]int64
	calls map[nod.CallID]*ledgerCall
	order []nod.CallID
	links map[nod.PhoneID]*websocket.Conn
	got   []wire.Frame // every frame from a phone, in order
	hello []wire.HelloBody
	log   log.Memory
	size  int64
	// restored makes it say that it was set back, until a record accepts that.
	restored bool
	// uploads answer the PUTs of blobs, one after the other, the last for good; 204
	// where there are none.
	uploads []int
	blobs   map[string][]byte // by path
	// deaf makes it keep silent: no go, no ack, no beat.
	deaf bool
	// greet changes the frames of the handshake, for gateways that are wrong.
	greet func(*wire.Frame)
}

// ledgerCall is what the gateway knows of one call.
type ledgerCall struct {
	offer    wire.OfferBody
	signed   wire.Signed
	deadline time.Time
	decision *wire.DecisionBody
	by       wire.Signed // the decision as it was signed
	decided  time.Time
	gone     bool
	result   *wire.ResultBody
	text     string // what came beside it
}

// newGateway serves until the test ends.
func newGateway(t testing.TB) *gateway {
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{
		t: t, key: key,
		blobs:  map[string][]byte{},
		phones: map[nod.PhoneID]wire.PublicKey{}, calls: map[nod.CallID]*ledgerCall{}, epoch: map[nod.PhoneID]int64{}, links: map[nod.PhoneID]*websocket.Conn{},
		pipes: pipeListener{accept: make(chan net.Conn), closed: make(chan struct{})},
	}
	g.server = &http.Server{Handler: http.HandlerFunc(g.serve)}
	go g.server.Serve(&g.pipes)
	t.Cleanup(func() { g.server.Close() })
	return g
}

// phone pairs a phone and returns its identity.
func (g *gateway) phone(id nod.PhoneID) *host.Identity {
	key, err := wire.GenerateKey()
	if err != nil {
		g.t.Fatal(err)
	}
	der, err := key.Marshal()
	if err != nil {
		g.t.Fatal(err)
	}
	pub, err := wire.ParsePublic(key.Public())
	if err != nil {
		g.t.Fatal(err)
	}
	g.phones[id] = pub
	return &host.Identity{
		Version: 1, Phone: id, Name: string(id), Host: nod.HostSim, Person: "person_1", PersonName: "Ann",
		Gateway: "http://gateway.test", GatewayKey: wire.Encode64(g.key.Public()), Key: wire.Encode64(der),
	}
}

// client reaches the gateway through pipes.
func (g *gateway) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return g.pipes.dial() },
		DisableKeepAlives: true,
	}}
}

// dialer connects to the gateway through pipes.
func (g *gateway) dialer() host.Dialer { return host.DialWebSocket(g.client()) }

// takeBlob answers a PUT of a blob.
func (g *gateway) takeBlob(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	g.mu.Lock()
	defer g.mu.Unlock()
	status := http.StatusNoContent
	if len(g.uploads) > 0 {
		status = g.uploads[0]
		g.uploads = g.uploads[min(1, len(g.uploads)-1):]
	}
	if err != nil || r.Header.Get("Authorization") != "Bearer token" || r.Header.Get("Content-Type") != "image/jpeg" {
		g.t.Errorf("an upload with %v (%v)", r.Header, err)
	}
	if status == http.StatusNoContent {
		g.blobs[r.URL.Path] = data
	}
	w.WriteHeader(status)
}

func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		g.takeBlob(w, r)
		return
	}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{host.Subprotocol}})
	if err != nil {
		return
	}
	defer c.CloseNow()
	phone, ok := g.shakeHands(r.Context(), c)
	if !ok {
		return
	}
	done := make(chan struct{})
	defer close(done)
	go g.beat(phone, done)
	for {
		f, err := read(r.Context(), c)
		if err != nil {
			return
		}
		g.took(phone, f)
	}
}

func (g *gateway) beat(phone nod.PhoneID, done chan struct{}) {
	for n := int64(1); ; n++ {
		select {
		case <-done:
			return
		case <-time.After(12 * time.Second):
			g.send(phone, wire.Frame{Kind: wire.KindBeat, N: n})
		}
	}
}

func read(ctx context.Context, c *websocket.Conn) (wire.Frame, error) {
	_, data, err := c.Read(ctx)
	if err != nil {
		return wire.Frame{}, err
	}
	return wire.ParseFrame(data)
}

func write(c *websocket.Conn, f wire.Frame) error {
	data, err := wire.EncodeFrame(f)
	if err != nil {
		return err
	}
	return c.Write(context.Background(), websocket.MessageText, data)
}

// shakeHands is challenge, hello, welcome, and the open offers.
func (g *gateway) shakeHands(ctx context.Context, c *websocket.Conn) (nod.PhoneID, bool) {
	own := wire.OwnRange()
	challenge := wire.Frame{Kind: wire.KindChallenge, Nonce: "challenge", Key: wire.Encode64(g.key.Public()), Range: &own}
	g.change(&challenge)
	if write(c, challenge) != nil {
		return "", false
	}
	f, err := read(ctx, c)
	if err != nil {
		return "", false
	}
	var hello wire.HelloBody
	for id, key := range g.phones {
		if f.Signed().OpenAs(wire.KindHello, key, &hello) == nil && hello.Phone == id && hello.Challenge == "challenge" {
			return id, g.welcome(c, hello)
		}
	}
	c.Close(4001, "this phone is not paired")
	return "", false
}

func (g *gateway) welcome(c *websocket.Conn, hello wire.HelloBody) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.epoch[hello.Phone]++
	g.hello = append(g.hello, hello)
	body := wire.WelcomeBody{
		Phone: hello.Phone, Nonce: hello.Nonce, Epoch: g.epoch[hello.Phone], Version: 1, Person: "Ann",
		Phones: g.records, SetBack: g.restored,
	}
	g.prove(hello, &body)
	for _, id := range g.order {
		if g.calls[id].open() {
			body.Open = append(body.Open, id)
		}
	}
	f := wire.FrameOf(g.sign(wire.KindWelcome, body))
	g.change(&f)
	if write(c, f) != nil {
		return false
	}
	g.links[hello.Phone] = c
	for _, id := range body.Open {
		g.sendOffer(hello.Phone, id)
	}
	for _, id := range g.order {
		g.sendGo(g.calls[id])
	}
	return true
}

// prove puts the log's head into a welcome, and that it extends the phone's.
func (g *gateway) prove(hello wire.HelloBody, w *wire.WelcomeBody) {
	var err error
	if w.Head, err = log.HeadOf("person_1", g.size, 0, g.log); err != nil {
		g.t.Error(err)
	}
	if hello.Head != nil && hello.Head.Size <= g.size {
		if w.Proof, err = log.ConsistencyProof(hello.Head.Size, g.size, g.log); err != nil {
			g.t.Error(err)
		}
	}
}

// grow adds n entries to the log.
func (g *gateway) grow(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for range n {
		hashes, err := log.Append(g.size, fmt.Appendf(nil, "entry %d", g.size), g.log)
		if err != nil {
			g.t.Fatal(err)
		}
		g.log = append(g.log, hashes...)
		g.size++
	}
}

// setBack makes the log one of n entries, as a restored copy is.
func (g *gateway) setBack(n int) {
	g.mu.Lock()
	g.log, g.size = nil, 0
	g.mu.Unlock()
	g.grow(n)
}

func (g *gateway) change(f *wire.Frame) {
	if g.greet != nil {
		g.greet(f)
	}
}

func (g *gateway) sign(kind string, body any) wire.Signed {
	s, err := wire.Sign(g.key, kind, body)
	if err != nil {
		g.t.Error(err)
	}
	return s
}

func (c *ledgerCall) open() bool {
	return c.decision == nil && !c.gone && time.Now().Before(c.deadline)
}

func (g *gateway) send(phone nod.PhoneID, f wire.Frame) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sendLocked(phone, f)
}

func (g *gateway) sendLocked(phone nod.PhoneID, f wire.Frame) {
	if c := g.links[phone]; c != nil && (!g.deaf || f.Kind == wire.KindOffer) {
		write(c, f) // a link that is gone is no failure of the test
	}
}

// offer opens a call and sends it to its phones.
func (g *gateway) offer(o wire.OfferBody) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o.Badges == nil {
		o.Badges = []nod.Badge{}
	}
	g.calls[o.Call] = &ledgerCall{
		offer: o, signed: g.sign(wire.KindOffer, o), deadline: time.Now().Add(time.Duration(o.TTLSeconds) * time.Second),
	}
	g.order = append(g.order, o.Call)
	for phone := range g.links {
		g.sendOffer(phone, o.Call)
	}
}

func (g *gateway) sendOffer(phone nod.PhoneID, call nod.CallID) {
	c := g.calls[call]
	if c.offer.Phone != phone && !slices.Contains(c.offer.Screens, phone) {
		return
	}
	f := wire.FrameOf(c.signed)
	f.Epoch, f.LeftMS = g.epoch[phone], time.Until(c.deadline).Milliseconds()
	g.sendLocked(phone, f)
}

// took deals with a frame from a phone.
func (g *gateway) took(phone nod.PhoneID, f wire.Frame) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.got = append(g.got, f)
	switch f.Kind {
	case wire.KindDecision:
		g.decide(phone, f)
	case wire.KindResult:
		var body wire.ResultBody
		if err := f.Signed().OpenAs(wire.KindResult, g.phones[phone], &body); err != nil {
			g.t.Errorf("a result: %v", err)
			return
		}
		if body.Data != nil {
			if err := body.Data.Check(f.Text, f.Salt); err != nil {
				g.t.Errorf("a result's text: %v", err)
			}
		}
		if c := g.calls[body.Call]; c.result == nil {
			c.result, c.text = &body, f.Text
		}
		g.sendLocked(phone, wire.Frame{Kind: wire.KindAck, Call: body.Call, Of: wire.KindResult})
	case wire.KindRecords:
		g.restored = g.restored && f.Record.Kind != wire.RecordResume
		g.sendLocked(phone, wire.Frame{Kind: wire.KindAck, Of: wire.KindRecords})
	}
}

// decide commits the first valid decision of an open call.
func (g *gateway) decide(phone nod.PhoneID, f wire.Frame) {
	var body wire.DecisionBody
	if err := f.Signed().OpenAs(wire.KindDecision, g.phones[phone], &body); err != nil {
		g.t.Errorf("a decision: %v", err)
		return
	}
	c := g.calls[body.Call]
	if c == nil || f.Epoch != g.epoch[phone] {
		return
	}
	if body.Digest != wire.Encode64(wire.Digest([]byte(c.signed.Body))) {
		g.t.Errorf("the decision is over other bytes")
	}
	if c.open() {
		c.decision, c.by, c.decided = &body, f.Signed(), time.Now()
	}
	switch {
	case body.Choice == nod.ChoiceDecline:
		g.sendLocked(phone, wire.Frame{Kind: wire.KindAck, Call: body.Call, Of: wire.KindDecision})
	case c.decision != nil:
		g.sendGo(c)
	}
}

// sendGo sends a go, or sends it again, within ten seconds of the decision.
func (g *gateway) sendGo(c *ledgerCall) {
	if c.decision == nil || c.result != nil || c.decision.Choice == nod.ChoiceDecline || time.Since(c.decided) >= host.GoWindow {
		return
	}
	g.sendLocked(c.offer.Phone, wire.FrameOf(g.sign(wire.KindGo, wire.GoBody{
		Call: c.offer.Call, Digest: c.decision.Digest, Decision: c.by, Upload: "token",
	})))
}

// withdraw takes a call back.
func (g *gateway) withdraw(call nod.CallID, reason string, keep time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls[call].gone = true
	for phone := range g.links {
		g.sendLocked(phone, wire.FrameOf(g.sign(wire.KindWithdraw, wire.CallBody{Call: call, Reason: reason, KeepMS: keep.Milliseconds()})))
	}
}

// result returns what the phone said of a call.
func (g *gateway) result(call nod.CallID) (wire.ResultBody, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.calls[call]; c != nil && c.result != nil {
		return *c.result, true
	}
	return wire.ResultBody{}, false
}

// text returns what came beside a call's result.
func (g *gateway) text(call nod.CallID) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[call].text
}

// sent returns the blobs that came for a call, in their order.
func (g *gateway) sent(call nod.CallID) [][]byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all [][]byte
	for n := range wire.MaxBlobs {
		if data, ok := g.blobs[fmt.Sprintf("/link/blob/%s/%d", call, n)]; ok {
			all = append(all, data)
		}
	}
	return all
}

// frames returns how many frames of a kind came.
func (g *gateway) frames(kind string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, f := range g.got {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// hellos returns every hello that was welcomed.
func (g *gateway) hellos() []wire.HelloBody {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.hello)
}

// decision returns the decision that was committed for a call, or nil.
func (g *gateway) decision(call nod.CallID) *wire.DecisionBody {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[call].decision
}

// hangUp closes a phone's link as a network does.
func (g *gateway) hangUp(phone nod.PhoneID) {
	g.mu.Lock()
	c := g.links[phone]
	g.mu.Unlock()
	c.CloseNow()
	synctest.Wait()
}
