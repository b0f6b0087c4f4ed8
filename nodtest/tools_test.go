package nodtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	"slices"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/nodtest"
	"nod.dev/nod/spec"
)

// everyApp is access to all that the tools reach.
func everyApp() []string {
	var apps []string
	for _, t := range spec.Get().Tools {
		if app := t.App + ":" + string(t.Kind); t.App != "" && !slices.Contains(apps, app) {
			apps = append(apps, app)
		}
	}
	return append(apps, "messages:act", "dialer:act")
}

// everySwitch is the same as a person switches it on a phone.
func everySwitch() map[string]nod.AccessState {
	on := map[string]nod.AccessState{}
	for _, app := range everyApp() {
		on[app] = nod.AccessAsk
	}
	return on
}

// toolCall is a call of one tool, and what a phone's state must be after it.
type toolCall struct {
	tool  string
	good  string
	bad   string // refused by the check; empty where no arguments can be wrong
	data  string // that the answer's data holds
	after func(sim.State) bool
}

var toolCalls = []toolCall{
	{spec.ToolClipboardRead, `{}`, "", `{"text":"a note","chars":6,"cut":false}`, nil},
	{spec.ToolClipboardWrite, `{"text":"hello"}`, `{}`, "", func(s sim.State) bool { return s.Clipboard == "hello" }},
	{spec.ToolNotify, `{"title":"Done","body":"Booked"}`, `{"title":"Done"}`, "", func(s sim.State) bool { return len(s.Notifications) == 1 }},
	{spec.ToolCalendars, `{}`, "", `"count":3`, nil},
	{spec.ToolCalendarList, `{}`, `{"from":"2026-02-31"}`, `"title":"Dentist"`, nil},
	{spec.ToolCalendarCreate, `{"title":"Offsite","start":"2027-12-03","all_day":true}`, `{"title":"x","start":"2027-12-03","all_day":false}`,
		`"start":"2027-12-03","end":"2027-12-03","all_day":true`, func(s sim.State) bool { return len(s.Appointments) == 4 }},
	{spec.ToolCalendarUpdate, `{"id":2,"title":"Another meeting"}`, `{"id":2}`, "", func(s sim.State) bool { return s.Appointments[1].Title == "Another meeting" }},
	{spec.ToolCalendarDelete, `{"id":1}`, `{"id":"one"}`, "", func(s sim.State) bool { return s.Appointments[0].ID != 1 }},
	{spec.ToolContactsSearch, `{"query":"%"}`, `{"query":" "}`, `"people":[{"name":"100% Pizza *"`, nil},
	{spec.ToolLocation, `{}`, `{"accuracy":"exact"}`, `"latitude":38.7676`, nil},
	{spec.ToolAlarmSet, `{"hour":7,"minute":30,"days":["friday",1]}`, `{"hour":7,"minute":30,"days":["someday"]}`, "", func(s sim.State) bool {
		return len(s.Alarms) == 1 && slices.Equal(s.Alarms[0].Days, []string{"mon", "fri"})
	}},
	{spec.ToolTimerSet, `{"minutes":2}`, `{}`, "", func(s sim.State) bool { return len(s.Timers) == 1 }},
	{spec.ToolPhotoPick, `{"max":2}`, `{"max":11}`, `"count":2`, func(s sim.State) bool { return s.Picked == 2 }},
	{spec.ToolPhoneNow, `{}`, "", `"zone":"Asia/Tokyo"`, nil},
}

