package doctor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/doctor"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/push/pushtest"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/nodtest"
)

// A test notification goes to each browser, and how far it comes is said.
func TestPush(t *testing.T) {
	t.Parallel()
	service := pushtest.Start(t)
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Push: &gateway.PushConfig{Key: key, Subject: "mailto:me@example.org", Hosts: []string{service.Host()}}})
	look := func(quiet bool) doctor.Check {
		_, checks := visit(t, doctor.Config{Data: n.Dir, Console: n.Console, Quiet: quiet, Clocks: []string{}})
		return checks["push"]
	}
	want(t, look(false), doctor.Skipped, "no browser is paired")
	p, err := n.Console.Pair(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	phone, err := host.Pair(t.Context(), p.Link, "Pixel", nod.HostWeb, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want(t, look(false), doctor.Warning, "Pixel Notifications are not set up on this phone.")
	browser := service.Subscribe(n.Gateway.Push(phone.Phone).Key)
	err = n.Gateway.Subscribe(t.Context(), phone.Phone, gateway.PushSubscription{Address: browser.Address, Key: browser.Key, Secret: browser.Secret})
	if err != nil {
		t.Fatal(err)
	}
	status, err := n.Console.Status(t.Context())
	if err != nil || len(status.PushServices) != 1 || status.PushServices[0] != service.Host() {
		t.Errorf("the push services are %v, %v", status.PushServices, err)
	}
	want(t, look(true), doctor.Skipped, "Pixel not tried")
	stop := shows(t, n, browser)
	want(t, look(false), doctor.OK, "shown after")
	stop()
	service.Answers(pushtest.Answer{Code: 410})
	last := look(false)
	for strings.Contains(last.Says, "under way") { // one a second
		last = look(false)
	}
	want(t, last, doctor.Failed, "The notifications of this phone have ended")
}

// shows is a service worker that shows what it gets and says so.
func shows(t *testing.T, n *nodtest.Nod, browser *pushtest.Browser) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for seen := 0; ; {
			for _, m := range browser.Messages()[seen:] {
				seen++
				var body struct{ Nod struct{ Receipt string } }
				if err := json.Unmarshal(m.Body, &body); err != nil {
					t.Error(err)
					return
				}
				for _, what := range []string{"received", "shown"} {
					if err := n.Gateway.PushReceipt(t.Context(), body.Nod.Receipt, what); err != nil {
						t.Error(err)
					}
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	return func() {
		close(done)
		<-over
	}
}
