package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

func where(name string) map[string]any { return map[string]any{"query": name} }

func list(words ...string) []any {
	var out []any
	for _, w := range words {
		out = append(out, w)
	}
	return out
}

// phoneAction is a card of phone_action.
func phoneAction(name string, f nod.Fields) host.Card {
	return host.Card{Offer: wire.OfferBody{Tool: spec.ToolPhoneAction, Action: name, Fields: f}}
}

// TestEveryActionIsDone holds that the phone knows the contract's actions and no others.
func TestEveryActionIsDone(t *testing.T) {
	for _, a := range spec.Get().Phone.Actions {
		if handlers[a.Name] == nil {
			t.Errorf("the phone does not know %s", a.Name)
		}
	}
	if len(handlers) != len(spec.Get().Phone.Actions) {
		t.Errorf("the phone knows %d actions, the contract has %d", len(handlers), len(spec.Get().Phone.Actions))
	}
	for _, tool := range spec.Get().Tools {
		if does := tools[tool.Name] != nil; does == (tool.Gateway || tool.Name == spec.ToolPhoneAction) {
			t.Errorf("the phone does %s: %v", tool.Name, does)
		}
	}
	ids := map[string]bool{}
	for _, c := range New(Config{}).Capabilities() {
		if c.State != nod.Ready || ids[c.ID] {
			t.Errorf("the capability %+v", c)
		}
		ids[c.ID] = true
	}
}

