package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/spec"
)

// Each tool has an example, which the bridge takes and docs/tools.md shows.
func TestExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range spec.Get().Tools {
		words := exampleOf(tool.Name)
		if words == "" || !strings.Contains(string(page), "\nnod call "+words+"\n") {
			t.Errorf("%s: docs/tools.md lacks %q", tool.Name, words)
		}
		var list []string
		for i, part := range strings.Split(words, "'") {
			if i%2 == 1 { // quoted
				list[len(list)-1] += part
				continue
			}
			list = append(list, strings.Fields(part)...)
		}
		got, arguments, err := contractTools().parse(list)
		if err != nil || got != tool.Name {
			t.Errorf("%s: %q is %s, %v", tool.Name, words, got, err)
		}
		raw, err := json.Marshal(arguments)
		if _, refusal := action.Check(spec.Get(), tool.Name, raw); err != nil || refusal != "" {
			t.Errorf("%s: %q is refused: %s (%v)", tool.Name, words, refusal, err)
		}
	}
	if len(examples) != len(spec.Get().Tools) {
		t.Errorf("%d examples for %d tools", len(examples), len(spec.Get().Tools))
	}
}

// What a tool needs is what the gateway's policy will say of it.
func TestToolNeeds(t *testing.T) {
	switched := func(switches ...string) client.Agent {
		a := client.Agent{Mode: nod.AskBeforeAction, Access: map[string]nod.AccessState{}}
		for _, s := range switches {
			what, off := strings.CutPrefix(s, "not ")
			a.Access[what] = map[bool]nod.AccessState{true: nod.AccessOff, false: nod.AccessAsk}[off]
		}
		return a
	}
	only := switched("maps:act")
	only.Only = true
	watcher := switched("calendar:read")
	watcher.Mode = nod.ObserveOnly
	for _, tt := range []struct {
		agent      client.Agent
		tool, want string
	}{
		{switched(), "phone_action", "a yes each time"},
		{switched("not maps:act", "not clock:act"), "phone_action", "a yes each time; off for clock, maps"},
		{switched(), "alarm_set", "a yes each time"},
		{switched(), "calendar_list", "off: " + switchOn},
		{switched("calendar:read"), "calendar_list", "a yes each time"},
		{switched("calendar:read"), "contacts_search", "off: " + switchOn},
		{switched(), "notify", "no card"},
		{switched(), "phone_now", "no card"},
		{switched(), "photo_pick", "off: " + switchOn},
		{switched("photos:read"), "photo_pick", "no card: they pick on the phone"},
		{only, "phone_action", "a yes each time; only for maps"},
		{only, "alarm_set", "off: " + switchOn},
		{only, "phone_now", "off: " + switchOn},
		{watcher, "calendar_create", "denied: this agent may only look"},
		{watcher, "calendar_list", "a yes each time"},
		{switched(), "call_status", "nothing: nod answers it itself"},
	} {
		for _, v := range toolViews(tt.agent, nil, nil) {
			if v.Name == tt.tool && v.needs() != tt.want {
				t.Errorf("%s for %v: %q, want %q", tt.tool, tt.agent.Access, v.needs(), tt.want)
			}
		}
	}
}

func TestToolPhones(t *testing.T) {
	capable := func(name string, all ...nod.Capability) client.Phone {
		return client.Phone{ID: nod.PhoneID("phone_" + name), Name: name, Approved: true, Capabilities: all}
	}
	pixel := capable("Pixel", nod.Capability{ID: "calendar.read", State: nod.NeedsPermission}, nod.Capability{ID: "contacts.search", State: nod.Ready, Picker: true},
		nod.Capability{ID: "clock.alarm", State: nod.Ready}, nod.Capability{ID: "torch.switch", State: nod.Unsupported})
	laptop := capable("Laptop", nod.Capability{ID: "calendar.read", State: nod.Unsupported, Reason: "A browser cannot."})
	waiting := client.Phone{ID: "phone_W", Name: "Waiting"}
	for _, tt := range []struct {
		phones     []client.Phone
		bound      nod.PhoneID
		tool, want string
	}{
		{nil, "", "calendar_list", "no phone is paired"},
		{[]client.Phone{waiting}, "", "calendar_list", "no phone is paired"},
		{[]client.Phone{pixel, laptop}, "", "calendar_list", "Pixel: asks its person first; Laptop: cannot: A browser cannot."},
		{[]client.Phone{pixel, laptop}, laptop.ID, "calendar_list", "Laptop: cannot: A browser cannot."},
		{[]client.Phone{pixel}, "", "contacts_search", "Pixel: ready, they pick there and no card asks"},
		{[]client.Phone{pixel}, "", "location", "Pixel: cannot"},
		{[]client.Phone{capable("Silent")}, "", "location", "Silent: has not said"},
		{[]client.Phone{pixel}, "", "phone_action", "Pixel: 1 of 16 actions"},
		{[]client.Phone{pixel}, "", "call_cancel", "-"},
	} {
		for _, v := range toolViews(client.Agent{Phone: tt.bound}, nil, tt.phones) {
			if v.Name == tt.tool && v.phones() != tt.want {
				t.Errorf("%s: %q, want %q", tt.tool, v.phones(), tt.want)
			}
		}
	}
}

func TestAccessWords(t *testing.T) {
	on, off := nod.AccessAsk, nod.AccessOff
	for _, tt := range []struct {
		only   bool
		access map[string]nod.AccessState
		want   string
	}{
		{false, nil, "acts in every app"},
		{false, map[string]nod.AccessState{"maps:act": off, "clock:act": off}, "acts in every app but clock, maps"},
		{false, map[string]nod.AccessState{"calendar:read": on, "location:read": off}, "acts in every app; reads calendar; reads no location"},
		{true, map[string]nod.AccessState{"maps:act": on, "calendar:read": on, "contacts:read": on}, "acts in maps; reads calendar, contacts"},
		{true, map[string]nod.AccessState{"maps:act": off, "calendar:read": off}, "nothing"},
		{true, nil, "nothing"},
	} {
		if got := accessWords(client.Agent{Only: tt.only, Access: tt.access}); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.access, got, tt.want)
		}
	}
}
