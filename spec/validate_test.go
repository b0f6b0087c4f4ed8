package spec_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"nod.dev/nod/spec"
)

// copied is the embedded contract as files that can be changed.
func copied(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(spec.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(spec.Files(), path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// edit returns the contract with one thing changed. What is changed must be there.
func edit(t *testing.T, file, before, after string) fstest.MapFS {
	t.Helper()
	return editIn(t, copied(t), file, before, after)
}

func editIn(t *testing.T, files fstest.MapFS, file, before, after string) fstest.MapFS {
	t.Helper()
	text := string(files[file].Data)
	if !strings.Contains(text, before) {
		t.Fatalf("%s does not have %s", file, before)
	}
	files[file] = &fstest.MapFile{Data: []byte(strings.Replace(text, before, after, 1))}
	return files
}

// Every rule of Validate, each by one change that breaks it.
func TestValidateFinds(t *testing.T) {
	for _, row := range []struct{ name, file, before, after, want string }{
		{"a version that is newer", "tools.json", `"version": 1`, `"version": 2`, `tools.json: version: unsupported version "2" (supported range: 1..1)`},
		{"a version that is no integer", "texts.json", `"version": 1`, `"version": 1.5`, `unsupported version "1.5"`},
		{"a version that is text", "events.json", `"version": 1`, `"version": "one"`, `events.json: version: it must be an integer`},
		{"no version", "capabilities.json", `"version": 1,`, ``, `capabilities.json: version: unsupported version ""`},
		{"a name twice", "actions.json", `"wait_seconds": 120`, `"wait_seconds": 120, "wait_seconds": 60`, `"wait_seconds" twice`},
		{"a name twice, deep down", "tools.json", `"type": "object",`, `"type": "object", "type": "array",`, `"tools[].input_schema.type" twice`},
		{"something after the JSON", "capabilities.json", "  ]\n}", "  ]\n} {}", `something follows`},
		{"a schema of another draft", "schemas/card.json", `2020-12/schema`, `draft-07/schema`, `schemas/card.json: $schema: it must be JSON Schema 2020-12`},
		{"a schema that requires what it has not", "schemas/grant.json", `"required": ["id"`, `"required": ["ident"`, `"ident" is not one of the properties`},

		{"a risk there is not", "tools.json", `"risk": "medium"`, `"risk": "severe"`, `phone_action: risk "severe"`},
		{"a kind there is not", "tools.json", `"kind": "act"`, `"kind": "write"`, `kind "write"`},
		{"a confirm there is not", "tools.json", `"confirm": "always"`, `"confirm": "sometimes"`, `confirm "sometimes"`},
		{"a name with a dot", "tools.json", `"name": "call_cancel"`, `"name": "call.cancel"`, `"call.cancel" is no name`},
		{"a name that is too long", "tools.json", `"name": "call_cancel"`, `"name": "call_cancel_and_then_some_more_x"`, `is no name`},
		{"two tools of one name", "tools.json", `"name": "call_cancel"`, `"name": "call_status"`, `call_status: two tools have this name or alias`},
		{"an alias that is another tool's name", "tools.json", `"aliases": []`, `"aliases": ["call_status"]`, `call_status: two tools have this name or alias`},
		{"no title", "tools.json", `"title": "Call status"`, `"title": ""`, `it needs a title and a description`},
		{"risky and never asked", "tools.json", `"risk": "low"`, `"risk": "high"`, `only what is harmless`},
		{"private and never asked", "tools.json", `"private": false,
      "egress": false`, `"private": true,
      "egress": false`, `only what is harmless`},
		{"another tool that always asks", "tools.json", `"confirm": "never"`, `"confirm": "always"`, `only phone_action always asks`},
		{"an act that is private", "tools.json", `"private": false`, `"private": true`, `only a read has one`},
		{"a negative wait", "tools.json", `"waits": 0`, `"waits": -1`, `waits must not be negative`},
		{"an app on a tool that has none of its own", "tools.json", `"app": ""`, `"app": "maps"`, `it has no app`},
		{"a tool of a phone without an app", "tools.json", `"gateway": true`, `"gateway": false`, `call_status: app "" is not one of the apps`},
		{"an app twice", "tools.json", `"apps": ["clock"`, `"apps": ["clock", "clock"`, `"clock" is there twice`},
		{"superseded and not deprecated", "tools.json", `"aliases": []`, `"superseded_by": "call_status", "aliases": []`, `superseded_by is only for a deprecated tool`},
		{"superseded by nothing", "tools.json", `"deprecated": false`, `"deprecated": true, "superseded_by": "gone"`, `names "gone", which does not exist`},
		{"superseded by itself", "tools.json", `"deprecated": false`, `"deprecated": true, "superseded_by": "phone_action"`, `in a circle, through phone_action`},
		{"superseded by its own alias", "tools.json", `"aliases": [],
      "deprecated": false`, `"aliases": ["phone"],
      "deprecated": true, "superseded_by": "phone"`, `in a circle, through phone_action`},

		{"a schema with oneOf", "tools.json", `"required": ["action"]`, `"required": ["action"], "oneOf": []`, `input_schema uses oneOf`},
		{"a schema that refuses what the check drops", "tools.json", `"required": ["action"]`, `"required": ["action"], "additionalProperties": false`, `input_schema uses additionalProperties`},
		{"a schema with a reference", "tools.json", `"type": "number", "description": "Latitude`, `"type": "number", "$ref": "#", "description": "Latitude`, `uses $ref`},
		{"a schema that requires what it has not", "tools.json", `"required": ["action"]`, `"required": ["act"]`, `requires "act"`},
		{"a field that is not described", "tools.json", `"description": "What to do."`, `"description": ""`, `input_schema.action is not described`},
		{"a type there is not", "tools.json", `"type": "boolean"`, `"type": "bool"`, `has the type "bool"`},
		{"a list of nothing", "tools.json", `"items": {"type": "string"},`, ``, `does not say what its items are`},
		{"a minimum above the maximum", "tools.json", `"minimum": 0`, `"minimum": 99`, `a minimum above its maximum`},
		{"a word twice in an enum", "tools.json", `"enum": ["me"`, `"enum": ["me", "me"`, `"me" twice`},
		{"an argument the tool does not read", "tools.json", `"call_id": {`, `"other": {"type": "string", "description": "x"}, "call_id": {`, `other is in the schema, and the tool does not read it`},
		{"a field that a tool's schema does not have", "tools.json", `"minute": {"type"`, `"minutes": {"type"`, `minute is not in the schema`},
		{"a field of phone_action's own", "tools.json", `"gateway": false`, `"fields": [], "gateway": false`, `its fields are those of its actions`},
		{"a tool's field twice", "tools.json", `{"name": "hour", "is"`, `{"name": "minute", "is"`, `alarm_set: it reads minute twice`},
		{"a tool's field called summary", "tools.json", `{"name": "hour", "is"`, `{"name": "summary", "is"`, `summary is the agent's own line`},
		{"a form that has no words", "tools.json", `{"name": "vibrate", "is": "boolean"}`, `{"name": "vibrate", "is": "url", "class": "line", "max_chars": 9}`, `form_url: alarm_set.vibrate needs it`},
		{"a tool's text that a card cannot bound", "tools.json", `"class": "line", "max_chars": 64`, `"class": "line"`, `notify.thread: it needs a class and max_chars`},
		{"a tool that requires what it does not read", "tools.json", `"required": ["hour", "minute"],
      "input_schema"`, `"required": ["hour", "second"],
      "input_schema"`, `alarm_set: it requires second and does not read it`},
		{"a tool that requires one of nothing", "tools.json", `"required": [["seconds", "minutes"]]`, `"required": [[]]`, `timer_set: a required group is empty`},
		{"a requirement with a default", "tools.json", `"name": "query", "is": "text", "class": "line", "max_chars": 200},
        {"name": "limit"`, `"name": "query", "is": "enum", "words": ["a"], "default": "a"},
        {"name": "limit"`, `contacts_search: it requires query, which has a default`},
		{"a schema that requires less than the check", "tools.json", `"required": ["hour", "minute"]
      }`, `"required": ["hour"]
      }`, `alarm_set: the schema requires ["hour"] and the check ["hour" "minute"]`},
		{"a default out of its range", "tools.json", `"max": 50, "default": 5`, `"max": 50, "default": 51`, `the default of limit is not what the check would take`},
		{"a default that is no word of it", "tools.json", `"default": "fine"`, `"default": "exact"`, `the default of accuracy is not`},
		{"a default that is told otherwise", "tools.json", `1 to 50; 5 when not said`, `1 to 50; 10 when not said`, `contacts_search.limit: its description does not say "5 when not said"`},
		{"a default that there is not", "tools.json", `"The minute, 0 to 59."`, `"The minute, 0 to 59; 30 when not said."`, `alarm_set.minute: its description says "30 when not said", and it has no default`},
		{"a tool's limit that is told otherwise", "tools.json", `Its first line; at most 100`, `Its first line; at most 200`, `notify.title: its description says "at most 200"`},
		{"a tool's range that is told otherwise", "tools.json", `"minimum": 1, "maximum": 50,`, `"minimum": 1, "maximum": 60,`, `the schema's range of limit is not that of the check`},
		{"a tool's words that are told otherwise", "tools.json", `"enum": ["fine", "coarse"]`, `"enum": ["fine"]`, `the schema's words for accuracy`},
		{"a tool's type that is told otherwise", "tools.json", `"all_day": {"type": "boolean"`, `"all_day": {"type": "string"`, `all_day is "string" in the schema and "boolean" in the check`},
		{"a weekday the schema does not have", "tools.json", `"fri", "sat", "sun"]}, "description": "The days on which it repeats`, `"fri", "sat"]}, "description": "The days on which it repeats`, `the schema's words for days`},
		{"a permission there is not", "tools.json", `"permission": "alarm"`, `"permission": "bell"`, `permission "bell" is none of the permissions`},
		{"private and never asked, by no picker", "tools.json", `"permission": "picker"`, `"permission": "clipboard"`, `photo_pick: only what is harmless`},
		{"a permission without words", "texts.json", `"permission_alarm"`, `"permission_bell"`, `permission_alarm: the permission alarm needs it`},
		{"an act of a tool whose end has no words", "texts.json", `"left_notify"`, `"left_post"`, `left_notify: notify needs it`},
		{"a tool without a question", "texts.json", `"card.title.calendar_delete"`, `"card.title.calendar_drop"`, `en.card.title.calendar_delete: calendar_delete needs it`},
		{"an act of a tool that says nothing of what is done", "texts.json", `"card.hint.notify"`, `"card.hint.post"`, `en.card.hint.notify: notify needs it`},
		{"an act of a tool whose end is not told", "texts.json", `"end.did.notify"`, `"end.did.post"`, `en.end.did.notify: notify needs it`},
		{"a read that does not say what is given", "texts.json", `"card.gives.location"`, `"card.gives.place"`, `en.card.gives.location: location needs it`},
		{"a read whose end is not told", "texts.json", `"end.gave.location"`, `"end.gave.place"`, `en.end.gave.location: location needs it`},
		{"blobs of an act", "tools.json", `"waits": 0,
      "gateway"`, `"waits": 0, "blobs": 1,
      "gateway"`, `blobs are what a read brings back`},
		{"an action with a tool's form", "actions.json", `{"is": "date"}`, `{"is": "moment"}`, `only tools have the form moment`},
		{"an action the schema does not name", "tools.json", `"enum": ["navigate", `, `"enum": [`, `not the list of actions`},
		{"a field the schema does not have", "tools.json", `"near": {`, `"nearby": {`, `near is not in the schema`},
		{"a field no action reads", "tools.json", `"near": {`, `"nearby": {`, `nearby is in the schema and no action reads it`},
		{"a word the schema does not have", "tools.json", `"transit"]`, `"fly"]`, `the schema's words for mode`},
		{"another range in the schema", "tools.json", `"maximum": 86400`, `"maximum": 3600`, `the schema's range of seconds`},
		{"another type in the schema", "tools.json", `"replace_route": {
            "type": "boolean"`, `"replace_route": {
            "type": "string"`, `replace_route is "string" in the schema and "boolean" in the check`},

		{"a risk that differs from the capability's", "capabilities.json", `"id": "automation.run", "risk": "high"`, `"id": "automation.run", "risk": "low"`, `automation_intent: its risk is high, and that of its capability automation.run is low`},
		{"a capability there is not", "actions.json", `"capability": "maps.stop"`, `"capability": "maps.halt"`, `there is no capability "maps.halt"`},
		{"a capability nobody needs", "actions.json", `"capability": "maps.stop"`, `"capability": "maps.search"`, `maps.stop: no tool and no action needs it`},
		{"a capability of two actions", "actions.json", `"capability": "maps.stop"`, `"capability": "maps.search"`, `two actions need the same capability`},
		{"a capability twice", "capabilities.json", `"id": "maps.stop"`, `"id": "maps.search"`, `maps.search: it is there twice`},
		{"a capability of no shape", "capabilities.json", `"id": "maps.stop"`, `"id": "stop"`, `an id is an app and a verb`},
		{"a capability of no risk", "capabilities.json", `"id": "maps.stop", "risk": "low"`, `"id": "maps.stop", "risk": ""`, `maps.stop: risk ""`},
		{"a capability without a word about it", "capabilities.json", `"description": "End the running route."`, `"description": ""`, `maps.stop: it is not described`},

		{"an action twice", "actions.json", `"name": "torch"`, `"name": "media"`, `media: it is there twice`},
		{"an action without words", "actions.json", `"name": "torch", "title": "card.title.torch"`, `"name": "lamp", "title": "card.title.lamp"`, `en.card.title.lamp: lamp needs it`},
		{"an action whose end has no words", "actions.json", `"name": "torch", "title": "card.title.torch"`, `"name": "lamp", "title": "card.title.lamp"`, `left_lamp: lamp needs it`},
		{"an action with another's title", "actions.json", `"title": "card.title.torch"`, `"title": "card.title.media"`, `its title must be card.title.torch`},
		{"an action in no app", "actions.json", `"app": "torch"`, `"app": "lamp"`, `app "lamp" is not one of the apps`},
		{"a risk of an action there is not", "actions.json", `"app": "torch", "risk": "low"`, `"app": "torch", "risk": "tiny"`, `risk "tiny"`},
		{"a field read twice", "actions.json", `"fields": ["on"]`, `"fields": ["on", "on"]`, `it reads on twice`},
		{"a field nobody describes", "actions.json", `"fields": ["on"]`, `"fields": ["on", "colour"]`, `it reads colour, which fields does not describe`},
		{"a field without a label", "actions.json", `"fields": ["on"]`, `"fields": ["on", "colour"]`, `en.card.field.colour: torch needs it`},
		{"a requirement that is not read", "actions.json", `"required": ["on"]`, `"required": ["url"]`, `it requires url and does not read it`},
		{"a requirement of nothing", "actions.json", `"required": ["on"]`, `"required": [[]]`, `a required group is empty`},
		{"a field that is never checked", "actions.json", `"values",
    "replace_route"`, `"replace_route"`, `values: it is never checked`},
		{"a field checked twice", "actions.json", `"check": [`, `"check": ["time",`, `time is there twice`},
		{"a check of nothing", "actions.json", `"check": [`, `"check": ["colour",`, `colour is not one of the fields`},
		{"a field no action reads any more", "actions.json", `"fields": ["on"]`, `"fields": []`, `on: no action reads it`},
		{"a form there is not", "actions.json", `{"is": "time"}`, `{"is": "hour"}`, `there is no form "hour"`},
		{"an enum there is not", "actions.json", `"enum": "near"`, `"enum": "nearby"`, `there is no enum "nearby"`},
		{"a word without words", "actions.json", `"near": ["me"`, `"near": ["home", "me"`, `en.card.near.home: near needs it`},
		{"a text that a card cannot bound", "actions.json", `"class": "strict", "max_chars": 2048`, `"class": "strict"`, `url: it needs a class and max_chars`},
		{"a list that a card cannot bound", "actions.json", `"enum": "day", "max_items": 10`, `"enum": "day"`, `a list needs max_items`},
		{"values whose names nobody bounds", "actions.json", `, "max_key_chars": 64`, ``, `values need max_key_chars`},
		{"a range upside down", "actions.json", `"min": 1, "max": 86400`, `"min": 9, "max": 1`, `its min is above its max`},
		{"a class in a circle", "actions.json", `"also": "line"`, `"also": "strict"`, `goes in a circle`},
		{"a class there is not", "actions.json", `"also": "line"`, `"also": "lines"`, `leads to "lines"`},
		{"a trim set without the space", "actions.json", `"0020", `, ``, `it must hold the space`},
		{"a limit of nothing", "actions.json", `"place_digits": 7`, `"place_digits": 0`, `limits: each must be at least 1`},
		{"no wait", "actions.json", `"wait_seconds": 120`, `"wait_seconds": 0`, `it needs a capability, wait_seconds`},
		{"a span that is none", "actions.json", `"0009-000D"`, `"000D-0009"`, `runs backwards`},

		{"a placeholder nobody knows", "texts.json", `{{action}} needs {{fields}}.`, `{{action}} needs {{field_list}}.`, `missing: {{field_list}} is not one of the placeholders`},
		{"a placeholder that is not closed", "texts.json", `{{action}} needs {{fields}}.`, `{{action}} needs {{fields.`, `missing: a brace is left over`},
		{"an empty text", "texts.json", `"done": "The phone did it."`, `"done": ""`, `texts.json: done: it is empty`},
		{"a text with a space at its end", "texts.json", `"done": "The phone did it."`, `"done": "The phone did it. "`, `done: it is empty, or has spaces around it`},
		{"a rule without words", "texts.json", `"denied_quiet_hours"`, `"denied_quiet"`, `denied_quiet_hours: the rule quiet_hours needs it`},
		{"an ending without words", "texts.json", `"withdrawn_restart"`, `"withdrawn_start"`, `withdrawn_restart: a withdrawn call needs it`},
		{"a pause meanwhile without words", "texts.json", `"denied_paused_meanwhile"`, `"denied_paused_later"`, `denied_paused_meanwhile`},
		{"a state without words", "texts.json", `"progress_shown"`, `"progress_show"`, `progress_shown: an open call needs it`},
		{"a late end without words", "texts.json", `"unknown_later_done"`, `"unknown_late_done"`, `unknown_later_done`},
		{"an app without words", "texts.json", `"app_photos"`, `"app_pictures"`, `app_photos: the app photos needs it`},
		{"a language without a text", "texts.json", `"card.decline": "Ablehnen"`, `"card.decline_not": "Ablehnen"`, `de.card.decline: it is missing`},
		{"a language with a text of its own", "texts.json", `"card.decline": "Ablehnen"`, `"card.decline_not": "Ablehnen"`, `de.card.decline_not: it is not in en`},
		{"a language that lost a placeholder", "texts.json", `"fragt {{phone}}"`, `"fragt das Telefon"`, `de.card.asks: its placeholders are not those of en`},

		{"a range that a sentence tells otherwise", "texts.json", `a whole number from 1 to 86400`, `a whole number from 1 to 3600`, `what_seconds: it does not say "from 1 to 86400"`},
		{"a list that a sentence tells otherwise", "texts.json", `one of me, route`, `one of me, home`, `what_near: it does not say "one of me, route"`},
		{"a limit that a description tells otherwise", "tools.json", `for search_nearby; at most 200`, `for search_nearby; at most 100`, `query: its description says "at most 100"`},

		{"a direction there is not", "events.json", `"direction": "both"`, `"direction": "up"`, `records: direction "up"`},
		{"a frame twice", "events.json", `"kind": "shown"`, `"kind": "delivered"`, `delivered: it is there twice`},
		{"a signed frame without a body", "events.json", `"signed": false`, `"signed": true`, `what is signed has a body`},
		{"an entry twice", "events.json", `"kind": "call.go"`, `"kind": "call.shown"`, `call.shown: it is there twice`},
		{"an entry without a word about it", "events.json", `"about": "The go may leave the gateway."`, `"about": ""`, `call.go: it is not described`},
		{"an entry of no shape", "events.json", `"kind": "call.go"`, `"kind": "Call Go"`, `it is no kind`},
	} {
		t.Run(row.name, func(t *testing.T) {
			problems := spec.Validate(edit(t, row.file, row.before, row.after))
			for _, p := range problems {
				if strings.Contains(p.String(), row.want) {
					return
				}
			}
			t.Errorf("not found: %s\namong %v", row.want, problems)
		})
	}
}

func TestValidateMissingFiles(t *testing.T) {
	for _, name := range []string{"tools.json", "actions.json", "texts.json", "capabilities.json", "events.json"} {
		files := copied(t)
		delete(files, name)
		if len(spec.Validate(files)) == 0 {
			t.Errorf("no problem without %s", name)
		}
	}
	files := copied(t)
	for name := range files {
		if strings.HasPrefix(name, "schemas/") {
			delete(files, name)
		}
	}
	if problems := spec.Validate(files); len(problems) != 1 || problems[0].File != "schemas" {
		t.Errorf("without schemas: %v", problems)
	}
}

// Following superseded_by must end at a tool that can still be used.
func TestSupersededChains(t *testing.T) {
	chain := func(status, cancel string) []spec.Problem {
		files := copied(t)
		for name, by := range map[string]string{"call_status": status, "call_cancel": cancel} {
			if by != "" {
				files = editIn(t, files, "tools.json", `"name": "`+name+`",`, `"name": "`+name+`", "superseded_by": "`+by+`",`)
				at := strings.Index(string(files["tools.json"].Data), `"name": "`+name+`"`)
				text := string(files["tools.json"].Data)
				text = text[:at] + strings.Replace(text[at:], `"deprecated": false`, `"deprecated": true`, 1)
				files["tools.json"] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		return spec.Validate(files)
	}
	if p := chain("call_cancel", "phone_action"); len(p) != 0 {
		t.Errorf("a chain to a live tool: %v", p)
	}
	if p := chain("call_cancel", "call_status"); len(p) == 0 || !strings.Contains(p[0].What, "circle") {
		t.Errorf("two that name each other: %v", p)
	}
}

// Adding to a manifest is allowed without raising its version.
func TestUnknownKeysAreIgnored(t *testing.T) {
	files := edit(t, "tools.json", `"version": 1,`, `"version": 1, "made_with": {"anything": [1, 2]},`)
	if p := spec.Validate(files); len(p) != 0 {
		t.Error(p)
	}
}