// TestActions holds what each action does and what is said of it.
func TestActions(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	route := func(s *State) { s.Route = &Route{Destination: "Home", Mode: "drive"} }
	playing := func(s *State) { s.Playing = true }
	for _, c := range []struct {
		name    string
		action  string
		fields  nod.Fields
		before  func(*State)
		status  wire.ResultStatus
		started bool
		message string // that the message holds
		after   func(State) bool
	}{
		{"navigate", "navigate", nod.Fields{"destination": where("SFO"), "stops": []any{where("Ferry Building"), where("Dolores Park")}}, nil,
			wire.ResultDone, true, "SFO by way of Ferry Building, Dolores Park", func(s State) bool {
				return s.Route.Destination == "SFO" && len(s.Route.Stops) == 2 && s.Route.Mode == "drive"
			}},
		{"navigate by coordinates", "navigate", nod.Fields{"destination": map[string]any{"lat": "37.7955", "lon": "-122.3937"}, "mode": "walk"}, nil,
			wire.ResultDone, true, "37.7955,-122.3937", func(s State) bool { return s.Route.Mode == "walk" }},
		{"navigate while a route runs", "navigate", nod.Fields{"destination": where("SFO")}, route,
			wire.ResultOpened, true, "Home is running", func(s State) bool { return s.Route.Destination == "Home" }},
		{"navigate in place of a route", "navigate", nod.Fields{"destination": where("SFO"), "replace_route": true}, route,
			wire.ResultDone, true, "SFO", func(s State) bool { return s.Route.Destination == "SFO" }},
		{"navigate with ten stops", "navigate", nod.Fields{"destination": where("SFO"), "stops": make([]any, 10)}, nil,
			wire.ResultFailed, false, "nine stops", func(s State) bool { return s.Route == nil }},
		{"add a stop", "add_stop", nod.Fields{"stop": map[string]any{"name": "Bakery", "query": "12 Main St"}, "destination": where("Home")}, route,
			wire.ResultDone, true, "Home by way of Bakery", func(s State) bool { return s.Route.Destination == "Home" && s.Route.Stops[0] == "Bakery" }},
		{"search around me", "search_nearby", nod.Fields{"query": "coffee"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Searches[0] == Search{"coffee", "me"} }},
		{"search along no route", "search_nearby", nod.Fields{"query": "coffee", "near": "route"}, nil,
			wire.ResultFailed, false, "No route", func(s State) bool { return s.Searches == nil }},
		{"search along the route", "search_nearby", nod.Fields{"query": "coffee", "near": "route"}, route,
			wire.ResultOpened, true, "", func(s State) bool { return len(s.Searches) == 1 }},
		{"stop the route", "stop_navigation", nil, route,
			wire.ResultDone, true, "ended", func(s State) bool { return s.Route == nil }},
		{"stop no route", "stop_navigation", nil, nil,
			wire.ResultFailed, false, "No route", func(State) bool { return true }},
		{"alarm", "alarm", nod.Fields{"time": "07:30", "label": "Train", "days": list("fri", "mon")}, nil,
			wire.ResultDone, true, "07:30 on mon, fri", func(s State) bool { return len(s.Alarms) == 1 && s.Alarms[0].Label == "Train" }},
		{"the same alarm", "alarm", nod.Fields{"time": "07:30"}, func(s *State) { s.Alarms = []Alarm{{Time: "07:30"}} },
			wire.ResultDone, true, "07:30", func(s State) bool { return len(s.Alarms) == 1 }},
		{"timer", "timer", nod.Fields{"seconds": int64(90), "label": "Tea"}, nil,
			wire.ResultDone, true, "1m30s", func(s State) bool { return len(s.Timers) == 1 && s.Timers[0].Label == "Tea" }},
		{"event", "calendar_event", nod.Fields{"title": "Dentist", "start": "2026-09-24T18:30", "place": "Rua 1"}, nil,
			wire.ResultOpened, true, "", func(s State) bool {
				return s.Events[0].End.Sub(s.Events[0].Start) == time.Hour && s.Events[0].Start.UTC().Hour() == 17
			}},
		{"event of a day", "calendar_event", nod.Fields{"title": "Trip", "start": "2026-09-24", "end": "2026-09-25"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Events[0].AllDay }},
		{"event on a day that does not exist", "calendar_event", nod.Fields{"title": "x", "start": "2026-02-31"}, nil,
			wire.ResultFailed, false, "2026-02-31", func(s State) bool { return s.Events == nil }},
		{"event in the hour that is left out", "calendar_event", nod.Fields{"title": "x", "start": "2026-03-29T01:30"}, nil,
			wire.ResultFailed, false, "clocks change", func(s State) bool { return s.Events == nil }},
		{"event that ends before it starts", "calendar_event", nod.Fields{"title": "x", "start": "2026-09-24T18:30", "end": "2026-09-24T17:30"}, nil,
			wire.ResultFailed, false, "before it starts", func(s State) bool { return s.Events == nil }},
		{"event from a day to an hour", "calendar_event", nod.Fields{"title": "x", "start": "2026-09-24", "end": "2026-09-25T10:00"}, nil,
			wire.ResultFailed, false, "both", func(s State) bool { return s.Events == nil }},
		{"text message", "sms_draft", nod.Fields{"to": list("+14155550123"), "text": "Late"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Texts[0].To[0] == "+14155550123" && s.Texts[0].Text == "Late" }},
		{"mail", "email_draft", nod.Fields{"to": list("a@x.example"), "cc": list("b@x.example"), "subject": "Hi"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Mails[0].Cc[0] == "b@x.example" && s.Mails[0].Subject == "Hi" }},
		{"mail to an address that is two", "email_draft", nod.Fields{"to": list("a@x.example,b@y.example")}, nil,
			wire.ResultFailed, false, "one address", func(s State) bool { return s.Mails == nil }},
		{"dial", "dial", nod.Fields{"number": "+1 (555) 010-0199"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Dialer == "+1 (555) 010-0199" }},
		{"open an app", "open_app", nod.Fields{"app": "camera"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Opened[0] == "Camera" }},
		{"open no app", "open_app", nod.Fields{"app": "Nonesuch"}, nil,
			wire.ResultFailed, false, "Nonesuch", func(s State) bool { return s.Opened == nil }},
		{"open a page", "open_url", nod.Fields{"url": "https://nod.example/"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Pages[0] == "https://nod.example/" }},
		{"play", "media", nod.Fields{"command": "play"}, nil,
			wire.ResultDone, true, "Song 1", func(s State) bool { return s.Playing }},
		{"pause nothing", "media", nod.Fields{"command": "pause"}, nil,
			wire.ResultFailed, false, "Nothing is playing", func(s State) bool { return !s.Playing }},
		{"pause", "media", nod.Fields{"command": "pause"}, playing,
			wire.ResultDone, true, "quiet", func(s State) bool { return !s.Playing }},
		{"next", "media", nod.Fields{"command": "next"}, playing,
			wire.ResultDone, true, "Song 2", func(s State) bool { return s.Track == 2 }},
		{"previous", "media", nod.Fields{"command": "previous"}, playing,
			wire.ResultDone, true, "Song 3", func(s State) bool { return s.Track == 3 }},
		{"next of nothing", "media", nod.Fields{"command": "next"}, nil,
			wire.ResultFailed, false, "Nothing is playing", func(s State) bool { return s.Track == 1 }},
		{"torch on", "torch", nod.Fields{"on": true}, nil,
			wire.ResultDone, true, "on", func(s State) bool { return s.Torch }},
		{"torch off", "torch", nod.Fields{"on": false}, func(s *State) { s.Torch = true },
			wire.ResultDone, true, "off", func(s State) bool { return !s.Torch }},
		{"panel", "settings_panel", nod.Fields{"panel": "wifi"}, nil,
			wire.ResultOpened, true, "", func(s State) bool { return s.Panel == "wifi" }},
		{"automation", "automation_intent", nod.Fields{"name": "lights", "values": map[string]any{"room": "hall"}}, nil,
			wire.ResultDone, true, "Lights", func(s State) bool { return s.Runs[0].Values["room"] == "hall" && s.Runs[0].App == "Tasker" }},
		{"no such automation", "automation_intent", nod.Fields{"name": "Doors"}, nil,
			wire.ResultFailed, false, "Doors", func(s State) bool { return s.Runs == nil }},
		{"no such automation app", "automation_intent", nod.Fields{"name": "Lights", "app": "Nonesuch"}, nil,
			wire.ResultFailed, false, "Nonesuch", func(s State) bool { return s.Runs == nil }},
		{"no such action", "buy", nil, nil,
			wire.ResultFailed, false, "buy", func(State) bool { return true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := New(Config{Zone: lisbon})
			if c.before != nil {
				c.before(&p.state)
			}
			r := p.CarryOut(t.Context(), phoneAction(c.action, c.fields))
			status, started, message, app := r.Status, r.Started, r.Message, r.App
			if status != c.status || started != c.started || !strings.Contains(message, c.message) {
				t.Errorf("it is %s, %v, %q; want %s, %v, %q", status, started, message, c.status, c.started, c.message)
			}
			if (status == wire.ResultOpened) != (app != "") {
				t.Errorf("it is %s and names the app %q", status, app)
			}
			if !c.after(p.State()) {
				t.Errorf("the phone is now %+v", p.State())
			}
		})
	}
}

