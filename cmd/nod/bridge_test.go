package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"nod.dev/nod"
)

// bridgeTools are tools with an argument of each type.
func bridgeTools() toolbox {
	tools := toolbox{}
	for name, schema := range map[string]string{
		"alarm_set": `{"properties": {"hour": {"type": "integer"}, "minute": {"type": "integer"}, "message": {"type": "string"},
			"days": {"type": "array", "items": {"type": "string"}}}, "required": ["hour", "minute"]}`,
		"any_days":        `{"properties": {"days": {"type": "array", "items": {"type": ["string", "integer"]}}}}`,
		"calendars":       `{"properties": {}}`,
		"week":            `{"properties": {"days": {"type": "array", "items": {"type": "string", "enum": ["mon", "tue"]}}}}`,
		"calendar_list":   `{"properties": {"from": {"type": "string"}, "calendar_id": {"type": "integer"}}}`,
		"contacts_search": `{"properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["query"]}`,
		"bag": `{"properties": {"text": {"type": "string"}, "count": {"type": "integer"}, "on": {"type": "boolean"}, "when": {"type": "string"},
			"tags": {"type": "array", "items": {"type": "string"}}, "rate": {"type": "number"}, "place": {"type": "object"}, "free": {}}}`,
		"phone_action": `{"properties": {"action": {"type": "string"}, "stops": {"type": "array", "items": {"type": "object"}}}, "required": ["action"]}`,
	} {
		tools.add(name, json.RawMessage(schema))
	}
	return tools
}

func TestBridge(t *testing.T) {
	for _, tt := range []struct {
		words     string // one a bar
		tool      string
		arguments string
	}{
		// Seed 001's own forms and pairs.
		{"calendars", "calendars", `{}`},
		{"calendar|list|from=2026-09-24", "calendar_list", `{"from":"2026-09-24"}`},
		{"alarm|set|hour=7|minute=30|message=Train", "alarm_set", `{"hour":7,"message":"Train","minute":30}`},
		{`bag|text=hello world|count=3|on=true|when=07:30|tags=["a"]`, "bag", `{"count":3,"on":true,"tags":["a"],"text":"hello world","when":"07:30"}`},
		{"alarm-set|hour=7", "alarm_set", `{"hour":7}`},
		{"alarm.set|hour=7", "alarm_set", `{"hour":7}`},
		{"alarm_set|hour=7", "alarm_set", `{"hour":7}`},
		{"calendar|list|calendar-id=3", "calendar_list", `{"calendar_id":3}`},
		{"phone|action|action=torch", "phone_action", `{"action":"torch"}`},

		// What is meant as text stays text.
		{"bag|text=5551234", "bag", `{"text":"5551234"}`},
		{"bag|text=true", "bag", `{"text":"true"}`},
		{"bag|text=null", "bag", `{"text":"null"}`},
		{`bag|text={"a":1}`, "bag", `{"text":"{\"a\":1}"}`},
		{`bag|text="112"`, "bag", `{"text":"112"}`},
		{"bag|text=a=b", "bag", `{"text":"a=b"}`},
		{"bag|text=", "bag", `{"text":""}`},
		{"bag|text=-", "bag", `{"text":"-"}`},
		{"contacts|search|query=100%", "contacts_search", `{"query":"100%"}`},

		// Whole numbers are whole numbers, as clocks write them too.
		{"alarm|set|hour=07|minute=05", "alarm_set", `{"hour":7,"minute":5}`},
		{"bag|count=-3", "bag", `{"count":-3}`},
		{"bag|count=60.0", "bag", `{"count":60.0}`},
		{"bag|count=9007199254740993", "bag", `{"count":9007199254740993}`},
		{"bag|count=three", "bag", `{"count":"three"}`},
		{"bag|rate=1.5", "bag", `{"rate":1.5}`},

		// Lists.
		{"alarm|set|days=mon,tue", "alarm_set", `{"days":["mon","tue"]}`},
		{"alarm|set|days=mon", "alarm_set", `{"days":["mon"]}`},
		{"alarm|set|days=1, 2", "alarm_set", `{"days":["1","2"]}`},
		{"any|days|days=1,tue", "any_days", `{"days":[1,"tue"]}`},
		{"week|days=mon,2,02", "week", `{"days":["mon",2,2]}`},
		{"week|days=7", "week", `{"days":[7]}`},
		{"week|days=someday", "week", `{"days":["someday"]}`},
		{"alarm|set|days=", "alarm_set", `{"days":[]}`},
		{`alarm|set|days=["sat"]`, "alarm_set", `{"days":["sat"]}`},
		{`phone_action|action=navigate|stops=[{"query":"Faro, PT"}]`, "phone_action", `{"action":"navigate","stops":[{"query":"Faro, PT"}]}`},
		{"phone_action|action=navigate|stops=Faro, PT", "phone_action", `{"action":"navigate","stops":"Faro, PT"}`},

		// What JSON says twice is the gateway's to refuse, not this program's to mend.
		{`bag|place={"query":"a","query":"b"}`, "bag", `{"place":{"query":"a","query":"b"}}`},
		{"bag|place={not json", "bag", `{"place":"{not json"}`},
		{"bag|free=1", "bag", `{"free":1}`},
		{"bag|free=one", "bag", `{"free":"one"}`},
	} {
		tool, arguments, err := bridgeTools().parse(strings.Split(tt.words, "|"))
		if err != nil {
			t.Errorf("%s: %v", tt.words, err)
			continue
		}
		got, err := json.Marshal(arguments)
		if err != nil || tool != tt.tool || string(got) != tt.arguments {
			t.Errorf("%s: %s %s, want %s %s (%v)", tt.words, tool, got, tt.tool, tt.arguments, err)
		}
	}
}

