package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/nodtest"
)

// What a stranger can try at the phones' door, and what they hear.
func TestPhoneDoor(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	none := map[string]string{"Authorization": ""}
	pair := `{"id":"AAAAAAAAAAAAAAAAAAAAAA","key":"x","name":"x","host":"web","nonce":"x","mac":"x"}`
	for _, tt := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
	}{
		{"pair without JSON", "POST", "/pair", "x", none, 400},
		{"pair without an invitation", "POST", "/pair", pair, none, 403},
		{"a record for nothing", "POST", "/pair/record", `{"id":"x","record":{"kind":"phone","body":"{}","sig":"x"}}`, none, 403},
		{"wait for nothing", "GET", "/pair/wait?id=x", "", none, 200},
		{"a result of nobody", "POST", "/link/result", `{"kind":"result","body":"{\"phone\":\"phone_X\"}","sig":"x"}`, none, 403},
		{"a result that is none", "POST", "/link/result", `nothing`, none, 400},
		{"a socket without a socket", "GET", "/link", "", none, 400},
		{"home without a bearer", "GET", "/phone/home", "", none, 401},
		{"home with an agent's token", "GET", "/phone/home", "", nil, 401},
		{"pause without a bearer", "POST", "/phone/pause", "{}", none, 401},
		{"nothing there", "GET", "/phone/nothing", "", none, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, body := do(t, n, tt.method, tt.path, tt.body, tt.header)
			if status != tt.status {
				t.Errorf("answered %d %s, want %d", status, body, tt.status)
			}
		})
	}
}

// The phone's start page: who, what may ask, and what happened.
func TestPhoneHome(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{Person: "confirm,decline"})
	for _, ask := range []string{alarm, `{"action": "dial", "number": "112"}`, `{"action": "add_stop"}`} {
		if _, err := n.Client.Do(t.Context(), nodtest.Ask(ask)); err != nil {
			t.Fatal(err)
		}
	}
	bearer := map[string]string{"Authorization": "Bearer " + n.Bearer()}
	status, _, body := do(t, n, "GET", "/phone/home", "", bearer)
	var home struct {
		Person string
		Phone  struct{ ID, Name string }
		Paused bool
		Agents []struct{ Name string }
		Calls  []struct {
			AgentName string `json:"agent_name"`
			Action    string
			Outcome   nod.Outcome
			Fields    map[string]any
			DecidedBy string `json:"decided_by"`
		}
	}
	if err := json.Unmarshal([]byte(body), &home); err != nil || status != http.StatusOK {
		t.Fatalf("answered %d %s: %v", status, body, err)
	}
	if home.Phone.Name != "Test phone" || len(home.Agents) != 1 || len(home.Calls) != 3 || home.Paused {
		t.Fatalf("home %+v", home)
	}
	first := home.Calls[2]
	if first.Action != "alarm" || first.Outcome != nod.Done || first.Fields["time"] != "07:30" || first.DecidedBy != "Test phone" || first.AgentName != "Test agent" {
		t.Errorf("the first call is %+v", first)
	}
	if status, _, body = do(t, n, "POST", "/phone/pause", "{}", bearer); status != 200 {
		t.Fatalf("pause answered %d %s", status, body)
	}
	call, err := n.Client.Do(t.Context(), nodtest.Ask(alarm))
	if err != nil || call.Outcome != nod.Denied {
		t.Errorf("after the pause: %s, %v", call.Outcome, err)
	}
}

