package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nod.dev/nod/nodtest"
)

const event = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nSUMMARY:Séance\r\nEND:VCALENDAR\r\n"

// A calendar gets the file that the phone left, as what it is and nothing else.
func TestPhoneFile(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	leave := func(name, kind, text string, status int) string {
		t.Helper()
		body, err := json.Marshal(map[string]string{"name": name, "type": kind, "text": text})
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Path string }
		asPhone(t, n, "POST", "/phone/file", string(body), status, &answer)
		return answer.Path
	}
	path := leave("event.ics", "text/calendar", event, 200)
	if !strings.HasPrefix(path, "/file/") || !strings.HasSuffix(path, "/event.ics") {
		t.Fatalf("the path is %s", path)
	}
	for range 2 {
		status, header, body := do(t, n, "GET", path, "", map[string]string{"Authorization": ""})
		if status != 200 || body != event {
			t.Errorf("answered %d %q", status, body)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/calendar; charset=utf-8", "Content-Disposition": `inline; filename="event.ics"`,
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; sandbox",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
	}
	for _, wrong := range []string{path + "x", "/file/AAAA/event.ics", strings.Replace(path, "event", "other", 1), "/file/"} {
		if status, _ := opens(t, n, "GET", wrong, nil); status != 404 {
			t.Errorf("%s: %d", wrong, status)
		}
	}
	for _, row := range []struct {
		name, kind, text string
		status           int
	}{
		{"page.html", "text/html", "<script>", 400},
		{"event.ics", "text/calendar; charset=utf-8", event, 400},
		{"event.html", "text/calendar", event, 400},
		{".ics", "text/calendar", event, 400},
		{"../event.ics", "text/calendar", event, 400},
		{"a\"b.ics", "text/calendar", event, 400},
		{strings.Repeat("a", 60) + ".ics", "text/calendar", event, 400},
		{"event.ics", "text/calendar", "", 413},
		{"event.ics", "text/calendar", strings.Repeat("x", 16<<10+1), 413},
		{"event.ics", "text/calendar", strings.Repeat("x", 16<<10), 200},
	} {
		leave(row.name, row.kind, row.text, row.status)
	}
	for range 3 { // the fourth and older go
		leave("event.ics", "text/calendar", event, 200)
	}
	if status, _ := opens(t, n, "GET", path, nil); status != 404 {
		t.Errorf("a fifth file of a phone keeps the first: %d", status)
	}
}