func TestLacks(t *testing.T) {
	p := New(Config{Unsupported: map[string]string{"torch.switch": "This phone has no light."}})
	r := p.CarryOut(t.Context(), phoneAction("torch", nod.Fields{"on": true}))
	if r.Status != wire.ResultFailed || r.Started || r.Message != "This phone has no light." {
		t.Errorf("it is %+v", r)
	}
	found := false
	for _, c := range p.Capabilities() {
		if c.ID == "torch.switch" {
			found = c.State == nod.Unsupported && c.Reason != ""
		}
	}
	if !found {
		t.Error("the capability is not declared as missing")
	}
}

func TestCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := New(Config{})
	r := p.CarryOut(ctx, phoneAction("torch", nod.Fields{"on": true}))
	if r.Status != wire.ResultFailed || r.Started || p.State().Torch || p.Count() != 0 {
		t.Errorf("it is %+v", r)
	}
}

// TestStateIsACopy holds that looking at the phone cannot change it.
func TestStateIsACopy(t *testing.T) {
	p := New(Config{})
	for i := range 2 {
		p.CarryOut(t.Context(), phoneAction("alarm", nod.Fields{"time": fmt.Sprintf("0%d:00", i)}))
		p.CarryOut(t.Context(), phoneAction("navigate", nod.Fields{"destination": where("Home"), "stops": []any{where("Shop")}}))
	}
	s := p.State()
	s.Alarms[0].Time, s.Route.Destination, s.Route.Stops[0] = "x", "x", "x"
	if s := p.State(); s.Alarms[0].Time != "00:00" || s.Route.Destination != "Home" || s.Route.Stops[0] != "Shop" {
		t.Errorf("the phone is %+v", s)
	}
}
