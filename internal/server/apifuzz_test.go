package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/nodtest"
)

// FuzzPostCall sends anything as a call. Whatever it is, the answer is one that
// the document tells of, is never nod's own fault, and claims nothing: there is
// no phone.
func FuzzPostCall(f *testing.F) {
	f.Add([]byte(alarmCall), "", "", "", "")
	f.Add([]byte(`{"tool": "phone_action", "arguments": {"action": "alarm", "time": "07:30"}, "phone": "Pixel", "mode": "strict", "wait_seconds": 30, "detached": false}`), "k1", "120", "observe_only", "wait=0")
	f.Add([]byte(`{"tool": "phone_action", "arguments": {"action": "dial", "number": "112", "number": "911"}}`), "", "", "", "")
	f.Add([]byte(`{"tool": "phone_action", "arguments": [1e400]}`), " ", "-1", "yolo", "wait=x")
	f.Add([]byte("{\"tool\": \"\xff\"}"), "k\x7f", "1e3", "", "wiat=1")
	f.Add([]byte(strings.Repeat("[", 20)), "", "", "", "wait=1&wait=1")
	f.Add([]byte(`{"tool": "call_status", "arguments": null}`), "", "99999999999999999999", "", "token=x")
	f.Add([]byte(`{"tool": "phone_action", "arguments": {"action": "navigate", "destination": {"lat": 1e9, "lon": -0.00000001}}}`), "", "", "", "")
	often := server.Rate{PerSecond: 1e9, Burst: 1e9}
	n := nodtest.New(f, nodtest.Options{NoPhone: true, Rates: server.Rates{Agent: often, Address: often}})
	f.Fuzz(func(t *testing.T, body []byte, key, wait, mode, query string) {
		send := func() (int, client.Call) {
			r, err := http.NewRequestWithContext(t.Context(), "POST", n.URL+"/v1/calls", strings.NewReader(string(body)))
			if err != nil {
				t.Fatal(err)
			}
			r.URL.RawQuery = strings.Map(func(c rune) rune { return max(c, '!') }, query) // a blank ends the address
			r.Header = http.Header{"Authorization": {"Bearer " + n.Token}, "Content-Type": {"application/json"}}
			for name, value := range map[string]string{"Idempotency-Key": key, "Nod-Wait": wait, "Nod-Mode": mode} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			resp, err := checked{t: t}.RoundTrip(r)
			if err != nil {
				return 0, client.Call{} // no HTTP: it never left
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			var c client.Call
			if resp.StatusCode >= 500 || resp.StatusCode < 400 && json.Unmarshal(b, &c) != nil {
				t.Fatalf("answered %s %s", resp.Status, b)
			}
			return resp.StatusCode, c
		}
		status, first := send()
		if status == 0 || status >= 400 {
			return
		}
		switch first.Outcome {
		case nod.Refused, nod.Denied, nod.Unavailable:
		default:
			t.Errorf("without a phone it ended %q: %s", first.Outcome, first.Text)
		}
		if key != "" && first.Outcome != nod.Refused {
			if status, again := send(); status != 200 || again.ID != first.ID {
				t.Errorf("sent again under its key it was answered %d, %s, not %s", status, again.ID, first.ID)
			}
		}
	})
}
