package server_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/nodtest"
)

// asPhone sends a request under the phone's bearer and reads the answer into v.
func asPhone(t *testing.T, n *nodtest.Nod, method, path, body string, status int, v any) {
	t.Helper()
	got, _, answer := do(t, n, method, path, body, map[string]string{"Authorization": "Bearer " + n.Bearer()})
	if got != status {
		t.Fatalf("%s %s answered %d %s, want %d", method, path, got, answer, status)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(answer), v); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
}

type past struct {
	ID        nod.CallID
	AgentName string `json:"agent_name"`
	App       string
	Kind      nod.Kind
	Rule      nod.Rule
	PhoneName string `json:"phone_name"`
	Outcome   nod.Outcome
	Fields    map[string]any
	OfferedAt time.Time `json:"offered_at"`
	DecidedAt time.Time `json:"decided_at"`
	ShownAt   time.Time `json:"shown_at"`
}

type pastPage struct {
	Calls []past
	Apps  []string
	More  bool
}

// A phone's log in pages: what it acted on or decided, and nothing else.
func TestPhoneCalls(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "confirm"})
	for _, ask := range []string{alarm, `{"action": "add_stop"}`, `{"action": "timer", "seconds": 60}`, `{"action": "torch", "on": true}`} {
		if _, err := n.Client.Do(t.Context(), nodtest.Ask(ask)); err != nil {
			t.Fatal(err)
		}
	}
	var all, page, rest, clocks pastPage
	asPhone(t, n, "GET", "/phone/calls", "", 200, &all)
	if len(all.Calls) != 3 || all.More || len(all.Apps) != 2 { // the refused one reached no phone
		t.Fatalf("the log is %+v", all)
	}
	asPhone(t, n, "GET", "/phone/calls?limit=2", "", 200, &page)
	asPhone(t, n, "GET", "/phone/calls?limit=2&before="+string(page.Calls[1].ID), "", 200, &rest)
	if len(page.Calls) != 2 || !page.More || len(rest.Calls) != 1 || rest.More || rest.Calls[0].ID != all.Calls[2].ID {
		t.Errorf("in pages: %+v, then %+v", page, rest)
	}
	asPhone(t, n, "GET", "/phone/calls?app=clock", "", 200, &clocks)
	if len(clocks.Calls) != 2 || clocks.Calls[0].App != "clock" {
		t.Errorf("of the clock: %+v", clocks)
	}
	first := all.Calls[2]
	if first.AgentName != "Test agent" || first.PhoneName != "Test phone" || first.Rule != nod.RuleAlways || first.Kind != nod.Act ||
		first.Fields["time"] != "07:30" || first.OfferedAt.IsZero() || first.DecidedAt.IsZero() {
		t.Errorf("the first call is %+v", first)
	}
	for _, path := range []string{"?limit=0", "?limit=101", "?limit=x"} {
		asPhone(t, n, "GET", "/phone/calls"+path, "", 400, nil)
	}
	asPhone(t, n, "GET", "/phone/calls?before="+string(nod.NewCallID()), "", 404, nil)
	asPhone(t, n, "GET", "/phone/calls/"+string(nod.NewCallID()), "", 404, nil)
	for _, path := range []string{"/phone/calls", "/phone/calls/" + string(first.ID), "/phone/settings"} {
		if status, _, _ := do(t, n, "GET", path, "", nil); status != http.StatusUnauthorized {
			t.Errorf("an agent's token at %s: %d", path, status)
		}
	}
}

// The receipt, as the page gets it, proves the call.
func TestPhoneReceipt(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	call, err := n.Client.Do(t.Context(), nodtest.Ask(alarm))
	if err != nil {
		t.Fatal(err)
	}
	var detail struct {
		Call    past
		Receipt log.Receipt
	}
	asPhone(t, n, "GET", "/phone/calls/"+string(call.ID), "", 200, &detail)
	if detail.Call.ID != call.ID || detail.Call.ShownAt.IsZero() || detail.Call.ShownAt.After(detail.Call.DecidedAt) {
		t.Errorf("the call is %+v", detail.Call)
	}
	keys := n.Gateway.PhoneKeys(n.Agent.Person)
	public, err := wire.ParsePublic(n.Gateway.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	key := func(id nod.PhoneID) (wire.PublicKey, error) { return wire.ParsePublic(keys[id]) }
	if err := detail.Receipt.Check(call.ID, public, key); err != nil {
		t.Error(err)
	}
}

// How long a card waits is set on the phone, kept in the log, and what the next
// card waits.
func TestPhoneSettings(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "ignore"})
	var settings struct {
		WaitSeconds int `json:"wait_seconds"`
	}
	asPhone(t, n, "GET", "/phone/settings", "", 200, &settings)
	if settings.WaitSeconds != 120 {
		t.Errorf("at first a card waits %d s", settings.WaitSeconds)
	}
	for _, body := range []string{`{"wait_seconds":119}`, `{"wait_seconds":1201}`, `{}`, `{"wait_seconds":"300"}`, `{"wait_seconds":9e15}`, `{"wait_seconds":-1}`, `x`} {
		asPhone(t, n, "PUT", "/phone/settings", body, 400, nil)
	}
	asPhone(t, n, "PUT", "/phone/settings", `{"wait_seconds":300}`, 200, &settings)
	if settings.WaitSeconds != 300 {
		t.Errorf("a card waits %d s", settings.WaitSeconds)
	}
	q := nodtest.Ask(alarm)
	q.Detached = true
	call, err := n.Client.Open(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if left := call.DeadlineAt.Sub(call.ReceivedAt); left != 300*time.Second {
		t.Errorf("the next card waits %s", left)
	}
	entries, err := n.Gateway.Log(t.Context(), n.Agent.Person, 1, 1000)
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, e := range entries {
		if e.Kind == "person.changed" && e.Facts["wait_seconds"] == "300" && e.Phone == n.Gateway.Phones(n.Agent.Person)[0].ID {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the log says so %d times", said)
	}
}
