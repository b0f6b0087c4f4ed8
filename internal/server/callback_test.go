package server_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/nodtest"
)

// shortcut is a phone that carries a call out and says nothing of how it ends:
// what the phone signed beforehand must.
type shortcut struct {
	*nodtest.Nod
	t    *testing.T
	call client.Call
	key  *wire.Key
	id   *host.Identity
}

func newShortcut(t *testing.T) *shortcut {
	t.Helper()
	s := &shortcut{Nod: nodtest.New(t, nodtest.Options{Faults: "drop:result@*"}), t: t}
	var err error
	if s.id, err = host.LoadIdentity(filepath.Join(s.Dir, "phone")); err != nil {
		t.Fatal(err)
	}
	der, err := wire.Decode64(s.id.Key)
	if err != nil {
		t.Fatal(err)
	}
	if s.key, err = wire.ParseKey(der); err != nil {
		t.Fatal(err)
	}
	s.call = s.start(alarm)
	return s
}

// start takes a call as far as the phone carries it out.
func (s *shortcut) start(arguments string) client.Call {
	s.t.Helper()
	q := nodtest.Ask(arguments)
	q.Detached = true
	call, err := s.Client.Open(s.t.Context(), q)
	for err == nil && call.State != nod.Working {
		call, err = s.Client.Wait(s.t.Context(), call.ID, time.Second)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return call
}

// results signs what the phone would of each way, after a change to each.
func (s *shortcut) results(change func(way string, body *wire.ResultBody)) map[string]wire.Signed {
	s.t.Helper()
	phone := s.Gateway.Phones(s.Agent.Person)[0].Phone
	c, err := s.Gateway.CallOf(s.t.Context(), phone, s.call.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	signed := map[string]wire.Signed{}
	for way, body := range map[string]wire.ResultBody{
		"ok":     {Status: wire.ResultDone},
		"cancel": {Status: wire.ResultFailed, Started: true, Message: "The person stopped the shortcut."},
		"error":  {Status: wire.ResultFailed, Started: true, Message: "The shortcut ended with an error."},
	} {
		body.Call, body.Phone, body.Digest = c.ID, phone.ID, wire.Encode64(c.Digest)
		if change != nil {
			change(way, &body)
		}
		if signed[way], err = wire.Sign(s.key, wire.KindResult, body); err != nil {
			s.t.Fatal(err)
		}
	}
	return signed
}

func (s *shortcut) leave(results map[string]wire.Signed, status int) string {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"call": s.call.ID, "results": results})
	if err != nil {
		s.t.Fatal(err)
	}
	var answer struct{ Token string }
	asPhone(s.t, s.Nod, "POST", "/phone/callback", string(body), status, &answer)
	return answer.Token
}

func (s *shortcut) state(token string) string {
	s.t.Helper()
	var answer struct{ State string }
	asPhone(s.t, s.Nod, "GET", "/phone/callback/"+token, "", 200, &answer)
	return answer.State
}

// opens is somebody, or something, that opens an address without being a phone.
func opens(t *testing.T, n *nodtest.Nod, method, path string, header map[string]string) (int, string) {
	t.Helper()
	all := map[string]string{"Authorization": ""}
	for k, v := range header {
		all[k] = v
	}
	status, _, body := do(t, n, method, path, "", all)
	return status, body
}

// Each way in which a shortcut ends is what the agent is told of the call.
func TestCallback(t *testing.T) {
	t.Parallel()
	for way, want := range map[string]struct {
		outcome nod.Outcome
		page    string
		text    string
	}{
		"ok":     {nod.Done, "Done", "The phone did it."},
		"cancel": {nod.Failed, "Stopped", "The person stopped the shortcut."},
		"error":  {nod.Failed, "It did not work", "The shortcut ended with an error."},
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			s := newShortcut(t)
			token := s.leave(s.results(nil), 200)
			if state := s.state(token); state != "waiting" {
				t.Errorf("before: %s", state)
			}
			status, page := opens(t, s.Nod, "GET", "/cb/"+token+"/"+way+"?errorMessage=secret", map[string]string{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})
			if status != 200 || !strings.Contains(page, "<h1>"+want.page+"</h1>") || strings.Contains(page, "secret") {
				t.Errorf("the page is %d %s", status, page)
			}
			call, err := s.Client.Wait(t.Context(), s.call.ID, 10*time.Second)
			if err != nil || call.Outcome != want.outcome || !strings.Contains(call.Text, want.text) || strings.Contains(call.Text, "secret") {
				t.Errorf("the call is %s %q, %v", call.Outcome, call.Text, err)
			}
			if state := s.state(token); state != way {
				t.Errorf("after: %s", state)
			}
			for _, again := range []string{way, "ok", "error"} { // once
				// It did its part the first time: the page must not say that nothing happened.
				status, page := opens(t, s.Nod, "GET", "/cb/"+token+"/"+again, nil)
				if status != 404 || !strings.Contains(page, "This link is used up") || strings.Contains(page, "Nothing happened") {
					t.Errorf("again, %s: %d %s", again, status, page)
				}
			}
		})
	}
}