// TestTools takes every tool through a gateway, over HTTP, to the phone and
// back: done, refused, not allowed, nobody answered, and in the background.
func TestTools(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	n := nodtest.New(t, nodtest.Options{
		Switches: everySwitch(),
		Phone: sim.Config{
			Zone: tokyo, Clipboard: "a note", Patience: 20 * time.Millisecond,
			Photos: [][]byte{sim.Photo(1700, 30), sim.Photo(40, 30)},
		},
	})
	agents := 0
	// ask sends a call as an agent that has not asked for much yet.
	c, asked := n.Client, 0
	ask := func(tool, arguments string) client.Call {
		t.Helper()
		if asked++; asked > 9 {
			agents++
			a, err := n.Console.AddAgent(t.Context(), client.AgentRequest{Name: fmt.Sprint("Agent ", agents), Apps: everyApp()})
			if err != nil {
				t.Fatal(err)
			}
			if c, err = client.New(client.Config{URL: n.URL, Token: a.Token}); err != nil {
				t.Fatal(err)
			}
			asked = 1
		}
		call, err := c.Do(t.Context(), client.Request{Tool: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return call
	}
	for _, in := range toolCalls {
		if in.bad != "" {
			if call := ask(in.tool, in.bad); call.Outcome != nod.Refused {
				t.Errorf("%s %s ended %s: %s", in.tool, in.bad, call.Outcome, call.Text)
			}
		}
	}
	before := fmt.Sprint(n.Phone.State())
	for _, c := range []struct {
		name   string
		system func(spec.Permission) string
		why    func(spec.Permission) nod.Why
	}{
		{"not allowed", func(p spec.Permission) string { return string(p) + "=deny" }, func(p spec.Permission) nod.Why {
			switch p {
			case spec.PermissionAlarm, spec.PermissionClipboard:
				return nod.WhyNone // the system asks nothing
			case spec.PermissionPicker:
				return nod.WhyNotPicked
			}
			return nod.WhyNotAllowed
		}},
		{"nobody", func(p spec.Permission) string {
			if p == spec.PermissionNotifications {
				return "notifications=ignore" // on the screen: what may not notify calls nobody
			}
			return string(p) + "=ignore,background,tap=ignore"
		}, func(spec.Permission) nod.Why { return nod.WhyNobodyAnswered }},
		{"background", func(p spec.Permission) string {
			if p == spec.PermissionNotifications {
				return "notifications=allow,background"
			}
			return string(p) + "=allow,background,notifications=off"
		}, func(spec.Permission) nod.Why { return nod.WhyBackground }},
	} {
		for _, in := range toolCalls {
			tool, _ := spec.Get().Tool(in.tool)
			if tool.Permission == spec.PermissionNone || c.why(tool.Permission) == nod.WhyNone {
				continue
			}
			s, err := sim.ParseSystem(c.system(tool.Permission))
			if err != nil {
				t.Fatal(err)
			}
			n.Phone.SetSystem(s)
			call := ask(in.tool, in.good)
			if call.Outcome != nod.Failed || call.Why != c.why(tool.Permission) || call.Started || call.Data != "" || call.Attachments != nil {
				t.Errorf("%s, %s: %s %s, started %v: %s", in.tool, c.name, call.Outcome, call.Why, call.Started, call.Text)
			}
		}
	}
	n.Phone.SetSystem(sim.System{})
	after := n.Phone.State()
	after.Questions, after.Summons = nil, nil
	if fmt.Sprint(after) != before {
		t.Errorf("nothing was done, and the phone is\n%+v\nwas\n%s", after, before)
	}
	for _, in := range toolCalls {
		call := ask(in.tool, in.good)
		if call.Outcome != nod.Done || !strings.Contains(call.Data, in.data) || (in.after != nil && !in.after(n.Phone.State())) {
			t.Errorf("%s ended %s: %s\ndata %s\nthe phone is %+v", in.tool, call.Outcome, call.Text, call.Data, n.Phone.State())
		}
		if in.tool == spec.ToolPhotoPick {
			photos(t, c, call)
		}
	}
}

// photos fetches what was picked, as the agent that asked, and looks at it.
func photos(t *testing.T, c *client.Client, call client.Call) {
	t.Helper()
	if len(call.Attachments) != 2 || call.Attachments[0].Width != 1568 {
		t.Errorf("the photos are %+v", call.Attachments)
	}
	for i, a := range call.Attachments {
		data, err := c.Attachment(t.Context(), call.ID, i)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || len(data) != a.Bytes || int64(m.Width) != a.Width || int64(m.Height) != a.Height || a.Mime != "image/jpeg" {
			t.Errorf("photo %d is %+v, and has %d bytes, %dx%d (%v)", i, a, len(data), m.Width, m.Height, err)
		}
	}
}