// Words that are no call are refused before anything is sent, with what to write.
func TestBridgeRefuses(t *testing.T) {
	for _, tt := range []struct {
		words, err, hint string
		unknown          bool // a newer gateway may know it
	}{
		{"", `there is no tool ""`, "", true},
		{"rm -rf", `there is no tool "rm _rf"`, "", true},
		{"file:///etc/passwd", "there is no tool", "", true},
		{"action=alarm", "names no tool", `"nod tools" lists the tools`, false},
		{"calender|list", `there is no tool "calender_list"`, "nearest first: calendar_list, calendars, ", true},
		{"list", `there is no tool "list"`, "calendar_list", true},
		{"alarm|set|hour=7|loose", `"loose" is not NAME=VALUE`, "quotes", false},
		{"alarm|set|hour=7|=x", `"=x" is not NAME=VALUE`, "", false},
		{"contacts|search|Ana Lima", `"Ana Lima" is not NAME=VALUE`, "write it like query='Ana Lima'", false},
		{"phone_action|alarm|action=x", `"alarm" is not NAME=VALUE`, "action=alarm", false},
		{"calendars|now", `"now" is not NAME=VALUE`, "calendars takes no arguments", false},
		{"alarm|set|hour=7|hour=8", "hour is there twice", "one value", false},
		{"calendar|list|calendar-id=1|calendar_id=2", "calendar_id is there twice", "", false},
		{"calendar|list|form=2026-09-24", `calendar_list has no argument "form"`, "nearest first: from, calendar_id", true},
		{"calendars|x=1", `calendars has no argument "x"`, "takes no arguments", true},
		{"bag|text=\xff", "not text in UTF-8", "", false},
	} {
		_, _, err := bridgeTools().parse(strings.Split(tt.words, "|"))
		if err == nil || !strings.Contains(err.Error(), tt.err) || !strings.Contains(hintOf(err), tt.hint) {
			t.Errorf("%s: %v (%s), want %q (%s)", tt.words, err, hintOf(err), tt.err, tt.hint)
			continue
		}
		if _, unknown := errors.AsType[*unknownTool](err); unknown != tt.unknown || nod.CodeOf(err) != nod.CodeInvalid {
			t.Errorf("%s: unknown is %t (%s)", tt.words, unknown, nod.CodeOf(err))
		}
	}
}

// The contract's own tools can all be written as words.
func TestBridgeKnowsTheContract(t *testing.T) {
	tools := contractTools()
	for name, of := range tools {
		words := strings.Split(name, "_")
		for argument := range of.Properties {
			tool, arguments, err := tools.parse(append(words, strings.ReplaceAll(argument, "_", "-")+"=x"))
			if err != nil || tool != name || len(arguments[argument]) == 0 {
				t.Errorf("%s %s: %s, %v", name, argument, tool, err)
			}
		}
	}
}
