package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// Photos are saved for this account alone, never over a file that is there, and
// never anywhere but in the folder, whatever they are called.
func TestSavePhotos(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/attachments/5") {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error": {"code": "not_found", "message": "it is gone"}}`))
			return
		}
		_, _ = w.Write([]byte("bytes of " + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]))
	}))
	defer server.Close()
	agent, err := client.New(client.Config{URL: server.URL, Token: "nod_a_TEST"})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "new", "photos")
	flags := answerFlags{Save: folder}
	if err := flags.ready(); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(filepath.Dir(folder), "outside.jpg")
	if err := os.WriteFile(filepath.Join(folder, "a.jpg"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "link.jpg")); err != nil {
		t.Fatal(err)
	}
	call := client.Call{ID: "call_A", State: nod.Closed, Outcome: nod.Done, Tool: "photo_pick", Text: "The phone read it and answered.", Data: `{"count":6}`}
	for _, name := range []string{"a.jpg", "link.jpg", "../outside.jpg", ".profile", "b.png", "gone.jpg"} {
		call.Attachments = append(call.Attachments, client.Attachment{Name: name, Mime: "image/jpeg", Path: "attachments/2026-11-30/" + name, URL: "/v1/calls/call_A/attachments/0"})
	}

	var stdout, stderr bytes.Buffer
	p := &program{ctx: context.Background(), stdout: &stdout, stderr: &stderr, global: &globals{URL: server.URL}}
	err = flags.show(p, agent, call)
	if client.CodeOf(err) != nod.CodeNotFound {
		t.Errorf("the photo that is gone: %v", err)
	}
	if out := stdout.String(); !strings.HasPrefix(out, call.Text+"\n") || strings.Count(out, server.URL+"/v1/calls/call_A/attachments/") != 6 || strings.Count(out, "Saved as ") != 5 || stderr.Len() > 0 {
		t.Errorf("%q, %q", out, stderr.String())
	}
	for name, want := range map[string]string{
		"a.jpg": "mine", "a-2.jpg": "bytes of 0", "link-2.jpg": "bytes of 1", "photo-3.jpg": "bytes of 2", "photo-4.jpg": "bytes of 3", "b.png": "bytes of 4",
	} {
		file := filepath.Join(folder, name)
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, want %q (%v)", name, got, want, err)
		}
		if info, err := os.Stat(file); err == nil && want != "mine" && info.Mode() != 0o600 {
			t.Errorf("%s: mode %v", name, info.Mode())
		}
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) != 7 {
		t.Errorf("%d files (%v)", len(list), err)
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a photo left the folder")
	}
}

// A folder that cannot hold photos is known before anybody picks one.
func TestSaveNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (answerFlags{Save: file}).ready(); nod.CodeOf(err) != nod.CodeInvalid || !strings.Contains(hintOf(err), "--save") {
		t.Errorf("%v (%s)", err, hintOf(err))
	}
}

// What stdout is, by what was asked for: data that others wrote brings nothing
// along that a terminal obeys.
func TestAnswer(t *testing.T) {
	read := client.Call{ID: "call_A", Tool: "calendar_list", State: nod.Closed, Outcome: nod.Done, Text: "The phone read it and answered.\n\nlabel\n<<<", Data: "{\"title\":\"a\u009b2J\u202eb\"}"}
	none := client.Call{ID: "call_A", Tool: "calendar_list", State: nod.Closed, Outcome: nod.Declined, Text: "The person said no."}
	for _, tt := range []struct {
		name           string
		flags          answerFlags
		json           bool
		call           client.Call
		stdout, stderr string
	}{
		{"a read", answerFlags{}, false, read, read.Text + "\n", ""},
		{"its data", answerFlags{Raw: true}, false, read, "{\"title\":\"a2Jb\"}\n", ""},
		{"its data, though all is to be JSON", answerFlags{Raw: true}, true, read, "{\"title\":\"a2Jb\"}\n", ""},
		{"no data", answerFlags{Raw: true}, false, none, "", "The person said no.\n"},
		{"no read", answerFlags{}, false, none, "The person said no.\n", ""},
	} {
		var stdout, stderr bytes.Buffer
		p := &program{ctx: context.Background(), stdout: &stdout, stderr: &stderr, global: &globals{JSON: tt.json}}
		if err := tt.flags.show(p, nil, tt.call); err != nil || stdout.String() != tt.stdout || stderr.String() != tt.stderr {
			t.Errorf("%s: %q, %q, %v", tt.name, stdout.String(), stderr.String(), err)
		}
	}
	var stdout bytes.Buffer
	p := &program{ctx: context.Background(), stdout: &stdout, global: &globals{JSON: true}}
	if err := (answerFlags{}).show(p, nil, read); err != nil || !strings.Contains(stdout.String(), `"data": "{\"title\"`) || strings.Contains(stdout.String(), "saved") {
		t.Errorf("%s, %v", stdout.String(), err)
	}
}

// A read that was carried out and not handed over is no success.
func TestNothingRead(t *testing.T) {
	for _, tt := range []struct {
		tool, data string
		want       int
	}{
		{"calendar_list", `{"count":0}`, exitDone},
		{"calendar_list", "", exitFailed},
		{"photo_pick", "", exitFailed},
		{"alarm_set", "", exitDone},
		{"calendar_create", "", exitDone},
		{"phone_action", "", exitDone},
		{"a_newer_tool", "", exitDone},
	} {
		if got := callExit(client.Call{Tool: tt.tool, State: nod.Closed, Outcome: nod.Done, Data: tt.data}); got != tt.want {
			t.Errorf("%s with %q: exit code %d, want %d", tt.tool, tt.data, got, tt.want)
		}
	}
}

// Who takes a call back too late is told so, and what was read is no failure
// because that answer does not hold it.
func TestTooLate(t *testing.T) {
	for _, tt := range []struct {
		tool    string
		state   nod.State
		outcome nod.Outcome
		late    bool
		want    int
	}{
		{"contacts_search", nod.Closed, nod.Done, true, exitDone},
		{"alarm_set", nod.Closed, nod.Declined, true, exitDeclined},
		{"alarm_set", nod.Working, "", true, exitWaiting},
		{"contacts_search", nod.Closed, nod.Withdrawn, false, exitWithdrawn},
	} {
		call := cancelled(client.Call{Tool: tt.tool, State: tt.state, Outcome: tt.outcome, Text: "So it is."})
		if late := call.Text == "It is too late to take this back. So it is."; late != tt.late || !strings.HasSuffix(call.Text, "So it is.") {
			t.Errorf("%s, %s: %q", tt.tool, tt.outcome, call.Text)
		}
		if got := endExit(call); got != tt.want {
			t.Errorf("%s, %s: exit code %d, want %d", tt.tool, tt.outcome, got, tt.want)
		}
	}
}
