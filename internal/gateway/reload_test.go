package gateway

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// page is a phone in a browser that is a version of the app.
func (h *house) page(name string) *pixel {
	p := h.pair(name, false)
	h.mu.Lock()
	defer h.mu.Unlock()
	row := h.core.phones[p.id]
	row.Host = nod.HostWeb
	h.core.phones[p.id] = row
	return p
}

// opens is a page of a version that connects, and whether it is told to reload.
func (p *pixel) opens(version string) bool {
	p.h.t.Helper()
	p.mu.Lock()
	p.frames, p.closed = nil, ""
	p.mu.Unlock()
	hello := wire.HelloBody{Phone: p.id, Nonce: "n", Range: wire.OwnRange(), Host: nod.HostWeb, Screen: true, AppVersion: version}
	if err := (phones{p.h.Gateway}).Hello(p.h.t.Context(), p, hello); err != nil {
		p.h.t.Fatal(err)
	}
	synctest.Wait()
	if kinds := p.kinds(); kinds[0] != wire.KindWelcome {
		p.h.t.Errorf("before the welcome comes a %s", kinds[0])
	}
	_, told := p.find(wire.KindReload)
	return told
}

// A page that is older or newer than the files of its gateway is told so after
// the welcome, once; one that comes back the same is left alone for a while.
func TestReload(t *testing.T) {
	bubble(t, func(t *testing.T, h *house) {
		p := h.page("Pixel")
		if p.opens("older") {
			t.Error("a gateway without an app has pages reload")
		}
		h.stop()
		h.startWith(func(c *Config) { c.WebVersion = "this" })
		for _, row := range []struct {
			after   time.Duration
			version string
			told    bool
		}{
			{0, "this", false},
			{0, "older", true},
			{0, "older", false}, // from a cache on the way: no loop
			{9 * time.Minute, "older", false},
			{time.Minute, "older", true},
			{0, "this", false},
			{0, "newer", true},
			{0, "", true},
			{0, "", false},
		} {
			pass(row.after)
			if told := p.opens(row.version); told != row.told {
				t.Errorf("after %s the version %q is told to reload: %t", row.after, row.version, told)
			}
		}
		second := h.pair("Tablet", true) // no browser
		second.connect()
		second.none(wire.KindReload)
	})
}

// startWith starts the house's gateway with another configuration.
func (h *house) startWith(change func(*Config)) {
	h.t.Helper()
	h.start()
	if err := h.Gateway.Close(); err != nil {
		h.t.Fatal(err)
	}
	cfg := Config{Ledger: h.ledger, Signer: h.key, Spec: spec.Get(), Version: "test"}
	change(&cfg)
	g, err := New(context.Background(), cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Gateway = g
}