// What only looks at the address does not use it up, and what is no callback does nothing.
func TestCallbackIsOpenedByAPersonOnly(t *testing.T) {
	t.Parallel()
	s := newShortcut(t)
	token := s.leave(s.results(nil), 200)
	for name, look := range map[string]struct {
		method, path string
		header       map[string]string
	}{
		"a HEAD":             {"HEAD", "/cb/" + token + "/ok", nil},
		"a POST":             {"POST", "/cb/" + token + "/ok", nil},
		"a prefetch":         {"GET", "/cb/" + token + "/ok", map[string]string{"Sec-Purpose": "prefetch"}},
		"an old prefetch":    {"GET", "/cb/" + token + "/ok", map[string]string{"Purpose": "prefetch"}},
		"Safari's preview":   {"GET", "/cb/" + token + "/ok", map[string]string{"X-Purpose": "preview"}},
		"Firefox's prefetch": {"GET", "/cb/" + token + "/ok", map[string]string{"X-Moz": "prefetch"}},
		"a page's picture":   {"GET", "/cb/" + token + "/ok", map[string]string{"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}},
		"a page's frame":     {"GET", "/cb/" + token + "/ok", map[string]string{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}},
		"a page's fetch":     {"GET", "/cb/" + token + "/ok", map[string]string{"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}},
		"another token":      {"GET", "/cb/" + token + "x/ok", nil},
		"another way":        {"GET", "/cb/" + token + "/maybe", nil},
		"no way":             {"GET", "/cb/" + token, nil},
		"the state of it":    {"GET", "/phone/callback/" + token, nil},
		"an empty token":     {"GET", "/cb//ok", nil},
		"a token of nothing": {"GET", "/cb/ok/ok", nil},
	} {
		if status, _ := opens(t, s.Nod, look.method, look.path, look.header); status == 200 {
			t.Errorf("%s: 200", name)
		}
	}
	if state := s.state(token); state != "waiting" {
		t.Fatalf("it is used up: %s", state)
	}
	asPhone(t, s.Nod, "GET", "/phone/callback/nothing", "", 404, nil)
	// Two at once: one counts.
	codes := make([]int, 8)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() {
			r := request(t.Context(), t, s.Nod, "GET", "/cb/"+token+"/cancel", "")
			if resp, err := http.DefaultClient.Do(r); err == nil {
				resp.Body.Close()
				codes[i] = resp.StatusCode
			}
		})
	}
	all.Wait()
	slices.Sort(codes)
	if want := []int{200, 404, 404, 404, 404, 404, 404, 404}; !slices.Equal(codes, want) {
		t.Errorf("eight at once were answered %v", codes)
	}
}

// Only results that the phone could send by itself are kept for it.
func TestCallbackRefuses(t *testing.T) {
	t.Parallel()
	s := newShortcut(t)
	other, err := wire.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(way string, body *wire.ResultBody){
		"a cancel that is done":     func(way string, b *wire.ResultBody) { b.Status = wire.ResultDone },
		"an ok that failed":         func(way string, b *wire.ResultBody) { b.Status, b.Started = wire.ResultFailed, true },
		"an error that never began": func(way string, b *wire.ResultBody) { b.Started = false },
		"another call's":            func(way string, b *wire.ResultBody) { b.Call = nod.NewCallID() },
		"other bytes'":              func(way string, b *wire.ResultBody) { b.Digest = wire.Encode64(wire.Digest([]byte("x"))) },
		"another phone's":           func(way string, b *wire.ResultBody) { b.Phone = nod.NewPhoneID() },
	} {
		body, err := json.Marshal(map[string]any{"call": s.call.ID, "results": s.results(change)})
		if err != nil {
			t.Fatal(err)
		}
		if status, _, answer := do(t, s.Nod, "POST", "/phone/callback", string(body), map[string]string{"Authorization": "Bearer " + s.Bearer()}); status != 400 {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	for name, row := range map[string]struct{ size, status int }{"a long message": {500, 200}, "a book": {8 << 10, 413}} {
		body, err := json.Marshal(map[string]any{"call": s.call.ID, "results": s.results(func(way string, b *wire.ResultBody) { b.Message = strings.Repeat("\u2028", row.size) })})
		if err != nil {
			t.Fatal(err)
		}
		if status, _, answer := do(t, s.Nod, "POST", "/phone/callback", string(body), map[string]string{"Authorization": "Bearer " + s.Bearer()}); status != row.status {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	forged := s.results(nil)
	if forged["ok"], err = wire.SignBytes(other, wire.KindResult, []byte(forged["ok"].Body)); err != nil {
		t.Fatal(err)
	}
	s.leave(forged, 403)
	half := s.results(nil)
	delete(half, "cancel")
	s.leave(half, 400)
	more := s.results(nil)
	more["maybe"] = more["ok"]
	s.leave(more, 400)
	asPhone(t, s.Nod, "POST", "/phone/callback", `{"results":{"ok":{"kind":"result","body":"{}","sig":"x"}}}`, 400, nil)
	if status, _ := opens(t, s.Nod, "POST", "/phone/callback", nil); status != 401 {
		t.Errorf("without a bearer: %d", status)
	}
	// A call that is over takes none any more.
	ready := s.results(nil)
	if err := s.Gateway.Result(t.Context(), ready["ok"], "", ""); err != nil {
		t.Fatal(err)
	}
	s.leave(ready, 409)
}

// A test from the Shortcuts page is of no call, and the newest eight of a phone are kept.
func TestCallbackTest(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	var tokens []string
	for range 9 {
		var answer struct{ Token string }
		asPhone(t, n, "POST", "/phone/callback", `{}`, 200, &answer)
		tokens = append(tokens, answer.Token)
	}
	asPhone(t, n, "GET", "/phone/callback/"+tokens[0], "", 404, nil)
	if status, _ := opens(t, n, "GET", "/cb/"+tokens[8]+"/error", nil); status != 200 {
		t.Errorf("opened: %d", status)
	}
	for i, want := range map[int]string{1: "waiting", 8: "error"} {
		var answer struct{ State string }
		if asPhone(t, n, "GET", "/phone/callback/"+tokens[i], "", 200, &answer); answer.State != want {
			t.Errorf("callback %d is %s, want %s", i, answer.State, want)
		}
	}
}