// A second phone waits for the first one's yes, and can be turned down there.
func TestSecondPhone(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	p, err := n.Console.Pair(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.Link, n.URL+"/pair#") {
		t.Errorf("the link is %s", p.Link)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := host.Pair(t.Context(), p.Link, "Second", nod.HostSim, t.TempDir())
		failed <- err
	}()
	s, err := n.Console.Pairing(t.Context(), p.ID, "open", 20e9)
	if err != nil || s.State != "waiting" || s.Phone == nil || s.Phone.Name != "Second" {
		t.Fatalf("the pairing is %+v, %v", s, err)
	}
	bearer := map[string]string{"Authorization": "Bearer " + n.Bearer()}
	_, _, body := do(t, n, "GET", "/phone/pairing", "", bearer)
	var list struct{ Waiting []struct{ ID, Digits string } }
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Waiting) != 1 || len(list.Waiting[0].Digits) != 6 {
		t.Fatalf("waiting: %s, %v", body, err)
	}
	if status, _, body := do(t, n, "POST", "/phone/pairing/reject", `{"id": "`+list.Waiting[0].ID+`"}`, bearer); status != 204 {
		t.Fatalf("reject answered %d %s", status, body)
	}
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "said no") {
		t.Errorf("the second phone ended with %v", err)
	}
	// The link is used up.
	if _, err := host.Pair(t.Context(), p.Link, "Third", nod.HostSim, t.TempDir()); nod.CodeOf(err) != nod.CodeForbidden {
		t.Errorf("a used link: %v", err)
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	ctx := t.Context()
	for _, ask := range []string{alarm, `{"action": "add_stop"}`} {
		if _, err := n.Client.Do(ctx, nodtest.Ask(ask)); err != nil {
			t.Fatal(err)
		}
	}
	status, err := n.Console.Status(ctx)
	if err != nil || status.URL != n.URL || status.Data != n.Dir {
		t.Errorf("status %+v, %v", status, err)
	}
	people, err := n.Console.People(ctx)
	if err != nil || len(people) != 1 || people[0].WaitSeconds != 120 {
		t.Errorf("people %+v, %v", people, err)
	}
	if err := n.Console.SetWait(ctx, "", 5*60e9); err != nil {
		t.Error(err)
	}
	if err := n.Console.SetWait(ctx, "", 1e9); client.CodeOf(err) != nod.CodeInvalid {
		t.Errorf("a card that waits a second: %v", err)
	}
	if _, err := n.Console.AddAgent(ctx, client.AgentRequest{Name: "Test agent"}); client.CodeOf(err) != nod.CodeConflict {
		t.Errorf("a second agent of a name: %v", err)
	}
	if _, err := n.Console.AddAgent(ctx, client.AgentRequest{Name: "X", Apps: []string{"moon:act"}}); client.CodeOf(err) != nod.CodeInvalid {
		t.Errorf("an app that is none: %v", err)
	}
	if a, err := n.Console.RenameAgent(ctx, "", "Test agent", "Claude"); err != nil || a.Name != "Claude" {
		t.Errorf("renamed %+v, %v", a, err)
	}
	if ph, err := n.Console.RenamePhone(ctx, "", "Test phone", "Pixel"); err != nil || ph.Name != "Pixel" {
		t.Errorf("renamed %+v, %v", ph, err)
	}
	page, err := n.Console.Log(ctx, client.LogQuery{From: -2})
	if err != nil || len(page.Entries) != 2 || page.Next != page.Entries[1].Seq+1 {
		t.Errorf("the log's end: %+v, %v", page, err)
	}
	v, err := n.Console.Verify(ctx, "")
	if err != nil || !v.OK || v.Signatures < 2 || v.Entries < 6 {
		t.Errorf("verified %+v, %v", v, err)
	}
	old := n.Token
	fresh, err := n.Console.RotateAgent(ctx, "", "Claude")
	if err != nil || fresh.Token == old {
		t.Fatalf("rotated %+v, %v", fresh, err)
	}
	if _, err := n.Client.Me(ctx); client.CodeOf(err) != nod.CodeUnauthorized {
		t.Errorf("the old token: %v", err)
	}
	if _, err := n.Console.RevokeAgent(ctx, "", "Claude", true); err != nil {
		t.Error(err)
	}
	if agents, err := n.Console.Agents(ctx, ""); err != nil || len(agents) != 0 {
		t.Errorf("agents %+v, %v", agents, err)
	}
	if _, err := n.Console.RevokePhone(ctx, "", "Pixel"); err != nil {
		t.Error(err)
	}
	if phones, err := n.Console.Phones(ctx, ""); err != nil || len(phones) != 0 {
		t.Errorf("phones %+v, %v", phones, err)
	}
	if _, err := n.Console.Agents(ctx, "Nobody"); client.CodeOf(err) != nod.CodeNotFound {
		t.Errorf("the agents of nobody: %v", err)
	}
}

// nod resume asks on the phone, and says who was asked.
func TestConsoleResume(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	if _, err := n.Console.PauseAll(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	r, err := n.Console.Resume(t.Context(), "")
	if err != nil || len(r.Asked) != 1 || r.Asked[0] != "Test phone" || r.Page != n.URL+"/resume" {
		t.Errorf("asked %+v, %v", r, err)
	}
}
