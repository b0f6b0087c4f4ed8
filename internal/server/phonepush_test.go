package server_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/push/pushtest"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/nodtest"
)

// pushed is a system whose phone can be woken by a push service on loopback.
func pushed(t *testing.T, o nodtest.Options) (*nodtest.Nod, *pushtest.Service) {
	t.Helper()
	service := pushtest.Start(t)
	key, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	o.Push = &gateway.PushConfig{Key: key, Subject: "mailto:ana@nod-test.org", Base: "https://nod.nod-test.org", Hosts: []string{service.Host()}}
	return nodtest.New(t, o), service
}

type pushState struct {
	Enabled, Subscribed bool
	Reason, Key         string
	EndpointHost        string `json:"endpoint_host"`
	Last                struct{ Status, Detail string }
}

func subscription(b *pushtest.Browser) string {
	encode := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"endpoint":%q,"p256dh":%q,"auth":%q}`, b.Address, encode(b.Key), encode(b.Secret))
}

// noteOf reads the part of a message that nod's own service worker reads.
func noteOf(t *testing.T, b *pushtest.Browser, i int) (note struct{ Kind, Call, Receipt string }) {
	t.Helper()
	waitFor(t, "a message", func() bool { return len(b.Messages()) > i })
	var body struct{ Nod json.RawMessage }
	if err := json.Unmarshal(b.Messages()[i].Body, &body); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body.Nod, &note); err != nil {
		t.Fatal(err)
	}
	return note
}

// The whole of it over HTTP: a page subscribes, tests, is woken, and its service
// worker says what it saw.
func TestPhonePush(t *testing.T) {
	t.Parallel()
	n, service := pushed(t, nodtest.Options{})
	var state pushState
	if asPhone(t, n, "GET", "/phone/push", "", 200, &state); !state.Enabled || state.Subscribed || state.Reason != "" || state.Key == "" {
		t.Fatalf("at first: %+v", state)
	}
	browser := service.Subscribe(state.Key)
	asPhone(t, n, "PUT", "/phone/push", subscription(browser), 204, nil)

	var started struct{ ID, Problem string }
	if asPhone(t, n, "POST", "/phone/push/test", "{}", 200, &started); started.ID == "" || started.Problem != "" {
		t.Fatalf("a test: %+v", started)
	}
	note := noteOf(t, browser, 0)
	none := map[string]string{"Authorization": ""} // a service worker has no bearer
	for _, what := range []string{"received", "shown"} {
		if status, _, body := do(t, n, "POST", "/push/receipt", fmt.Sprintf(`{"token":%q,"what":%q}`, note.Receipt, what), none); status != 204 {
			t.Fatalf("a receipt answered %d %s", status, body)
		}
	}
	var test client.PushTest
	asPhone(t, n, "GET", "/phone/push/test/"+started.ID+"?wait=5", "", 200, &test)
	if test.AcceptedMS < 1 || test.ReceivedMS < 1 || test.ShownMS < test.ReceivedMS || test.Problem != "" {
		t.Errorf("the test came as far as %+v", test)
	}
	if asPhone(t, n, "GET", "/phone/push", "", 200, &state); !state.Subscribed || state.EndpointHost != service.Host() || state.Last.Status != "accepted" {
		t.Errorf("after it: %+v", state)
	}

	n.Stop()
	n.Start()
	waitFor(t, "the phone", func() bool { return len(n.Gateway.Phones(n.Agent.Person)) == 1 })
	call, err := n.Client.Open(t.Context(), nodtest.Ask(alarm))
	if err != nil {
		t.Fatal(err)
	}
	if note := noteOf(t, browser, 1); note.Kind != "card" || note.Call != string(call.ID) {
		t.Errorf("the phone was woken with %+v", note)
	}
	waitFor(t, "the push service", func() bool {
		call, err = n.Client.Call(t.Context(), call.ID)
		return err == nil && call.Push == nod.PushAccepted
	})
	if call.State != nod.Offered || !strings.Contains(call.Text, "A wake-up was accepted by Test phone's push service; no sign of the phone yet.") {
		t.Errorf("the agent hears %s: %q", call.State, call.Text)
	}
	phones, err := n.Client.Phones(t.Context())
	if err != nil || len(phones) != 1 || !phones[0].Reachable || phones[0].Connected || phones[0].Reach == "no" {
		t.Errorf("the agent sees %+v, %v", phones, err)
	}
}

// An agent that waits over MCP hears each stage of a wake-up, in the words of
// what is known, and when it cannot wait any longer how far it came.
func TestMCPHearsOfPush(t *testing.T) {
	t.Parallel()
	n, service := pushed(t, nodtest.Options{})
	var state pushState
	asPhone(t, n, "GET", "/phone/push", "", 200, &state)
	browser := service.Subscribe(state.Key)
	asPhone(t, n, "PUT", "/phone/push", subscription(browser), 204, nil)
	n.Stop()
	n.Start()
	s, told := connect(t, n, map[string]string{"Nod-Wait": "3"})
	params := &mcp.CallToolParams{Name: "phone_action", Arguments: json.RawMessage(alarm)}
	params.SetProgressToken("p")
	done := make(chan *mcp.CallToolResult, 1)
	go func() {
		r, err := s.CallTool(t.Context(), params)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	note := noteOf(t, browser, 0)
	heard := func(words string) {
		t.Helper()
		waitFor(t, words, func() bool { return strings.Contains(strings.Join(told.all(), "\n"), words) })
	}
	heard("A wake-up was accepted by Test phone's push service; no sign of the phone yet.")
	do(t, n, "POST", "/push/receipt", fmt.Sprintf(`{"token":%q,"what":"shown"}`, note.Receipt), map[string]string{"Authorization": ""})
	heard("A notification is on Test phone; waiting for the person to open the card.")
	if r := <-done; r != nil && (!strings.HasPrefix(text(t, r), "STILL WAITING") || !strings.Contains(text(t, r), "A notification is on Test phone")) {
		t.Errorf("when its time is over: %s", text(t, r))
	}
}

// What a page may not do, and what it hears then.
func TestPhonePushRefuses(t *testing.T) {
	t.Parallel()
	n, service := pushed(t, nodtest.Options{})
	var state pushState
	asPhone(t, n, "GET", "/phone/push", "", 200, &state)
	good := subscription(service.Subscribe(state.Key))
	for _, row := range []struct {
		name, method, path, body string
		status                   int
		says                     string
	}{
		{"a service that is not known", "PUT", "/phone/push", strings.Replace(good, "http://"+service.Host(), "https://push.evil.org", 1), 400, "push.evil.org"},
		{"an address inside the house", "PUT", "/phone/push", strings.Replace(good, "http://"+service.Host(), "https://169.254.169.254", 1), 400, "--push-host"},
		{"no address", "PUT", "/phone/push", `{"endpoint":"","p256dh":"","auth":""}`, 400, "not the address"},
		{"a key that is none", "PUT", "/phone/push", strings.Replace(good, `"p256dh":"B`, `"p256dh":"A`, 1), 400, "p256dh"},
		{"a secret that is none", "PUT", "/phone/push", good[:strings.Index(good, `"auth"`)] + `"auth":"AAAA"}`, 400, "16 bytes"},
		{"no base64url", "PUT", "/phone/push", strings.Replace(good, `"p256dh":"B`, `"p256dh":"+`, 1), 400, ""},
		{"a test without a subscription", "POST", "/phone/push/test", "{}", 200, "not set up"},
		{"a test that there is not", "GET", "/phone/push/test/nothing", "", 404, ""},
		{"nothing to take back", "DELETE", "/phone/push", "", 204, ""},
		{"a receipt for nothing", "POST", "/push/receipt", `{"token":"x","what":"shown"}`, 404, ""},
		{"a receipt without a token", "POST", "/push/receipt", `{"what":"shown"}`, 404, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, _, body := do(t, n, row.method, row.path, row.body, map[string]string{"Authorization": "Bearer " + n.Bearer()})
			if status != row.status || !strings.Contains(body, row.says) {
				t.Errorf("answered %d %s, want %d with %q", status, body, row.status, row.says)
			}
		})
	}
	for _, path := range []string{"/phone/push", "/phone/push/test/x"} {
		if status, _, _ := do(t, n, "GET", path, "", map[string]string{"Authorization": ""}); status != 401 {
			t.Errorf("%s without a bearer answered %d", path, status)
		}
	}
	if service.Tried() != 0 {
		t.Errorf("%d messages were sent", service.Tried())
	}
}

// Where push is off the page hears why, in its language, and the console too.
func TestPushOff(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	var state pushState
	if asPhone(t, n, "GET", "/phone/push", "", 200, &state); state.Enabled || state.Reason != "Notifications are switched off where nod runs." || state.Key != "" {
		t.Errorf("%+v", state)
	}
	asPhone(t, n, "PUT", "/phone/push", `{"endpoint":"https://fcm.googleapis.com/x","p256dh":"","auth":""}`, 409, nil)
	test, err := n.Console.TestPush(t.Context(), "", "Test phone")
	if err != nil || test.Problem != state.Reason {
		t.Errorf("the console hears %+v, %v", test, err)
	}
	if _, err := n.Console.TestPush(t.Context(), "", "Nobody"); err == nil {
		t.Error("a phone that there is not was tested")
	}
}

// TestConsolePushTest is what "nod doctor" asks: each step with its time.
func TestConsolePushTest(t *testing.T) {
	t.Parallel()
	n, service := pushed(t, nodtest.Options{})
	var state pushState
	asPhone(t, n, "GET", "/phone/push", "", 200, &state)
	browser := service.Subscribe(state.Key)
	asPhone(t, n, "PUT", "/phone/push", subscription(browser), 204, nil)
	done := make(chan client.PushTest, 1)
	go func() {
		test, err := n.Console.TestPush(t.Context(), "", "Test phone")
		if err != nil {
			t.Error(err)
		}
		done <- test
	}()
	note := noteOf(t, browser, 0)
	do(t, n, "POST", "/push/receipt", fmt.Sprintf(`{"token":%q,"what":"shown"}`, note.Receipt), map[string]string{"Authorization": ""})
	if test := <-done; test.AcceptedMS < 1 || test.ReceivedMS < 1 || test.ShownMS < 1 || test.Problem != "" {
		t.Errorf("%+v", test)
	}
	if status, _, body := do(t, n, "GET", "/metrics", "", nil); status != 200 || !strings.Contains(body, `nod_push_seconds_count{status="accepted"} 1`) {
		t.Errorf("the metrics answered %d without the wake-up", status)
	}
}
