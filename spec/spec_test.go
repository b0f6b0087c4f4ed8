package spec_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

func TestContractIsValid(t *testing.T) {
	for _, p := range spec.Validate(spec.Files()) {
		t.Error(p)
	}
}

// Seed 000 section 2, word by word: what its `phone` must hold.
func TestSeedNumbers(t *testing.T) {
	p := spec.Get().Phone
	if p.WaitSeconds != 120 || p.MessageMaxChars != 500 || p.Capability != "phone_actions" {
		t.Errorf("wait_seconds %d, message_max_chars %d, capability %q", p.WaitSeconds, p.MessageMaxChars, p.Capability)
	}
	order := []string{
		"time", "days", "seconds", "start", "end", "to", "cc", "number", "destination", "stop", "stops",
		"mode", "near", "command", "panel", "url", "on", "values",
	}
	if diff := cmp.Diff(order, p.CheckOrder[:len(order)]); diff != "" {
		t.Errorf("the seed's order of checks comes first (-want +got):\n%s", diff)
	}
	var names []string
	for _, a := range p.Actions {
		names = append(names, a.Name)
	}
	want := "navigate add_stop search_nearby stop_navigation alarm timer calendar_event sms_draft email_draft dial open_app open_url media torch settings_panel automation_intent"
	if diff := cmp.Diff(strings.Fields(want), names); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	tool, ok := spec.Get().Tool(spec.ToolPhoneAction)
	if !ok || tool.Confirm != "always" {
		t.Errorf("phone_action confirms %q", tool.Confirm)
	}
	if !strings.Contains(tool.Description, "Keep the destination as the person told it: add_stop needs it again") {
		t.Error("the description must tell the model to keep the destination")
	}
}

// Every input_schema is a JSON Schema by a validator that is not ours, and takes
// what the check takes.
func TestInputSchemasAreSchemas(t *testing.T) {
	accepted := map[string][]string{
		spec.ToolPhoneAction: {
			`{"action":"navigate","summary":"x","destination":{"lat":37.6,"lon":-122.4,"query":"SFO","name":"SFO"},"stops":[{"query":"a"}],"mode":"drive","replace_route":true}`,
			`{"action":"alarm","time":"07:30","days":["mon"],"label":"x"}`,
			`{"action":"timer","seconds":60}`,
			`{"action":"email_draft","to":["a@b.org"],"cc":[],"subject":"x","text":"y"}`,
			`{"action":"automation_intent","name":"x","values":{"a":"b"}}`,
			`{"action":"torch","on":false,"dropped":{"anything":1}}`,
		},
		spec.ToolCallStatus:     {`{}`, `{"call_id":"call_x","wait_seconds":50}`},
		spec.ToolCallCancel:     {`{"call_id":"call_x"}`},
		spec.ToolClipboardRead:  {`{}`, `{"dropped":1}`},
		spec.ToolClipboardWrite: {`{"text":"x"}`},
		spec.ToolNotify:         {`{"title":"Done","body":"Booked","thread":"trip"}`},
		spec.ToolCalendars:      {`{}`},
		spec.ToolCalendarList:   {`{}`, `{"from":"2026-09-24","to":"2026-09-24T18:00","query":"x","calendar_id":3,"limit":500}`},
		spec.ToolCalendarCreate: {`{"title":"x","start":"2026-09-24","end":"2026-09-25","all_day":true,"location":"y","description":"z","calendar_id":1,"reminder_minutes":0}`},
		spec.ToolCalendarUpdate: {`{"id":9007199254740991,"title":"x"}`},
		spec.ToolCalendarDelete: {`{"id":0}`},
		spec.ToolContactsSearch: {`{"query":"Ana","limit":50}`},
		spec.ToolLocation:       {`{}`, `{"accuracy":"coarse","max_age_seconds":0}`},
		spec.ToolAlarmSet:       {`{"hour":7,"minute":30,"message":"Train","days":["mon","sun"],"vibrate":false}`},
		spec.ToolTimerSet:       {`{"minutes":5}`, `{"seconds":90,"message":"Tea"}`},
		spec.ToolPhotoPick:      {`{}`, `{"max":10,"why":"The receipt"}`},
		spec.ToolPhoneNow:       {`{}`},
	}
	for _, tool := range spec.Get().Tools {
		resolved := resolve(t, tool.InputSchema)
		for _, instance := range accepted[tool.Name] {
			if err := resolved.Validate(parse(t, instance)); err != nil {
				t.Errorf("%s does not take %s: %v", tool.Name, instance, err)
			}
		}
		if len(accepted[tool.Name]) == 0 {
			t.Errorf("%s has no instance here", tool.Name)
		}
	}
}

func resolve(t *testing.T, raw []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("not a schema: %v", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("not a schema: %v", err)
	}
	return resolved
}

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLookups(t *testing.T) {
	s := spec.Get()
	if a, ok := s.Action(spec.ActionDial); !ok || a.App != "dialer" || !a.Reads(spec.FieldNumber) || a.Reads(spec.FieldURL) {
		t.Errorf("dial: %+v", a)
	}
	for _, name := range []string{"", "Alarm", "phone_action"} {
		if _, ok := s.Action(name); ok {
			t.Errorf("there is an action %q", name)
		}
	}
	if _, ok := s.Tool("phone"); ok {
		t.Error("there is a tool phone")
	}
	tool, _ := s.Tool(spec.ToolCallCancel)
	if f, ok := tool.Field(spec.FieldCallID); !ok || len(tool.Fields) != 1 || f.Is != spec.FormText || f.Default.Is {
		t.Errorf("call_cancel reads %+v", tool.Fields)
	}
	tool, _ = s.Tool(spec.ToolLocation)
	none, given := nod.Fields{}, nod.Fields{"accuracy": "coarse", "max_age_seconds": int64(0)}
	if tool.Word(none, spec.FieldAccuracy) != "fine" || tool.Word(given, spec.FieldAccuracy) != "coarse" {
		t.Error("the default of a word")
	}
	if tool.Int(none, spec.FieldMaxAgeSeconds) != 120 || tool.Int(given, spec.FieldMaxAgeSeconds) != 0 || tool.Int(given, "other") != 0 {
		t.Error("the default of a number")
	}
}

// A model is given few tools, so that it takes the right one (issue 5).
func TestFewTools(t *testing.T) {
	if n := len(spec.Get().Tools); n > 20 {
		t.Errorf("%d tools", n)
	}
}

// A tool is found by its aliases too, and is the same tool.
func TestAliases(t *testing.T) {
	s, err := spec.Load(edit(t, "tools.json", `"aliases": []`, `"aliases": ["phone"]`))
	if err != nil {
		t.Fatal(err)
	}
	tool, ok := s.Tool("phone")
	if !ok || tool.Name != spec.ToolPhoneAction {
		t.Errorf("the alias leads to %q", tool.Name)
	}
}

func TestLoadSaysWhichFile(t *testing.T) {
	files := edit(t, "texts.json", `"agent": {`, `"agent": [`)
	if _, err := spec.Load(files); err == nil || !strings.Contains(err.Error(), "texts.json") {
		t.Errorf("got %v", err)
	}
	if _, err := spec.Load(fstest.MapFS{}); err == nil {
		t.Error("no files, no error")
	}
}
